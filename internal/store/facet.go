package store

import (
	"context"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// NoZone is the zone value of a RunFilter for findings that are in no zone.
const NoZone = "(none)"

// RunFilter narrows the findings of one assessment further; all fields combine with AND.
type RunFilter struct {
	FindingFilter
	// Without excludes findings that match any of its categories, checks or zones; its other fields are
	// ignored.
	Without    FindingFilter
	Statuses   []posture.FindingStatus
	Remediable *bool
	// Excepted filters by the exceptions of the run.
	Excepted ExceptedFilter
	// Order is used by RunFindings only.
	Order FindingOrder
}

// FindingOrder is an order of findings. Findings that are equal in it stay in the order of severity.
type FindingOrder string

// The orders. Texts are compared bytewise.
const (
	OrderSeverity FindingOrder = ""
	OrderCheck    FindingOrder = "check"
	OrderResource FindingOrder = "resource" // by name
	OrderZone     FindingOrder = "zone"     // by name; findings in no zone come first
	OrderAccount  FindingOrder = "account"  // of LatestFindings, by the provider's account id
	OrderOldest   FindingOrder = "oldest"   // by when it was first seen
	OrderNewest   FindingOrder = "newest"
)

// IsFindingFilter reports whether the filter needs nothing beyond its FindingFilter.
func (f RunFilter) IsFindingFilter() bool {
	w := f.Without
	return len(w.Categories)+len(w.Checks)+len(w.Zones)+len(f.Statuses) == 0 && f.Remediable == nil && f.Excepted == ExceptedShown &&
		!slices.Contains(f.Zones, NoZone)
}

// Facets counts, for each value of each field, the findings that would be listed if that field filtered
// by that value and all others stayed unchanged. Values with no findings are absent.
type Facets struct {
	Severity   map[posture.Severity]int      `json:"severity"`
	Result     map[posture.Result]int        `json:"result"`
	Category   map[posture.Category]int      `json:"category"`
	Check      map[string]int                `json:"check"`
	Zone       map[string]int                `json:"zone" doc:"By name; (none) is what is in no zone."`
	Status     map[posture.FindingStatus]int `json:"status"`
	Remediable map[string]int                `json:"remediable" doc:"Under yes and no: whether the service can make the change."`
	Exception  map[string]int                `json:"exception" doc:"Under only and hidden: whose risk the run found accepted, and all others."`
}

// Grouping is what findings are grouped by.
type Grouping string

// The groupings.
const (
	ByCheck    Grouping = "check"
	ByZone     Grouping = "zone"
	ByResource Grouping = "resource"
)

// FindingGroup sums up the listed findings of one check, zone or resource.
type FindingGroup struct {
	Value      string                   `json:"value" doc:"What the filter of this field takes: check id, zone name or (none), resource id."`
	Name       string                   `json:"name" doc:"Title of the check, name of the zone or of the resource."`
	Type       posture.ResourceType     `json:"type,omitempty" doc:"Of a resource."`
	Findings   int                      `json:"findings"`
	BySeverity map[posture.Severity]int `json:"bySeverity"`
}

// RunFindings reads the findings of one assessment with all filters that lists have.
type RunFindings interface {
	// RunFindings lists findings in the filter's order. ErrNotFound when the assessment is unknown.
	RunFindings(ctx context.Context, assessmentID string, f RunFilter, p Page) (rows []posture.Finding, next string, err error)
	// RunFacets counts the facets of what RunFindings lists. ErrNotFound.
	RunFacets(ctx context.Context, assessmentID string, f RunFilter) (Facets, error)
	// RunGroups groups what RunFindings lists: the most critical ones first, of as many the most high
	// ones and so on, then by name; total is the number of groups. ErrNotFound.
	RunGroups(ctx context.Context, assessmentID string, f RunFilter, by Grouping, p Page) (rows []FindingGroup, total int, next string,
		err error)
}

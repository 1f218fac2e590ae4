package issue

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Order is the sort order of a list.
type Order string

// The orders; ties keep the order by rank.
const (
	ByRank      Order = "rank"
	BySeverity  Order = "severity"
	ByResources Order = "resources"
	ByPaths     Order = "paths"
	Newest      Order = "newest"
	Oldest      Order = "oldest"
	ByTitle     Order = "title"
	ByDue       Order = "due"
)

// Choice selects and orders issues. The values of one field combine with OR, the fields with AND;
// empty fields do not filter.
type Choice struct {
	Severities []posture.Severity
	Categories []posture.Category
	Efforts    []Effort
	States     []State  // Open selects all that wait; resolved issues are listed only when selected
	Owners     []string // Nobody selects those without
	Assignees  []string // as Owners
	Overdue    bool     // only overdue issues
	Checks     []string
	Text       string    // in the title or the id of the check, ignoring case
	Since      time.Time // when the oldest finding was first seen, or later
	Order      Order     // ByRank when empty
}

// IssueFacets counts, for each value of each field, the issues that would be listed if the field
// selected that value and all other fields stayed the same. Missing values count 0.
type IssueFacets struct { //nolint:revive // the API has Facets of findings, too
	Severity map[posture.Severity]int `json:"severity"`
	Category map[posture.Category]int `json:"category"`
	Effort   map[Effort]int           `json:"effort"`
	State    map[State]int            `json:"state" doc:"open counts what is acknowledged and in progress, too."`
	Owner    map[string]int           `json:"owner" doc:"none counts those without."`
	Assignee map[string]int           `json:"assignee" doc:"none counts those without."`
}

// The fields of a Choice that have a facet, as bits.
const (
	failsSeverity uint8 = 1 << iota
	failsCategory
	failsEffort
	failsState
	failsOwner
	failsAssignee
)

// Of returns the selected issues and the facets. all must be sorted by rank.
func (c Choice) Of(all []Issue) ([]*Issue, IssueFacets) {
	of := IssueFacets{Severity: map[posture.Severity]int{}, Category: map[posture.Category]int{}, Effort: map[Effort]int{},
		State: map[State]int{}, Owner: map[string]int{}, Assignee: map[string]int{}}
	var out []*Issue
	text := strings.ToLower(c.Text)
	for i := range all {
		one := &all[i]
		fails := mark(c.Severities, one.Severity, failsSeverity) | mark(c.Categories, one.Category, failsCategory) |
			mark(c.Efforts, one.Effort, failsEffort) | c.state(one.State) | mark(c.Owners, orNobody(one.Owner), failsOwner) |
			mark(c.Assignees, orNobody(one.Assignee), failsAssignee)
		if bits.OnesCount8(fails) > 1 || one.FirstSeen.Before(c.Since) || mark(c.Checks, one.CheckID, 1) > 0 || c.Overdue && !one.Overdue ||
			text != "" && !strings.Contains(strings.ToLower(one.Title), text) && !strings.Contains(strings.ToLower(one.CheckID), text) {
			continue // no value of one field would select it
		}
		count(of.Severity, one.Severity, fails, failsSeverity)
		count(of.Category, one.Category, fails, failsCategory)
		count(of.Effort, one.Effort, fails, failsEffort)
		count(of.State, one.State, fails, failsState)
		if one.State != Open && one.State.Waits() {
			count(of.State, Open, fails, failsState)
		}
		count(of.Owner, orNobody(one.Owner), fails, failsOwner)
		count(of.Assignee, orNobody(one.Assignee), fails, failsAssignee)
		if fails == 0 {
			out = append(out, one)
		}
	}
	c.Order.sort(out)
	return out, of
}

func mark[T comparable](wanted []T, v T, bit uint8) uint8 {
	if len(wanted) == 0 || slices.Contains(wanted, v) {
		return 0
	}
	return bit
}

// state is mark for states.
func (c Choice) state(of State) uint8 {
	if len(c.States) == 0 && of != Resolved || slices.Contains(c.States, of) || of.Waits() && slices.Contains(c.States, Open) {
		return 0
	}
	return failsState
}

func orNobody(name string) string { return cmp.Or(name, Nobody) }

// count counts a value if no other field filters it out.
func count[T comparable](in map[T]int, v T, fails, bit uint8) {
	if fails&^bit == 0 {
		in[v]++
	}
}

func (o Order) sort(list []*Issue) {
	switch o {
	case BySeverity:
		sortBy(list, func(i *Issue) int { return -i.Severity.Rank() })
	case ByResources:
		sortBy(list, func(i *Issue) int { return -i.Resources })
	case ByPaths:
		sortBy(list, func(i *Issue) int { return -i.Paths })
	case Newest:
		sortBy(list, func(i *Issue) int64 { return -i.FirstSeen.UnixMicro() })
	case Oldest:
		sortBy(list, func(i *Issue) int64 { return i.FirstSeen.UnixMicro() })
	case ByTitle:
		sortBy(list, func(i *Issue) string { return strings.ToLower(i.Title) })
	case ByDue:
		sortBy(list, func(i *Issue) string { return cmp.Or(i.Due, "9999") })
	case ByRank:
	}
}

// sortBy sorts by a key that is computed once per issue.
func sortBy[K cmp.Ordered](list []*Issue, of func(*Issue) K) {
	type keyed struct {
		key K
		of  *Issue
	}
	all := make([]keyed, len(list))
	for i, one := range list {
		all[i] = keyed{of(one), one}
	}
	slices.SortFunc(all, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.of.Rank, b.of.Rank)) })
	for i := range all {
		list[i] = all[i].of
	}
}

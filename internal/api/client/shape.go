package client

import (
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// List is a page of items.
type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor"`
}

// Assessments is a page of assessments.
type Assessments struct {
	Assessments []posture.AssessmentSummary `json:"assessments"`
	NextCursor  string                      `json:"nextCursor"`
}

// Findings is a page of findings with the counts of all that match.
type Findings struct {
	Items      []posture.Finding `json:"items"`
	NextCursor string            `json:"nextCursor"`
	Counts     map[string]int    `json:"counts"`
	Facets     *struct {
		Severity map[posture.Severity]int `json:"severity"`
	} `json:"facets"`
}

// Issues is a page of issues with the number of all that match.
type Issues struct {
	List[issue.Issue]
	Total int `json:"total"`
}

// Graph is the resource graph of an assessment with its attack paths.
type Graph struct {
	AssessmentID string               `json:"assessmentId"`
	Graph        graph.Graph          `json:"graph"`
	AttackPaths  []posture.AttackPath `json:"attackPaths"`
}

// Check is a check with the main members of the API's form; the raw form has the rest.
type Check struct {
	ID         string               `json:"id"`
	Title      string               `json:"title"`
	Category   posture.Category     `json:"category"`
	Severity   posture.Severity     `json:"severity"`
	Resource   posture.ResourceType `json:"resource"`
	Why        string               `json:"why"`
	Fix        string               `json:"fix"`
	References []string             `json:"references"`
	Remediable bool                 `json:"remediable"`
}

// ShipRequest selects what is sent where. Addresses and credentials come from the settings.
type ShipRequest struct {
	AssessmentID    string `json:"assessmentId,omitempty"`
	Target          string `json:"target"`
	SearchIndex     string `json:"searchIndex,omitempty"`
	HECIndex        string `json:"hecIndex,omitempty"`
	AWSAccountID    string `json:"awsAccountId,omitempty"`
	AWSRegion       string `json:"awsRegion,omitempty"`
	Kibana          bool   `json:"kibana,omitempty"`
	DryRun          bool   `json:"dryRun,omitempty"`
	IncludeTemplate bool   `json:"includeTemplate,omitempty"`
	OnlyChanges     bool   `json:"onlyChanges,omitempty"`
}

// NotifyRequest selects the channels. Their addresses come from the settings.
type NotifyRequest struct {
	AssessmentID string   `json:"assessmentId,omitempty"`
	Channels     []string `json:"channels,omitempty"`
	Threshold    string   `json:"threshold,omitempty"`
	Link         string   `json:"link,omitempty"`
	DryRun       bool     `json:"dryRun,omitempty"`
}

// Inputs are values that a person must choose, by check id and name. Lists and numbers are written
// as text, which the service converts.
type Inputs map[string]map[string]string

// PlanRequest selects what changes are planned for.
type PlanRequest struct {
	AssessmentID string   `json:"assessmentId,omitempty"`
	CheckIDs     []string `json:"checkIds,omitempty"`
	Zones        []string `json:"zones,omitempty"`
	PathIDs      []string `json:"pathIds,omitempty"`
	AI           bool     `json:"ai,omitempty"`
	Inputs       Inputs   `json:"inputs,omitempty"`
	// APIToken is used for reading instead of the account's own token.
	APIToken secret.Text `json:"-"`
}

func (r PlanRequest) wire() any {
	return struct {
		PlanRequest
		APIToken string `json:"apiToken,omitempty"`
	}{r, r.APIToken.Reveal()}
}

// ApplyRequest selects the changes to make. Token is the edit token; APIToken is a provider token
// with write permission, for accounts whose own token only reads.
type ApplyRequest struct {
	AssessmentID string
	CheckIDs     []string
	PlanID       string
	Force        bool
	Inputs       Inputs
	Token        secret.Text
	APIToken     secret.Text
}

// wire is the only place that reveals the tokens, into the body of the request.
func (r ApplyRequest) wire() any {
	return struct {
		AssessmentID string   `json:"assessmentId"`
		CheckIDs     []string `json:"checkIds"`
		PlanID       string   `json:"planId,omitempty"`
		Force        bool     `json:"force,omitempty"`
		Inputs       Inputs   `json:"inputs,omitempty"`
		Token        string   `json:"token"`
		APIToken     string   `json:"apiToken,omitempty"`
	}{r.AssessmentID, r.CheckIDs, r.PlanID, r.Force, r.Inputs, r.Token.Reveal(), r.APIToken.Reveal()}
}

// RollbackRequest selects the bundle to restore, or only some changes of it.
type RollbackRequest struct {
	BundleID  string
	ChangeIDs []string
	Force     bool
	Token     secret.Text
	APIToken  secret.Text
}

func (r RollbackRequest) wire() any {
	return struct {
		BundleID  string   `json:"bundleId"`
		ChangeIDs []string `json:"changeIds,omitempty"`
		Force     bool     `json:"force,omitempty"`
		Token     string   `json:"token"`
		APIToken  string   `json:"apiToken,omitempty"`
	}{r.BundleID, r.ChangeIDs, r.Force, r.Token.Reveal(), r.APIToken.Reveal()}
}

// Backups is a page of bundles.
type Backups struct {
	Backups    []change.Backup `json:"backups"`
	NextCursor string          `json:"nextCursor"`
}

// Trends is the part of an account's history that is shown to a person.
type Trends struct {
	Points []struct {
		trend.Point
		Opened   int `json:"opened"`
		Resolved int `json:"resolved"`
		Reopened int `json:"reopened"`
	} `json:"points"`
}

package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func webhook() Channel {
	return Channel{Name: "webhook", Title: "The webhook", Word: "Webhook", URLKey: "webhookUrl", URLDoc: "Address of the generic webhook.",
		SecretKey: "webhookSecret", Build: buildWebhook, sign: signed}
}

// Event is the event name of webhook messages about assessments.
const Event = "assessment.summary"

// Limits of a webhook document, so that its size does not depend on the account's.
const (
	maxDocumentName = 300  // characters
	maxDocumentText = 1000 // characters
	maxPermissions  = 50   // listed; all are counted
)

// document is the body of a webhook. Its field names are a stable interface for receivers.
type document struct {
	SchemaVersion int                      `json:"schemaVersion"`
	Event         string                   `json:"event"`
	Product       string                   `json:"product"`
	Demo          bool                     `json:"demo"`
	Notice        string                   `json:"notice,omitempty"`
	AssessmentID  string                   `json:"assessmentId"`
	JobID         string                   `json:"jobId"`
	Account       posture.AccountRef       `json:"account"`
	Status        posture.AssessmentStatus `json:"status"`
	Profile       posture.Profile          `json:"profile"`
	StartedAt     time.Time                `json:"startedAt"`
	CompletedAt   time.Time                `json:"completedAt"`
	Zones         int                      `json:"zones"`
	Score         documentScore            `json:"score"`
	Coverage      documentCoverage         `json:"coverage"`
	Results       documentResults          `json:"results"`
	Open          documentOpen             `json:"open"`
	Findings      []documentFinding        `json:"findings"`
	AttackPaths   documentPaths            `json:"attackPaths"`
	Changes       *documentChanges         `json:"changes"`
	Link          *string                  `json:"link"`
}

type documentScore struct {
	Value    int      `json:"value"`
	Grade    *string  `json:"grade"`
	Held     string   `json:"held,omitempty"`
	HeldBy   []string `json:"heldBy,omitempty"`
	Withheld string   `json:"withheld,omitempty"`
}

type documentCoverage struct {
	Percent                float64                     `json:"percent"`
	Evaluated              int                         `json:"evaluated"`
	Unknown                int                         `json:"unknown"`
	MissingPermissionCount int                         `json:"missingPermissionCount"`
	MissingPermissions     []posture.MissingPermission `json:"missingPermissions"`
}

type documentResults struct {
	Total         int `json:"total"`
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Warning       int `json:"warning"`
	Unknown       int `json:"unknown"`
	NotApplicable int `json:"notApplicable"`
}

// documentOpen counts open FAIL and WARNING findings; accepted risks are counted separately.
type documentOpen struct {
	Total      int           `json:"total"`
	BySeverity severityCount `json:"bySeverity"`
	Accepted   int           `json:"accepted"`
}

type severityCount struct {
	Critical      int `json:"critical"`
	High          int `json:"high"`
	Medium        int `json:"medium"`
	Low           int `json:"low"`
	Informational int `json:"informational"`
}

type documentFinding struct {
	ID       string           `json:"id"`
	CheckID  string           `json:"checkId"`
	Title    string           `json:"title"`
	Severity posture.Severity `json:"severity"`
	Result   posture.Result   `json:"result"`
	Resource posture.Resource `json:"resource"`
	Message  string           `json:"message"`
	Change   string           `json:"change,omitempty"` // new or regressed
	Reason   string           `json:"reason,omitempty"`
}

type documentPaths struct {
	Count int            `json:"count"`
	Worst []documentPath `json:"worst"`
}

type documentPath struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	Title       string           `json:"title"`
	Severity    posture.Severity `json:"severity"`
	HopCount    int              `json:"hopCount"`
	Explanation string           `json:"explanation"`
}

type documentChanges struct {
	BaselineID       string            `json:"baselineId"`
	BaselineAt       time.Time         `json:"baselineCompletedAt"`
	ScoreDelta       *int              `json:"scoreDelta"`
	New              int               `json:"new"`
	Uncertain        int               `json:"uncertain"`
	Regressed        int               `json:"regressed"`
	Resolved         int               `json:"resolved"`
	Improved         int               `json:"improved"`
	Changed          int               `json:"changed"`
	Unknown          int               `json:"unknown"`
	PathsAppeared    int               `json:"pathsAppeared"`
	PathsUncertain   int               `json:"pathsUncertain"`
	PathsDisappeared int               `json:"pathsDisappeared"`
	PathsUnknown     int               `json:"pathsUnknown"`
	Worst            []documentFinding `json:"worst"`
}

// buildWebhook makes the JSON document of the generic webhook.
func buildWebhook(c Content) ([]byte, error) { return encode(c.document()) }

// document renders the summary for the webhook.
func (s Summary) document() any {
	a := s.Assessment
	d := document{
		SchemaVersion: 1, Event: Event, Product: product, Demo: a.Demo, AssessmentID: a.ID, JobID: a.JobID,
		Account: posture.AccountRef{ID: a.Account.ID, Name: cut(a.Account.Name, maxDocumentName)},
		Status:  a.Status, Profile: a.Profile, StartedAt: a.StartedAt.UTC(), CompletedAt: a.CompletedAt.UTC(), Zones: len(a.Zones),
		Score:   documentScore(a.Score.Mark),
		Results: documentResults{a.Summary.Total, a.Summary.Pass, a.Summary.Fail, a.Summary.Warning, a.Summary.Unknown, a.Summary.NotApplicable},
		Open: documentOpen{Total: s.openTotal(), Accepted: s.Accepted, BySeverity: severityCount{s.Open[posture.Critical], s.Open[posture.High],
			s.Open[posture.Medium], s.Open[posture.Low], s.Open[posture.Informational]}},
		Coverage: documentCoverage{Percent: a.Coverage.Percent, Evaluated: a.Coverage.Evaluated, Unknown: a.Coverage.Unknown,
			MissingPermissionCount: len(a.Coverage.MissingPermissions), MissingPermissions: []posture.MissingPermission{}},
		Findings: []documentFinding{}, AttackPaths: documentPaths{Count: s.PathCount, Worst: []documentPath{}}, Changes: documentSince(s.Since),
	}
	if a.Demo {
		d.Notice = demoNotice
	}
	if s.Link != "" {
		d.Link = &s.Link
	}
	for _, p := range a.Coverage.MissingPermissions[:min(len(a.Coverage.MissingPermissions), maxPermissions)] {
		d.Coverage.MissingPermissions = append(d.Coverage.MissingPermissions,
			posture.MissingPermission{Permission: cut(p.Permission, maxDocumentName), CheckIDs: append([]string{}, p.CheckIDs...)})
	}
	for _, f := range s.Findings {
		d.Findings = append(d.Findings, documentFinding{ID: f.ID, CheckID: f.CheckID, Title: cut(f.Title, maxDocumentName), Severity: f.Severity,
			Result: f.Result, Resource: shortResource(f.Resource), Message: cut(f.Message, maxDocumentText)})
	}
	for _, p := range s.Paths {
		d.AttackPaths.Worst = append(d.AttackPaths.Worst, documentPath{ID: p.ID, Kind: p.Kind, Title: cut(p.Title, maxDocumentName),
			Severity: p.Severity, HopCount: p.HopCount, Explanation: cut(p.Explanation, maxDocumentText)})
	}
	return d
}

func documentSince(c *Since) *documentChanges {
	if c == nil {
		return nil
	}
	d := &documentChanges{BaselineID: c.Baseline.ID, BaselineAt: c.Baseline.CompletedAt.UTC(), ScoreDelta: c.ScoreDelta, New: c.New,
		Uncertain: c.Uncertain, Regressed: c.Regressed, Resolved: c.Resolved, Improved: c.Improved, Changed: c.Changed, Unknown: c.Unknown,
		PathsAppeared: c.PathsAppeared, PathsUncertain: c.PathsUncertain, PathsDisappeared: c.PathsDisappeared,
		PathsUnknown: c.PathsUnknown, Worst: []documentFinding{}}
	for _, w := range c.Worst {
		change := "new"
		if w.Regressed {
			change = "regressed"
		}
		d.Worst = append(d.Worst, documentFinding{ID: w.ID, CheckID: w.CheckID, Title: cut(w.Title, maxDocumentName), Severity: w.Severity,
			Result: w.After, Resource: shortResource(w.Resource), Message: cut(w.Message, maxDocumentText), Change: change,
			Reason: cut(w.Reason, maxDocumentName)})
	}
	return d
}

func shortResource(r posture.Resource) posture.Resource {
	r.Name, r.Zone = cut(r.Name, maxDocumentName), cut(r.Zone, maxDocumentName) // not the ids: a cut id is another id
	return r
}

// encode encodes JSON without the HTML escapes, which only cost bytes here.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

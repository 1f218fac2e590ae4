package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// Wait is how long a call that makes a job waits for it.
type Wait struct {
	WaitSeconds *int `json:"waitSeconds,omitempty" jsonschema:"how long to wait for the result, 0 to 300 seconds, 60 when absent; then the answer is the job, and get_job tells when it has ended"`
}

func (w Wait) duration() (time.Duration, error) {
	if w.WaitSeconds == nil {
		return time.Minute, nil
	}
	if s := *w.WaitSeconds; s < 0 || s > int(client.LongestWait/time.Second) {
		return 0, posture.Invalid("waitSeconds", fmt.Sprintf("waitSeconds is %d; use 0 to 300", s), s)
	}
	return time.Duration(*w.WaitSeconds) * time.Second, nil
}

type assessIn struct {
	Account        string   `json:"account,omitempty" jsonschema:"id or name of a registered account; the default one when absent"`
	Zones          []string `json:"zones,omitempty" jsonschema:"zone names, ids or patterns with * and ?"`
	ExcludeZones   []string `json:"excludeZones,omitempty" jsonschema:"zones to leave out, written as in zones"`
	Categories     []string `json:"categories,omitempty" jsonschema:"only checks of these categories"`
	Checks         []string `json:"checks,omitempty" jsonschema:"only these check ids"`
	Profile        string   `json:"profile,omitempty" jsonschema:"core reads only what critical and high checks need"`
	Sensitivity    string   `json:"sensitivity,omitempty" jsonschema:"how sensitive what stands behind the account is"`
	Incremental    bool     `json:"incremental,omitempty" jsonschema:"read again only what may have changed since the runs of the last 24 hours"`
	Note           string   `json:"note,omitempty" jsonschema:"kept with the assessment"`
	IdempotencyKey string   `json:"idempotencyKey,omitempty" jsonschema:"the same key joins the first call for 24 hours instead of starting another run"`
	Wait
}

type assessmentsIn struct {
	Account string `json:"account,omitempty" jsonschema:"provider account id, or id or name of a registered account"`
	Status  string `json:"status,omitempty" jsonschema:"only those that could read everything, or only those with gaps"`
	Since   string `json:"since,omitempty" jsonschema:"completed at or after this time (RFC 3339)"`
	Until   string `json:"until,omitempty" jsonschema:"completed before this time (RFC 3339)"`
	Page
}

// Choice says which assessment is meant.
type Choice struct {
	AssessmentID string `json:"assessmentId,omitempty" jsonschema:"UUID of the assessment; the latest when absent"`
	Account      string `json:"account,omitempty" jsonschema:"with the latest: provider account id, or id or name of a registered account"`
}

type findingsIn struct {
	Choice
	Result   string `json:"result,omitempty" jsonschema:"FAIL, WARNING, UNKNOWN, PASS, NOT_APPLICABLE, several parted by commas, or all; FAIL,WARNING,UNKNOWN when absent"`
	Severity string `json:"severity,omitempty" jsonschema:"critical, high, medium, low, informational; several parted by commas"`
	Category string `json:"category,omitempty" jsonschema:"categories parted by commas"`
	Check    string `json:"check,omitempty" jsonschema:"check ids parted by commas"`
	Zone     string `json:"zone,omitempty" jsonschema:"zone names or ids parted by commas"`
	Resource string `json:"resource,omitempty" jsonschema:"resource ids parted by commas"`
	Text     string `json:"text,omitempty" jsonschema:"text in the message, the name of the resource or the check id"`
	Page
}

type reportIn struct {
	Choice
	Format string `json:"format" jsonschema:"form of the report; markdown is the shortest to read"`
	Offset int64  `json:"offset,omitempty" jsonschema:"nextOffset of the answer before, for what comes next; needs its assessmentId"`
}

type complianceIn struct {
	Choice
	Framework string `json:"framework" jsonschema:"the framework"`
	Status    string `json:"status,omitempty" jsonschema:"only controls that stand like this"`
	Page
}

func (t *tools) addAssessments() {
	add(t, tool{name: "assess", title: "Assess an account", effect: adds, more: "list_findings and list_attack_paths give the details.",
		about: "Reads the configuration of a Cloudflare account, judges it and saves the assessment. Changes nothing at Cloudflare. Answers " +
			"the summary, or the job when it takes longer than the wait.",
		words: map[string][]string{"profile": {"full", "core"}, "sensitivity": {"low", "medium", "high", "critical"}}}, assess)
	add(t, tool{name: "list_assessments", title: "Assessments", effect: reads, more: "Ask for fewer with limit.",
		about: "Saved assessments without their findings, newest first.",
		words: map[string][]string{"status": {"completed", "completed_with_gaps"}}}, listAssessments)
	add(t, tool{name: "get_assessment", title: "One assessment", effect: reads, more: "list_findings gives findings, get_report all of it.",
		about: "The summary of one assessment: score, coverage, counts, zones, what could not be read and why. Without findings."}, getAssessment)
	add(t, tool{name: "list_findings", title: "Findings", effect: reads, more: "Narrow with check, zone or severity.",
		about: "Findings of one assessment, worst first, with evidence and fix. Filters combine."}, listFindings)
	add(t, tool{name: "get_report", title: "Report of an assessment", effect: reads, more: "Go on with offset.",
		about: "An assessment as a document, a part of it at a time.", words: map[string][]string{"format": export.Names()}}, getReport)
	add(t, tool{name: "get_compliance", title: "Compliance", effect: reads, more: "Narrow with status.",
		about: "How the controls of a framework stand in an assessment.", words: map[string][]string{"framework": {"cis", "soc2", "pci", "nist"},
			"status": {"pass", "fail", "partial", "not_assessed", "not_applicable"}}}, getCompliance)
}

func assess(ctx context.Context, c *client.Client, in assessIn) (answer, error) {
	wait, err := in.duration()
	if err != nil {
		return answer{}, err
	}
	s, err := c.Submit(ctx, client.Assess(posture.AssessRequest{Account: in.Account, Zones: in.Zones, ExcludeZones: in.ExcludeZones,
		Categories: in.Categories, Checks: in.Checks, Profile: posture.Profile(in.Profile), Sensitivity: posture.Sensitivity(in.Sensitivity),
		Incremental: in.Incremental, Note: in.Note}), wait, in.IdempotencyKey)
	if err != nil {
		return answer{}, err
	}
	if s.Job != nil {
		return working(*s.Job), nil
	}
	var a posture.AssessmentSummary
	if err := json.Unmarshal(s.Result, &a); err != nil {
		return answer{}, fmt.Errorf("read the assessment: %w", err)
	}
	return answer{summary(a), map[string]any{"assessment": a}}, nil
}

// working is the answer while a job is at work.
func working(j posture.Job) answer {
	return answer{fmt.Sprintf("Job %s (%s) is %s; get_job tells when it has ended.", j.ID, j.Kind, j.State), map[string]any{"job": j}}
}

func summary(a posture.AssessmentSummary) string {
	text := fmt.Sprintf("Assessment %s of %s: score %d, %s, coverage %.0f %%; %d FAIL, %d WARNING, %d UNKNOWN, %d attack paths.", a.ID,
		a.Account.Name, a.Score.Value, a.Score.Words(), a.Coverage.Percent, a.Summary.Fail, a.Summary.Warning, a.Summary.Unknown, a.AttackPaths)
	if a.Demo {
		text += " This is the built-in demo account, not a real one."
	}
	return text
}

func listAssessments(ctx context.Context, c *client.Client, in assessmentsIn) (answer, error) {
	filter := filters("account", in.Account, "status", in.Status, "since", in.Since, "until", in.Until)
	body, items, err := listed(in.Page, filter, "assessments", func(q url.Values) (json.RawMessage, error) {
		a, err := c.Assessments(ctx, q)
		return a.Raw, err
	})
	return answer{fmt.Sprintf("%d assessments.", len(items)), body}, err
}

func filters(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

func getAssessment(ctx context.Context, c *client.Client, in Choice) (answer, error) {
	id, err := chosen(ctx, c, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	a, err := c.Assessment(ctx, id)
	if err != nil {
		return answer{}, err
	}
	return answer{summary(a.Value), map[string]any{"assessment": a.Value}}, nil
}

func listFindings(ctx context.Context, c *client.Client, in findingsIn) (answer, error) {
	id, err := chosen(ctx, c, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	filter := filters("result", in.Result, "severity", in.Severity, "category", in.Category, "check", in.Check, "zone", in.Zone, "resource",
		in.Resource, "q", in.Text)
	var page client.Findings
	body, _, err := listed(in.Page, filter, "items", func(q url.Values) (json.RawMessage, error) {
		a, err := c.Findings(ctx, id, q)
		page = a.Value
		return a.Raw, err
	})
	if err != nil {
		return answer{}, err
	}
	body["assessmentId"] = id
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%d findings of assessment %s; %d FAIL, %d WARNING, %d UNKNOWN match in all.\n", len(page.Items), id,
		page.Counts["FAIL"], page.Counts["WARNING"], page.Counts["UNKNOWN"])
	for _, f := range page.Items {
		_, _ = fmt.Fprintf(&words, "%s %s %s %s: %s Fix: %s\n", f.Result, f.Severity, f.CheckID, f.Title, f.Message, f.Way())
	}
	return answer{words.String(), body}, nil
}

func getCompliance(ctx context.Context, c *client.Client, in complianceIn) (answer, error) {
	report, err := c.Compliance(ctx, in.Framework, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	r := report.Value
	controls := []compliance.Control{}
	for _, control := range r.Controls {
		if in.Status == "" || string(control.Status) == in.Status {
			controls = append(controls, control)
		}
	}
	part, next, err := paged(in.Page, in.AssessmentID != "", controls)
	if err != nil {
		return answer{}, err
	}
	r.Controls = part
	return answer{fmt.Sprintf("%s in assessment %s: %d of %d controls follow.", r.Framework.Title, r.AssessmentID, len(part), len(controls)),
		map[string]any{"report": r, "nextCursor": next}}, nil
}

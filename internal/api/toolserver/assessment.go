package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// Wait is how long a call that creates a job waits for it.
type Wait struct {
	WaitSeconds *int `json:"waitSeconds,omitempty" jsonschema:"0 to 300 seconds to wait, default 60; then the answer is a job for get_job"`
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
	Account      string   `json:"account,omitempty" jsonschema:"id or name of a registered account; the default one when absent"`
	Zones        []string `json:"zones,omitempty" jsonschema:"zone names, ids or patterns with * and ?"`
	ExcludeZones []string `json:"excludeZones,omitempty" jsonschema:"zones to leave out, written as in zones"`
	Categories   []string `json:"categories,omitempty" jsonschema:"only checks of these categories"`
	Checks       []string `json:"checks,omitempty" jsonschema:"only these check ids"`
	Profile      string   `json:"profile,omitempty" jsonschema:"core reads only what critical and high checks need"`
	Sensitivity  string   `json:"sensitivity,omitempty" jsonschema:"how sensitive what stands behind the account is"`

	Incremental    bool   `json:"incremental,omitempty" jsonschema:"read only what may have changed since the runs of the last 24 hours"`
	Note           string `json:"note,omitempty" jsonschema:"kept with the assessment"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key joins the first call for 24 hours instead of a new run"`
	Wait
}

type assessmentsIn struct {
	Account string `json:"account,omitempty" jsonschema:"provider account id, or id or name of a registered account"`
	Status  string `json:"status,omitempty" jsonschema:"only those that could read everything, or only those with gaps"`
	Since   string `json:"since,omitempty" jsonschema:"completed at or after this time (RFC 3339)"`
	Until   string `json:"until,omitempty" jsonschema:"completed before this time (RFC 3339)"`
	Page
}

// Choice selects an assessment.
type Choice struct {
	AssessmentID string `json:"assessmentId,omitempty" jsonschema:"UUID of the assessment; the latest when absent"`
	Account      string `json:"account,omitempty" jsonschema:"with the latest: provider account id, or id or name of a registered account"`
}

type findingsIn struct {
	Choice
	Result   string `json:"result,omitempty" jsonschema:"FAIL, WARNING, UNKNOWN, PASS, NOT_APPLICABLE or all; default FAIL,WARNING,UNKNOWN"`
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

type findingIn struct {
	ID string `json:"id" jsonschema:"id of the finding, as list_findings names it"`
}

type issuesIn struct {
	Choice
	Severity string `json:"severity,omitempty" jsonschema:"critical, high, medium, low, informational; several parted by commas"`
	Category string `json:"category,omitempty" jsonschema:"categories parted by commas"`
	Zone     string `json:"zone,omitempty" jsonschema:"zone name or id: issues that hit it"`
	Page
}

type assessmentOut struct {
	Assessment *assessmentView `json:"assessment,omitempty"`
	Missing    []missing       `json:"missingPermissions,omitempty"`
	Issues     []issueView     `json:"issues,omitempty"`
	Job        *jobView        `json:"job,omitempty"`
}

type assessmentsOut struct {
	Assessments []assessmentView `json:"assessments"`
	NextCursor  string           `json:"nextCursor"`
}

type issuesOut struct {
	AssessmentID string      `json:"assessmentId"`
	Items        []issueView `json:"items"`
	Total        int         `json:"total"`
	NextCursor   string      `json:"nextCursor"`
}

type findingsOut struct {
	AssessmentID string         `json:"assessmentId"`
	Items        []findingView  `json:"items"`
	Counts       map[string]int `json:"counts"`
	NextCursor   string         `json:"nextCursor"`
}

type findingOut struct {
	Finding map[string]any `json:"finding"`
}

type reportOut struct {
	AssessmentID string `json:"assessmentId"`
	Format       string `json:"format"`
	Offset       int64  `json:"offset"`
	Text         string `json:"text"`
	NextOffset   int64  `json:"nextOffset,omitempty"`
}

type complianceOut struct {
	AssessmentID string        `json:"assessmentId"`
	Framework    string        `json:"framework"`
	Score        *int          `json:"score"`
	Controls     []controlView `json:"controls"`
	Total        int           `json:"total"`
	NextCursor   string        `json:"nextCursor"`
}

func (t *tools) addAssessments() {
	add[assessIn, assessmentOut](t, tool{name: "assess", title: "Assess an account", effect: adds, more: "list_issues gives the rest.",
		about: "Reads the configuration of a Cloudflare account, judges it and saves the assessment. Changes nothing at Cloudflare. Answers " +
			"the summary with the worst issues, or the job when it takes longer than the wait.",
		words: map[string][]string{"profile": {"full", "core"}, "sensitivity": {"low", "medium", "high", "critical"}}}, assess)
	add[assessmentsIn, assessmentsOut](t, tool{name: "list_assessments", title: "Assessments", effect: reads,
		more: "Ask for fewer with limit.", about: "Saved assessments, newest first.",
		words: map[string][]string{"status": {"completed", "completed_with_gaps"}}}, listAssessments)
	add[Choice, assessmentOut](t, tool{name: "get_assessment", title: "One assessment", effect: reads, more: "list_issues gives the rest.",
		about: "The summary of one assessment: score, coverage, counts, what the token may not read, and the five issues to close first."},
		getAssessment)
	add[issuesIn, issuesOut](t, tool{name: "list_issues", title: "Issues", effect: reads, more: "Narrow with severity, category or zone.",
		about: "The findings of one assessment grouped by check, what to do first at the top."}, listIssues)
	add[findingsIn, findingsOut](t, tool{name: "list_findings", title: "Findings", effect: reads, more: "Narrow with check, zone or severity.",
		about: "Findings of one assessment, worst first; with check, the resources an issue hits. get_finding gives evidence and steps."},
		listFindings)
	add[findingIn, findingOut](t, tool{name: "get_finding", title: "One finding", effect: reads, more: "list_attack_paths tells of its paths.",
		about: "One finding as it stands now: evidence, why it matters, the steps that close it, what that may break, its history."}, getFinding)
	add[reportIn, reportOut](t, tool{name: "get_report", title: "Report of an assessment", effect: reads, more: "Go on with offset.",
		about: "An assessment as a document, a part of it at a time.", words: map[string][]string{"format": export.Texts()}}, getReport)
	add[complianceIn, complianceOut](t, tool{name: "get_compliance", title: "Compliance", effect: reads, more: "Narrow with status.",
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
	return summary(ctx, c, a)
}

// working is the answer while a job is running.
func working(j posture.Job) answer {
	return answer{fmt.Sprintf("Job %s (%s) is %s; get_job tells when it has ended.", j.ID, j.Kind, j.State), map[string]any{"job": jobOf(j)}}
}

// worstFirst is how many issues, and how many missing permissions, the summary of an assessment lists.
const worstFirst = 5

// summary is the answer about one assessment.
func summary(ctx context.Context, c *client.Client, a posture.AssessmentSummary) (answer, error) {
	issues, err := c.Issues(ctx, a.ID, url.Values{"limit": {strconv.Itoa(worstFirst)}})
	if err != nil {
		return answer{}, err
	}
	view := viewOf(a)
	out := assessmentOut{Assessment: &view, Issues: each(issues.Value.Items, issueOf)}
	for _, m := range a.Coverage.MissingPermissions[:min(worstFirst, len(a.Coverage.MissingPermissions))] {
		out.Missing = append(out.Missing, missing{m.Permission, len(m.CheckIDs)})
	}
	words := fmt.Sprintf("Assessment %s: score %d, coverage %.0f %%; %d FAIL, %d WARNING, %d UNKNOWN, %d issues, %d attack paths.", a.ID,
		a.Score.Value, a.Coverage.Percent, a.Summary.Fail, a.Summary.Warning, a.Summary.Unknown, issues.Value.Total, a.AttackPaths)
	if a.Demo {
		words += " This is the built-in demo account, not a real one."
	}
	return answer{words, out}, nil
}

func listAssessments(ctx context.Context, c *client.Client, in assessmentsIn) (answer, error) {
	filter := filters("account", in.Account, "status", in.Status, "since", in.Since, "until", in.Until)
	body, items, err := listed(ctx, in.Page, filter, "assessments", viewOf, c.Assessments)
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
	return summary(ctx, c, a.Value)
}

func listIssues(ctx context.Context, c *client.Client, in issuesIn) (answer, error) {
	id, err := chosen(ctx, c, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	filter := filters("severity", in.Severity, "category", in.Category, "zone", in.Zone)
	body, items, err := listed(ctx, in.Page, filter, "items", issueOf,
		func(ctx context.Context, q url.Values) (client.Answer[client.Issues], error) {
			return c.Issues(ctx, id, q)
		})
	if err != nil {
		return answer{}, err
	}
	body["assessmentId"] = id
	return answer{fmt.Sprintf("%d issues of assessment %s, what to do first at the top; list_findings with their check names the resources.",
		len(items), id), body}, nil
}

func getFinding(ctx context.Context, c *client.Client, in findingIn) (answer, error) {
	f, err := c.Finding(ctx, in.ID)
	if err != nil {
		return answer{}, err
	}
	var body map[string]any
	if err := json.Unmarshal(f.Raw, &body); err != nil {
		return answer{}, fmt.Errorf("read the finding: %w", err)
	}
	delete(body, "attackPaths") // list_attack_paths returns them
	if history, _ := body["history"].([]any); len(history) > usualEntries {
		body["history"] = history[:usualEntries]
	}
	return answer{fmt.Sprintf("Finding %s as it stands now.", f.Value.ID), map[string]any{"finding": body}}, nil
}

func listFindings(ctx context.Context, c *client.Client, in findingsIn) (answer, error) {
	id, err := chosen(ctx, c, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	filter := filters("result", in.Result, "severity", in.Severity, "category", in.Category, "check", in.Check, "zone", in.Zone, "resource",
		in.Resource, "q", in.Text)
	var counts map[string]int
	body, items, err := listed(ctx, in.Page, filter, "items", findingOf,
		func(ctx context.Context, q url.Values) (client.Answer[client.Findings], error) {
			a, err := c.Findings(ctx, id, q)
			counts = a.Value.Counts
			return a, err
		})
	if err != nil {
		return answer{}, err
	}
	body["assessmentId"] = id
	return answer{fmt.Sprintf("%d findings of assessment %s; %d FAIL, %d WARNING, %d UNKNOWN match in all.", len(items), id, counts["FAIL"],
		counts["WARNING"], counts["UNKNOWN"]), body}, nil
}

func getCompliance(ctx context.Context, c *client.Client, in complianceIn) (answer, error) {
	report, err := c.Compliance(ctx, in.Framework, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	r := report.Value
	controls := []controlView{}
	for _, control := range r.Controls {
		if in.Status == "" || string(control.Status) == in.Status {
			controls = append(controls, controlOf(control))
		}
	}
	part, next, err := paged(in.Page, in.AssessmentID != "", controls)
	if err != nil {
		return answer{}, err
	}
	return answer{fmt.Sprintf("%s in assessment %s: %d of %d controls follow.", r.Framework.Title, r.AssessmentID, len(part), len(controls)),
		complianceOut{r.AssessmentID, r.Framework.Title, r.Score, part, len(controls), next}}, nil
}

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Assess runs an assessment of a registered account.
func Assess(r posture.AssessRequest) Work { return Work{"/api/assess", func() any { return r }} }

// Ship sends an assessment to a search index, a collector or files.
func Ship(r ShipRequest) Work { return Work{"/api/integrations/ship", func() any { return r }} }

// Notify sends an assessment to chats and webhooks.
func Notify(r NotifyRequest) Work { return Work{"/api/notify", func() any { return r }} }

// MakePlan plans changes and makes none.
func MakePlan(r PlanRequest) Work { return Work{"/api/remediate/plan", r.wire} }

// Apply makes changes at the provider, if the service's gate admits them.
func Apply(r ApplyRequest) Work { return Work{"/api/remediate/apply", r.wire} }

// Rollback restores a backup, if the service's gate admits it.
func Rollback(r RollbackRequest) Work { return Work{"/api/remediate/rollback", r.wire} }

// Ask makes one call and returns its raw answer, which may be empty. The body is only sent with
// POST, PUT and PATCH.
func (c *Client) Ask(ctx context.Context, method, path string, query url.Values, body any) (json.RawMessage, error) {
	_, raw, err := c.call(ctx, method, path, query, body, nil)
	return raw, err
}

// Account returns a registered account by id, by name, or as "default".
func (c *Client) Account(ctx context.Context, ref string) (Answer[posture.Account], error) {
	return get[posture.Account](ctx, c, "/api/accounts/"+url.PathEscape(ref), nil)
}

// Latest returns the newest completed assessment of an account, or of all accounts.
func (c *Client) Latest(ctx context.Context, account string) (Answer[posture.AssessmentSummary], error) {
	return get[posture.AssessmentSummary](ctx, c, "/api/assessment", without("account", account))
}

// Assessment returns a saved assessment; the findings are only in its raw form.
func (c *Client) Assessment(ctx context.Context, id string) (Answer[posture.AssessmentSummary], error) {
	return get[posture.AssessmentSummary](ctx, c, "/api/assessments/"+url.PathEscape(id), nil)
}

// Assessments lists assessments, newest first. Filters are account, status,
// since, until, limit, cursor.
func (c *Client) Assessments(ctx context.Context, filter url.Values) (Answer[Assessments], error) {
	return get[Assessments](ctx, c, "/api/assessments", filter)
}

// Trends returns the history of an account. Filters are account, from, until, bucket, zone, scope, limit.
func (c *Client) Trends(ctx context.Context, filter url.Values) (Answer[Trends], error) {
	return get[Trends](ctx, c, "/api/trends", filter)
}

// ExplainRequest describes a request; empty fields are left out.
type ExplainRequest struct {
	URL          string   `json:"url" jsonschema:"the address, such as https://shop.example.com/login"`
	Method       string   `json:"method,omitempty" jsonschema:"GET when absent"`
	Source       string   `json:"source,omitempty" jsonschema:"address or range of the visitor"`
	Country      string   `json:"country,omitempty" jsonschema:"where the visitor is: two letters"`
	UserAgent    string   `json:"userAgent,omitempty" jsonschema:"the user agent"`
	Headers      []string `json:"headers,omitempty" jsonschema:"request headers as Name: value"`
	AssessmentID string   `json:"assessmentId,omitempty" jsonschema:"UUID of an assessment; the newest of the account of the host when absent"`
}

// Explain follows a request through the configuration of its zone.
func (c *Client) Explain(ctx context.Context, r ExplainRequest) (Answer[explain.Explanation], error) {
	q := url.Values{"header": r.Headers}
	for name, value := range map[string]string{"url": r.URL, "method": r.Method, "source": r.Source, "country": r.Country,
		"userAgent": r.UserAgent, "assessmentId": r.AssessmentID} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return get[explain.Explanation](ctx, c, "/api/explain", q)
}

// Cut returns a smallest set of changes that breaks attack paths: those named, or those of at least
// a severity.
func (c *Client) Cut(ctx context.Context, assessmentID, severity string, paths []string) (Answer[attackpath.Cut], error) {
	q := without("severity", severity)
	q["path"] = paths
	return get[attackpath.Cut](ctx, c, "/api/assessments/"+url.PathEscape(assessmentID)+"/cut", q)
}

// WhatIf returns what would follow from changes.
func (c *Client) WhatIf(ctx context.Context, r whatif.Trial) (Answer[whatif.WhatIf], error) {
	return post[whatif.WhatIf](ctx, c, "/api/what-if", r)
}

// Findings lists findings of an assessment, worst first. Filters are result,
// severity, category, check, zone, resource, q, limit, cursor.
func (c *Client) Findings(ctx context.Context, assessmentID string, filter url.Values) (Answer[Findings], error) {
	return get[Findings](ctx, c, "/api/assessments/"+url.PathEscape(assessmentID)+"/findings", filter)
}

// Issues lists the issues of an assessment, most urgent first. Filters are severity, category,
// check, zone, q, state, effort, limit, cursor.
func (c *Client) Issues(ctx context.Context, assessmentID string, filter url.Values) (Answer[Issues], error) {
	return get[Issues](ctx, c, "/api/assessments/"+url.PathEscape(assessmentID)+"/issues", filter)
}

// Finding returns a finding in its current state; its history and attack paths are only in its raw form.
func (c *Client) Finding(ctx context.Context, id string) (Answer[posture.Finding], error) {
	return get[posture.Finding](ctx, c, "/api/findings/"+url.PathEscape(id), nil)
}

// Graph returns the resource graph of an assessment, of the latest when the id is empty.
func (c *Client) Graph(ctx context.Context, assessmentID, account string) (Answer[Graph], error) {
	return get[Graph](ctx, c, "/api/posture/graph", choice(assessmentID, account))
}

// Compliance returns the status of the controls of a framework.
func (c *Client) Compliance(ctx context.Context, framework, assessmentID, account string) (Answer[compliance.Report], error) {
	return get[compliance.Report](ctx, c, "/api/compliance/"+url.PathEscape(framework), choice(assessmentID, account))
}

// Diff compares two assessments of one account.
func (c *Client) Diff(ctx context.Context, baselineID, currentID string) (Answer[drift.Drift], error) {
	return post[drift.Drift](ctx, c, "/api/diff", map[string]string{"baselineId": baselineID, "currentId": currentID})
}

// Checks lists every check.
func (c *Client) Checks(ctx context.Context) (Answer[List[Check]], error) {
	return get[List[Check]](ctx, c, "/api/checks", nil)
}

// Check returns one check.
func (c *Client) Check(ctx context.Context, id string) (Answer[Check], error) {
	return get[Check](ctx, c, "/api/checks/"+url.PathEscape(id), nil)
}

// Backups lists backup bundles. Filters are limit and cursor.
func (c *Client) Backups(ctx context.Context, filter url.Values) (Answer[Backups], error) {
	return get[Backups](ctx, c, "/api/remediate/backups", filter)
}

// Plan returns a plan, until a day after it expired.
func (c *Client) Plan(ctx context.Context, id string) (Answer[change.Plan], error) {
	return get[change.Plan](ctx, c, "/api/remediate/plans/"+url.PathEscape(id), nil)
}

// Approve lets somebody else apply a plan once; with force, including its changes of high risk.
func (c *Client) Approve(ctx context.Context, id, note string, force bool) (json.RawMessage, error) {
	return c.Ask(ctx, http.MethodPost, "/api/remediate/plans/"+url.PathEscape(id)+"/approve", nil,
		map[string]any{"note": note, "force": force})
}

// Backup returns one bundle. It fails when the bundle's seal is broken.
func (c *Client) Backup(ctx context.Context, id string) (Answer[change.Backup], error) {
	return get[change.Backup](ctx, c, "/api/remediate/backups/"+url.PathEscape(id), nil)
}

// Download writes an export of an assessment, of the latest when the id is empty, and returns the
// number of bytes written. After an error, a part may have been written. more holds parameters of
// the format: awsAccountId, awsRegion, summary.
func (c *Client) Download(ctx context.Context, format, assessmentID, account string, more url.Values, w io.Writer) (int64, error) {
	query := choice(assessmentID, account)
	maps.Copy(query, more)
	return c.file(ctx, "/api/download/"+url.PathEscape(format), query, w)
}

// Evidence writes the evidence bundle of an assessment, as Download does.
func (c *Client) Evidence(ctx context.Context, assessmentID string, w io.Writer) (int64, error) {
	return c.file(ctx, "/api/assessments/"+url.PathEscape(assessmentID)+"/evidence", nil, w)
}

func (c *Client) file(ctx context.Context, path string, query url.Values, w io.Writer) (int64, error) {
	resp, err := c.send(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Disposition") == "" { // every file of the service has one
		return 0, c.elsewhere()
	}
	n, err := io.Copy(w, resp.Body)
	if err != nil {
		return n, fmt.Errorf("the file broke off after %d bytes: %w; try again", n, err)
	}
	return n, nil
}

func choice(assessmentID, account string) url.Values {
	q := without("assessmentId", assessmentID)
	if assessmentID == "" && account != "" {
		q.Set("account", account)
	}
	return q
}

func without(name, value string) url.Values {
	q := url.Values{}
	if value != "" {
		q.Set(name, value)
	}
	return q
}

// Before returns the id of the newest assessment of the same account that was completed before the
// given one and was asked to look at all that it looked at.
func (c *Client) Before(ctx context.Context, id string) (string, error) {
	a, err := c.Assessment(ctx, id)
	if err != nil {
		return "", err
	}
	q := url.Values{"account": {a.Value.Account.ID}, "until": {a.Value.CompletedAt.UTC().Format(time.RFC3339Nano)}}
	for {
		list, err := c.Assessments(ctx, q)
		if err != nil {
			return "", err
		}
		for _, old := range list.Value.Assessments {
			if old.Scope.Covers(a.Value.Scope) {
				return old.ID, nil
			}
		}
		if list.Value.NextCursor == "" {
			return "", posture.Problemf(posture.CodeNoAssessment, "There is no assessment of %s before %s that looked at as much; name the one "+
				"to compare with.", a.Value.Account.Name, id)
		}
		q.Set("cursor", list.Value.NextCursor)
	}
}

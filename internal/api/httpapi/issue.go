package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Limits of what an issue shows: shownFindings of its findings, and shownEvents of its events.
const (
	shownFindings = 10
	shownEvents   = 200
)

// IssueDetail is an issue with its first findings and its activity.
type IssueDetail struct {
	issue.Issue
	Revision     int64                 `json:"revision" doc:"Grows with each change of what is decided; 0 when nobody decided anything."`
	Tickets      []issue.Ticket        `json:"tickets" doc:"Its tickets: at most one at each kind of tracker."`
	Tracker      string                `json:"tracker,omitempty" enum:"github,jira" doc:"Where tickets are made; absent when none is chosen."`
	Activity     []store.IssueEvent    `json:"activity" doc:"What happened to it and what people said, newest first: the last 200."`
	Findings     []store.LatestFinding `json:"findings" doc:"Its first 10 findings, worst first; accepted ones only when there are no others."`
	FindingsPath string                `json:"findingsPath" doc:"Where GET lists all of them."`
}

type issueInput struct {
	ID string `path:"id" doc:"Id of the issue: 32 hexadecimal digits."`
}

// getIssue returns an issue in its current state.
func getIssue(s *Server, ctx context.Context, in *issueInput) (*answer[IssueDetail], error) {
	one, w, err := s.issueNow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	activity, err := s.o.Store.IssueEvents(ctx, one.ID, shownEvents)
	if err != nil {
		return nil, fmt.Errorf("read what happened to the issue: %w", err)
	}
	tickets, tracker, err := s.tickets(ctx, one.ID)
	if err != nil {
		return nil, err
	}
	accepted := store.ExceptedShown
	if one.State.Waits() {
		accepted = store.ExceptedHidden
	}
	rows, err := store.IssueFindings(ctx, s.o.Store, one, accepted, shownFindings, s.now())
	if err != nil {
		return nil, err
	}
	query := url.Values{"account": {one.AccountID}, "check": {one.CheckID}, "result": {"FAIL,WARNING"}, "exception": {"shown"}}
	return &answer[IssueDetail]{IssueDetail{Issue: one, Revision: w.Revision, Tickets: tickets, Tracker: tracker,
		Activity: activity, Findings: notNil(rows), FindingsPath: "/api/findings?" + query.Encode()}}, nil
}

// issueNow returns an issue in its current state, with the decisions about it. An issue without
// open findings still exists when something was decided about it.
func (s *Server) issueNow(ctx context.Context, id string) (one issue.Issue, w store.IssueWork, err error) {
	if !findingID.MatchString(id) {
		return one, w, posture.Invalid("path.id", fmt.Sprintf("%q is not the id of an issue, which is 32 hexadecimal digits", clip(id)), clip(id))
	}
	// The list is read last: a state older than the revision would undo what somebody else has decided in between.
	w, err = s.o.Store.IssueWork(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return one, w, fmt.Errorf("read what was decided about the issue: %w", err)
	}
	all, failed := s.o.Store.LatestIssues(ctx, store.IssueScope{}, s.now())
	if failed != nil {
		return one, w, fmt.Errorf("sum up the findings: %w", failed)
	}
	at := slices.IndexFunc(all, func(i issue.Issue) bool { return i.ID == id })
	switch {
	case at >= 0:
		one = all[at]
		w.Issue = one
		if w.State = cmp.Or(w.State, issue.Open); one.State.Waits() {
			w.State = one.State
		}
	case err != nil:
		return one, w, posture.Problemf(posture.CodeNotFound,
			"No open finding belongs to an issue %s; GET /api/issues?state=all lists all issues.", id)
	default:
		one = w.Gone(0)
	}
	return one, w, nil
}

// IssueChange is a change of the decisions about an issue; absent fields keep their value.
type IssueChange struct {
	State issue.State `json:"state,omitempty" enum:"open,acknowledged,in_progress,accepted,resolved" doc:"open, acknowledged or in_progress."`

	Owner    *string `json:"owner,omitempty" maxLength:"200" doc:"The team or person who answers for it; \"\": by rules (/api/ownership)."`
	Assignee *string `json:"assignee,omitempty" maxLength:"200" doc:"Who works on it; \"\" for nobody."`
	Due      Day     `json:"due,omitempty"`
	Revision *int64  `json:"revision,omitempty" doc:"As it was read: 409 when somebody else has changed the issue since."`
}

// Day is an optional date: absent, null for none, or a date.
type Day struct {
	given bool
	date  string
}

// UnmarshalJSON reads a date or null, which the schema has validated.
func (d *Day) UnmarshalJSON(b []byte) error {
	d.given, d.date = true, strings.Trim(string(b), `"`)
	if d.date == "null" {
		d.date = ""
	}
	return nil
}

// Schema returns the OpenAPI schema of a nullable date.
func (Day) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date", Nullable: true,
		Description: "The day by which it is to be closed; null leaves it to the severity."}
}

type patchIssueInput struct {
	ID   string `path:"id" doc:"Id of the issue: 32 hexadecimal digits."`
	Body IssueChange
}

// patchIssue changes the decisions about an issue. Without a revision the change applies to
// whatever is stored.
func patchIssue(s *Server, ctx context.Context, in *patchIssueInput) (*answer[IssueDetail], error) {
	for range 10 {
		one, w, err := s.issueNow(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		about(ctx, "issues", one.ID)
		if in.Body.Revision != nil && *in.Body.Revision != w.Revision {
			break
		}
		before := w.Decision
		if err := s.decide(&w, one.State, in.Body); err != nil {
			return nil, err
		}
		if w.Decision == before {
			return getIssue(s, ctx, &issueInput{in.ID})
		}
		w.UpdatedAt = s.now()
		_, err = s.o.Store.ChangeIssue(ctx, w, differences(before, w, callOf(ctx).entry.Actor))
		switch {
		case err == nil:
			return getIssue(s, ctx, &issueInput{in.ID})
		case !errors.Is(err, store.ErrChanged):
			return nil, fmt.Errorf("change the issue: %w", err)
		}
	}
	return nil, posture.Problemf(posture.CodeConflict,
		"The issue was changed by somebody else, or by a run, since it was read; read it again and repeat the change.")
}

// decide applies a change to the decisions about an issue in state is.
func (s *Server) decide(w *store.IssueWork, is issue.State, c IssueChange) (err error) {
	if c.State != "" && c.State != is {
		if why := refusal(is, c.State); why != "" {
			return posture.Invalid("body.state", why, c.State)
		}
		w.State = c.State
	}
	for location, f := range map[string]struct{ from, into *string }{"body.owner": {c.Owner, &w.Owner}, "body.assignee": {c.Assignee,
		&w.Assignee}} {
		if f.from != nil {
			if *f.into, err = nameOf(location, *f.from); err != nil {
				return err
			}
		}
	}
	if latest := s.now().AddDate(0, 0, maxDays).Format(time.DateOnly); c.Due.given && (c.Due.date > latest ||
		c.Due.date != "" && c.Due.date < "2000") {
		return posture.Invalid("body.due", "the day is not between 2000-01-01 and "+latest+"; choose another", c.Due.date)
	}
	if c.Due.given {
		w.Due = c.Due.date
	}
	return nil
}

// refusal returns why a person may not move an issue from one state to another, or "" when they may.
func refusal(from, to issue.State) string {
	switch {
	case to == issue.Resolved:
		return "an issue is resolved by a run that finds nothing of it any more; close its findings and run an assessment"
	case to == issue.Accepted:
		return "an issue is accepted when the risk of each of its findings is; accept it with POST /api/exceptions"
	case from == issue.Resolved:
		return "a run found nothing of the issue any more; it is open again when a run finds it"
	case from == issue.Accepted:
		return "the risk of each finding of the issue is accepted; revoke the exceptions first, with DELETE /api/exceptions/{id}"
	}
	return ""
}

// nameOf validates the owner or assignee of an issue. Names have no comma, because lists are
// filtered by comma-separated names.
func nameOf(location, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == issue.Nobody || strings.ContainsFunc(text, func(r rune) bool { return r == ',' || odd(r) }) {
		return "", posture.Invalid(location, "a name has no comma and no character that cannot be shown, and is not none; type another",
			clip(text))
	}
	return text, showable(location, text)
}

// showable refuses text that looks like a secret, because everybody can read it.
func showable(location, text string) error {
	if kind := credential.New().Kind(text); kind != "" {
		return posture.Invalid(location, fmt.Sprintf("the text holds what looks like a secret (%s), which everybody could read; take it out",
			kind), nil)
	}
	return nil
}

// odd reports whether a character cannot be displayed.
func odd(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

// differences returns the events for the decisions that changed.
func differences(was issue.Decision, w store.IssueWork, actor string) (out []store.IssueEvent) {
	for _, d := range []struct {
		kind     store.IssueEventKind
		from, to string
	}{{store.IssueState, string(was.State), string(w.State)}, {store.IssueOwner, was.Owner, w.Owner},
		{store.IssueAssignee, was.Assignee, w.Assignee}, {store.IssueDue, was.Due, w.Due}} {
		if d.from != d.to {
			out = append(out, store.IssueEvent{At: w.UpdatedAt, Actor: actor, Kind: d.kind, From: d.from, To: d.to})
		}
	}
	return out
}

type postCommentInput struct {
	OnceHeader
	ID   string `path:"id" doc:"Id of the issue: 32 hexadecimal digits."`
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"10000" doc:"Plain text. Everybody with access to the service reads it: no secrets."`
	}
}

type commentOutput struct {
	Status int
	Body   store.IssueEvent
}

// postComment adds a comment to an issue.
func postComment(s *Server, ctx context.Context, in *postCommentInput) (*commentOutput, error) {
	one, w, err := s.issueNow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	about(ctx, "issues", one.ID)
	text := strings.TrimSpace(strings.ReplaceAll(in.Body.Text, "\r\n", "\n"))
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return odd(r) && r != '\n' && r != '\t' }) {
		return nil, posture.Invalid("body.text", "the comment has no visible character or has one that cannot be shown; write another", nil)
	}
	if err := showable("body.text", text); err != nil {
		return nil, err
	}
	once, err := onceOf(ctx, in.OnceHeader, in.Body)
	if err != nil {
		return nil, err
	}
	w.UpdatedAt, w.Revision = s.now(), 0
	e, err := s.o.Store.Comment(ctx, w, store.IssueEvent{At: w.UpdatedAt, Actor: callOf(ctx).entry.Actor, Kind: store.IssueCommented,
		Text: text}, once.Idempotency)
	if errors.Is(err, store.ErrIdempotencyConflict) {
		return nil, keyConflict()
	}
	if err != nil {
		return nil, fmt.Errorf("keep the comment: %w", err)
	}
	return &commentOutput{Status: http.StatusCreated, Body: e}, nil
}

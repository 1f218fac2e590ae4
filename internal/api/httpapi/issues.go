package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// IssueQuery asks for one page of issues. A zone chooses among findings, and an issue counts those that are left; all else chooses
// among issues.
type IssueQuery struct {
	Severity string `query:"severity" json:"severity,omitempty" doc:"Severities of issues, parted by commas."`
	Category string `query:"category" json:"category,omitempty"`
	Check    string `query:"check" json:"check,omitempty"`
	Zone     string `query:"zone" json:"zone,omitempty" doc:"Zone id or name: issues that hit it, counting only what lies in it."`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in the title or the check id."`
	State    string `query:"state" json:"state,omitempty" enum:"open,accepted,all" default:"open" doc:"accepted lists issues whose risk is accepted for every resource."`
	Effort   string `query:"effort" json:"effort,omitempty" doc:"one-click, settings, work, parted by commas."`
	New      string `query:"new" json:"new,omitempty" doc:"Issues that began in the last so many days, of a run before its end, or since a date like 2026-11-01 (UTC)."`
	Sort     string `query:"sort" json:"sort,omitempty" enum:"rank,severity,resources,paths,newest,oldest,title" default:"rank" doc:"What is equal stays in the order of the rank."`
	Facets   bool   `query:"facets" json:"facets,omitempty" doc:"Also count, for each value of severity, category, effort and state, what would be listed if that field asked for it."`
	Limit    int    `query:"limit" json:"limit,omitempty" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string `query:"cursor" json:"cursor,omitempty"`
}

// choice reads the query; new counts back from an instant.
func (in IssueQuery) choice(until time.Time) (c issue.Choice, scope store.IssueScope, err error) {
	f, err := FindingFields{Severity: in.Severity, Category: in.Category, Check: in.Check, Zone: in.Zone}.filter()
	if err != nil {
		return c, scope, err
	}
	c = issue.Choice{Severities: f.Severities, Categories: f.Categories, Checks: f.Checks, Text: in.Text, Order: issue.Order(in.Sort)}
	for _, w := range words(in.Effort) {
		if !slices.Contains(issue.Efforts(), issue.Effort(w)) {
			return c, scope, posture.Invalid("query.effort", fmt.Sprintf("effort %q is not one of one-click, settings, work", clip(w)), clip(w))
		}
		c.Efforts = append(c.Efforts, issue.Effort(w))
	}
	if in.State != "all" {
		c.States = []issue.State{issue.State(in.State)}
	}
	c.Since, err = since(in.New, until)
	return c, store.IssueScope{Zones: f.Zones}, err
}

// maxDays is how far back new goes: what began earlier is nothing new.
const maxDays = 3650

// since reads a number of days before an instant, or a date.
func since(s string, until time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n <= maxDays {
		return until.AddDate(0, 0, -n), nil
	}
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return at, posture.Invalid("query.new", fmt.Sprintf("new %q is neither a number of days from 1 to %d nor a date like 2026-11-01", clip(s),
			maxDays), clip(s))
	}
	return at, nil
}

// IssuesBody is a page of issues.
type IssuesBody struct {
	Items      []issue.Issue      `json:"items"`
	NextCursor string             `json:"nextCursor"`
	Total      int                `json:"total" doc:"How many issues there are with these filters."`
	Facets     *issue.IssueFacets `json:"facets,omitempty" doc:"When asked for."`
}

type runIssuesInput struct {
	IssueQuery
	ID string `path:"id" json:"id"`
}

// runIssues lists the issues of one assessment.
func runIssues(s *Server, ctx context.Context, in *runIssuesInput) (*runOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context, run store.AssessmentRef) (any, error) {
		c, scope, err := in.choice(run.CompletedAt)
		if err != nil {
			return nil, err
		}
		all, err := s.o.Store.RunIssues(ctx, id, scope)
		if err != nil {
			return nil, fmt.Errorf("sum up the findings: %w", err)
		}
		return in.page(c, all, "run "+id)
	})
}

type issuesInput struct {
	IssueQuery
	Account string `query:"account" doc:"Provider account id, or a registered account's id or name."`
}

type issuesOutput struct{ Body IssuesBody }

// listIssues lists the issues as they stand now, over all accounts.
func listIssues(s *Server, ctx context.Context, in *issuesInput) (*issuesOutput, error) {
	c, scope, err := in.choice(s.now())
	if err != nil {
		return nil, err
	}
	for _, ref := range words(in.Account) {
		id, err := s.accountKey(ctx, ref)
		if err != nil {
			return nil, err
		}
		scope.Accounts = append(scope.Accounts, id)
	}
	all, err := s.o.Store.LatestIssues(ctx, scope, s.now())
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	body, err := in.page(c, all, in.Account)
	return &issuesOutput{body}, err
}

// page gives those that are chosen, from the one after the cursor on. of is what else the list is about.
func (in IssueQuery) page(c issue.Choice, all []issue.Issue, of string) (IssuesBody, error) {
	chosen, facets := c.Of(all)
	out := IssuesBody{Total: len(chosen)}
	if in.Facets {
		out.Facets = &facets
	}
	mark, err := in.mark(of)
	if err != nil {
		return out, err
	}
	if in.Cursor != "" {
		id, belongs, _ := strings.Cut(in.Cursor, ".")
		at := slices.IndexFunc(chosen, func(i *issue.Issue) bool { return i.ID == id })
		switch {
		case findingID.MatchString(id) && belongs != mark:
			return out, posture.Invalid("query.cursor",
				"the cursor belongs to a list with other filters or in another order; start again without it", clip(in.Cursor))
		case at < 0:
			return out, posture.Invalid("query.cursor", fmt.Sprintf("the cursor %q names no issue of this list; start again without it",
				clip(in.Cursor)), clip(in.Cursor))
		}
		chosen = chosen[at+1:]
	}
	out.Items = make([]issue.Issue, min(len(chosen), in.Limit))
	for i := range out.Items {
		out.Items[i] = *chosen[i]
	}
	if len(chosen) > in.Limit {
		out.NextCursor = out.Items[in.Limit-1].ID + "." + mark
	}
	return out, nil
}

// mark tells cursors of one list from those of another.
func (in IssueQuery) mark(of string) (string, error) {
	in.Cursor, in.Limit, in.Facets = "", 0, false
	key, err := json.Marshal(in)
	if err != nil {
		return "", fmt.Errorf("name the query: %w", err)
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %s", key, of)
	return fmt.Sprintf("%08x", h.Sum32()), nil
}

// shownFindings is how many findings an issue shows.
const shownFindings = 10

// IssueDetail is an issue with the first of its findings.
type IssueDetail struct {
	issue.Issue
	Findings     []store.LatestFinding `json:"findings" doc:"The first 10 of its findings, worst first; those whose risk is accepted only when there are no others."`
	FindingsPath string                `json:"findingsPath" doc:"Where GET lists all of them."`
}

type issueInput struct {
	ID string `path:"id" doc:"Id of the issue: 32 hexadecimal digits."`
}

type issueOutput struct{ Body IssueDetail }

// getIssue gives an issue as it stands now.
func getIssue(s *Server, ctx context.Context, in *issueInput) (*issueOutput, error) {
	if !findingID.MatchString(in.ID) {
		return nil, posture.Invalid("path.id", fmt.Sprintf("%q is not the id of an issue, which is 32 hexadecimal digits", clip(in.ID)),
			clip(in.ID))
	}
	all, err := s.o.Store.LatestIssues(ctx, store.IssueScope{}, s.now())
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	at := slices.IndexFunc(all, func(i issue.Issue) bool { return i.ID == in.ID })
	if at < 0 {
		return nil, posture.Problemf(posture.CodeNotFound, "No open finding belongs to an issue %s; GET /api/issues?state=all lists all issues.",
			in.ID)
	}
	one := all[at]
	f := store.LatestFilter{Accounts: []string{one.AccountID}, Statuses: openStatuses(), Now: s.now(),
		FindingFilter: store.FindingFilter{Checks: []string{one.CheckID}, Results: []posture.Result{posture.Fail, posture.Warning}}}
	if one.State == issue.Open {
		f.Excepted = store.ExceptedHidden
	}
	rows, _, err := s.o.Store.LatestFindings(ctx, f, store.Page{Limit: shownFindings})
	if err != nil {
		return nil, fmt.Errorf("list the findings of the issue: %w", err)
	}
	query := url.Values{"account": {one.AccountID}, "check": {one.CheckID}, "result": {"FAIL,WARNING"}, "exception": {"shown"}}
	return &issueOutput{IssueDetail{Issue: one, Findings: notNil(rows), FindingsPath: "/api/findings?" + query.Encode()}}, nil
}

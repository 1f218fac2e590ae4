package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// IssueQuery asks for one page of issues. The zone filters findings, and an issue counts only those
// that remain; all other fields filter issues.
type IssueQuery struct {
	Severity string `query:"severity" json:"severity,omitempty" doc:"Severities of issues, parted by commas."`
	Category string `query:"category" json:"category,omitempty"`
	Check    string `query:"check" json:"check,omitempty"`
	Zone     string `query:"zone" json:"zone,omitempty" doc:"Zone id or name: issues that hit it, counting only what lies in it."`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in the title or the check id."`
	State    string `query:"state" json:"state,omitempty" default:"open"`
	Owner    string `query:"owner" json:"owner,omitempty" maxLength:"1000" doc:"Owners, parted by commas; none for issues without."`
	Assignee string `query:"assignee" json:"assignee,omitempty" maxLength:"1000" doc:"Assignees, parted by commas; none for issues without."`
	Overdue  string `query:"overdue" json:"overdue,omitempty" enum:"yes" doc:"yes lists what is overdue."`
	Effort   string `query:"effort" json:"effort,omitempty" doc:"one-click, settings, work, parted by commas."`
	New      string `query:"new" json:"new,omitempty"`
	Sort     string `query:"sort" json:"sort,omitempty" enum:"rank,severity,resources,paths,newest,oldest,title,due" default:"rank"`
	Facets   bool   `query:"facets" json:"facets,omitempty"`
	Limit    int    `query:"limit" json:"limit,omitempty" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string `query:"cursor" json:"cursor,omitempty"`
}

// choice converts the query. A number of days in new counts back from until.
func (in IssueQuery) choice(until time.Time) (c issue.Choice, scope store.IssueScope, err error) {
	f, err := FindingFields{Severity: in.Severity, Category: in.Category, Check: in.Check, Zone: in.Zone}.filter()
	if err != nil {
		return c, scope, err
	}
	c = issue.Choice{Severities: f.Severities, Categories: f.Categories, Checks: f.Checks, Text: searched(in.Text),
		Order: issue.Order(in.Sort), Owners: words(in.Owner), Assignees: words(in.Assignee), Overdue: in.Overdue != ""}
	for _, w := range words(in.Effort) {
		if !slices.Contains(issue.Efforts(), issue.Effort(w)) {
			return c, scope, posture.Invalid("query.effort", fmt.Sprintf("effort %q is not one of one-click, settings, work", clip(w)), clip(w))
		}
		c.Efforts = append(c.Efforts, issue.Effort(w))
	}
	for _, w := range words(in.State) {
		switch {
		case in.State == "all":
		case !slices.Contains(issue.States(), issue.State(w)):
			return c, scope, posture.Invalid("query.state",
				fmt.Sprintf("state %q is not one of open, acknowledged, in_progress, accepted, resolved, and all is asked for alone", clip(w)), clip(w))
		default:
			c.States = append(c.States, issue.State(w))
		}
	}
	c.Since, err = since(in.New, until)
	return c, store.IssueScope{Zones: f.Zones}, err
}

// maxDays bounds how far back new may go.
const maxDays = 3650

// since reads s as a number of days before until, or as a date.
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

// runIssues lists the issues of one assessment with the current decisions, so unlike other
// documents of a run it can change.
func runIssues(s *Server, ctx context.Context, in *runIssuesInput) (*answer[IssuesBody], error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	run, err := s.pick(ctx, Choice{AssessmentID: id})
	if err != nil {
		return nil, err
	}
	c, scope, err := in.choice(run.CompletedAt)
	if err != nil {
		return nil, err
	}
	all, err := s.o.Store.RunIssues(ctx, id, scope, s.now())
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.missing(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	body, err := in.page(c, all, "run "+id)
	return &answer[IssuesBody]{body}, err
}

type issuesInput struct {
	IssueQuery
	Account string `query:"account" doc:"Provider account id, or a registered account's id or name."`
}

// listIssues lists the current issues of all accounts.
func listIssues(s *Server, ctx context.Context, in *issuesInput) (*answer[IssuesBody], error) {
	c, scope, err := in.choice(s.now())
	if err != nil {
		return nil, err
	}
	if scope.Accounts, err = s.accountKeys(ctx, in.Account); err != nil {
		return nil, err
	}
	all, err := s.o.Store.LatestIssues(ctx, scope, s.now())
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	body, err := in.page(c, all, in.Account)
	return &answer[IssuesBody]{body}, err
}

// page returns the chosen issues after the cursor. of identifies what else the list depends on.
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

// mark is a hash of the query and of, which ties a cursor to its list.
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

package httpapi

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// IssueQuery asks for one page of issues. Its filters choose among findings; an issue counts those that are left.
type IssueQuery struct {
	Severity string `query:"severity" json:"severity,omitempty" doc:"Severities of findings, parted by commas."`
	Category string `query:"category" json:"category,omitempty"`
	Check    string `query:"check" json:"check,omitempty"`
	Zone     string `query:"zone" json:"zone,omitempty" doc:"Zone id or name."`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in message, resource name or check id."`
	State    string `query:"state" enum:"open,accepted,all" default:"open" doc:"accepted lists issues whose risk is accepted for every resource."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string `query:"cursor"`
}

func (in IssueQuery) fields() FindingFields {
	return FindingFields{Result: "FAIL,WARNING", Severity: in.Severity, Category: in.Category, Check: in.Check, Zone: in.Zone, Text: in.Text}
}

// IssuesBody is a page of issues, what to do first at its top.
type IssuesBody struct {
	Items      []issue.Issue `json:"items"`
	NextCursor string        `json:"nextCursor"`
	Total      int           `json:"total" doc:"How many issues there are with these filters."`
}

type runIssuesInput struct {
	IssueQuery
	ID string `path:"id"`
}

// runIssues lists the issues of one assessment.
func runIssues(s *Server, ctx context.Context, in *runIssuesInput) (*runOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	f, err := in.fields().filter()
	if err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context) (any, error) {
		a, err := s.saved(ctx, "path.id", id)
		if err != nil {
			return nil, err
		}
		return in.page(summed(store.Each(ctx, s.o.Store, id, f), func(f posture.Finding) (string, posture.Finding) { return a.Account.ID, f }))
	})
}

type issuesInput struct {
	IssueQuery
	Account string `query:"account" doc:"Provider account id, or a registered account's id or name."`
}

type issuesOutput struct{ Body IssuesBody }

// listIssues lists the issues as they stand now, over all accounts.
func listIssues(s *Server, ctx context.Context, in *issuesInput) (*issuesOutput, error) {
	q := latestFindingsInput{Exception: "shown", Account: in.Account}
	q.FindingFields = in.fields()
	f, err := s.latestFilter(ctx, &q)
	if err != nil {
		return nil, err
	}
	body, err := in.page(summed(store.EachLatest(ctx, s.o.Store, f), func(f store.LatestFinding) (string, posture.Finding) {
		return f.AccountID, f.Finding
	}))
	return &issuesOutput{body}, err
}

func summed[T any](all iter.Seq2[T, error], of func(T) (string, posture.Finding)) ([]issue.Issue, error) {
	var sum issue.Sum
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		sum.Add(of(one))
	}
	return sum.Issues(), nil
}

// page gives those in the state asked for, from the one after the cursor, which is the id of the last of the page before.
func (in IssueQuery) page(all []issue.Issue, err error) (IssuesBody, error) {
	if err != nil {
		return IssuesBody{}, err
	}
	if in.State != "all" {
		all = slices.DeleteFunc(all, func(i issue.Issue) bool { return string(i.State) != in.State })
	}
	out := IssuesBody{Total: len(all)}
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(i issue.Issue) bool { return i.ID == in.Cursor })
		if at < 0 {
			return out, posture.Invalid("query.cursor", fmt.Sprintf("the cursor %q names no issue of this list; start again without it",
				clip(in.Cursor)), clip(in.Cursor))
		}
		all = all[at+1:]
	}
	out.Items = notNil(all[:min(len(all), in.Limit)])
	if len(all) > in.Limit {
		out.NextCursor = out.Items[in.Limit-1].ID
	}
	return out, nil
}

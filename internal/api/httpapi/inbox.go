package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// InboxItem is an issue that concerns the caller, with the last thing that happened to it.
type InboxItem struct {
	issue.Issue
	At     time.Time `json:"at" doc:"When it happened."`
	What   string    `json:"what" enum:"opened,overdue,state,owner,assignee,due,comment,ticket" doc:"opened: by a run; overdue: day passed."`
	Actor  string    `json:"actor" doc:"Who did it, as the audit log names callers; run when a run did."`
	From   string    `json:"from,omitempty"`
	To     string    `json:"to,omitempty"`
	Text   string    `json:"text,omitempty" doc:"The comment, as plain text."`
	Why    string    `json:"why" enum:"assignee,owner,team,activity" doc:"team: one of theirs owns it; activity: they did or said something."`
	Unread bool      `json:"unread"`
}

// InboxBody is a page of the inbox.
type InboxBody struct {
	Items      []InboxItem `json:"items"`
	NextCursor string      `json:"nextCursor"`
	Total      int         `json:"total"`
	Unread     int         `json:"unread" doc:"How many of all are unread."`
}

type inboxInput struct {
	Unread bool   `query:"unread" doc:"Only what is unread."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor"`
}

// getInbox lists the issues that concern the caller, latest event first. Only the read marks are
// stored: the inbox follows from who owns each issue now.
func getInbox(s *Server, ctx context.Context, in *inboxInput) (*answer[InboxBody], error) {
	all, err := s.inbox(ctx)
	if err != nil {
		return nil, err
	}
	out := &answer[InboxBody]{InboxBody{Items: []InboxItem{}, Total: len(all)}}
	for _, i := range all {
		if i.Unread {
			out.Body.Unread++
		}
	}
	if in.Unread {
		all = slices.DeleteFunc(all, func(i InboxItem) bool { return !i.Unread })
	}
	all, out.Body.NextCursor, err = part(all, in.Limit, in.Cursor)
	out.Body.Items = append(out.Body.Items, all...)
	return out, err
}

// inbox builds the whole inbox of the caller, latest event first.
func (s *Server) inbox(ctx context.Context) ([]InboxItem, error) {
	n := callOf(ctx)
	own, teams, since, err := s.namesOf(ctx, n)
	if err != nil {
		return nil, err
	}
	all, err := s.o.Store.LatestIssues(ctx, store.IssueScope{}, s.now())
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	ids, err := s.o.Store.IssuesBy(ctx, n.entry.Actor, nil)
	if err != nil {
		return nil, fmt.Errorf("look for issues of the caller: %w", err)
	}
	acted := map[string]bool{}
	for _, id := range ids {
		acted[id] = true
	}
	var mine []InboxItem
	for _, i := range all {
		item := InboxItem{Issue: i}
		switch {
		case own[strings.ToLower(i.Assignee)]:
			item.Why = "assignee"
		case own[strings.ToLower(i.Owner)]:
			item.Why = "owner"
		case teams[strings.ToLower(i.Owner)]:
			item.Why = "team"
		case acted[i.ID]:
			item.Why = "activity"
		default:
			continue
		}
		mine = append(mine, item)
	}
	if len(mine) == 0 {
		return nil, nil
	}
	ids = make([]string, len(mine))
	accounts := map[string]bool{}
	for i := range mine {
		ids[i], accounts[mine[i].AccountID] = mine[i].ID, true
	}
	found, err := s.o.Store.FoundAt(ctx, slices.Collect(maps.Keys(accounts)))
	if err != nil {
		return nil, fmt.Errorf("look when issues were found: %w", err)
	}
	last, err := s.o.Store.LastEvents(ctx, ids, nil, n.entry.Actor)
	if err != nil {
		return nil, fmt.Errorf("read what happened to issues: %w", err)
	}
	read, err := s.o.Store.ReadMarks(ctx, n.entry.Actor)
	if err != nil {
		return nil, fmt.Errorf("read what was read: %w", err)
	}
	for i := range mine {
		e, happened := last[mine[i].ID]
		mine[i].happened(found[mine[i].ID], e, happened)
		mine[i].Unread = mine[i].At.After(latest(since, read[""], read[mine[i].ID]))
	}
	slices.SortStableFunc(mine, func(a, b InboxItem) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
	return mine, nil
}

// happened sets the last thing that happened to an issue: an event of its activity, its discovery
// by a run, or its due day passing.
func (i *InboxItem) happened(found time.Time, e store.IssueEvent, there bool) {
	i.What, i.At, i.Actor = "opened", found, store.ByRun
	if i.At.IsZero() {
		i.At = i.FirstSeen
	}
	if there && !e.At.Before(i.At) {
		i.What, i.At, i.Actor, i.From, i.To, i.Text = string(e.Kind), e.At, e.Actor, e.From, e.To, e.Text
	}
	if !i.Overdue {
		return
	}
	if day, err := time.Parse(time.DateOnly, i.Due); err == nil && day.AddDate(0, 0, 1).After(i.At) {
		i.What, i.At, i.Actor, i.From, i.To, i.Text = "overdue", day.AddDate(0, 0, 1), store.ByRun, "", i.Due, ""
	}
}

func latest(all ...time.Time) time.Time { return slices.MaxFunc(all, time.Time.Compare) }

// namesOf returns the names by which issues may refer to the caller and the caller's teams, in
// lower case, and when the caller was added.
func (s *Server) namesOf(ctx context.Context, n *called) (own, teams map[string]bool, since time.Time, err error) {
	own, teams = map[string]bool{n.entry.Actor: true}, map[string]bool{}
	if n.principal.Kind != access.User {
		return own, teams, since, nil
	}
	u, err := s.o.Store.User(ctx, n.principal.ID)
	if err != nil {
		return nil, nil, since, fmt.Errorf("look up the caller: %w", err)
	}
	own[strings.ToLower(u.Email)], own[strings.ToLower(u.Name)] = true, true
	all, err := s.o.Store.Teams(ctx)
	if err != nil {
		return nil, nil, since, fmt.Errorf("list the teams: %w", err)
	}
	for _, t := range all {
		if slices.Contains(t.Members, u.ID) {
			teams[strings.ToLower(t.Name)] = true
		}
	}
	delete(own, "")
	return own, teams, u.CreatedAt, nil
}

type readInboxInput struct {
	Body struct {
		IssueIDs []string  `json:"issueIds,omitempty" maxItems:"1000" doc:"What was read; all of the inbox when absent."`
		Until    time.Time `json:"until,omitempty" doc:"What happened later stays unread; now when absent."`
	}
}

// readInbox records what the caller has read.
func readInbox(s *Server, ctx context.Context, in *readInboxInput) (*emptyOutput, error) {
	until := s.now()
	if at := in.Body.Until.UTC(); !at.IsZero() && at.Before(until) {
		until = at
	}
	ids := in.Body.IssueIDs
	for i, id := range ids {
		if !findingID.MatchString(id) {
			return nil, posture.Invalid(fmt.Sprintf("body.issueIds[%d]", i), "is not the id of an issue, which is 32 hexadecimal digits", clip(id))
		}
	}
	if len(ids) == 0 {
		ids = []string{""}
	} else { // a mark of anything else would never be looked at, and would be kept
		mine, err := s.inbox(ctx)
		if err != nil {
			return nil, err
		}
		here := map[string]bool{}
		for _, i := range mine {
			here[i.ID] = true
		}
		if ids = slices.DeleteFunc(ids, func(id string) bool { return !here[id] }); len(ids) == 0 {
			return &emptyOutput{Status: http.StatusNoContent}, nil
		}
	}
	if err := s.o.Store.MarkRead(ctx, callOf(ctx).entry.Actor, ids, until); err != nil {
		return nil, fmt.Errorf("note what was read: %w", err)
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}

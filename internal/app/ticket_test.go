package app_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
)

// TestTickets takes an issue to a tracker by hand and follows it over runs, through the whole service.
func TestTickets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, put := pointing(t, onLoopback, "DATA_DIR="+dir, "SERVICE_PUBLIC_URL=https://posture.example")
	const check = "CFL-DNS-008"
	only := map[string]any{"checks": []string{check}}
	s.assessAll(only)
	id := s.issues("check=" + check).Items[0].ID
	path := "/api/issues/" + id + "/tickets"

	unset := s.call("POST", path, nil)
	require.Equal(t, 422, unset.status)
	require.Contains(t, string(unset.body), "ticketKind")
	g := tickettest.NewGitHub(t, "owner/name", "canary-github-token")
	j := tickettest.NewJira(t, "SEC", "ann@example.com", "canary-jira-token")
	at := g.Start(t)
	s.settings("PUT", map[string]any{"ticketKind": "github", "ticketClose": "true", "githubUrl": at, "githubRepository": g.Repository,
		"githubToken": g.Token, "jiraUrl": j.Start(t), "jiraProject": j.Project, "jiraEmail": j.Email, "jiraToken": j.Token})

	for range 2 {
		made := s.call("POST", path, nil)
		require.Equal(t, 200, made.status, string(made.body))
		var got issue.Ticket
		made.into(t, &got)
		require.Equal(t, "owner/name#1", got.Key)
	}
	require.Len(t, g.Tickets(), 1)
	require.Contains(t, g.Tickets()[0].Body, "https://posture.example/a/")
	require.Equal(t, 1, s.issues("check=" + check).Items[0].Tickets)
	one := s.issue(id)
	require.Equal(t, "github", one.Tracker)
	require.Equal(t, issue.TicketOpen, one.Tickets[0].State)
	require.Equal(t, "owner/name#1", one.Activity[0].To)
	for body, status := range map[string]int{`{"url":"https://github.com/owner/name/issues/1"}`: 422, `{"kind":"odd"}`: 422,
		`{"kind":"jira","url":"https://x.atlassian.net/browse/SEC-1"}`: 422} {
		got := s.call("POST", path, json.RawMessage(body))
		require.Equal(t, status, got.status, "%s %s", body, got.body)
	}

	said := func(n int, closed bool) {
		t.Helper()
		eventually(t, 20*time.Second, "the ticket follows", func() bool {
			is := g.Tickets()[0]
			return len(is.Comments) == n && is.Closed == closed
		})
	}
	put(recordOutside)
	s.assessAll(only)
	said(1, true)
	put(recordInside)
	s.assessAll(only)
	said(2, false)
	s.settings("PUT", map[string]any{"ticketFrom": "low"})
	s.assessAll(nil)
	opened := s.issues("severity=critical,high,medium,low&limit=1000").Total
	require.Greater(t, opened, 1)
	eventually(t, 20*time.Second, "the run makes the tickets of what it opened", func() bool { return len(g.Tickets()) == opened })
	s.settings("PUT", map[string]any{"ticketFrom": ""})

	g.Change(1, func(t *tickettest.Ticket) { t.Deleted = true })
	s.assessAll(only)
	eventually(t, 20*time.Second, "the problem shows", func() bool { return strings.Contains(s.issue(id).Tickets[0].Problem, "deleted") })
	again := s.call("POST", path, nil)
	require.Equal(t, 200, again.status, string(again.body))
	require.Len(t, g.Tickets(), opened+1, "somebody asked for another one")

	jira := s.call("POST", path, map[string]any{"kind": "jira"})
	require.Equal(t, 200, jira.status, string(jira.body))
	require.Equal(t, 2, s.issues("check=" + check).Items[0].Tickets)

	g.Token = "another"
	s.assessAll(only)
	eventually(t, 20*time.Second, "the problem shows", func() bool {
		return strings.Contains(s.issue(id).Tickets[0].Problem, "save a new one")
	})
	s.settings("PUT", map[string]any{"githubUrl": "https://elsewhere.example"})
	denied := s.call("POST", path, map[string]any{"kind": "github"})
	require.Equal(t, 403, denied.status, string(denied.body))
	require.Equal(t, posture.CodeOutboundDenied, problem(t, denied).Code)
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if e.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(raw), "canary-", path)
		}
		return nil
	}))
}

// TestTicketsAreLinked: a ticket that people made is taken as it is, once it is there.
func TestTicketsAreLinked(t *testing.T) {
	t.Parallel()
	s := embedded(t, fixable(), onLoopback)
	s.assessed()
	id := s.issues("").Items[0].ID
	j := tickettest.NewJira(t, "SEC", "ann@example.com", "canary-jira-token")
	at := j.Start(t)
	s.settings("PUT", map[string]any{"ticketKind": "jira", "jiraUrl": at, "jiraProject": j.Project, "jiraEmail": j.Email,
		"jiraToken": j.Token})
	other := s.issues("").Items[1].ID
	require.Equal(t, 200, s.call("POST", "/api/issues/"+other+"/tickets", nil).status)
	link := func(key string) answer {
		return s.call("POST", "/api/issues/"+id+"/tickets", map[string]any{"url": at + "/browse/" + key})
	}
	missing := link("SEC-7")
	require.Equal(t, 502, missing.status, string(missing.body))
	require.Empty(t, s.issue(id).Tickets)
	for range 2 {
		require.Equal(t, 200, link("SEC-1").status)
	}
	require.Equal(t, "SEC-1", s.issue(id).Tickets[0].Key)
	require.Equal(t, 200, s.call("POST", "/api/issues/"+s.issues("").Items[2].ID+"/tickets", nil).status)
	require.Equal(t, 409, link("SEC-2").status)
	require.Len(t, j.Tickets(), 2)
}

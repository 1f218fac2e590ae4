package ticket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

func noon() time.Time { return time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) }

const token = "canary-token"

func anIssue() issue.Issue {
	return issue.Issue{ID: issue.ID("acc", "CFL-SSL-001"), AccountID: "acc", CheckID: "CFL-SSL-001", Severity: posture.High, Resources: 60,
		Title: "Visitors reach shop.example over plain HTTP, and 59 more resources"}
}

func findings() (out []posture.Finding) {
	for i := range 60 {
		out = append(out, posture.Finding{CheckID: "CFL-SSL-001", Message: "The mode is flexible.", Why: "Why it matters.", Impact: "An impact.",
			Fix: "Set the mode to strict.", Breaks: "Origins without a certificate.",
			Resource: posture.Resource{Name: fmt.Sprintf("z%d.example", i)},
			Steps: []posture.Step{{Where: posture.InDashboard, Text: "SSL › Overview"},
				{Where: posture.ByAPI, Text: "One call.", Code: "curl x"}}})
	}
	return out
}

// both gives each tracker at its simulation, with what the simulation has.
func both(t *testing.T, do func(t *testing.T, tr ticket.Tracker, tickets func() []tickettest.Ticket)) {
	t.Helper()
	t.Run("github", func(t *testing.T) {
		g := tickettest.NewGitHub(t, "owner/name", token)
		do(t, ticket.NewGitHub(siemtest.NewClient(t), g.Start(t), "owner/name", secret.New(token), noon), g.Tickets)
	})
	t.Run("jira", func(t *testing.T) {
		j := tickettest.NewJira(t, "SEC", "ann@example.com", token)
		do(t, ticket.NewJira(siemtest.NewClient(t), j.Start(t), "SEC", "Task", "ann@example.com", secret.New(token), noon), j.Tickets)
	})
}

// TestTrackers takes a ticket through all of its life; the simulations hold each request against what is published.
func TestTrackers(t *testing.T) {
	both(t, func(t *testing.T, tr ticket.Tracker, tickets func() []tickettest.Ticket) {
		ctx, marker := t.Context(), ticket.Marker(anIssue().ID)
		found, err := tr.Find(ctx, marker)
		require.NoError(t, err)
		require.Zero(t, found)
		for range 2 {
			require.NoError(t, tr.Prepare(ctx, marker))
		}
		made, err := tr.Create(ctx, marker, ticket.New(anIssue(), "Acme", findings(),
			"https://posture.example/a/acc/r/latest/issues/CFL-SSL-001"))
		require.NoError(t, err)
		require.Equal(t, issue.TicketOpen, made.State)
		found, err = tr.Find(ctx, marker)
		require.NoError(t, err)
		require.Equal(t, made, found)
		is := tickets()[0]
		require.Equal(t, is.Key, made.Key)
		require.Equal(t, anIssue().Title, is.Title)
		for _, part := range []string{"z49.example", "10 others", "curl x", "Set the mode", "Acme", "https://posture.example/a/acc"} {
			require.Contains(t, is.Body, part)
		}
		require.NotContains(t, is.Body, "z50.example")
		for n, to := range []issue.TicketState{issue.TicketClosed, issue.TicketOpen} {
			mark := fmt.Sprintf("%s-note-%d", marker, n+1)
			said, err := tr.Said(ctx, made.Key, mark, noon())
			require.NoError(t, err)
			require.False(t, said)
			require.NoError(t, tr.Say(ctx, made.Key, mark, "A run found nothing of it any more."))
			said, err = tr.Said(ctx, made.Key, mark, noon())
			require.NoError(t, err)
			require.True(t, said)
			require.NoError(t, tr.Set(ctx, made.Key, to))
			state, err := tr.State(ctx, made.Key)
			require.NoError(t, err)
			require.Equal(t, to, state)
		}
		require.Len(t, tickets()[0].Comments, 2)
		again, err := tr.Parse(made.URL)
		if tr.Kind() == "jira" { // GitHub's simulation is not at the address that its answers name
			require.NoError(t, err)
			require.Equal(t, made.Key, again.Key)
		}
		_, err = tr.State(ctx, strings.Replace(made.Key, "1", "7", 1))
		var e *ticket.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 404, e.Status)
	})
}

// answering gives one answer to everything.
type answering struct {
	resp *outbound.Response
	err  error
}

func (a answering) Do(*http.Request) (*outbound.Response, error) { return a.resp, a.err }

// TestTrackersFail reads what trackers answer, and says it in one sentence that holds nothing secret and nothing of theirs.
func TestTrackersFail(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	reset := fmt.Sprint(noon().Add(20 * time.Minute).Unix())
	for _, c := range []struct {
		name          string
		status        int
		header        http.Header
		body          string
		err           error
		only          string
		sure, again   bool
		wait          time.Duration
		gone, limited bool
		says          string
	}{
		{name: "no token", status: 401, sure: true, says: "save a new one"},
		{name: "no right", status: 403, sure: true, says: "permissions"},
		{name: "not there", status: 404, sure: true, says: "check the settings"},
		{name: "deleted", status: 410, sure: true, gone: true, says: "deleted"},
		{name: "moved", status: 301, sure: true, says: "redirect"},
		{name: "refused", status: 422, sure: true, says: "422"},
		{name: "busy", status: 429, header: header("Retry-After", "17"), sure: true, again: true, wait: 17 * time.Second, limited: true,
			says: "429"},
		{name: "busy, by an exhausted budget", status: 403, header: header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset),
			only: "github", sure: true, again: true, wait: 20 * time.Minute, limited: true, says: "too many"},
		{name: "busy, by a secondary limit", status: 403, body: `{"message":"You have exceeded a secondary rate limit"}`, only: "github",
			sure: true, again: true, wait: time.Minute, limited: true, says: "too many"},
		{name: "ill", status: 500, again: true, says: "may pass"},
		{name: "away", status: 503, header: header("Retry-After", "9"), again: true, wait: 9 * time.Second, says: "may pass"},
		{name: "something else", status: 200, body: "<html>canary-page", again: true, says: "not one of its API"},
		{name: "timeout", err: &outbound.FailedError{Host: "x.example", Reason: "it took too long"}, again: true, says: "took too long"},
		{name: "odd", err: errors.New("canary-error"), again: true, says: "connection failed"},
		{name: "not allowed", err: posture.Problemf(posture.CodeOutboundDenied, "x.example may not be reached."), sure: true, says: "may not be"},
	} {
		doer := answering{&outbound.Response{Status: c.status, Header: c.header, Body: []byte(c.body)}, c.err}
		if c.err != nil {
			doer.resp = nil
		}
		for _, tr := range []ticket.Tracker{ticket.NewGitHub(doer, "https://x.example/canary-path", "o/n", secret.New(token), noon),
			ticket.NewJira(doer, "https://x.example/canary-path", "SEC", "Task", "ann@example.com", secret.New(token), noon)} {
			if c.only != "" && c.only != tr.Kind() {
				continue
			}
			_, err := tr.Create(t.Context(), "m", ticket.Text{Title: "x"})
			var e *ticket.Error
			require.ErrorAs(t, err, &e, c.name)
			require.Equal(t, []any{c.sure, c.again, c.wait, c.gone, c.limited}, []any{e.Sure, e.Again, e.Wait, e.Gone, e.Limit}, c.name)
			require.Contains(t, e.Reason, c.says, c.name)
			require.NotContains(t, e.Reason, "canary", c.name)
			require.True(t, strings.HasSuffix(e.Reason, "."), e.Reason)
		}
	}
}

// TestGitHubLabels: a token that may not set labels makes no ticket, because nobody would find it again.
func TestGitHubLabels(t *testing.T) {
	g := tickettest.NewGitHub(t, "owner/name", token)
	g.NoLabels = true
	tr := ticket.NewGitHub(siemtest.NewClient(t), g.Start(t), "owner/name", secret.New(token), noon)
	var e *ticket.Error
	require.ErrorAs(t, tr.Prepare(t.Context(), ticket.Marker(anIssue().ID)), &e)
	require.Contains(t, e.Reason, "403")
}

func TestJiraWithoutTransitions(t *testing.T) {
	j := tickettest.NewJira(t, "SEC", "ann@example.com", token)
	j.Stuck = true
	tr := ticket.NewJira(siemtest.NewClient(t), j.Start(t), "SEC", "Task", "ann@example.com", secret.New(token), noon)
	made, err := tr.Create(t.Context(), "m", ticket.New(anIssue(), "Acme", nil, ""))
	require.NoError(t, err)
	require.ErrorContains(t, tr.Set(t.Context(), made.Key, issue.TicketClosed), "no transition")
}

func TestParse(t *testing.T) {
	g := ticket.NewGitHub(nil, "https://api.github.com", "owner/name", secret.New(token), noon)
	ghes := ticket.NewGitHub(nil, "https://git.example/api/v3", "owner/name", secret.New(token), noon)
	j := ticket.NewJira(nil, "https://x.atlassian.net/", "SEC", "Task", "a@b", secret.New(token), noon)
	for _, c := range []struct {
		tr       ticket.Tracker
		url, key string
	}{
		{g, "https://github.com/owner/name/issues/12", "owner/name#12"}, {g, "https://GitHub.com/Owner/name/issues/12?a=b#c", "owner/name#12"},
		{ghes, "https://git.example/owner/name/issues/3", "owner/name#3"}, {j, "https://x.atlassian.net/browse/SEC-12", "SEC-12"},
		{g, "https://github.com/owner/other/issues/12", ""}, {g, "https://github.com/owner/name/pull/12", ""},
		{g, "https://github.com.evil.example/owner/name/issues/12", ""}, {g, "javascript://github.com/owner/name/issues/12", ""},
		{g, "https://a:b@github.com/owner/name/issues/12", ""}, {g, "https://github.com/owner/name/issues/012", ""},
		{g, "https://github.com/owner/name/issues/1/../../x", ""}, {j, "https://y.atlassian.net/browse/SEC-12", ""},
		{j, "https://x.atlassian.net/browse/OPS-12", ""}, {j, "https://x.atlassian.net/browse/SEC-12/x", ""},
		{j, "http://x.atlassian.net/browse/SEC-1", ""},
		{j, "", ""}, {g, "\x00", ""},
	} {
		ref, err := c.tr.Parse(c.url)
		if c.key == "" {
			require.Equal(t, posture.CodeInvalid, posture.AsProblem(err).Code, c.url)
			continue
		}
		require.NoError(t, err, c.url)
		require.Equal(t, c.key, ref.Key)
		require.NotContains(t, ref.URL, "?")
	}
}

// TestSweepHostileNames: what a stranger named becomes no mention, no markup and no link, and the text fits.
func TestSweepHostileNames(t *testing.T) {
	selfLinking := regexp.MustCompile(`(?i)www\.|://|@|mailto:|xmpp:|(^|[^&])#|gh-[0-9]`)
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	for n, name := range append(exporttest.Names(500), "@security GH-12", "fixes owner/name#1",
		strings.Repeat("ß", 5000), "-->", "\u202Eevil") {
		if testing.Short() && n < 500 && n%10 != 0 {
			continue
		}
		i := anIssue()
		i.Title = name
		f := findings()
		for k := range f {
			f[k].Message, f[k].Impact, f[k].Resource.Name, f[k].Resource.Zone = name, name, name, name+"x"
			f[k].Steps[0].Text, f[k].Steps[1].Code = name, name
		}
		text0 := ticket.New(i, name, f, "https://posture.example/a")
		require.LessOrEqual(t, len(text0.Title), 255)
		require.NotContains(t, text0.Title, "\n")
		md := []byte(text0.Markdown())
		require.LessOrEqual(t, utf8.RuneCount(md), 65536)
		links := 0
		require.NoError(t, ast.Walk(parser.Parse(text.NewReader(md)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch node.Kind() {
			case ast.KindLink:
				links++
			case ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindThematicBreak:
				t.Errorf("%d %q becomes %s", n, name, node.Kind())
			case ast.KindCodeSpan, ast.KindFencedCodeBlock:
				return ast.WalkSkipChildren, nil
			case ast.KindText:
				if part, is := node.(*ast.Text); is && selfLinking.Match(part.Value(md)) {
					t.Errorf("%d %q is linked by itself", n, name)
				}
			}
			return ast.WalkContinue, nil
		}))
		require.Equal(t, 1, links, name)
		raw, err := json.Marshal(text0.ADF())
		require.NoError(t, err)
		require.LessOrEqual(t, utf8.RuneCountInString(texts(t, raw)), 32767)
		var v any
		require.NoError(t, json.Unmarshal(raw, &v))
		require.NoError(t, tickettest.Document(v), name)
		require.Equal(t, 1, strings.Count(string(raw), `"href"`))
	}
}

// texts is all text of a document.
func texts(t *testing.T, raw []byte) string {
	t.Helper()
	var b strings.Builder
	for _, m := range regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`).FindAllSubmatch(raw, -1) {
		var s string
		require.NoError(t, json.Unmarshal([]byte(`"`+string(m[1])+`"`), &s))
		b.WriteString(s)
	}
	return b.String()
}

// TestAskedTooLate: a request has an end of its own.
func TestAskedTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	both(t, func(t *testing.T, tr ticket.Tracker, _ func() []tickettest.Ticket) {
		_, err := tr.Find(ctx, "m")
		var e *ticket.Error
		require.ErrorAs(t, err, &e)
		require.True(t, e.Again)
	})
}

// TestAnswersOfSomethingElse: what something in between answers with 200 does not tell that a ticket or a comment is not there, or
// that somebody else's ticket is ours; it would be made twice, or closed.
func TestAnswersOfSomethingElse(t *testing.T) {
	others := map[string]string{"github": `[{"number":7,"html_url":"https://github.com/owner/name/issues/7","state":"open","labels":[]}]`,
		"jira": `{"issues":[{"key":"SEC-7","fields":{"status":{"statusCategory":{"key":"new"}},"labels":["other"]}}]}`}
	for _, body := range []string{"", "null", "{}", "[", `{"errorMessages":["no"]}`, "<html></html>", "others"} {
		answer := func(*http.Request) (*outbound.Response, error) {
			return &outbound.Response{Status: 200, Body: []byte(body)}, nil
		}
		for _, tr := range []ticket.Tracker{
			ticket.NewGitHub(doer(answer), "https://api.github.com", "owner/name", secret.New(token), noon),
			ticket.NewJira(doer(answer), "https://x.example", "SEC", "Task", "ann@example.com", secret.New(token), noon),
		} {
			if body == "others" {
				answer := func(*http.Request) (*outbound.Response, error) {
					return &outbound.Response{Status: 200, Body: []byte(others[tr.Kind()])}, nil
				}
				tr = map[string]ticket.Tracker{
					"github": ticket.NewGitHub(doer(answer), "https://api.github.com", "owner/name", secret.New(token), noon),
					"jira":   ticket.NewJira(doer(answer), "https://x.example", "SEC", "Task", "ann@example.com", secret.New(token), noon),
				}[tr.Kind()]
			}
			found, err := tr.Find(t.Context(), "edgeposture-x")
			require.Error(t, err, "%s %s: %+v", tr.Kind(), body, found)
			if body != "others" {
				_, err = tr.Said(t.Context(), map[string]string{"github": "owner/name#1", "jira": "SEC-1"}[tr.Kind()], "mark", noon())
				require.Error(t, err, "%s %s", tr.Kind(), body)
				state, _ := tr.State(t.Context(), map[string]string{"github": "owner/name#1", "jira": "SEC-1"}[tr.Kind()])
				require.NotEqual(t, issue.TicketOpen, state, "%s %s", tr.Kind(), body)
			}
		}
	}
}

type doer func(*http.Request) (*outbound.Response, error)

func (d doer) Do(r *http.Request) (*outbound.Response, error) { return d(r) }

package tickettest

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

// GitHub is a simulated GitHub with one repository.
type GitHub struct {
	server
	Repository string
	Token      string
	// NoLabels means that the token may not create or set labels.
	NoLabels bool
	// Former is the repository's name before it was renamed; it is redirected.
	Former string

	labels map[string]bool
	issues []*Ticket // number n is at n-1
}

// NewGitHub makes a simulated GitHub.
func NewGitHub(t testing.TB, repository, token string) *GitHub {
	t.Helper()
	g := &GitHub{Repository: repository, Token: token, labels: map[string]bool{}}
	g.auth = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+g.Token }
	const repo = "/repos/{owner}/{repo}"
	g.do = map[string]handler{
		"POST " + repo + "/labels":                         g.here(g.label),
		"GET " + repo + "/issues":                          g.here(g.list),
		"POST " + repo + "/issues":                         g.here(g.create),
		"GET " + repo + "/issues/{issue_number}":           g.here(g.one(g.get)),
		"PATCH " + repo + "/issues/{issue_number}":         g.here(g.one(g.change)),
		"GET " + repo + "/issues/{issue_number}/comments":  g.here(g.one(g.comments)),
		"POST " + repo + "/issues/{issue_number}/comments": g.here(g.one(g.comment)),
	}
	g.open(t, "github")
	return g
}

// Tickets returns the tickets of the repository, by number.
func (g *GitHub) Tickets() []Ticket {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]Ticket, len(g.issues))
	for i, t := range g.issues {
		out[i] = *t
	}
	return out
}

// Change changes a ticket as if somebody did so at GitHub.
func (g *GitHub) Change(number int, change func(*Ticket)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g.issues[number-1])
}

func (g *GitHub) here(do handler) handler {
	return func(c *call) (int, any) {
		switch c.PathValue("owner") + "/" + c.PathValue("repo") {
		case g.Former:
			return http.StatusMovedPermanently, nil
		case g.Repository:
			return do(c)
		}
		return http.StatusNotFound, nil
	}
}

func (g *GitHub) one(do func(*call, int, *Ticket) (int, any)) handler {
	return func(c *call) (int, any) {
		n, err := strconv.Atoi(c.PathValue("issue_number"))
		if err != nil || n < 1 || n > len(g.issues) {
			return http.StatusNotFound, nil
		}
		if g.issues[n-1].Deleted {
			return http.StatusGone, nil
		}
		return do(c, n, g.issues[n-1])
	}
}

func (g *GitHub) label(c *call) (int, any) {
	name, _ := c.body["name"].(string)
	switch {
	case g.NoLabels:
		return http.StatusForbidden, nil
	case g.labels[name], len(name) > 50:
		return http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed", "documentation_url": "x",
			"errors": []any{map[string]any{"resource": "Label", "code": "already_exists", "field": "name"}}}
	}
	g.labels[name] = true
	return http.StatusCreated, g.labelled(name)
}

func (g *GitHub) labelled(name string) map[string]any {
	return map[string]any{"id": 1, "node_id": "x", "url": g.url("/labels/" + name), "name": name, "description": "x", "color": "ededed",
		"default": false}
}

func (g *GitHub) url(path string) string {
	return "https://api.github.com/repos/" + g.Repository + path
}

// shown is an issue in the form of the OpenAPI document.
func (g *GitHub) shown(n int, t *Ticket) map[string]any {
	at := "/issues/" + strconv.Itoa(n)
	when := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	state, reason, closed := "open", any(nil), any(nil)
	if t.Closed {
		state, reason, closed = "closed", "completed", when
	}
	labels := []any{}
	for _, l := range t.Labels {
		labels = append(labels, g.labelled(l))
	}
	return map[string]any{"id": n, "node_id": "x", "url": g.url(at), "repository_url": g.url(""), "labels_url": g.url(at + "/labels{/name}"),
		"comments_url": g.url(at + "/comments"), "events_url": g.url(at + "/events"), "number": n, "title": t.Title, "body": t.Body,
		"html_url": "https://github.com/" + g.Repository + at, "state": state, "state_reason": reason, "user": nil, "labels": labels,
		"assignee": nil, "assignees": []any{}, "milestone": nil, "locked": false, "comments": len(t.Comments), "created_at": when,
		"updated_at": when, "closed_at": closed, "author_association": "MEMBER"}
}

func (g *GitHub) list(c *call) (int, any) {
	out := []any{}
	for i, t := range g.issues {
		if slices.Contains(t.Labels, c.URL.Query().Get("labels")) && !t.Deleted {
			out = append(out, g.shown(i+1, t))
		}
	}
	return http.StatusOK, out
}

func (g *GitHub) create(c *call) (int, any) {
	t := &Ticket{}
	t.Title, _ = c.body["title"].(string)
	t.Body, _ = c.body["body"].(string)
	if len(t.Title) > 256 || len(t.Body) > 65536 {
		return http.StatusUnprocessableEntity, nil
	}
	labels, _ := c.body["labels"].([]any)
	for _, l := range labels {
		if name, is := l.(string); is && !g.NoLabels { // GitHub silently drops labels that may not be set
			t.Labels = append(t.Labels, name)
		}
	}
	g.issues = append(g.issues, t)
	t.Key = g.Repository + "#" + strconv.Itoa(len(g.issues))
	return http.StatusCreated, g.shown(len(g.issues), t)
}

func (g *GitHub) get(_ *call, n int, t *Ticket) (int, any) { return http.StatusOK, g.shown(n, t) }

func (g *GitHub) change(c *call, n int, t *Ticket) (int, any) {
	t.Closed = c.body["state"] == "closed"
	return http.StatusOK, g.shown(n, t)
}

func (g *GitHub) comments(c *call, n int, t *Ticket) (int, any) {
	page, _ := strconv.Atoi(c.URL.Query().Get("page"))
	most, _ := strconv.Atoi(c.URL.Query().Get("per_page"))
	out := []any{}
	for i := max(page-1, 0) * most; i < len(t.Comments) && len(out) < most; i++ {
		out = append(out, g.commented(n, i, t.Comments[i]))
	}
	return http.StatusOK, out
}

func (g *GitHub) commented(n, i int, body string) map[string]any {
	when := "2026-01-01T00:00:00Z"
	return map[string]any{"id": i, "node_id": "x", "url": g.url("/issues/comments/1"), "html_url": "https://github.com/x", "body": body,
		"user": nil, "created_at": when, "updated_at": when, "issue_url": g.url("/issues/" + strconv.Itoa(n)), "author_association": "MEMBER"}
}

func (g *GitHub) comment(c *call, n int, t *Ticket) (int, any) {
	body, _ := c.body["body"].(string)
	t.Comments = append(t.Comments, body)
	return http.StatusCreated, g.commented(n, len(t.Comments), body)
}

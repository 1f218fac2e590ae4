package tickettest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Jira is a simulated Jira Cloud with one project.
type Jira struct {
	server
	Project, Email, Token string
	// Lag is how long, by Now, its search does not show a new ticket.
	Lag time.Duration
	Now func() time.Time
	// Stuck means that its workflow has no transitions.
	Stuck bool

	tickets []*Ticket // number n is at n-1
	made    []time.Time
}

// NewJira makes a simulated Jira.
func NewJira(t testing.TB, project, email, token string) *Jira {
	t.Helper()
	j := &Jira{Project: project, Email: email, Token: token, Now: time.Now}
	j.auth = func(r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		return user == j.Email && password == j.Token
	}
	j.stranger = stranger
	const one = "/rest/api/3/issue/{issueIdOrKey}"
	j.do = map[string]handler{
		"POST /rest/api/3/search/jql": j.search, "POST /rest/api/3/issue": j.create, "GET " + one: j.one(j.get),
		"GET " + one + "/comment": j.one(j.comments), "POST " + one + "/comment": j.one(j.comment),
		"GET " + one + "/transitions": j.one(j.transitions), "POST " + one + "/transitions": j.one(j.move),
	}
	j.open(t, "jira")
	return j
}

// stranger answers as Jira does when a token has ended: what it shows to everybody, which is nothing.
func stranger(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Seraph-LoginReason", "AUTHENTICATED_FAILED")
	switch {
	case strings.HasSuffix(r.URL.Path, "/search/jql"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issues":[],"isLast":true}`))
	case strings.HasSuffix(r.URL.Path, "/issue"):
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// Tickets returns the tickets of the project, by number.
func (j *Jira) Tickets() []Ticket {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Ticket, len(j.tickets))
	for i, t := range j.tickets {
		out[i] = *t
	}
	return out
}

// Change changes a ticket as if somebody did so at Jira.
func (j *Jira) Change(number int, change func(*Ticket)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(j.tickets[number-1])
}

func (j *Jira) one(do func(*call, *Ticket) (int, any)) handler {
	return func(c *call) (int, any) {
		n, err := strconv.Atoi(strings.TrimPrefix(c.PathValue("issueIdOrKey"), j.Project+"-"))
		if err != nil || n < 1 || n > len(j.tickets) || j.tickets[n-1].Deleted {
			return http.StatusNotFound, nil
		}
		return do(c, j.tickets[n-1])
	}
}

func (j *Jira) shown(t *Ticket) map[string]any {
	_, n, _ := strings.Cut(t.Key, "-")
	return map[string]any{"id": "100" + n, "key": t.Key, "fields": map[string]any{"status": status(t.Closed), "labels": t.Labels}}
}

func status(closed bool) map[string]any {
	if closed {
		return map[string]any{"id": "3", "name": "Erledigt", "statusCategory": map[string]any{"id": 3, "key": "done", "name": "Done"}}
	}
	return map[string]any{"id": "1", "name": "Zu erledigen", "statusCategory": map[string]any{"id": 2, "key": "new", "name": "To Do"}}
}

func (j *Jira) search(c *call) (int, any) {
	jql, _ := c.body["jql"].(string)
	m := regexp.MustCompile(`^labels = "([A-Za-z0-9-]+)" ORDER BY created ASC$`).FindStringSubmatch(jql)
	if m == nil {
		return http.StatusBadRequest, nil
	}
	out := []any{}
	for i, t := range j.tickets {
		if slices.Contains(t.Labels, m[1]) && !t.Deleted && !j.Now().Before(j.made[i].Add(j.Lag)) {
			out = append(out, j.shown(t))
		}
	}
	return http.StatusOK, map[string]any{"issues": out, "isLast": true}
}

func (j *Jira) create(c *call) (int, any) {
	f, _ := c.body["fields"].(map[string]any)
	project, _ := f["project"].(map[string]any)
	kind, _ := f["issuetype"].(map[string]any)
	t := &Ticket{}
	t.Title, _ = f["summary"].(string)
	if t.Title == "" || len(t.Title) > 255 || strings.ContainsAny(t.Title, "\r\n") || project["key"] != j.Project || kind["name"] != "Task" {
		return http.StatusBadRequest, nil
	}
	if err := Document(f["description"]); err != nil {
		j.t.Errorf("the description is no document: %v", err)
	}
	raw, _ := json.Marshal(f["description"])
	t.Body = string(raw)
	labels, _ := f["labels"].([]any)
	for _, l := range labels {
		t.Labels = append(t.Labels, fmt.Sprint(l))
	}
	j.tickets, j.made = append(j.tickets, t), append(j.made, j.Now())
	t.Key = j.Project + "-" + strconv.Itoa(len(j.tickets))
	return http.StatusCreated, map[string]any{"id": "100" + strconv.Itoa(len(j.tickets)), "key": t.Key, "self": "https://x.example"}
}

func (j *Jira) get(_ *call, t *Ticket) (int, any) { return http.StatusOK, j.shown(t) }

func (j *Jira) comments(c *call, t *Ticket) (int, any) {
	from, _ := strconv.Atoi(c.URL.Query().Get("startAt"))
	most, _ := strconv.Atoi(c.URL.Query().Get("maxResults"))
	newest := slices.Clone(t.Comments)
	slices.Reverse(newest)
	out := []any{}
	for i := from; i < len(newest) && len(out) < most; i++ {
		out = append(out, map[string]any{"id": strconv.Itoa(i), "body": json.RawMessage(newest[i])})
	}
	return http.StatusOK, map[string]any{"comments": out, "startAt": from, "maxResults": most, "total": len(newest)}
}

func (j *Jira) comment(c *call, t *Ticket) (int, any) {
	if err := Document(c.body["body"]); err != nil {
		j.t.Errorf("the comment is no document: %v", err)
	}
	raw, _ := json.Marshal(c.body["body"])
	t.Comments = append(t.Comments, string(raw))
	return http.StatusCreated, map[string]any{"id": strconv.Itoa(len(t.Comments)), "body": json.RawMessage(raw)}
}

func (j *Jira) transitions(_ *call, t *Ticket) (int, any) {
	all := []any{}
	for id, closed := range []bool{false, true} {
		if closed != t.Closed && !j.Stuck {
			all = append(all, map[string]any{"id": strconv.Itoa(11 + id), "name": "x", "to": status(closed)})
		}
	}
	return http.StatusOK, map[string]any{"transitions": all}
}

func (j *Jira) move(c *call, t *Ticket) (int, any) {
	to, _ := c.body["transition"].(map[string]any)
	if to["id"] != "11" && to["id"] != "12" || (to["id"] == "12") == t.Closed {
		return http.StatusBadRequest, nil
	}
	t.Closed = to["id"] == "12"
	return http.StatusNoContent, nil
}

// Document validates a value against the parts of the Atlassian Document Format that tickets use: a
// node has only its own members, and a text is not empty.
// https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
func Document(v any) error {
	n, is := v.(map[string]any)
	if !is || n["type"] != "doc" || n["version"] != 1.0 {
		return fmt.Errorf("no doc of version 1")
	}
	return content(n, "paragraph", "heading", "codeBlock", "bulletList")
}

func content(n map[string]any, kinds ...string) error {
	all, is := n["content"].([]any)
	if !is || len(all) == 0 && n["type"] != "paragraph" {
		return fmt.Errorf("%v without content", n["type"])
	}
	for _, v := range all {
		child, is := v.(map[string]any)
		kind, _ := child["type"].(string)
		if !is || !slices.Contains(kinds, kind) {
			return fmt.Errorf("%v in %v", child["type"], n["type"])
		}
		members := map[string][]string{"text": {"text", "marks"}, "heading": {"content", "attrs"}}[kind]
		if members == nil {
			members = []string{"content"}
		}
		for name := range child {
			if name != "type" && !slices.Contains(members, name) {
				return fmt.Errorf("%s in %s", name, kind)
			}
		}
		var err error
		switch kind {
		case "text":
			err = text(child, n["type"] == "codeBlock")
		case "bulletList":
			err = content(child, "listItem")
		case "listItem":
			err = content(child, "paragraph")
		default:
			err = content(child, "text")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func text(n map[string]any, plain bool) error {
	if s, _ := n["text"].(string); s == "" {
		return fmt.Errorf("an empty text")
	}
	marks, _ := n["marks"].([]any)
	if len(marks) > 1 || plain && len(marks) > 0 {
		return fmt.Errorf("marks that do not go together")
	}
	for _, m := range marks {
		mark, _ := m.(map[string]any)
		if !slices.Contains([]any{"code", "strong", "link"}, mark["type"]) {
			return fmt.Errorf("the mark %v", mark["type"])
		}
	}
	return nil
}

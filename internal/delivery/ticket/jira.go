package ticket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Jira is Jira Cloud, through its REST API, version 3. The marker is a label. Jira's search index lags
// behind by seconds, which Settles accounts for.
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/
type Jira struct {
	caller
	project, kind string
}

// NewJira makes the tracker of a project and an issue type. The token belongs to the account with the
// email address.
func NewJira(doer outbound.Doer, base, project, kind, email string, token secret.Text, now func() time.Time) Jira {
	j := Jira{caller{doer: doer, now: now, title: "Jira", base: strings.TrimSuffix(base, "/")}, project, kind}
	j.head = func(h http.Header) {
		r := http.Request{Header: h}
		r.SetBasicAuth(email, token.Reveal())
	}
	j.judge = func(resp *outbound.Response) *Error {
		switch {
		case slices.Contains(noLogin, resp.Header.Get("X-Seraph-LoginReason")):
			e := refusedf("Jira refused: it did not accept the login, so the token has ended or is not that of jiraEmail; save a new one in the " +
				"settings.")
			e.Status, e.Sure = http.StatusUnauthorized, resp.Status > 299
			return e
		case resp.Status != http.StatusBadRequest:
			return nil
		}
		return refusedf("Jira refused: it answered 400, so it does not take what was sent; check that jiraProject and jiraIssueType are there, " +
			"that its screens have summary, description and labels, and that no other field and no field of a transition is required.")
	}
	return j
}

// noLogin are the reasons with which Jira answers as it answers strangers: with 200 and no tickets, or 404.
// https://support.atlassian.com/jira/kb/jira-cloud-jql-search-rest-api-returns-200-ok-without-api-token/
var noLogin = []string{"AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED", "AUTHORISATION_FAILED"}

// Kind implements Tracker.
func (Jira) Kind() string { return "jira" }

// Place implements Tracker.
func (j Jira) Place() string { return j.base + " " + j.project }

// Covers implements Tracker: a search sees all projects.
func (j Jira) Covers(place string) bool { return address(place) == j.base }

// Settles implements Tracker. Atlassian promises no bound for the lag of the search; usually it is
// seconds. https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile/
func (Jira) Settles() time.Duration { return 5 * time.Minute }

var jiraKey = regexp.MustCompile(`^[A-Z][A-Z0-9_]+-[1-9][0-9]*$`)

func (j Jira) ref(key string, state issue.TicketState) (Ref, error) {
	if !jiraKey.MatchString(key) {
		return Ref{}, strange("Jira", "jiraUrl")
	}
	return Ref{Key: key, URL: j.base + "/browse/" + key, State: state}, nil
}

// Parse implements Tracker: https://example.atlassian.net/browse/SEC-12.
func (j Jira) Parse(address string) (Ref, error) {
	site, err := url.Parse(j.base)
	u, wrong := url.Parse(address)
	if err == nil && wrong == nil && strings.EqualFold(u.Host, site.Host) && u.Scheme == site.Scheme {
		key, is := strings.CutPrefix(u.Path, strings.TrimSuffix(site.Path, "/")+"/browse/")
		if is && jiraKey.MatchString(key) && strings.HasPrefix(key, j.project+"-") {
			ref, err := j.ref(key, issue.TicketUnknown)
			return ref, err
		}
	}
	return Ref{}, posture.Invalid("body.url", "the address is not that of a ticket of the project "+j.project+
		" at jiraUrl; use for example "+j.base+"/browse/"+j.project+"-12", nil)
}

// jiraFields holds the fields read of a ticket.
type jiraFields struct {
	Status struct {
		Category struct {
			Key string `json:"key"`
		} `json:"statusCategory"`
	} `json:"status"`
	Labels []string `json:"labels"`
}

// state uses the status category, which every status of every workflow has: new, indeterminate or done.
func (f jiraFields) state() issue.TicketState {
	switch f.Status.Category.Key {
	case "done":
		return issue.TicketClosed
	case "new", "indeterminate":
		return issue.TicketOpen
	}
	return issue.TicketUnknown
}

// Find implements Tracker. The marker needs no escaping in JQL.
func (j Jira) Find(ctx context.Context, marker string) (Ref, error) {
	var found struct {
		Issues *[]struct {
			Key    string     `json:"key"`
			Fields jiraFields `json:"fields"`
		} `json:"issues"`
	}
	err := j.call(ctx, http.MethodPost, "/rest/api/3/search/jql", map[string]any{"jql": `labels = "` + marker + `" ORDER BY created ASC`,
		"fields": []string{"status", "labels"}, "maxResults": 10}, &found)
	if err != nil {
		return Ref{}, err
	}
	switch {
	case found.Issues == nil:
		return Ref{}, strange("Jira", "jiraUrl")
	case len(*found.Issues) == 0:
		return Ref{}, nil
	}
	first := (*found.Issues)[0]
	if !slices.Contains(first.Fields.Labels, marker) { // all tickets, so something ignored the query
		return Ref{}, strange("Jira", "jiraUrl")
	}
	return j.ref(first.Key, first.Fields.state())
}

// Prepare implements Tracker: Jira creates labels itself, and refuses labels that may not be set.
func (Jira) Prepare(context.Context, string) error { return nil }

// Create implements Tracker.
func (j Jira) Create(ctx context.Context, marker string, t Text) (Ref, error) {
	var made struct {
		Key string `json:"key"`
	}
	if err := j.call(ctx, http.MethodPost, "/rest/api/3/issue", map[string]any{"fields": map[string]any{
		"project": map[string]any{"key": j.project}, "issuetype": map[string]any{"name": j.kind}, "summary": t.Title,
		"description": t.ADF(), "labels": []string{marker}}}, &made); err != nil {
		return Ref{}, err
	}
	return j.ref(made.Key, issue.TicketOpen)
}

// at is the path of a ticket.
func (j Jira) at(key string) string { return "/rest/api/3/issue/" + url.PathEscape(key) }

// State implements Tracker.
func (j Jira) State(ctx context.Context, key string) (issue.TicketState, error) {
	var i struct {
		Fields jiraFields `json:"fields"`
	}
	if err := j.call(ctx, http.MethodGet, j.at(key)+"?fields=status", nil, &i); err != nil {
		return issue.TicketUnknown, err
	}
	return i.Fields.state(), nil
}

// Said implements Tracker. Comments are read from the ticket, newest first, and not from the index.
func (j Jira) Said(ctx context.Context, key, mark string, _ time.Time) (bool, error) {
	for from := 0; from < 1000; from += 100 {
		var page struct {
			Comments *[]struct {
				Body json.RawMessage `json:"body"`
			} `json:"comments"`
			Total int `json:"total"`
		}
		if err := j.call(ctx, http.MethodGet, j.at(key)+"/comment?orderBy=-created&maxResults=100&startAt="+strconv.Itoa(from), nil,
			&page); err != nil {
			return false, err
		}
		if page.Comments == nil {
			return false, strange("Jira", "jiraUrl")
		}
		for _, c := range *page.Comments {
			if bytes.Contains(c.Body, []byte(`"`+mark+`"`)) {
				return true, nil
			}
		}
		if from+100 >= page.Total {
			break
		}
	}
	return false, nil
}

// Say implements Tracker. Jira comments cannot hide text, so the mark is a line at the end.
func (j Jira) Say(ctx context.Context, key, mark, text string) error {
	return j.call(ctx, http.MethodPost, j.at(key)+"/comment", map[string]any{"body": document(paragraph(words(text)),
		paragraph(words(mark, adf{"type": "code"})))}, nil)
}

// Set implements Tracker with the first transition to a status of the right category.
func (j Jira) Set(ctx context.Context, key string, to issue.TicketState) error {
	var of struct {
		Transitions []struct {
			ID string `json:"id"`
			To struct {
				Category struct {
					Key string `json:"key"`
				} `json:"statusCategory"`
			} `json:"to"`
		} `json:"transitions"`
	}
	if err := j.call(ctx, http.MethodGet, j.at(key)+"/transitions", nil, &of); err != nil {
		return sure(err)
	}
	wanted := []string{"done"}
	if to == issue.TicketOpen {
		wanted = []string{"new", "indeterminate"}
	}
	for _, category := range wanted {
		for _, t := range of.Transitions {
			if t.To.Category.Key == category {
				return j.call(ctx, http.MethodPost, j.at(key)+"/transitions", map[string]any{"transition": map[string]any{"id": t.ID}}, nil)
			}
		}
	}
	return refusedf("Jira has no transition that brings %s to a status that is %s; add one to its workflow, or move it by hand.", key, to)
}

// sure marks an error as having changed nothing.
func sure(err error) error {
	if e, is := errors.AsType[*Error](err); is {
		e.Sure = true
	}
	return err
}

// adf is a node of the Atlassian Document Format. Text nodes are literal: they cannot become mentions,
// markup or links. https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
type adf map[string]any

func document(content ...adf) adf { return adf{"type": "doc", "version": 1, "content": content} }

func paragraph(content ...adf) adf {
	return adf{"type": "paragraph", "content": slices.DeleteFunc(content, blank)}
}

// blank reports an empty text node, which ADF does not allow.
func blank(n adf) bool { return n["type"] == "text" && n["text"] == "" }

func words(text string, marks ...adf) adf {
	n := adf{"type": "text", "text": export.Visible(text)}
	if len(marks) > 0 {
		n["marks"] = marks
	}
	return n
}

// ADF renders the text for Jira.
func (t Text) ADF() map[string]any {
	var out []adf
	for _, p := range t.Body {
		if p.Head != "" {
			out = append(out, adf{"type": "heading", "attrs": adf{"level": 3}, "content": []adf{words(p.Head)}})
		}
		if p.Link != "" {
			out = append(out, paragraph(words(p.Name, adf{"type": "link", "attrs": adf{"href": p.Link}})))
		}
		if p.Text != "" || p.Code != "" {
			out = append(out, paragraph(words(p.named()+": ", adf{"type": "strong"}), words(p.Text)))
		}
		if p.Code != "" {
			out = append(out, adf{"type": "codeBlock", "content": []adf{{"type": "text", "text": export.VisibleLines(p.Code)}}})
		}
		if len(p.List) > 0 {
			var items []adf
			for _, i := range p.List {
				line := []adf{words(cmp.Or(export.Visible(i.Name), "without a name"), adf{"type": "code"})}
				if i.Zone != "" {
					line = append(line, words(" in zone "), words(i.Zone, adf{"type": "code"}))
				}
				items = append(items, adf{"type": "listItem", "content": []adf{paragraph(append(line, words(": "+i.Seen))...)}})
			}
			out = append(out, adf{"type": "bulletList", "content": items})
		}
	}
	return document(out...)
}

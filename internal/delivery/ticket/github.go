package ticket

import (
	"cmp"
	"context"
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

// GitHub is GitHub Issues, through its REST API. The marker is a label: listing issues by label reads
// the issues themselves, while the search index lags behind. GitHub silently drops labels that a token
// may not set, so the label is created first: a token that may create labels may also set them.
// https://docs.github.com/en/rest/issues/issues
type GitHub struct {
	caller
	repository string
}

// NewGitHub makes the tracker of a repository, given as owner/name.
func NewGitHub(doer outbound.Doer, base, repository string, token secret.Text, now func() time.Time) GitHub {
	g := GitHub{caller{doer: doer, now: now, title: "GitHub", base: strings.TrimSuffix(base, "/")}, repository}
	g.head = func(h http.Header) {
		h.Set("Accept", "application/vnd.github+json")
		h.Set("X-GitHub-Api-Version", "2022-11-28")
		h.Set("Authorization", "Bearer "+token.Reveal())
	}
	g.judge = g.limited
	return g
}

// limited detects GitHub's rate limits: a 403 may be one, and the header that says when it ends is not
// always present.
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
func (g GitHub) limited(resp *outbound.Response) *Error {
	after, spent := resp.Header.Get("Retry-After"), resp.Header.Get("X-RateLimit-Remaining") == "0"
	if resp.Status != http.StatusTooManyRequests && (resp.Status != http.StatusForbidden || after == "" && !spent &&
		!strings.Contains(string(resp.Body), "secondary rate limit")) {
		return nil
	}
	e := refusedf("GitHub refused: it answered %d, too many requests; wait, or use a token that nothing else uses.", resp.Status)
	e.Again, e.Limit = true, true
	if wait, ok := outbound.RetryAfter(after, g.now()); ok {
		e.Wait = wait
		return e
	}
	e.Wait = time.Minute
	if reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && spent {
		e.Wait = min(max(time.Unix(reset, 0).Sub(g.now()), time.Minute), time.Hour)
	}
	return e
}

// Kind implements Tracker.
func (GitHub) Kind() string { return "github" }

// Place implements Tracker.
func (g GitHub) Place() string { return g.base + " " + g.repository }

// Covers implements Tracker.
func (g GitHub) Covers(place string) bool { return place == g.Place() }

// Settles implements Tracker. The list reads the issues themselves; the minute is for a request that is
// still in flight.
func (GitHub) Settles() time.Duration { return time.Minute }

// githubIssue holds the members read of an issue.
type githubIssue struct {
	Number int           `json:"number"`
	URL    string        `json:"html_url"`
	State  string        `json:"state"`
	Pull   *struct{}     `json:"pull_request"`
	Labels []githubLabel `json:"labels"`
}

type githubLabel struct {
	Name string `json:"name"`
}

func (i githubIssue) state() issue.TicketState {
	switch i.State {
	case "closed":
		return issue.TicketClosed
	case "open":
		return issue.TicketOpen
	}
	return issue.TicketUnknown
}

// labelled reports whether the issue has a label; GitHub ignores case.
func (i githubIssue) labelled(name string) bool {
	return slices.ContainsFunc(i.Labels, func(l githubLabel) bool { return strings.EqualFold(l.Name, name) })
}

func (g GitHub) ref(i githubIssue) (Ref, error) {
	if i.Number == 0 || safeLink(i.URL) == "" {
		return Ref{}, strange("GitHub", "githubUrl")
	}
	return Ref{Key: g.repository + "#" + strconv.Itoa(i.Number), URL: safeLink(i.URL), State: i.state()}, nil
}

// safeLink returns an address that a browser may open, else "": a tracker's answer is not trusted.
func safeLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(address) > 500 {
		return ""
	}
	return u.String()
}

// at is the API path of the issue with a key.
func (g GitHub) at(key string) string {
	repository, number, _ := strings.Cut(key, "#")
	return "/repos/" + repository + "/issues/" + number
}

// Parse implements Tracker: https://github.com/owner/name/issues/12, or the equivalent at an Enterprise
// Server, whose API is at /api/v3.
func (g GitHub) Parse(address string) (Ref, error) {
	api, err := url.Parse(g.base)
	u, wrong := url.Parse(address)
	if err == nil && wrong == nil {
		host := api.Host
		if host == "api.github.com" {
			host = "github.com"
		}
		m := regexp.MustCompile(`^/([^/]+/[^/]+)/issues/([1-9][0-9]{0,8})$`).FindStringSubmatch(u.Path)
		if m != nil && strings.EqualFold(u.Host, host) && strings.EqualFold(m[1], g.repository) && safeLink(address) != "" {
			u.RawQuery, u.Fragment = "", ""
			return Ref{Key: g.repository + "#" + m[2], URL: u.String(), State: issue.TicketUnknown}, nil
		}
	}
	return Ref{}, posture.Invalid("body.url", "the address is not that of an issue of "+g.repository+
		" at GitHub, which githubRepository names; use for example https://github.com/"+g.repository+"/issues/12", nil)
}

// Find implements Tracker.
func (g GitHub) Find(ctx context.Context, marker string) (Ref, error) {
	query := url.Values{"labels": {marker}, "state": {"all"}, "sort": {"created"}, "direction": {"asc"}, "per_page": {"10"}}
	var found []githubIssue
	if err := g.call(ctx, http.MethodGet, "/repos/"+g.repository+"/issues?"+query.Encode(), nil, &found); err != nil {
		return Ref{}, err
	}
	for _, i := range found {
		switch {
		case !i.labelled(marker): // all issues, so something ignored the filter
			return Ref{}, strange("GitHub", "githubUrl")
		case i.Pull == nil: // the list includes pull requests
			return g.ref(i)
		}
	}
	return Ref{}, nil
}

// Prepare implements Tracker.
func (g GitHub) Prepare(ctx context.Context, marker string) error {
	err := g.call(ctx, http.MethodPost, "/repos/"+g.repository+"/labels", map[string]any{"name": marker, "color": "ededed",
		"description": "Edgeposture finds its ticket by this label"}, nil)
	if e, is := errors.AsType[*Error](err); is && e.Status == http.StatusUnprocessableEntity {
		return nil // it exists already; any other reason for the refusal shows when the label is used
	}
	return err
}

// Create implements Tracker.
func (g GitHub) Create(ctx context.Context, marker string, t Text) (Ref, error) {
	var made githubIssue
	if err := g.call(ctx, http.MethodPost, "/repos/"+g.repository+"/issues", map[string]any{"title": t.Title, "body": t.Markdown(),
		"labels": []string{marker}}, &made); err != nil {
		return Ref{}, err
	}
	return g.ref(made)
}

// State implements Tracker.
func (g GitHub) State(ctx context.Context, key string) (issue.TicketState, error) {
	var i githubIssue
	if err := g.call(ctx, http.MethodGet, g.at(key), nil, &i); err != nil {
		return issue.TicketUnknown, err
	}
	return i.state(), nil
}

// hidden hides a mark from the readers of a comment.
func hidden(mark string) string { return "<!-- " + mark + " -->" }

// Said implements Tracker. since filters by the last change of a comment; the hour is for clocks that
// differ.
func (g GitHub) Said(ctx context.Context, key, mark string, since time.Time) (bool, error) {
	query := url.Values{"since": {since.Add(-time.Hour).UTC().Format(time.RFC3339)}, "per_page": {"100"}}
	for page := 1; page <= 10; page++ {
		query.Set("page", strconv.Itoa(page))
		var all []struct {
			Body string `json:"body"`
		}
		if err := g.call(ctx, http.MethodGet, g.at(key)+"/comments?"+query.Encode(), nil, &all); err != nil {
			return false, err
		}
		for _, c := range all {
			if strings.Contains(c.Body, hidden(mark)) {
				return true, nil
			}
		}
		if len(all) < 100 {
			break
		}
	}
	return false, nil
}

// Say implements Tracker.
func (g GitHub) Say(ctx context.Context, key, mark, text string) error {
	return g.call(ctx, http.MethodPost, g.at(key)+"/comments", map[string]any{"body": text + "\n\n" + hidden(mark)}, nil)
}

// Set implements Tracker.
func (g GitHub) Set(ctx context.Context, key string, to issue.TicketState) error {
	return g.call(ctx, http.MethodPatch, g.at(key), map[string]any{"state": string(to),
		"state_reason": map[issue.TicketState]string{issue.TicketClosed: "completed", issue.TicketOpen: "reopened"}[to]}, nil)
}

// Markdown renders the text for GitHub.
func (t Text) Markdown() string {
	var b strings.Builder
	for _, p := range t.Body {
		if p.Head != "" {
			b.WriteString("\n### " + p.Head + "\n\n")
		}
		if p.Link != "" {
			b.WriteString("[" + p.Name + "](<" + p.Link + ">)\n")
		}
		if p.Text != "" || p.Code != "" {
			b.WriteString("- **" + p.named() + ":** " + export.Prose(p.Text) + "\n" + export.Block(p.Code))
		}
		for _, i := range p.List {
			b.WriteString("- " + cmp.Or(export.Code(i.Name), "without a name"))
			if i.Zone != "" {
				b.WriteString(" in zone " + export.Code(i.Zone))
			}
			b.WriteString(": " + export.Prose(i.Seen) + "\n")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

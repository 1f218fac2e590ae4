package traffic

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// The possible outcomes of a request over plain HTTP.
const (
	ToHTTPS = "redirected to HTTPS"
	InClear = "answered in the clear"
)

// PlainHTTP is the outcome of requests over plain HTTP: Always Use HTTPS, then Single Redirects,
// then the first page rule that matches, then Bulk Redirects
// (developers.cloudflare.com/ssl/edge-certificates/additional-options/always-use-https/,
// /rules/url-forwarding/, /ruleset-engine/reference/phases-list/).
func PlainHTTP() Aspect[Value[string]] {
	return Aspect[Value[string]]{
		Name: "plain HTTP",
		Needs: needs(snapshot.ZoneSetting("always_use_https"), snapshot.ZoneRulesets,
			snapshot.ZonePhaseRedirect, snapshot.ZonePageRules, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, snapshot.AccountLists,
			snapshot.AccountListItems),
		lanes: plainHTTPLanes,
	}
}

// detour is a rule that may answer a request with a redirect. to is Undecided when it is not known
// whether the target is HTTPS.
type detour struct {
	text string
	by   By
	to   truth.Value
	// target is the target of a bulk redirect.
	target string
	// pass is set when the rule ends the search without a redirect.
	pass bool
	page bool
}

// detoured is the outcome of a request so far; paged is set once a page rule has matched it.
type detoured struct {
	Value[string]
	done, paged bool
}

func plainHTTPLanes(z *zone) []Lane[Value[string]] {
	settings, unread := z.settings("always_use_https")
	start := Value[string]{Is: InClear, By: By{Source: snapshot.ZoneSettings, Pointer: "/always_use_https"}}
	always, returned := settings.Text("always_use_https")
	detours, doubts := z.detours()
	switch {
	case always == "on":
		start.Is, detours, doubts = ToHTTPS, nil, nil
	case unread != nil:
		start.Doubt = unread
	case !returned:
		start.Doubt = &Doubt{Why: "Cloudflare did not return the setting always_use_https"}
	case always != "off":
		start.Doubt = &Doubt{Why: "always_use_https has a value that is not known here: " + always}
	}
	z.only.condition = and("not ssl", z.only.condition)
	texts := make([]string, len(detours))
	for i, d := range detours {
		texts[i] = d.text
	}
	return lanesOf(z, texts, anyKind, func(s *space) []state[Value[string]] {
		lanes := []state[detoured]{{boxes: s.start(), value: detoured{Value: start}}}
		for _, d := range detours {
			lanes = joined(apply(s, lanes, d.text, func(v detoured) detoured { return v.take(d) }, func(v detoured) detoured { return v.mayTake(d) },
				detoured.key), detoured.key)
		}
		out := make([]state[Value[string]], len(lanes))
		for i, l := range lanes {
			if len(doubts) > 0 && !l.value.done {
				l.value.Doubt, l.value.Or = &doubts[0], nil
			}
			out[i] = state[Value[string]]{boxes: l.boxes, value: l.value.Value}
		}
		return out
	})
}

type detouredKey struct {
	value       valueKey[string]
	done, paged bool
}

func (v detoured) key() detouredKey { return detouredKey{v.Value.key(), v.done, v.paged} }

func (v detoured) take(d detour) detoured {
	if v.done || d.page && v.paged {
		return v
	}
	v.paged = v.paged || d.page
	if d.pass {
		return v
	}
	v.done = true
	if d.to == truth.Undecided {
		v.Value = v.Set(InClear, d.by)
		v.Doubt = &Doubt{Why: "where " + d.by.Name + " leads cannot be told from here"}
		return v
	}
	v.Value = v.Set(destination(d.to), d.by)
	return v
}

func (v detoured) mayTake(d detour) detoured {
	if v.done || d.pass || d.page && v.paged {
		return v
	}
	v.Value = v.May(destination(d.to), Doubt{Why: "whether " + d.by.Name + " applies is not known"})
	return v
}

func destination(https truth.Value) string {
	if https == truth.Yes {
		return ToHTTPS
	}
	return InClear
}

// detours lists the rules that may redirect a request, in order, and what could not be read.
func (z *zone) detours() (out []detour, doubts []Doubt) {
	doubted := func(d *Doubt) {
		if d != nil {
			doubts = append(doubts, *d)
		}
	}
	rules, doubt := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect)
	doubted(doubt)
	doubted(accountPhase(z, "http_request_dynamic_redirect"))
	for _, r := range rules.Rules {
		if r.Enabled && r.Action == "redirect" {
			out = append(out, detour{text: r.Expression, to: LeadsToHTTPS(r.Params),
				by: By{Source: snapshot.ZonePhaseRedirect, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: "the redirect rule " + r.Name()}})
		}
	}
	pages, doubt := read(z, snapshot.ZonePageRules)
	doubted(doubt)
	for _, p := range PageRulesInOrder(pages) {
		d := detour{text: PageCondition(p), page: true, by: By{Source: snapshot.ZonePageRules, Pointer: "/" + p.ID, Rule: p.ID,
			Name: "the page rule " + strings.Join(p.Targets, ", ")}}
		_, always := p.Actions["always_use_https"]
		forward, forwards := p.Actions["forwarding_url"]
		switch {
		case always:
			d.to = truth.Yes
		case forwards:
			d.to = forwardsToHTTPS(forward)
		default:
			d.pass = true
		}
		out = append(out, d)
	}
	bulk, unread := z.bulkRedirects()
	out, doubts = append(out, bulk...), append(doubts, unread...)
	return out, doubts
}

// bulkRedirects lists the redirects of account rules for hosts of the zone, and what could not be
// read.
func (z *zone) bulkRedirects() (out []detour, doubts []Doubt) {
	rules, doubt := entry(z, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect)
	if doubt != nil {
		doubts = append(doubts, *doubt)
	}
	for _, r := range rules.Rules {
		if !r.Enabled || r.Action != "redirect" {
			continue
		}
		more, doubt := z.bulk(r)
		out = append(out, more...)
		if doubt != nil {
			doubts = append(doubts, *doubt)
		}
	}
	return out, doubts
}

// bulk lists the redirects for hosts of the zone in the lists that a rule names.
func (z *zone) bulk(r snapshot.Rule) (out []detour, doubt *Doubt) {
	e, err := expression.Parse(r.Expression)
	if err != nil {
		return nil, &Doubt{Why: "the bulk redirect rule " + r.Name() + " could not be read"}
	}
	for _, l := range leavesOf(e) {
		t, _ := l.(expression.Test)
		name, isList := t.Right.(expression.List)
		if !isList {
			continue
		}
		items, unread := z.list(string(name))
		if unread != nil {
			return nil, unread
		}
		for _, i := range items {
			if i.Redirect == nil {
				continue
			}
			if text, ok := z.redirectCondition(*i.Redirect); ok {
				out = append(out, detour{text: text, to: truth.Is(strings.HasPrefix(strings.ToLower(i.Redirect.Target), "https://")),
					target: i.Redirect.Target, by: By{Source: snapshot.AccountListItems, Pointer: "/" + i.ID, Rule: i.ID,
						Name: "the bulk redirect of " + i.Redirect.Source, Account: true}})
			}
		}
	}
	return out, nil
}

// redirectCondition writes the source of a bulk redirect as an expression; ok is false when it is
// for no host of the zone.
func (z *zone) redirectCondition(r snapshot.ListRedirect) (text string, ok bool) {
	scheme, rest, found := strings.Cut(r.Source, "://")
	if !found {
		scheme, rest = "", r.Source
	}
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host)
	if !within(host, z.Name) && !(r.Subdomains && within(z.Name, host)) {
		return "", false
	}
	terms := []string{fmt.Sprintf("http.host eq %q", host)}
	if r.Subdomains {
		terms[0] = fmt.Sprintf("(http.host eq %q or ends_with(http.host, %q))", host, "."+host)
	}
	path = "/" + strings.TrimSuffix(path, "/")
	switch {
	case r.Subpaths && path == "/":
	case r.Subpaths:
		terms = append(terms, fmt.Sprintf("(http.request.uri.path eq %q or starts_with(http.request.uri.path, %q))", path, path+"/"))
	default:
		terms = append(terms, fmt.Sprintf("http.request.uri.path in {%q %q}", path, strings.TrimSuffix(path, "/")+"/"))
	}
	switch scheme {
	case "http":
		terms = append(terms, "not ssl")
	case "https":
		terms = append(terms, "ssl")
	}
	return strings.Join(terms, " and "), true
}

func within(host, domain string) bool {
	return strings.EqualFold(host, domain) || strings.HasSuffix(strings.ToLower(host), "."+strings.ToLower(domain))
}

// LeadsToHTTPS returns whether the target of a redirect rule is HTTPS. The target may be fixed,
// joined from parts, or a replacement whose new text names the scheme.
func LeadsToHTTPS(p snapshot.RuleParams) truth.Value {
	if !p.RedirectRaw {
		return truth.If(p.RedirectTo != "", strings.HasPrefix(strings.ToLower(p.RedirectTo), "https://"))
	}
	o, err := expression.ParseValue(p.RedirectTo)
	if err != nil {
		return truth.Undecided
	}
	if c, ok := o.(expression.Call); ok {
		at := map[string]int{"concat": 0, "wildcard_replace": 2, "regex_replace": 2}
		if i, known := at[c.Name]; known && len(c.Args) > i {
			o = c.Args[i]
		}
	}
	s, isText := o.(expression.Text)
	switch {
	case isText && strings.HasPrefix(string(s), "https://"):
		return truth.Yes
	case isText && strings.HasPrefix(string(s), "http://"):
		return truth.No
	default:
		return truth.Undecided
	}
}

func forwardsToHTTPS(action string) truth.Value {
	var f struct {
		URL string `json:"url"`
	}
	err := json.Unmarshal([]byte(action), &f)
	u, bad := url.Parse(f.URL)
	return truth.If(err == nil && bad == nil, bad == nil && strings.EqualFold(u.Scheme, "https"))
}

// PageRulesInOrder lists the active page rules in the order of evaluation: highest priority first.
func PageRulesInOrder(pages []snapshot.PageRule) []snapshot.PageRule {
	out := slices.DeleteFunc(slices.Clone(pages), func(p snapshot.PageRule) bool { return p.Status != "active" })
	slices.SortStableFunc(out, func(a, b snapshot.PageRule) int { return b.Priority - a.Priority })
	return out
}

// and joins two conditions, of which the second may be empty.
func and(a, b string) string {
	if b == "" {
		return a
	}
	return "(" + a + ") and (" + b + ")"
}

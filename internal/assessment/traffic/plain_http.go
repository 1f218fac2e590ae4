package traffic

import (
	"encoding/json"
	"net/url"
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
			snapshot.AccountListItems, snapshot.ZoneWorkerRoutes),
		lanes: plainHTTPLanes,
	}
}

// detour is a rule that may answer a request with a redirect. to is Undecided when it is not known
// whether the target is HTTPS.
type detour struct {
	text string
	by   By
	to   truth.Value
	// redirect is the item of the list of a bulk redirect.
	redirect snapshot.ListRedirect
	// doubt is why it is not known what the rule does to the requests that it takes.
	doubt *Doubt
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
	before := v
	v.done = true
	v.Value = v.Set(destination(d.to), d.by)
	v.Doubt = d.doubt
	if d.doubt == nil && d.to == truth.Undecided {
		v.Doubt = &Doubt{Why: "where " + d.by.Name + " leads cannot be told from here"}
	}
	if v.Doubt == nil && len(before.Or) > 0 { // an earlier rule may have answered
		v.Or, v.Doubt = before.Or, before.Doubt
	}
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
		passes := d
		passes.pass = true
		_, always := p.Actions["always_use_https"]
		forward, forwards := p.Actions["forwarding_url"]
		switch {
		case always:
			d.to = truth.Yes
			out = append(out, d)
		case forwards:
			d.text, d.doubt = z.unrouted(d.text)
			d.to = forwardsToHTTPS(forward)
			out = append(out, d, passes)
		default:
			out = append(out, passes)
		}
	}
	bulk, unread := z.bulkRedirects()
	out, doubts = append(out, bulk...), append(doubts, unread...)
	return out, doubts
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
			if i > 0 && onlySecure(c.Args[1]) {
				return truth.No // nothing is replaced in http://
			}
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

// onlySecure reports whether a pattern matches no address that begins with http://.
func onlySecure(pattern expression.Operand) bool {
	t, _ := pattern.(expression.Text)
	rest, secure := strings.CutPrefix(strings.TrimPrefix(strings.ToLower(string(t)), "^"), "https")
	return secure && strings.HasPrefix(rest, ":")
}

func forwardsToHTTPS(action string) truth.Value {
	var f struct {
		URL string `json:"url"`
	}
	err := json.Unmarshal([]byte(action), &f)
	u, bad := url.Parse(f.URL)
	return truth.If(err == nil && bad == nil, bad == nil && strings.EqualFold(u.Scheme, "https"))
}

// and joins two conditions, of which the second may be empty.
func and(a, b string) string {
	if b == "" {
		return a
	}
	return "(" + a + ") and (" + b + ")"
}

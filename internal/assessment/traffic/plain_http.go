package traffic

import (
	"cmp"
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
	// doubt is why it is not known whether the rule takes the requests that meet text.
	doubt *Doubt
	// pass is set when the rule ends the search without a redirect.
	pass bool
	page bool
}

// detoured is the outcome of a request so far, unless one of earlier perhaps was its answer, which doubt
// tells why. paged is set once a page rule has matched the request, maybe once one perhaps has.
type detoured struct {
	Value[string]
	earlier            []string
	doubt              *Doubt
	done, paged, maybe bool
}

func plainHTTPLanes(z *zone) []Lane[Value[string]] {
	settings, unread := z.settings("always_use_https")
	start := detoured{Value: Value[string]{Is: InClear, By: By{Source: snapshot.ZoneSettings, Pointer: "/always_use_https"}}}
	always, returned := settings.Text("always_use_https")
	var detours []detour
	if always == "on" {
		start.Is = ToHTTPS
	} else {
		detours = z.detours()
	}
	switch {
	case unread != nil:
		start.doubt = unread
	case !returned:
		start.doubt = &Doubt{Why: "Cloudflare did not return the setting always_use_https"}
	case always != "on" && always != "off":
		start.doubt = &Doubt{Why: "always_use_https has a value that is not known here: " + always}
	}
	if start.doubt != nil {
		start.earlier = []string{ToHTTPS}
	}
	z.only.condition = and("not ssl", z.only.condition)
	texts := make([]string, len(detours))
	for i, d := range detours {
		texts[i] = d.text
	}
	return unlisted(z, lanesOf(z, texts, anyKind, func(s *space) []state[Value[string]] {
		lanes := []state[detoured]{{boxes: s.start(), value: start}}
		for _, d := range detours {
			lanes = joined(s, apply(s, lanes, d.text,
				func(v detoured) detoured { return v.take(d) }, func(v detoured) detoured { return v.mayTake(d) },
				detoured.key), detoured.key)
		}
		out := make([]state[Value[string]], len(lanes))
		for i, l := range lanes {
			out[i] = state[Value[string]]{boxes: l.boxes, value: l.value.outcome()}
		}
		return out
	}), len(texts) > 0)
}

type detouredKey struct {
	value              valueKey[string]
	earlier            string
	done, paged, maybe bool
}

func (v detoured) key() detouredKey {
	return detouredKey{v.Value.key(), strings.Join(v.earlier, ""), v.done, v.paged, v.maybe}
}

func (v detoured) outcome() Value[string] {
	out := v.Value
	for _, is := range v.earlier {
		out = out.perhaps(Value[string]{Is: is}, *v.doubt)
	}
	return out
}

func (v detoured) take(d detour) detoured {
	switch {
	case v.done || d.page && v.paged:
		return v
	case d.pass:
	case d.doubt != nil:
		v = v.may(d, *d.doubt)
	case d.page && v.maybe:
		v = v.may(d, Doubt{Why: "whether an earlier page rule applies is not known"})
	default:
		v.Value, v.done = d.answer(v.Value), true
	}
	v.paged = v.paged || d.page
	return v
}

func (v detoured) mayTake(d detour) detoured {
	if v.done || d.page && v.paged {
		return v
	}
	v.maybe = v.maybe || d.page
	if d.pass {
		return v
	}
	return v.may(d, Doubt{Why: "whether " + d.by.Name + " applies is not known"})
}

// may adds the answer that a rule perhaps gives.
func (v detoured) may(d detour, why Doubt) detoured {
	answer := d.answer(v.Value)
	v.doubt = cmp.Or(v.doubt, answer.Doubt, &why)
	v.earlier = union(v.earlier, []string{answer.Is}, answer.Or)
	return v
}

// answer is the outcome of the requests that the rule takes.
func (d detour) answer(before Value[string]) Value[string] {
	is := InClear
	if d.to == truth.Yes {
		is = ToHTTPS
	}
	out := before.Set(is, d.by)
	if d.to == truth.Undecided {
		out = out.perhaps(Value[string]{Is: ToHTTPS}, *cmp.Or(d.doubt, &Doubt{Why: "where " + d.by.Name + " leads cannot be told from here"}))
	}
	return out
}

// detours lists the rules that may redirect a request, in order.
func (z *zone) detours() (out []detour) {
	doubted := func(d *Doubt) {
		if d != nil {
			out = append(out, detour{text: "true", to: truth.Undecided, doubt: d})
		}
	}
	doubted(accountPhase(z, "http_request_dynamic_redirect"))
	rules, doubt := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect)
	doubted(doubt)
	for _, r := range rules.Rules {
		if r.Enabled && r.Action == "redirect" {
			out = append(out, z.redirects(r)...)
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
	for i := range unread {
		doubted(&unread[i])
	}
	return append(out, bulk...)
}

// redirects lists what a redirect rule does: one that replaces a part of the address leads those requests of
// which nothing is replaced to where they came from.
func (z *zone) redirects(r snapshot.Rule) []detour {
	d := detour{text: r.Expression, to: leadsToHTTPS(r.Params),
		by: By{Source: snapshot.ZonePhaseRedirect, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: "the redirect rule " + r.Name()}}
	o, err := expression.ParseValue(r.Params.RedirectTo)
	c, _ := o.(expression.Call)
	op := map[string]expression.Op{"wildcard_replace": expression.Wildcard, "regex_replace": expression.Matches}[c.Name]
	if !r.Params.RedirectRaw || err != nil || op == "" || len(c.Args) < 3 {
		return []detour{d}
	}
	if op == expression.Wildcard && len(c.Args) > 3 { // its one flag is "s"
		op = expression.StrictWildcard
	}
	same := d
	same.to = truth.No
	if f, _ := c.Args[0].(expression.Field); fieldName(f) != "http.request.full_uri" && !strings.HasPrefix(fieldName(f), "http.request.uri") {
		same.to = truth.Undecided
	}
	d.text += " replacing by " + r.Params.RedirectTo
	if e := z.parse(r.Expression); e != nil {
		z.of.parsed[d.text] = expression.And{Terms: []expression.Expr{e, expression.Test{Left: c.Args[0], Op: op, Right: c.Args[1]}}}
	}
	return []detour{d, same}
}

// leadsToHTTPS returns whether the target of a redirect rule is HTTPS. The target may be fixed,
// joined from parts, or a replacement whose new text names the scheme; of a replacement it is the target
// of requests of which something is replaced.
func leadsToHTTPS(p snapshot.RuleParams) truth.Value {
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
			if c.Name == "regex_replace" && !fromStart(c.Args[1]) {
				return truth.Undecided
			}
			o = c.Args[i]
		}
	}
	s, isText := o.(expression.Text)
	switch to := strings.ToLower(string(s)); {
	case isText && strings.HasPrefix(to, "https://"):
		return truth.Yes
	case isText && (strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "/")):
		return truth.No
	default:
		return truth.Undecided
	}
}

// fromStart reports whether the first match of a regular expression in the address of a request begins where
// the address does.
func fromStart(pattern expression.Operand) bool {
	t, _ := pattern.(expression.Text)
	return strings.HasPrefix(string(t), "^") || strings.HasPrefix(string(t), "http")
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

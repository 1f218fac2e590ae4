package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Redirect is one redirect of a list, with its condition.
type Redirect struct {
	snapshot.ListRedirect
	Condition string
	By        By
}

// To returns where a request that meets the condition is redirected
// (developers.cloudflare.com/rules/url-forwarding/bulk-redirects/how-it-works/).
func (r Redirect) To(path, query string) string {
	to := r.Target
	if rest, below := strings.CutPrefix(path, sourceOf(r.ListRedirect).path+"/"); below && rest != "" && r.Subpaths &&
		(r.KeepSuffix == nil || *r.KeepSuffix) {
		target, asked, _ := strings.Cut(to, "?")
		if to = strings.TrimSuffix(target, "/") + "/" + rest; asked != "" {
			to += "?" + asked
		}
	}
	if r.KeepQuery && query != "" {
		between := "?"
		if strings.Contains(to, "?") {
			between = "&"
		}
		to += between + query
	}
	return to
}

// BulkRedirects lists the redirects in lists that account rules name, as far as they are for hosts
// of a zone, and why some are unknown. The first whose condition a request meets wins.
func (k Kept) BulkRedirects(snap *snapshot.Snapshot, of snapshot.Zone) (out []Redirect, doubt *Doubt) {
	detours, doubts := k.zone(snap, of).bulkRedirects()
	for _, d := range detours {
		out = append(out, Redirect{ListRedirect: d.redirect, Condition: d.text, By: d.by})
	}
	if len(doubts) > 0 {
		doubt = &doubts[0]
	}
	return out, doubt
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
	items, doubt := z.list(r.Params.FromList)
	if doubt != nil {
		return nil, doubt
	}
	items = slices.DeleteFunc(slices.Clone(items), func(i snapshot.ListItem) bool { return i.Redirect == nil })
	slices.SortStableFunc(items, func(a, b snapshot.ListItem) int { return bySpecificity(*a.Redirect, *b.Redirect) })
	e = assumed(e, r.Params.FromList)
	for _, i := range items {
		if text, ok := z.redirectCondition(*i.Redirect); ok {
			out = append(out, detour{text: z.joint(text, r, e), to: truth.Is(strings.HasPrefix(strings.ToLower(i.Redirect.Target), "https://")),
				redirect: *i.Redirect, by: By{Source: snapshot.AccountListItems, Pointer: "/" + i.ID, Rule: i.ID,
					Name: "the bulk redirect of " + i.Redirect.Source, Account: true}})
		}
	}
	return out, nil
}

// joint returns a condition for the requests that meet the condition of an item and the one of the
// rule that enables its list, which is e for requests that are in the list.
func (z *zone) joint(item string, r snapshot.Rule, e expression.Expr) string {
	if e == expression.Literal(true) {
		return item
	}
	text := and(item, r.Expression) + " for $" + r.Params.FromList
	if z.parse(item) != nil {
		z.of.parsed[text] = expression.And{Terms: []expression.Expr{z.parse(item), e}}
	}
	return text
}

// assumed returns a condition as it is for requests whose address is in a list of redirects.
func assumed(e expression.Expr, list string) expression.Expr {
	return expression.Replace(e, func(e expression.Expr) expression.Expr {
		t, _ := e.(expression.Test)
		f, _ := t.Left.(expression.Field)
		if l, is := t.Right.(expression.List); is && string(l) == list && fieldName(f) == "http.request.full_uri" {
			return expression.Literal(true)
		}
		return e
	})
}

// bySpecificity orders redirects of a list: the longest path, then a path without subpaths, an exact
// host, the longest host and a scheme win
// (developers.cloudflare.com/rules/url-forwarding/bulk-redirects/how-it-works/#determining-the-url-redirect-to-apply).
func bySpecificity(a, b snapshot.ListRedirect) int {
	x, y := sourceOf(a), sourceOf(b)
	first := func(a, b bool) int { return one(b) - one(a) }
	return cmp.Or(len(y.path)-len(x.path), first(!a.Subpaths, !b.Subpaths), first(!a.Subdomains, !b.Subdomains),
		len(y.host)-len(x.host), first(x.scheme != "", y.scheme != ""))
}

// source is the parts of the source of a bulk redirect. The path has no slash at its end.
type source struct{ scheme, host, path string }

func sourceOf(r snapshot.ListRedirect) source {
	scheme, rest, found := strings.Cut(r.Source, "://")
	if !found {
		scheme, rest = "", r.Source
	}
	host, path, _ := strings.Cut(rest, "/")
	return source{scheme: scheme, host: strings.ToLower(host), path: strings.TrimSuffix("/"+path, "/")}
}

// redirectCondition writes the source of a bulk redirect as an expression; ok is false when it is
// for no host of the zone.
func (z *zone) redirectCondition(r snapshot.ListRedirect) (text string, ok bool) {
	from := sourceOf(r)
	if !exposure.Within(from.host, z.Name) && !(r.Subdomains && exposure.Within(z.Name, from.host)) {
		return "", false
	}
	terms := []string{fmt.Sprintf("http.host eq %q", from.host)}
	if r.Subdomains {
		terms[0] = fmt.Sprintf("(http.host eq %q or ends_with(http.host, %q))", from.host, "."+from.host)
	}
	switch {
	case r.Subpaths && from.path == "":
	case r.Subpaths:
		terms = append(terms, fmt.Sprintf("(http.request.uri.path eq %q or starts_with(http.request.uri.path, %q))", from.path, from.path+"/"))
	case from.path == "":
		terms = append(terms, `http.request.uri.path eq "/"`)
	default:
		terms = append(terms, fmt.Sprintf("http.request.uri.path in {%q %q}", from.path, from.path+"/"))
	}
	switch from.scheme {
	case "http":
		terms = append(terms, "not ssl")
	case "https":
		terms = append(terms, "ssl")
	}
	return strings.Join(terms, " and "), true
}

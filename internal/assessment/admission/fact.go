package admission

import (
	"net/netip"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// fact describes those who meet one rule, or several rules together.
type fact struct {
	rule           snapshot.AccessRule
	who            Who
	place          exposure.Width
	placed, listed bool
	factor, client bool
	tested, unsure bool
	met            []snapshot.AccessRule // all the rules
	except         bool                  // some are excluded
	gone           []snapshot.AccessRule // rules of which they meet none
}

func anywhere() fact { return fact{who: Anyone, place: exposure.Everywhere} }

func (f fact) way(p snapshot.AccessPolicy, base Who) Way {
	if f.who != AnyToken { // a service does not sign in
		f.who = min(f.who, base)
	}
	if p.Approval && p.Decision == "allow" {
		f.who = Named
	}
	w := Way{Policy: p, Rule: f.rule, Who: f.who, Place: f.place, Placed: f.placed, Listed: f.listed && f.place != exposure.Narrow,
		Factor: f.factor, Client: f.client, Tested: f.tested && !f.factor, Except: f.except, Unsure: f.unsure}
	w.Unsure = w.Unsure || w.Tested && w.Who > Named
	if len(f.met) > 0 {
		w.Also = f.met[1:]
	}
	for _, r := range f.met {
		if r.Kind == "service_token" {
			w.Token = r.Value
		}
		if place, placed, unsure := width(r.Value); r.Kind == "ip" && placed && !unsure && place == f.place {
			w.Range = r.Value
		}
	}
	return w
}

// maxFacts bounds the ways through nested groups; maxDepth bounds the nesting.
const (
	maxFacts = 1000
	maxDepth = 8
)

// both combines each of xs with each of ys: those who meet both, unless nobody can. It keeps the rule
// of the first.
func (a Access) both(xs, ys []fact) []fact {
	var out []fact
	for _, x := range xs {
		for _, y := range ys {
			if a.apart(x, y) {
				continue
			}
			if len(out) == maxFacts {
				return append(out, fact{rule: x.rule, who: Anyone, place: exposure.Everywhere, unsure: true})
			}
			out = append(out, fact{rule: x.rule, who: min(x.who, y.who), place: min(x.place, y.place), placed: x.placed || y.placed,
				listed: x.listed || y.listed, factor: x.factor || y.factor, client: x.client || y.client, tested: x.tested || y.tested,
				unsure: x.unsure || y.unsure, met: slices.Concat(x.met, y.met), except: x.except || y.except,
				gone: slices.Concat(x.gone, y.gone)})
		}
	}
	return out
}

// facts returns what a rule says about those who meet it, with one fact for each rule of a group
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors). A group that
// contains itself adds nothing.
func (a Access) facts(r snapshot.AccessRule, path []string) []fact {
	f := anywhere()
	f.rule, f.met = r, []snapshot.AccessRule{r}
	if a.unasked && aboutIdentity(r) || !a.claimed(r.Kind) {
		return nil
	}
	switch r.Kind {
	case "group":
		return a.group(r, path)
	case "everyone", "user_risk_score":
	case "geo":
		f.placed = true
	case "ip":
		f.place, f.placed, f.unsure = width(r.Value)
	case "ip_list":
		f.place, f.placed, f.listed = exposure.Middling, true, true
		if a.Empty(r) {
			return nil
		}
		if all, known := a.ranges(r); known {
			f.place, f.listed = widest(all), false
			f.placed = f.place != exposure.Everywhere
		}
	case "email", "email_list", "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization", "auth_context", "service_token",
		"linked_app_token", "external_evaluation", "cloudflare_account_member":
		f.who = Named
	case "email_domain":
		f.who = Named
		if exposure.PublicMail(r) {
			f.who = Anybody
		}
	case "login_method":
		if len(a.allowed) > 0 && !slices.Contains(a.allowed, r.Value) {
			return nil // the application does not accept this login
		}
		f.who, f.unsure = a.login(r.Value)
	case "any_valid_service_token":
		f.who = AnyToken
	case "certificate", "common_name":
		f.who, f.factor = Named, true
	case "device_posture":
		f.factor, f.client, f.tested = a.device(r.Value)
	case "auth_method":
		f.factor = exposure.SecondFactor(r)
	default:
		f.unsure = true
	}
	return []fact{f}
}

func (a Access) group(r snapshot.AccessRule, path []string) []fact {
	if slices.Contains(path, r.Value) {
		return nil
	}
	g, known := a.Groups[r.Value]
	if !known || len(path) == maxDepth {
		f := anywhere()
		f.rule, f.met, f.unsure = r, []snapshot.AccessRule{r}, true
		return []fact{f}
	}
	return a.meeting(g.Include, g.Require, g.Exclude, append(slices.Clone(path), r.Value))
}

// meeting describes those who meet one of the included rules, all required rules and no excluded
// one.
func (a Access) meeting(include, require, exclude []snapshot.AccessRule, path []string) []fact {
	demands := []fact{anywhere()}
	for _, r := range require {
		demands = a.both(demands, a.facts(r, path))
	}
	var out []fact
	for _, f := range a.both(a.anyOf(include, path), demands) {
		out = append(out, a.less(f, exclude, path)...)
	}
	return out
}

// anyOf describes those who meet at least one of the rules.
func (a Access) anyOf(rules []snapshot.AccessRule, path []string) (out []fact) {
	for _, r := range rules {
		out = append(out, a.facts(r, path)...)
	}
	a.together(out)
	return out
}

// together marks ranges that are everywhere when they are added up as everywhere each.
func (a Access) together(all []fact) {
	var ranges []netip.Prefix
	for _, f := range all {
		if r, only := f.only(); only && ofPlace(r) && !f.except {
			if some, known := a.ranges(r); known {
				ranges = append(ranges, some...)
			}
		}
	}
	if widest(ranges) != exposure.Everywhere {
		return
	}
	for i, f := range all {
		if r, only := f.only(); only && ofPlace(r) && !f.except && !f.listed && !f.unsure {
			all[i].place, all[i].placed = exposure.Everywhere, false
		}
	}
}

// only returns the rule of those who meet no other one.
func (f fact) only() (r snapshot.AccessRule, ok bool) {
	for _, m := range f.met {
		if m.Kind != "everyone" {
			if ok {
				return r, false
			}
			r, ok = m, true
		}
	}
	return r, ok
}

// Empty reports whether a rule names a list without an address, which nobody is on.
func (a Access) Empty(r snapshot.AccessRule) bool {
	all, known := a.ranges(r)
	return r.Kind == "ip_list" && known && len(all) == 0
}

// ranges returns the addresses that a rule names. known is false for a list that could not be read.
func (a Access) ranges(r snapshot.AccessRule) (all []netip.Prefix, known bool) {
	if r.Kind == "ip" {
		p, ok := snapshot.Range(r.Value)
		return []netip.Prefix{p}, ok
	}
	if a.Lists == nil {
		return nil, false
	}
	items, read := a.Lists(r.Value)
	for _, i := range items {
		p, ok := snapshot.Range(i.Value)
		if !ok {
			return nil, false
		}
		all = append(all, p)
	}
	return all, read
}

// widest grades the ranges of a list by the widest; ranges that together hold an eighth of all
// addresses are everywhere.
func widest(all []netip.Prefix) exposure.Width {
	if v4, v6 := exposure.Share(all); v4 >= 0.125 || v6 >= 0.125 {
		return exposure.Everywhere
	}
	out := exposure.Narrow
	for _, p := range all {
		out = max(out, exposure.WidthOf(p))
	}
	return out
}

// width grades an address or a range; one that is everywhere does not count as a place.
func width(text string) (w exposure.Width, placed, unsure bool) {
	p, ok := snapshot.Range(text)
	if !ok {
		return exposure.Everywhere, true, true
	}
	w = exposure.WidthOf(p)
	return w, w != exposure.Everywhere, false
}

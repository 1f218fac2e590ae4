package admission

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// less returns those of a fact who are left when all who meet one of the rules are taken away.
func (a Access) less(f fact, rules []snapshot.AccessRule, path []string) []fact {
	left := []fact{f}
	for _, r := range rules {
		left = within(left, func(f fact) []fact { return a.without(f, r, path) })
	}
	return left
}

// within applies take to each fact.
func within(all []fact, take func(fact) []fact) (out []fact) {
	for _, f := range all {
		if out = append(out, take(f)...); len(out) > maxFacts {
			return append(out[:maxFacts], fact{rule: f.rule, who: Anyone, place: exposure.Everywhere, unsure: true})
		}
	}
	return out
}

// without returns those of a fact who are left when all who meet a rule are taken away: nobody when the
// rule is one of theirs, or weaker than one.
func (a Access) without(f fact, r snapshot.AccessRule, path []string) []fact {
	switch {
	case a.unasked && aboutIdentity(r):
		return []fact{f} // nobody meets it
	case r.Kind == "everyone":
		return nil
	case r.Kind == "group":
		g, known := a.Groups[r.Value]
		switch {
		case slices.Contains(path, r.Value):
			return []fact{f}
		case !known || len(path) == maxDepth:
			f.except, f.unsure = true, true
			return []fact{f}
		}
		return a.outside(f, g.Include, g.Require, g.Exclude, append(slices.Clone(path), r.Value))
	}
	takes := truth.No
	for _, m := range slices.Concat(f.met, a.signed) {
		takes = truth.Or(takes, a.implies(m, r))
	}
	f.gone = append(slices.Clone(f.gone), r)
	if takes == truth.Yes || ofPlace(r) && a.nowhere(f) {
		return nil
	}
	f.except, f.unsure = true, f.unsure || takes == truth.Undecided
	return []fact{f}
}

// outside returns those of a fact who are left when all those are taken away who meet one of the included rules, all
// required rules and no excluded one: who misses the first, who misses one of the second, and who meets one of the
// last.
func (a Access) outside(f fact, include, require, exclude []snapshot.AccessRule, path []string) []fact {
	left := a.less(f, include, path)
	for _, r := range require {
		left = append(left, a.without(f, r, path)...)
	}
	for _, x := range a.both([]fact{f}, a.anyOf(exclude, path)) {
		x.except = true
		left = append(left, x)
	}
	sure := slices.ContainsFunc(left, func(x fact) bool { return len(x.met) == len(f.met) && x.unsure == f.unsure })
	if sure && len(left) > 1 { // the others are some of them, or of those who were taken away
		f.except = true
		return []fact{f}
	}
	return left
}

// ofPlace reports whether a rule names addresses.
func ofPlace(r snapshot.AccessRule) bool { return r.Kind == "ip" || r.Kind == "ip_list" }

// nowhere reports whether all addresses from which those of a fact come were taken away.
func (a Access) nowhere(f fact) bool {
	var gone []netip.Prefix
	for _, r := range f.gone {
		if ofPlace(r) {
			all, _ := a.ranges(r)
			gone = append(gone, all...)
		}
	}
	left := func(p netip.Prefix) bool { return !exposure.Covered(p, gone) }
	if len(gone) == 0 {
		return false
	}
	if !left(netip.MustParsePrefix("0.0.0.0/0")) && !left(netip.MustParsePrefix("::/0")) {
		return true
	}
	return slices.ContainsFunc(f.met, func(m snapshot.AccessRule) bool {
		all, known := []netip.Prefix(nil), false
		if ofPlace(m) {
			all, known = a.ranges(m)
		}
		return known && !slices.ContainsFunc(all, left)
	})
}

// implies reports whether anyone who meets rule m also meets rule r.
func (a Access) implies(m, r snapshot.AccessRule) truth.Value {
	switch alike := m.Kind == r.Kind; {
	case alike && (vague(m) || vague(r)):
		return truth.If(m.Value != r.Value, false)
	case m == r:
		return truth.Yes
	case alike && m.Kind == "user_risk_score":
		levels := strings.Split(r.Value, ",")
		return truth.Is(!slices.ContainsFunc(strings.Split(m.Value, ","), func(l string) bool { return !slices.Contains(levels, l) }))
	case alike && m.Kind == "github-organization":
		return truth.Is(strings.HasPrefix(m.Value, r.Value+"/")) // a team of the organisation
	case r.Kind == "any_valid_service_token":
		return truth.Is(m.Kind == "service_token")
	case r.Kind == "certificate":
		return truth.Is(m.Kind == "common_name")
	case m.Kind == "email" && r.Kind == "email_domain":
		_, domain, _ := strings.Cut(m.Value, "@")
		return truth.Is(exposure.Same(domain, r.Value))
	case ofPlace(m) && ofPlace(r):
		inner, ok1 := a.ranges(m)
		outer, ok2 := a.ranges(r)
		return truth.If(ok1 && ok2, !slices.ContainsFunc(inner, func(p netip.Prefix) bool { return !exposure.Covered(p, outer) }))
	default:
		return truth.No
	}
}

// apart reports whether nobody meets two facts at once, because a rule of the one contradicts a rule
// of the other, or is one whose people were taken away there.
func (a Access) apart(x, y fact) bool {
	gone := func(x, y fact) bool {
		return slices.ContainsFunc(x.gone, func(r snapshot.AccessRule) bool {
			return slices.ContainsFunc(y.met, func(m snapshot.AccessRule) bool { return a.implies(m, r) == truth.Yes })
		})
	}
	return gone(x, y) || gone(y, x) || slices.ContainsFunc(x.met, func(m snapshot.AccessRule) bool {
		return slices.ContainsFunc(y.met, func(r snapshot.AccessRule) bool { return a.contradict(m, r) })
	})
}

// contradict reports whether nobody meets two rules at once: a request has one address, country and
// service token, and whoever sends it one mail address and one login.
func (a Access) contradict(m, r snapshot.AccessRule) bool {
	switch m.Kind {
	case "ip", "ip_list":
		if !ofPlace(r) {
			return false
		}
		first, ok1 := a.ranges(m)
		second, ok2 := a.ranges(r)
		return ok1 && ok2 && !slices.ContainsFunc(first, func(p netip.Prefix) bool {
			return slices.ContainsFunc(second, p.Overlaps)
		})
	case "geo", "login_method", "service_token", "email_domain":
		return m.Kind == r.Kind && !vague(m) && !vague(r) && !strings.EqualFold(m.Value, r.Value)
	}
	return false
}

// vague reports whether a rule names something that is not stored, so that two rules that look alike
// may differ.
func vague(r snapshot.AccessRule) bool {
	switch r.Kind {
	case "email", "gsuite": // the part before the @
		return true
	case "github-organization":
		return r.Mark == ""
	case "everyone", "any_valid_service_token", "certificate", "cloudflare_account_member":
		return false
	default:
		return r.Value == "" && r.Mark == ""
	}
}

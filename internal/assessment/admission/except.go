package admission

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ofAll returns the rules of Blocks that apply to anyone who meets just one of them.
func ofAll(blocks []snapshot.AccessPolicy) (out []snapshot.AccessRule) {
	for _, b := range blocks {
		if len(b.Require)+len(b.Exclude) == 0 {
			out = append(out, b.Include...)
		}
	}
	return out
}

// without marks what earlier Blocks take away from those whom a policy admits.
func (a Access) without(f fact, blocks []snapshot.AccessPolicy) fact {
	for _, b := range blocks {
		takes := a.anyTakes(b.Include, f, nil)
		for _, r := range b.Require {
			takes = truth.And(takes, a.takes(r, f, nil))
		}
		if takes == truth.Yes && len(b.Exclude) > 0 {
			takes = truth.Undecided // some of them are excluded, perhaps all
		}
		f.except, f.never = true, f.never || takes == truth.Yes
		f.unsure = f.unsure || takes == truth.Undecided
	}
	return f
}

func (a Access) anyTakes(rules []snapshot.AccessRule, f fact, path []string) truth.Value {
	out := truth.No
	for _, r := range rules {
		out = truth.Or(out, a.takes(r, f, path))
	}
	return out
}

// takes reports whether a rule covers all those described by a fact: it is one of their rules, or
// weaker than one. No means that it leaves some out.
func (a Access) takes(r snapshot.AccessRule, f fact, path []string) truth.Value {
	switch {
	case a.unasked && aboutIdentity(r):
		return truth.No
	case r.Kind == "everyone":
		return truth.Yes
	case r.Kind == "group":
		return a.groupTakes(r, f, path)
	}
	out := truth.No
	for _, m := range slices.Concat(f.met, a.signed) {
		out = truth.Or(out, a.implies(m, r))
	}
	return out
}

func (a Access) groupTakes(r snapshot.AccessRule, f fact, path []string) truth.Value {
	if slices.Contains(path, r.Value) {
		return truth.No
	}
	g, known := a.Groups[r.Value]
	if !known || len(path) == maxDepth {
		return truth.Undecided
	}
	path = append(slices.Clone(path), r.Value)
	out := a.anyTakes(g.Include, f, path)
	for _, d := range g.Require {
		out = truth.And(out, a.takes(d, f, path))
	}
	if out == truth.Yes && len(g.Exclude) > 0 {
		return truth.Undecided
	}
	return out
}

// implies reports whether anyone who meets rule m also meets rule r.
func (a Access) implies(m, r snapshot.AccessRule) truth.Value {
	place := func(r snapshot.AccessRule) bool { return r.Kind == "ip" || r.Kind == "ip_list" }
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
	case place(m) && place(r):
		inner, ok1 := a.ranges(m)
		outer, ok2 := a.ranges(r)
		return truth.If(ok1 && ok2, !slices.ContainsFunc(inner, func(p netip.Prefix) bool {
			return !slices.ContainsFunc(outer, func(o netip.Prefix) bool { return o.Bits() <= p.Bits() && o.Overlaps(p) })
		}))
	default:
		return truth.No
	}
}

// apart reports whether nobody meets two facts at once, because a rule of the one contradicts a rule
// of the other.
func (a Access) apart(x, y fact) bool {
	return slices.ContainsFunc(x.met, func(m snapshot.AccessRule) bool {
		return slices.ContainsFunc(y.met, func(r snapshot.AccessRule) bool { return a.contradict(m, r) })
	})
}

// contradict reports whether nobody meets two rules at once: a request has one address, country and
// service token, and whoever sends it one mail address and one login.
func (a Access) contradict(m, r snapshot.AccessRule) bool {
	switch m.Kind {
	case "ip", "ip_list":
		if r.Kind != "ip" && r.Kind != "ip_list" {
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

package admission

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Visitor is where a request comes from. Empty fields are unknown.
type Visitor struct {
	Source  netip.Prefix // an address or a network
	Country string       // ISO 3166-1, two letters
}

// For returns the access and the policies as they are for one visitor: without the selectors that
// its place decides, and without the policies that it decides against. open is a selector that
// depends on more of the place than is known, or nil.
func (a Access) For(v Visitor, policies []snapshot.AccessPolicy) (seen Access, left []snapshot.AccessPolicy, open *snapshot.AccessRule) {
	seen = a
	seen.Groups = maps.Clone(a.Groups)
	for id, g := range a.Groups {
		g.Include, g.Require, g.Exclude, _ = a.narrowed(v, g.Include, g.Require, g.Exclude)
		seen.Groups[id] = g
	}
	for _, p := range policies {
		if len(p.Include) > 0 { // else its rules were not returned
			var never bool
			if p.Include, p.Require, p.Exclude, never = a.narrowed(v, p.Include, p.Require, p.Exclude); never {
				continue
			}
		}
		left = append(left, p)
		if open == nil {
			open = seen.place(slices.Concat(p.Include, p.Require, p.Exclude), nil)
		}
	}
	return seen, left, open
}

// narrowed drops the rules that the place of a visitor decides; never is set when it decides that
// they admit nobody.
func (a Access) narrowed(v Visitor, include, require, exclude []snapshot.AccessRule) (in, all, out []snapshot.AccessRule, never bool) {
	for _, r := range include {
		switch a.meets(v, r, nil) {
		case truth.Yes:
			in = append(in, snapshot.AccessRule{Kind: "everyone"})
		case truth.Undecided:
			in = append(in, r)
		}
	}
	never = len(in) == 0
	for _, r := range require {
		m := a.meets(v, r, nil)
		if never = never || m == truth.No; m == truth.Undecided {
			all = append(all, r)
		}
	}
	for _, r := range exclude {
		m := a.meets(v, r, nil)
		if never = never || m == truth.Yes; m == truth.Undecided {
			out = append(out, r)
		}
	}
	if never {
		return nil, nil, nil, true
	}
	return in, all, out, false
}

// meets reports whether a visitor meets a rule, as far as its place decides.
func (a Access) meets(v Visitor, r snapshot.AccessRule, path []string) truth.Value {
	switch r.Kind {
	case "everyone":
		return truth.Yes
	case "geo":
		return truth.If(v.Country != "", strings.EqualFold(v.Country, r.Value))
	case "ip", "ip_list":
		all, known := a.ranges(r)
		if !known || !v.Source.IsValid() {
			return truth.Undecided
		}
		in := truth.No
		for _, p := range all {
			in = truth.Or(in, truth.If(!p.Overlaps(v.Source) || p.Bits() <= v.Source.Bits(), p.Overlaps(v.Source)))
		}
		return in
	case "group":
		g, known := a.Groups[r.Value]
		if slices.Contains(path, r.Value) {
			return truth.No
		}
		if !known || len(path) == maxDepth {
			return truth.Undecided
		}
		path = append(slices.Clone(path), r.Value)
		in, out := truth.No, truth.No
		for _, i := range g.Include {
			in = truth.Or(in, a.meets(v, i, path))
		}
		for _, d := range g.Require {
			in = truth.And(in, a.meets(v, d, path))
		}
		for _, e := range g.Exclude {
			out = truth.Or(out, a.meets(v, e, path))
		}
		return truth.And(in, truth.Not(out))
	default:
		return truth.Undecided
	}
}

// place returns the first rule, or rule of a group, that is about the place of a visitor, or nil.
func (a Access) place(rules []snapshot.AccessRule, path []string) *snapshot.AccessRule {
	for i, r := range rules {
		switch {
		case r.Kind == "geo" || r.Kind == "ip" || r.Kind == "ip_list":
			return &rules[i]
		case r.Kind == "group" && len(path) < maxDepth && !slices.Contains(path, r.Value):
			g := a.Groups[r.Value]
			if found := a.place(slices.Concat(g.Include, g.Require, g.Exclude), append(slices.Clone(path), r.Value)); found != nil {
				return found
			}
		}
	}
	return nil
}

package cache

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// step is a rule that decides whether a response is stored. The last step that matches a request
// decides: page rules come first, of which only the strongest acts, then the cache rules in order
// (developers.cloudflare.com/cache/how-to/cache-rules/order/).
type step struct {
	id     string
	page   bool
	only   bool // it says for how long what others store stays so
	stores bool
	// lasts says for how long what is stored stays so: override_origin whatever the origin says; "" when the step does not say.
	lasts string
	on    func(visitor) exposure.Coverage
	// hosts are the conditions on hosts; paths are the texts that name paths.
	hosts []expression.Expr
	paths []string
	// scheme is set when a condition may tell plain HTTP from HTTPS.
	scheme bool
}

func steps(z snapshot.Zone, pages []snapshot.PageRule, rules []snapshot.Rule) []step {
	var out []step
	active := slices.DeleteFunc(slices.Clone(pages), func(p snapshot.PageRule) bool { return p.Status != "active" })
	slices.SortStableFunc(active, func(a, b snapshot.PageRule) int { return cmp.Compare(a.Priority, b.Priority) })
	for _, p := range active {
		out = append(out, ofPage(z, p))
	}
	for _, r := range rules {
		switch {
		case !r.Enabled:
		case r.Params.Cache != nil:
			out = append(out, ofRule(z, r))
		case r.Params.Lasts != "": // it changes for how long, not what is stored
			s := following(z, r.Expression)
			s.id, s.only, s.lasts = r.ID, true, r.Params.Lasts
			out = append(out, s)
		}
	}
	return out
}

func ofPage(z snapshot.Zone, p snapshot.PageRule) step {
	_, onCookie := p.Actions["bypass_cache_on_cookie"]
	s := following(z, traffic.PageCondition(p))
	s.id, s.page, s.stores = p.ID, true, everything(p) && !onCookie
	if _, fixed := p.Actions["edge_cache_ttl"]; fixed {
		s.lasts = override
	}
	return s
}

func ofRule(z snapshot.Zone, r snapshot.Rule) step {
	s := following(z, r.Expression)
	// In the mode bypass_by_default, responses without cache headers from the origin are not
	// stored.
	s.id, s.stores, s.lasts = r.ID, r.Params.Cache.Eligible && r.Params.Cache.EdgeMode != "bypass_by_default", r.Params.Cache.EdgeMode
	return s
}

// following returns a step for the requests that meet a condition.
func following(z snapshot.Zone, condition string) step {
	e, err := expression.Parse(condition)
	if err != nil {
		return step{on: func(visitor) exposure.Coverage { return exposure.Coverage{All: truth.Undecided, Some: truth.Undecided} }}
	}
	zone := exposure.OfZone(z)
	none := func(all ...[]expression.Expr) []expression.Expr { return slices.Concat(all...) }
	return step{
		paths: texts(e),
		scheme: slices.ContainsFunc(expression.Fields(e), func(f string) bool {
			return slices.Contains([]string{"ssl", "http.request.scheme", "http.request.full_uri", "raw.http.request.full_uri"}, f)
		}),
		on: func(q visitor) exposure.Coverage {
			return exposure.Covers(e, func(e expression.Expr) exposure.Fact {
				if f := q.fact(e); f != exposure.Varies {
					return f
				}
				return zone(e)
			})
		},
		hosts: expression.Fold(e, expression.Algebra[[]expression.Expr]{And: none, Or: none,
			Leaf: func(e expression.Expr, _ bool) []expression.Expr {
				if slices.ContainsFunc(expression.Fields(e), func(f string) bool { return f == "http.host" || f == "http.request.full_uri" }) {
					return []expression.Expr{e}
				}
				return nil
			}}),
	}
}

// stored reports whether the responses to a visitor are stored because of the step.
func stored(all []step, i int, q visitor) truth.Value {
	out := all[i].on(q).Some
	for _, later := range all[i+1:] {
		if out == truth.No {
			break
		}
		if !later.only && (!later.stores || all[i].page && later.page) {
			out = truth.And(out, truth.Not(later.on(q).All))
		}
	}
	return out
}

// override is the mode in which responses are stored whatever the origin says.
const override = "override_origin"

// forced reports whether the responses to a visitor that are stored because of the step are so whatever the origin says: of
// the rules that match, the last that sets how long they last decides. Of page rules only the step itself acts.
func forced(all []step, i int, q visitor) truth.Value {
	out := truth.No
	for n, s := range all {
		if s.lasts == "" || s.page && n != i || n < i && all[i].lasts != "" {
			continue
		}
		on := s.on(q)
		if n == i {
			on = exposure.Coverage{All: truth.Yes, Some: truth.Yes}
		}
		if s.lasts == override {
			out = truth.Or(out, on.Some)
		} else {
			out = truth.And(out, truth.Not(on.All))
		}
	}
	return out
}

// storesPersonal reports whether a step stores personal responses on some host, and whether some of them whatever the origin
// says.
func storesPersonal(all []step, i int, hosts []string) (stores, anyway truth.Value) {
	s := all[i]
	note := func(q visitor, kept truth.Value) {
		if kept != truth.No {
			stores, anyway = truth.Or(stores, kept), truth.Or(anyway, truth.And(kept, forced(all, i, q)))
		}
	}
	for _, host := range tellApart(all, hosts, samples(s.paths...)) {
		for _, plain := range schemes(all) {
			for _, p := range samples(s.paths...) {
				q := visitor{host, p, true, plain}
				note(q, stored(all, i, q))
			}
			if s.page {
				continue
			}
			for _, p := range append(paths(s.paths), "/") { // rules for visitors with a session store personal responses on any path
				with, without := visitor{host, p, true, plain}, visitor{host, p, false, plain}
				note(with, truth.And(stored(all, i, with), truth.Not(s.on(without).Some)))
			}
		}
	}
	return stores, anyway
}

// schemes lists whether requests come over plain HTTP: both, when a step may tell them apart.
func schemes(all []step) []bool {
	if slices.ContainsFunc(all, func(s step) bool { return s.scheme }) {
		return []bool{false, true}
	}
	return []bool{false}
}

// tellApart keeps one host of each group that no condition of the steps distinguishes.
func tellApart(all []step, hosts, paths []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(hosts), func(host string) bool {
		var key strings.Builder
		for _, s := range all {
			for _, e := range s.hosts {
				tried := paths
				if field, _ := compared(e); field == "http.host" {
					tried = paths[:1] // the path is irrelevant
				}
				for _, p := range tried {
					key.WriteByte('0' + byte(visitor{host, p, true, false}.fact(e)))
				}
			}
		}
		known := seen[key.String()]
		seen[key.String()] = true
		return known
	})
}

// hostNames lists names that the edge serves for the zone. A wildcard stands for the names below it
// that the rules mention, and for one they do not mention. When the names could not be read, those
// the rules mention are used, and some they do not mention, and the doubt says so.
func hostNames(v *check.View, all []step) ([]string, *traffic.Doubt) {
	var mentioned, out []string
	for _, s := range all {
		for _, e := range s.hosts {
			_, values := compared(e)
			for _, t := range values {
				if name := hostOf(t); exposure.Within(name, v.Zone().Name) {
					mentioned = append(mentioned, name)
				}
			}
		}
	}
	served, doubt := check.Hosts(v, v.Zone())
	if doubt != nil {
		return append(mentioned, v.Zone().Name, "x."+v.Zone().Name, "customer.invalid"), doubt
	}
	for _, h := range served {
		if !h.Wildcard {
			out = append(out, h.Name)
			continue
		}
		below := strings.TrimPrefix(h.Name, "*.")
		for _, name := range append(mentioned, "x."+below) {
			if check.ServedBy(v, v.Zone(), name, h) {
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// hostOf extracts the host from a URL or a pattern of one, with a letter in place of each star.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	return strings.Trim(strings.ToLower(strings.ReplaceAll(text, "*", "x")), ".")
}

package attackpath

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// firewallSkip finds zones in which a skip rule or an allow entry lets almost everyone past the
// firewall, and the origin reached that way. There is one path per zone, to the most attractive
// hostname. It is critical when that name suggests administration, login, money or data and one of
// the verdicts is critical.
func firewallSkip() Kind {
	return Kind{Name: "firewall-skip", Title: "Firewall skipped",
		Finds:   "a rule that lets requests skip the firewall (4)",
		Related: []string{"CFL-WAF-010", "CFL-WAF-011"},
		find: func(w *world) []candidate {
			rules := map[string][]posture.Verdict{}
			for _, f := range slices.Concat(w.failed("CFL-WAF-010"), w.failed("CFL-WAF-011")) {
				zone := ""
				if f.Resource.ZoneID != "" {
					zone = graph.Zone + ":" + f.Resource.ZoneID
				}
				rules[zone] = append(rules[zone], f)
			}
			var out []candidate
			for _, zone := range slices.Sorted(maps.Keys(rules)) {
				var met []*hosts // nil: all
				for _, r := range rules[zone] {
					met = append(met, w.reachedBy(*r.Resource, zone))
				}
				service := w.worthiest(zone, func(service string) bool {
					return slices.ContainsFunc(met, func(m *hosts) bool { return m == nil || m.has(w, service) })
				})
				if service == "" {
					continue
				}
				var found []posture.Verdict
				for n, r := range rules[zone] {
					if met[n] == nil || met[n].has(w, service) {
						found = append(found, r)
					}
				}
				mend := found
				for n, r := range rules[zone] { // after the rules of this host the next one would stay open
					open := func(other string) bool { return met[n].has(w, other) }
					if met[n] != nil && !met[n].has(w, service) && w.worthiest(zone, open) != "" {
						mend = append(mend, r)
					}
				}
				out = append(out, w.skipped(cmp.Or(zone, graph.Account+":"+w.snap.Account.ID), service, found, mend))
			}
			return out
		}}
}

// skipped returns the path of a place, a zone or the account. Which host is the most attractive may change; the path stays the same.
func (w *world) skipped(place, service string, rules, all []posture.Verdict) candidate {
	nodes, steps := w.enter(service)
	origin := w.behind(service)[0]
	nodes, steps = extend(nodes, steps, graph.ResolvesTo, origin)
	by := ""
	if strings.HasPrefix(place, graph.Account+":") {
		by = " by rules of the account"
	}
	c := candidate{title: "Firewall skipped" + by + ": " + w.label(service),
		gains: "sends " + w.label(service) + " attacks that the WAF does not look at", nodes: nodes, steps: steps,
		refs: []string{place}}
	whole := slices.ContainsFunc(rules, func(f posture.Verdict) bool { return f.Severity == posture.Critical })
	c.grave = sensitive(w.label(service)) && whole
	var names []string
	var mend posture.Break
	for _, r := range rules {
		names = append(names, r.Resource.Name)
	}
	var limited []string
	for _, r := range all {
		limited = append(limited, r.Resource.Name)
		c.about = append(c.about, keyOf(*r.Resource))
		mend.CheckIDs = append(mend.CheckIDs, r.CheckID)
	}
	slices.Sort(mend.CheckIDs)
	mend.CheckIDs = slices.Compact(mend.CheckIDs)
	mend.NodeID = rules[0].NodeID
	mend.Change = "Limit or remove " + strings.Join(limited, ", ") + "."
	c.breaks = []posture.Break{mend}
	scope := " on some paths or by a part of it"
	if whole {
		scope = ""
	}
	c.explanation = "Requests that meet " + strings.Join(names, " or ") +
		" pass the firewall unseen" + scope + ", and almost anyone can meet that: attacks on " +
		w.label(service) + " reach the server " + w.label(origin) + "."
	return c
}

// reachedBy returns the hosts that receive requests which certainly match the rule: those of its zone,
// or for a rule of the account, where zone is "", of the zones on the Enterprise plan. nil stands for all
// hosts: an entry of the IP access rules has no expression. For a rule of the zone, hosts are left out
// for which custom rules end all that strangers send, or all that matches.
func (w *world) reachedBy(rule posture.Resource, zone string) *hosts {
	condition := w.conditionOf(rule)
	if condition == "" {
		return nil
	}
	out := hosts{map[string]bool{}, map[string]string{}}
	for _, z := range w.byType[graph.Zone] {
		if z.ID == zone || zone == "" && w.text(z.ID, "plan") == "enterprise" {
			of := hostsWhere(w, z.ID, traffic.Reaches(condition), func(v truth.Value) truth.Value { return v })
			maps.Copy(out.holds, of.holds)
			maps.Copy(out.records, of.records)
		}
	}
	if zone != "" {
		for _, from := range []string{traffic.Strangers, condition} {
			open := hostsWhere(w, zone, traffic.Firewall(traffic.CustomRules).Of("", from), func(f traffic.Flow) truth.Value {
				return truth.Is(!f.Ended)
			})
			for name, holds := range out.holds {
				out.holds[name] = holds && open.at(name, out.records[name])
			}
		}
	}
	return &out
}

// conditionOf returns the expression of a rule of a zone or of the account, including rules of
// rulesets that the account executes.
func (w *world) conditionOf(rule posture.Resource) string {
	is := func(r snapshot.Rule) bool { return r.ID == rule.ID && r.Enabled }
	scope, phases := w.snap.Account.ID, []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseCustom, snapshot.AccountPhaseManaged}
	if rule.ZoneID != "" {
		scope, phases = rule.ZoneID, []snapshot.Key[snapshot.Ruleset]{snapshot.ZonePhaseCustom, snapshot.ZonePhaseManaged}
	}
	for _, phase := range phases {
		entry, _ := snapshot.Read(w.snap, phase, scope)
		if i := slices.IndexFunc(entry.Rules, is); i >= 0 {
			return entry.Rules[i].Expression
		}
		for _, r := range entry.Rules {
			inner, _ := snapshot.Read(w.snap, snapshot.AccountRulesetCustom, r.Params.ExecuteID)
			if i := slices.IndexFunc(inner.Rules, is); r.Enabled && i >= 0 {
				return "(" + r.Expression + ") and (" + inner.Rules[i].Expression + ")"
			}
		}
	}
	return ""
}

// worthiest returns the host of a zone (of the account when zone is "") that an attacker would pick
// among those that meant accepts: a sensitive name first, then the shortest.
func (w *world) worthiest(zone string, meant func(service string) bool) string {
	best := ""
	for _, n := range w.services[zone] {
		if len(w.behind(n.ID)) == 0 || !meant(n.ID) {
			continue
		}
		if !w.behindRules(n.ID) {
			continue
		}
		if best == "" || better(n.Label, w.label(best)) {
			best = n.ID
		}
	}
	return best
}

// behindRules reports whether the rules of a zone apply to what strangers send to a host: it has a
// proxied record, or a proxied load balancer.
func (w *world) behindRules(service string) bool {
	if w.text(service, "loadBalancer") != "" {
		return w.is(service, "proxied") && w.has(posture.PathEdge{From: graph.InternetID, To: service, Type: graph.InternetTo})
	}
	return slices.ContainsFunc(w.from(service, graph.Proxies), func(record string) bool {
		return w.has(posture.PathEdge{From: graph.InternetID, To: record, Type: graph.InternetTo})
	})
}

func better(a, b string) bool {
	if sensitive(a) != sensitive(b) {
		return sensitive(a)
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// sensitive reports whether a hostname suggests administration, logins, money or data.
func sensitive(host string) bool {
	label, _, _ := strings.Cut(host, ".")
	words := strings.FieldsFunc(label, func(r rune) bool { return r == '-' || r == '_' || r >= '0' && r <= '9' })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"admin", "administration", "api", "auth", "backend", "backup", "billing", "ci", "console", "cpanel",
			"crm", "dashboard", "data", "db", "erp", "git", "gitlab", "grafana", "hr", "internal", "intern", "intranet", "jenkins", "jira",
			"kibana", "login", "manage", "mysql", "pay", "payment", "payments",
			"phpmyadmin", "portal", "postgres", "root", "secure", "sso", "staging", "vault", "vpn"}, word)
	})
}

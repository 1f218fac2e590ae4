package rule

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originRules judges whether requests are sent to hosts of other parties.
func originRules() check.Check {
	phase := snapshot.ZonePhaseOrigin
	return check.Check{
		ID: "CFL-RULES-003", Title: "Origin rules stay inside the own estate",
		Category: "rules", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "An origin rule sends the requests that it matches to another host, cookies included. Whoever holds the name " +
			"of that host receives them and answers in your name.",
		Fix: "Point the rule to a host in a zone of this account, or delete the rule; add the host to the policy when you " +
			"own it elsewhere.",
		Words: posture.Words{
			Problem: "Origin rule {name} sends requests outside the account",
			Impact: "Whoever runs that host, or takes it over later, receives requests of your visitors with their session " +
				"cookies.",
			Breaks: "Pages that only this host serves are no longer found.",
			Dashboard: "Rules › Overview › {name}: correct DNS Record, Host Header and Server Name Indication (SNI), or delete the " +
				"rule.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_request_origin/entrypoint",
				From: "/zones/{zone_id}/rulesets/phases/http_request_origin/entrypoint",
				Body: `{rules: (.result.rules | map(if .id == "{id}" then .enabled = false else . end))}`},
		},
		References: []string{"https://developers.cloudflare.com/rules/origin-rules/",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Traffic ends at servers of the own estate."),
			check.Supports("soc2 CC6.6", "Rules do not lead traffic across the boundary."),
			check.Supports("pci 1.4.2", "Only approved components receive the traffic."),
			check.Supports("nist PR.IR-01", "A rule cannot divert traffic to a stranger's server."),
		},
		Edge:     true,
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, phase, snapshot.ZoneList},
		Optional: append(traffic.Reaches("").Needs, snapshot.DNSLookup, snapshot.PagesProjects, snapshot.ZonePageRules),
		Asks: func(v *check.View) []snapshot.Question {
			var out []snapshot.Question
			changes, _ := hostChanges(v)
			for _, c := range changes {
				for _, host := range strangers(v, c.Rule) {
					out = append(out, question(host))
				}
			}
			return out
		},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			changes, known := hostChanges(v)
			if !known {
				j.Unread(v.Resource(), snapshot.ZonePageRules, v.Zone().ID)
			}
			var conditions []string
			for _, c := range changes {
				conditions = append(conditions, c.Expression)
			}
			left := check.Left(v, v.Zone(), conditions)
			for _, c := range changes {
				if c.Enabled && c.Params.Origin != nil {
					judgeOrigin(v, j, c, left)
				}
			}
			return j.Done("Origin rules stay inside the zones of the account.", "the zone has no enabled origin rule that changes the host")
		},
	}
}

func originRulesExamples() []goodtest.Example {
	phase := snapshot.ZonePhaseOrigin
	to := func(o snapshot.OriginParams) snapshot.Rule {
		return snapshot.Rule{ID: "o1", Enabled: true, Action: "route", Expression: "true", Params: snapshot.RuleParams{Origin: &o}}
	}
	with := func(o snapshot.OriginParams) func(*snapshot.Builder) { return rules(phase, to(o)) }
	answer := func(name, rcode string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DNSLookup, snapshot.LookupScope("A", name), snapshot.Lookup{Rcode: rcode, Answers: []string{}})
		}
	}
	on := func(expression string) snapshot.Rule {
		r := to(snapshot.OriginParams{Resolve: "app.elsewhere.test"})
		r.Expression = expression
		return r
	}
	after := func(expression string, o snapshot.OriginParams) snapshot.Rule {
		r := to(o)
		r.ID, r.Expression = "o2", expression
		return r
	}
	page := func(target, action string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
				Actions: map[string]string{action: "app.elsewhere.test"}}})
		}
	}
	outside := with(snapshot.OriginParams{Resolve: "app.elsewhere.test"})
	return []goodtest.Example{
		{Name: "inside", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: with(snapshot.OriginParams{Resolve: "app.shop.example", HostHeader: "app.shop.example", SNI: "app.shop.example"})},
		{Name: "a listed host", Want: posture.Pass, Edit: outside, Policy: func(p *policy.Policy) { p.OwnHosts = []string{"elsewhere.test"} }},
		{Name: "an own Pages project", Want: posture.Pass, Edit: goodtest.Edits(with(snapshot.OriginParams{Resolve: "shop-docs.pages.dev"}),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "docs", Subdomain: "shop-docs.pages.dev"}})
			})},
		{Name: "a Pages project of somebody else", Want: posture.Warning,
			Edit: goodtest.Edits(with(snapshot.OriginParams{Resolve: "theirs.pages.dev"}), answer("theirs.pages.dev", "NOERROR"))},
		{Name: "outside, for a host that is not there", Want: posture.Pass, Edit: rules(phase, on(`http.host eq "old.shop.example"`))},
		{Name: "outside, for one path", Want: posture.Warning, Edit: goodtest.Edits(rules(phase, on(`http.request.uri.path eq "/a"`)),
			answer("app.elsewhere.test", "NOERROR"))},
		{Name: "outside, and nobody can read for whom", Want: posture.Unknown, Edit: rules(phase, on("odd("))},
		{Name: "outside and gone", Want: posture.Fail, Resource: "o1", Edit: goodtest.Edits(outside, answer("app.elsewhere.test", "NXDOMAIN"))},
		{Name: "outside and there", Want: posture.Warning, Resource: "o1",
			Edit: goodtest.Edits(outside, answer("app.elsewhere.test", "NOERROR"))},
		{Name: "outside, and a later rule leads inside", Want: posture.Pass, Resource: goodtest.Zone, Edit: goodtest.Edits(
			rules(phase, on("true"), after("true", snapshot.OriginParams{Resolve: "app.shop.example"})), answer("app.elsewhere.test", "NXDOMAIN"))},
		{Name: "outside, and a later rule leads one path inside", Want: posture.Warning, Resource: "o1", Edit: goodtest.Edits(
			rules(phase, on("true"), after(`http.request.uri.path eq "/a"`, snapshot.OriginParams{Resolve: "app.shop.example"})),
			answer("app.elsewhere.test", "NOERROR"))},
		{Name: "outside, and a later rule changes the Host header", Want: posture.Warning, Resource: "o1", Edit: goodtest.Edits(
			rules(phase, on("true"), after("true", snapshot.OriginParams{HostHeader: "app.shop.example"})),
			answer("app.elsewhere.test", "NOERROR"))},
		{Name: "outside, and perhaps a later rule leads inside", Want: posture.Unknown, Resource: "o1", Edit: goodtest.Edits(
			rules(phase, on("true"), after("odd(", snapshot.OriginParams{Resolve: "app.shop.example"})), answer("app.elsewhere.test", "NOERROR"))},
		{Name: "the Host header is outside, and a later rule sets it right", Want: posture.Pass, Edit: rules(phase,
			to(snapshot.OriginParams{HostHeader: "app.elsewhere.test"}), after("true", snapshot.OriginParams{HostHeader: "app.shop.example"}))},
		{Name: "a page rule resolves a host outside, and an origin rule one inside", Want: posture.Pass, Edit: goodtest.Edits(
			page("shop.example/*", "resolve_override"), rules(phase, after("true", snapshot.OriginParams{Resolve: "app.shop.example"})),
			answer("app.elsewhere.test", "NOERROR"))},
		{Name: "a page rule resolves a host outside, behind a stronger one", Want: posture.Pass, Edit: goodtest.Edits(
			page("shop.example/*", "resolve_override"), stronger("*shop.example/*", map[string]string{"waf": "off"}),
			answer("app.elsewhere.test", "NOERROR"))},
		{Name: "perhaps an own Pages project", Want: posture.Unknown, Resource: "o1",
			Edit: goodtest.Edits(with(snapshot.OriginParams{Resolve: "shop-docs.pages.dev"}), answer("shop-docs.pages.dev", "NOERROR"),
				func(b *snapshot.Builder) { b.Mark(snapshot.PagesProjects.Source(), snapshot.Denied, "Pages Read", "") })},
		{Name: "outside, nobody looked", Want: posture.Unknown, Resource: "o1", Edit: outside},
		{Name: "the host header is outside, which moves no request", Want: posture.Warning, Resource: "o1",
			Edit: goodtest.Edits(with(snapshot.OriginParams{HostHeader: "app.elsewhere.test"}), answer("app.elsewhere.test", "NXDOMAIN"))},
		{Name: "the host is there, and the SNI is a name that is gone", Want: posture.Warning,
			Edit: goodtest.Edits(with(snapshot.OriginParams{Resolve: "a.elsewhere.test", SNI: "b.elsewhere.test"}),
				answer("a.elsewhere.test", "NOERROR"), answer("b.elsewhere.test", "NXDOMAIN"))},
		{Name: "a server failure is not gone", Want: posture.Warning, Edit: goodtest.Edits(outside, answer("app.elsewhere.test", "SERVFAIL"))},
		{Name: "only the port changes", Want: posture.NotApplicable, Edit: rules(phase, snapshot.Rule{ID: "o1", Enabled: true, Action: "route"})},
		{Name: "a page rule resolves a host outside", Want: posture.Warning, Resource: "p1", Edit: goodtest.Edits(
			page("shop.example/*", "resolve_override"), answer("app.elsewhere.test", "NOERROR"))},
		{Name: "a page rule gives a name that is gone", Want: posture.Warning, Edit: goodtest.Edits(
			page("shop.example/*", "host_header_override"), answer("app.elsewhere.test", "NXDOMAIN"))},
		{Name: "a page rule of a host that is not there", Want: posture.Pass, Edit: page("old.shop.example/*", "resolve_override")},
		{Name: "page rules are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePageRules.Source(), snapshot.Denied, "Page Rules Read", "")
		}},
		{Name: "the rule is off", Want: posture.NotApplicable,
			Edit: rules(phase, goodtest.Off(to(snapshot.OriginParams{Resolve: "app.elsewhere.test"})))},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(outside,
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "no rule", Want: posture.NotApplicable},
	}
}

func question(host string) snapshot.Question { return snapshot.Question{Type: "A", Name: host} }

// strangers lists the hosts to which an enabled rule sends requests and that do not belong to the
// organisation. A Host header and an SNI move no request
// (developers.cloudflare.com/rules/origin-rules/features/).
func strangers(v *check.View, r snapshot.Rule) []string { return foreign(v, originOf(r).Resolve) }

// originOf returns what an enabled rule changes.
func originOf(r snapshot.Rule) snapshot.OriginParams {
	if !r.Enabled || r.Params.Origin == nil {
		return snapshot.OriginParams{}
	}
	return *r.Params.Origin
}

// foreign returns the hosts that do not belong to the organisation for sure.
func foreign(v *check.View, hosts ...string) []string {
	return slices.DeleteFunc(hosts, func(host string) bool {
		_, err := netip.ParseAddr(host)
		return host == "" || err == nil || own(v, host) == truth.Yes
	})
}

// hostChange is a rule that sends requests to another host, and where it was read.
type hostChange struct {
	snapshot.Rule
	source        snapshot.Named
	kind, pointer string
	words         posture.Words   // of a rule that the check's own words do not fit
	later         []snapshot.Rule // whose settings override those of this rule
}

// hostChanges lists the origin rules, and page rules as if they were some; known is false when page
// rules could not be read.
func hostChanges(v *check.View) (out []hostChange, known bool) {
	rules := check.Read(v, snapshot.ZonePhaseOrigin).Rules
	for i, r := range rules {
		out = append(out, hostChange{Rule: r, source: snapshot.ZonePhaseOrigin, kind: "origin rule", pointer: "/rules/" + r.ID +
			"/action_parameters", later: rules[i+1:]})
	}
	pages, known := check.ReadOptional(v, snapshot.ZonePageRules)
	for _, p := range pages {
		o := snapshot.OriginParams{Resolve: p.Actions["resolve_override"], HostHeader: p.Actions["host_header_override"]}
		if o.Resolve+o.HostHeader == "" {
			continue
		}
		out = append(out, hostChange{source: snapshot.ZonePageRules, kind: "page rule", pointer: "/" + p.ID + "/actions", later: rules,
			Rule: snapshot.Rule{ID: p.ID, Description: strings.Join(p.Targets, ", "), Enabled: p.Status == "active",
				Expression: traffic.PageActing(pages, p), Params: snapshot.RuleParams{Origin: &o}},
			words: posture.Words{ByHand: true, Problem: "Page rule {name} sends requests outside the account",
				Dashboard: "Rules › Page Rules › {name}: remove Resolve Override and Host Header Override, or correct them."}})
	}
	return out, known
}

// lasts reports whether what a rule sets takes effect for some request: one that matches the rule
// and no later one that sets it again (developers.cloudflare.com/rules/origin-rules/faq/).
func (c hostChange) lasts(left check.Remainder, set func(snapshot.OriginParams) string) truth.Value {
	if set(originOf(c.Rule)) == "" {
		return truth.No
	}
	var others []string
	for _, o := range c.later {
		if set(originOf(o)) != "" {
			others = append(others, o.Expression)
		}
	}
	return left(c.Expression, others)
}

func judgeOrigin(v *check.View, j *check.Judgement, c hostChange, left check.Remainder) {
	r := c.Rule
	res := resource(v, r)
	hosts, kind := strangers(v, r), strings.ToUpper(c.kind[:1])+c.kind[1:]
	reach := c.lasts(left, func(o snapshot.OriginParams) string { return o.Resolve })
	if reach == truth.No {
		hosts = nil // no request of the zone is sent there
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(c.source, c.pointer, observed, "hosts of the zones of the account")
	}
	looked := true
	for _, host := range hosts {
		l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, question(host).Scope())
		if looked = looked && ok; ok && l.Missing() {
			j.Fail(res, "The "+c.kind+" "+res.Name+" names the host "+host+", which does not exist in DNS.", seen(host+" does not exist"))
			words := c.words
			words.Problem = kind + " {name} names a host that does not exist"
			words.Impact = "Anyone who can register the name of the host receives the requests that match, session cookies included."
			j.As(words)
			return
		}
	}
	if len(hosts) > 0 && reach == truth.Undecided {
		j.ReachUnknown(res, v.Zone())
		return
	}
	if !looked {
		j.Unclear(res, "the rule names the host "+hosts[0]+", which is in no zone of this account; whether that host exists is not known")
		return
	}
	if len(hosts) > 0 && own(v, hosts[0]) == truth.Undecided {
		j.Unknown(res, perhapsOwn(hosts[0]))
		return
	}
	if len(hosts) > 0 {
		j.Warn(res, "The "+c.kind+" "+res.Name+" names the host "+hosts[0]+", which is in no zone of this account.", seen(hosts[0]))
		words := c.words
		words.ByHand = true
		j.As(words)
		return
	}
	undecided := false
	for _, named := range []func(snapshot.OriginParams) string{
		func(o snapshot.OriginParams) string { return o.HostHeader }, func(o snapshot.OriginParams) string { return o.SNI }} {
		names := foreign(v, named(originOf(r)))
		if len(names) == 0 {
			continue
		}
		switch c.lasts(left, named) {
		case truth.No:
			continue
		case truth.Undecided:
			undecided = true
			continue
		}
		if own(v, names[0]) == truth.Undecided {
			j.Unknown(res, perhapsOwn(names[0]))
			return
		}
		j.Warn(res, "The "+c.kind+" "+res.Name+" gives requests the name "+names[0]+", which is in no zone of this account.", seen(names[0]))
		j.As(posture.Words{Problem: kind + " {name} gives requests a name outside the account", ByHand: true,
			Impact:    "A server that many customers share hands the requests, cookies included, to whoever has that name there.",
			Breaks:    "Pages, if the server knows the requests by that name only.",
			Dashboard: "Rules › {name}: correct Host Header and Server Name Indication (SNI)."})
		return
	}
	if undecided {
		j.ReachUnknown(res, v.Zone())
		return
	}
	j.Pass()
}

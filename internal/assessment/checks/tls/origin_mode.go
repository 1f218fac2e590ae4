package tls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originMode judges how the edge talks to the origin.
func originMode() check.Check {
	return check.Check{
		ID: "CFL-SSL-001", Title: "Traffic to the origin is encrypted and its certificate checked",
		Category: "ssl", Severity: posture.Critical, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Below strict, anyone between edge and origin reads or alters traffic while visitors see a padlock.",
		Fix: "Install a publicly trusted or Origin CA certificate, then choose the strict mode.",
		References: []string{"https://developers.cloudflare.com/ssl/origin-configuration/ssl-modes/",
			"https://developers.cloudflare.com/ssl/origin-configuration/"},
		Controls: check.Controls{
			check.Shows("cis 3.10", "Traffic between edge and origin is encrypted, and the origin is checked."),
			check.Shows("soc2 CC6.7", "Data is protected on its way from the edge to the origin."),
			check.Shows("pci 4.2.1", "Card data crosses the internet to the origin encrypted, with a checked certificate."),
			check.Shows("nist PR.DS-02", "Data between edge and origin is protected on the wire."),
		},
		Aliases: []string{"prowler:zone_ssl_strict", "cnspec:ssl-strict", "cnspec:ssl-not-off", "cfsi:missing-tls", "grclanker:CF-ZONE-02",
			"flareinspect:CFL-SSL-001"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/ssl", Risk: "high", Reversible: true,
			Body:    `{"value": "strict"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Every proxied host must present a valid certificate, otherwise visitors get error 526. Probe each proxied host for a valid " +
				"chain from outside or require the operator to confirm; configuration rules and page rules that set ssl still win.",
			Propose: propose.Setting("ssl", "strict", "origin_pull")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("ssl"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.OriginTLS().Needs,
		Evaluate: evaluateOriginMode,
	}
}

func evaluateOriginMode(v *check.View) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	lanes := check.Lanes(v, traffic.OriginTLS(), v.Zone())
	if len(lanes) == 0 {
		return v.Pass("No host has a server that Cloudflare connects to by this mode: they are tunnels, Pages, R2, Workers or placeholders.")
	}
	grade := func(modes ...string) []traffic.Lane[traffic.Value[string]] {
		return check.LanesWith(lanes, func(mode string) bool { return slices.Contains(modes, mode) })
	}
	if clear := grade("off", "flexible"); len(clear) > 0 {
		return v.Fail("Traffic of "+check.HostsOf(clear)+" to the origin is not encrypted: "+check.ByRule(clear[0].Value.By)+" says "+
			clear[0].Value.Is+".", check.LaneEvidence(clear, "strict or origin_pull")...)
	}
	for _, l := range lanes {
		if !slices.Contains([]string{"off", "flexible", "full", "strict", "origin_pull"}, l.Value.Is) && l.Value.Doubt == nil {
			return v.Unknown("ssl has a value this check does not know: " + l.Value.Is)
		}
		if d := l.Value.Doubt; d != nil && l.Value.Holds(verifiedMode) != truth.Yes {
			return v.Doubtful(*d)
		}
	}
	if full := grade("full"); len(full) > 0 {
		return v.Warn("Traffic of "+check.HostsOf(full)+" to the origin is encrypted, but any certificate is accepted.",
			check.LaneEvidence(full, "strict or origin_pull")...)
	}
	return v.Pass("Cloudflare checks the certificate of the origin on every host.")
}

func verifiedMode(mode string) bool { return mode == "strict" || mode == "origin_pull" }

// balanced is an example edit: a load balancer with these endpoints.
func balanced(endpoints ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		pool := snapshot.Pool{ID: "p1", Name: "main", Enabled: true}
		for _, e := range endpoints {
			pool.Origins = append(pool.Origins, snapshot.Origin{Name: e, Address: e, Enabled: true})
		}
		snapshot.Put(b, snapshot.LBPools, goodtest.Account, []snapshot.Pool{pool})
		snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "l1", Name: "lb.shop.example",
			Enabled: true, Proxied: true, Pools: []string{"p1"}}})
	}
}

func originModeExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "strict", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "strict, origin pull", Want: posture.Pass, Edit: goodtest.Setting("ssl", "origin_pull")},
		{Name: "flexible", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("ssl", "flexible")},
		{Name: "off", Want: posture.Fail, Edit: goodtest.Setting("ssl", "off")},
		{Name: "plain full is no pass", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Setting("ssl", "full")},
		{Name: "flexible, and strict by a rule for all", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), configMode("true", "strict"))},
		{Name: "flexible, and strict by a rule for one host", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), configMode(`http.host eq "www.shop.example"`, "strict"))},
		{Name: "flexible, and strict by a rule that is off", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), entryPoint(snapshot.ZonePhaseConfig,
				goodtest.Off(configRule("c1", "true", "strict"))))},
		{Name: "strict, and off by a rule for a path", Want: posture.Fail, Edit: configMode(`starts_with(http.request.uri.path, "/old")`, "off")},
		{Name: "strict, and off by a rule for a host of another zone", Want: posture.Pass,
			Edit: configMode(`http.host eq "other.example"`, "off")},
		{Name: "strict, off by a rule, strict again by a later one", Want: posture.Pass, Edit: entryPoint(snapshot.ZonePhaseConfig,
			configRule("c1", "true", "off"), configRule("c2", "ssl or not ssl", "strict"))},
		{Name: "strict, strict by a rule, off by a later one", Want: posture.Fail, Edit: entryPoint(snapshot.ZonePhaseConfig,
			configRule("c1", "true", "strict"), configRule("c2", `http.request.method eq "POST"`, "off"))},
		{Name: "strict, and flexible by a page rule", Want: posture.Fail, Edit: goodtest.PageRules(snapshot.PageRule{ID: "p1", Status: "active",
			Targets: []string{"shop.example/legacy/*"}, Actions: map[string]string{"ssl": "flexible"}})},
		{Name: "strict, and flexible by a page rule after one that takes all", Want: posture.Pass, Edit: goodtest.PageRules(
			snapshot.PageRule{ID: "p1", Status: "active", Priority: 2, Targets: []string{"*shop.example/*"},
				Actions: map[string]string{"cache_level": "bypass"}},
			snapshot.PageRule{ID: "p2", Status: "active", Priority: 1, Targets: []string{"shop.example/legacy/*"},
				Actions: map[string]string{"ssl": "flexible"}})},
		{Name: "a page rule for a host of another zone", Want: posture.Pass,
			Edit: goodtest.PageRules(snapshot.PageRule{ID: "p1", Status: "active",
				Targets: []string{"other.example/*"}, Actions: map[string]string{"ssl": "off"}})},
		{Name: "flexible, every host is a tunnel but a custom hostname", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME", goodtest.Tunnel+".cfargotunnel.com"), customHostname)},
		{Name: "flexible, every host is a tunnel but a load balancer", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME", goodtest.Tunnel+".cfargotunnel.com"),
				func(b *snapshot.Builder) {
					snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "l1", Name: "lb.shop.example",
						Enabled: true, Proxied: true}})
				})},
		{Name: "flexible, every host is a tunnel, one by a load balancer", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME", goodtest.Tunnel+".cfargotunnel.com"),
				balanced("7c1.cfargotunnel.com", "7c2.CFArgoTunnel.com."))},
		{Name: "flexible, a load balancer of a tunnel and a server", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME", goodtest.Tunnel+".cfargotunnel.com"),
				balanced("7c1.cfargotunnel.com", "45.60.10.1"))},
		{Name: "strict, and off by a rule for a custom hostname", Want: posture.Fail,
			Edit: goodtest.Edits(customHostname, configMode(`http.host eq "shop.customer.example"`, "off"))},
		{Name: "flexible, every host is a tunnel", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME",
			goodtest.Tunnel+".cfargotunnel.com"))},
		{Name: "flexible, every host is a Pages project", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("CNAME", "shop.pages.dev"))},
		{Name: "flexible, every host is a placeholder", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), target("AAAA", "100::"))},
		{Name: "a rule that nobody can read", Want: posture.Unknown, Edit: configMode(`odd(http.host)`, "off")},
		{Name: "a rule that nobody can read, for the same mode", Want: posture.Pass, Edit: configMode(`odd(http.host)`, "strict")},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: denied(snapshot.ZonePhaseConfig)},
		{Name: "the page rules are not readable", Want: posture.Unknown, Edit: denied(snapshot.ZonePageRules)},
		{Name: "flexible, and the rules are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), denied(snapshot.ZonePhaseConfig))},
		{Name: "a list that is not readable", Want: posture.Unknown, Edit: goodtest.Edits(configMode("ip.src in $office", "off"),
			denied(snapshot.AccountLists))},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("ssl")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Setting("ssl", "stricter")},
	}
}

// customHostname is an example edit: a name of a customer that the zone serves.
func customHostname(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{{ID: "c1", Hostname: "shop.customer.example",
		Status: "active"}})
}

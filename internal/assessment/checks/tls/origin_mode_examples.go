package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// balanced is an example edit that adds a load balancer with the given endpoints.
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
		{Name: "a rule sets flexible for requests over plain HTTP, which are in the clear in any case", Want: posture.Pass,
			Edit: configMode("not ssl", "flexible")},
		{Name: "a rule sets flexible for requests over HTTPS", Want: posture.Fail, Edit: configMode("ssl", "flexible")},
		{Name: "off, and only a load balancer is proxied", Want: posture.Fail, Severity: posture.Critical, Edit: goodtest.Edits(
			goodtest.OnlyBalancer, goodtest.Setting("ssl", "off"))},
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
		{Name: "strict, and off by a rule for a load balancer that is not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(configMode(`http.host eq "lb.shop.example"`, "off"), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "strict, off by a rule for one host, and the load balancers are not readable", Want: posture.Fail,
			Edit: goodtest.Edits(configMode(`http.host eq "www.shop.example"`, "off"), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "flexible with tunnels only, and the load balancers are not readable", Want: posture.Unknown, Edit: goodtest.Edits(
			goodtest.Setting("ssl", "flexible"), target("CNAME", goodtest.Tunnel+".cfargotunnel.com"), goodtest.Denied(snapshot.ZoneLoadBalancers))},
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
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseConfig)},
		{Name: "strict, and strict by a rule nobody can read, and the page rules are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(goodtest.Denied(snapshot.ZonePageRules), configMode("ip.src in $nobody_knows", "strict"))},
		{Name: "the page rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePageRules)},
		{Name: "flexible, and the rules are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(goodtest.Setting("ssl", "flexible"), goodtest.Denied(snapshot.ZonePhaseConfig))},
		{Name: "a list that is not readable", Want: posture.Unknown, Edit: goodtest.Edits(configMode("ip.src in $office", "off"),
			goodtest.Denied(snapshot.AccountLists))},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("ssl")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Setting("ssl", "stricter")},
	}
}

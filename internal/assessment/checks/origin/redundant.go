package origin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redundant judges every enabled pool, used or not, because it may be put into use at any time.
func redundant() check.Check {
	return check.Check{
		ID: "CFL-LB-003", Title: "Pools are redundant and probed over TLS",
		Category: "loadbalancing", Severity: posture.Medium, Resource: posture.ResourceLoadBalancer, Scope: check.PerAccount,
		Why: "A pool with one server, or one probed without TLS, fails with that server or is healthy on paper only.",
		Fix: "Add a second origin in another place and use a monitor of the type HTTPS.",
		Words: posture.Words{
			Problem:   "Pool {name} in this account lacks redundancy or safe probes",
			Impact:    "One failing server takes the service down, or stays in use although it no longer works.",
			Breaks:    "Nothing for visitors when the second origin serves the same content.",
			Dashboard: "Traffic › Load Balancing › Pools › {name} › Edit: add an origin, choose the monitor.",
		},
		References: []string{docsBalancing},
		Controls: check.Controls{
			check.Supports("cis 12.2", "The design has no single server that everything depends on."),
			check.Supports("soc2 A1.2", "A second origin takes over when one fails."),
			check.Touches("pci 4.2.1", "Probing over TLS says little about how card data travels."),
			check.Shows("nist PR.IR-03", "The service holds when one origin fails."),
		},
		Aliases:  []string{},
		Needs:    []snapshot.Named{snapshot.LBPools, snapshot.LBMonitors, snapshot.ZoneLoadBalancers, snapshot.ZoneList},
		Evaluate: evaluateRedundant,
	}
}

func evaluateRedundant(v *check.View) check.Outcome {
	j, used := v.Judge(), users(v)
	pools := map[string]snapshot.Pool{}
	for _, p := range check.Read(v, snapshot.LBPools) {
		pools[p.ID] = p
	}
	monitors := map[string]snapshot.Monitor{}
	for _, m := range check.Read(v, snapshot.LBMonitors) {
		monitors[m.ID] = m
	}
	for _, p := range check.Read(v, snapshot.LBPools) {
		if !p.Enabled {
			continue
		}
		name := "The pool " + p.Name
		if names := used[p.ID]; len(names) > 0 {
			name += " of " + list(names)
		}
		servers := len(machines(p))
		if servers == 1 {
			servers = spread(v, p.ID, pools)
		}
		if servers == 0 {
			j.Fail(poolResource(p), name+" has no enabled origin.", check.Evidence(snapshot.LBPools, "/"+p.ID+"/origins", "no enabled origin",
				"two or more"))
			j.As(posture.Words{Problem: "Pool {name} in this account has no enabled origin",
				Impact: "Every request that is sent to the pool fails."})
			continue
		}
		var wrong []string
		var seen []posture.Evidence
		if servers == 1 {
			wrong, seen = append(wrong, "has one server only"),
				append(seen, check.Evidence(snapshot.LBPools, "/"+p.ID+"/origins", "enabled origins of one address", "of two or more"))
		}
		probe, row, known := probed(p, monitors)
		if probe != "" {
			wrong, seen = append(wrong, probe), append(seen, row)
		}
		switch {
		case len(wrong) > 0:
			j.Warn(poolResource(p), name+" "+strings.Join(wrong, " and ")+".", seen...)
		case !known:
			j.Unclear(poolResource(p), "the monitor of the pool is not in the list, or has a type this check does not know")
		default:
			j.Pass()
		}
	}
	return j.Done("Every enabled pool has two origins and a probe that is right.", "the account has no enabled pool")
}

// machines returns the servers of enabled pools. Two origins with one address in one network fail
// together.
func machines(pools ...snapshot.Pool) map[string]bool {
	out := map[string]bool{}
	for _, p := range pools {
		for _, o := range p.Origins {
			if p.Enabled && o.Enabled {
				out[o.Network+" "+strings.ToLower(strings.TrimSuffix(o.Address, "."))] = true
			}
		}
	}
	return out
}

// spread returns the smallest number of servers, over all balancers that use the given pool, in all
// pools of a balancer, because one pool takes over from another
// (developers.cloudflare.com/load-balancing/understand-basics/traffic-steering/steering-policies/standard-options/).
func spread(v *check.View, pool string, pools map[string]snapshot.Pool) int {
	least := 0
	for _, l := range sending(v) {
		if !slices.Contains(l.Pools, pool) {
			continue
		}
		var all []snapshot.Pool
		for _, id := range l.Pools {
			all = append(all, pools[id])
		}
		if n := len(machines(all...)); least == 0 || n < least {
			least = n
		}
	}
	return max(least, 1)
}

// probed returns what is wrong with the monitor of a pool; known is false when that is unknown.
func probed(p snapshot.Pool, monitors map[string]snapshot.Monitor) (wrong string, seen posture.Evidence, known bool) {
	if p.Monitor == "" {
		if p.MonitorGroup != "" {
			return "", seen, true
		}
		return "is not monitored", check.Evidence(snapshot.LBPools, "/"+p.ID+"/monitor", "none", "a monitor or a monitor group"), true
	}
	m, found := monitors[p.Monitor]
	switch {
	case !found || !slices.Contains([]string{"http", "https", "icmp_ping", "smtp", "tcp", "udp_icmp"}, m.Type):
		return "", seen, false
	case m.Type == "http":
		return "is probed over plain HTTP", check.Evidence(snapshot.LBMonitors, "/"+m.ID+"/type", m.Type, "https"), true
	case m.Type == "https" && m.AllowInsecure: // for others it says nothing (developers.cloudflare.com/api/resources/load_balancers/)
		return "is probed without a look at the certificate", check.Evidence(snapshot.LBMonitors, "/"+m.ID+"/allow_insecure",
			fmt.Sprint(m.AllowInsecure), "false"), true
	}
	return "", seen, true
}

func redundantExamples() []goodtest.Example {
	monitor := func(kind string, insecure bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.LBMonitors, goodtest.Account, []snapshot.Monitor{{ID: "mon1", Type: kind, AllowInsecure: insecure}})
		}
	}
	twoPools := func(other string) func(*snapshot.Builder) {
		return goodtest.Edits(balancers(snapshot.LoadBalancer{ID: "lb1", Name: "shop.example", Enabled: true, Proxied: true,
			Pools: []string{"pool1", "pool2"}}), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.LBPools, goodtest.Account, []snapshot.Pool{
				{ID: "pool1", Name: "main", Enabled: true, Monitor: "mon1", Origins: servers("45.60.10.1")},
				{ID: "pool2", Name: "spare", Enabled: true, Monitor: "mon1", Origins: servers(other)}})
		})
	}
	return []goodtest.Example{
		{Name: "two origins, https", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one origin, and the balancer has another pool", Want: posture.Pass, Edit: twoPools("45.60.20.1")},
		{Name: "one origin, and the other pool has the same", Want: posture.Warning, Resource: "pool1", Edit: twoPools("45.60.10.1")},
		{Name: "one origin, and the balancer of a zone that moved away has another pool", Want: posture.Warning, Resource: "pool1",
			Edit: goodtest.Edits(twoPools("45.60.20.1"), goodtest.Status("moved"))},
		{Name: "no enabled origin", Want: posture.Fail, Resource: "pool1",
			Edit: goodPool(func(p *snapshot.Pool) { p.Origins[0].Enabled, p.Origins[1].Enabled = false, false })},
		{Name: "no origin", Want: posture.Fail, Edit: goodPool(func(p *snapshot.Pool) { p.Origins = nil })},
		{Name: "one origin", Want: posture.Warning, Resource: "pool1",
			Edit: goodPool(func(p *snapshot.Pool) { p.Origins = servers("45.60.10.1") })},
		{Name: "two names of one server", Want: posture.Warning, Resource: "pool1",
			Edit: goodPool(func(p *snapshot.Pool) { p.Origins = servers("45.60.10.1", "45.60.10.1") })},
		{Name: "one private address in two networks", Want: posture.Pass, Edit: goodPool(func(p *snapshot.Pool) {
			p.Origins = servers("10.0.0.1", "10.0.0.1")
			p.Origins[0].Network, p.Origins[1].Network = "n1", "n2"
		})},
		{Name: "one of two is enabled", Want: posture.Warning, Edit: goodPool(func(p *snapshot.Pool) { p.Origins[1].Enabled = false })},
		{Name: "a probe over plain HTTP", Want: posture.Warning, Resource: "pool1", Edit: monitor("http", false)},
		{Name: "a probe that takes any certificate", Want: posture.Warning, Resource: "pool1", Edit: monitor("https", true)},
		{Name: "a probe of another kind that would take any certificate", Want: posture.Pass, Edit: monitor("tcp", true)},
		{Name: "a probe of another kind", Want: posture.Pass, Edit: monitor("tcp", false)},
		{Name: "no monitor; CFL-LB-001 fails it when it is in use", Want: posture.Warning, Resource: "pool1",
			Edit: goodPool(func(p *snapshot.Pool) { p.Monitor = "" })},
		{Name: "a monitor group", Want: posture.Pass, Edit: goodPool(func(p *snapshot.Pool) { p.Monitor, p.MonitorGroup = "", "g1" })},
		{Name: "a monitor nobody lists", Want: posture.Unknown, Resource: "pool1", Edit: goodPool(func(p *snapshot.Pool) { p.Monitor = "gone" })},
		{Name: "a pool nobody uses", Want: posture.Warning, Resource: "pool1",
			Edit: goodtest.Edits(balancers(), goodPool(func(p *snapshot.Pool) { p.Origins = servers("45.60.10.1") }))},
		{Name: "a disabled pool", Want: posture.NotApplicable, Edit: goodPool(func(p *snapshot.Pool) { p.Enabled, p.Origins = false, nil })},
	}
}

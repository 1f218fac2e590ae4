package origin

import (
	"net/netip"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proxied judges whether balancers publish the addresses of origins. Those are the enabled origins
// of the enabled pools that an enabled balancer names.
func proxied() check.Check {
	return check.Check{
		ID: "CFL-LB-004", Title: "Balancers pass through the proxy",
		Category: "loadbalancing", Severity: posture.High, Resource: posture.ResourceLoadBalancer, Scope: check.PerZone, Edge: true,
		Why: "A load balancer that is not proxied answers DNS queries with the addresses of its origins.",
		Fix: "Turn the proxy on when only web clients use the name and the certificates cover it.",
		Words: posture.Words{
			Problem:   "Load balancer {name} publishes its origin addresses",
			Impact:    "Anyone can look up the addresses and attack the origins around the WAF and rate limits.",
			Breaks:    "Clients of protocols other than HTTP can no longer connect through the name.",
			Dashboard: "Traffic › Load Balancing › {name} › Edit › Proxy: On.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/load_balancers/{id}",
				Body: `{"proxied": true}`},
		},
		References: []string{docsBalancing, "https://developers.cloudflare.com/dns/proxy-status/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Balanced traffic passes the firewall at the edge."),
			check.Supports("soc2 CC6.6", "The boundary is at the edge for balanced hosts too."),
			check.Supports("pci 1.4.2", "Untrusted networks reach the proxy and not the pool."),
			check.Supports("pci 1.4.5", "Addresses of the pool are not in public DNS."),
			check.Supports("nist PR.IR-01", "Pools are reached only through the edge."),
		},
		Aliases: []string{},
		Paths:   []string{"exposed-origin"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/load_balancers/{load_balancer_id}", Risk: "high", Reversible: true,
			Body: `{"proxied": true}`, Inverse: `PATCH {"proxied": false}`,
			Caution: "Web traffic only; certificates must cover the name.",
			Propose: proposeProxied},
		Needs:    []snapshot.Named{snapshot.ZoneLoadBalancers, snapshot.LBPools},
		Optional: []snapshot.Named{snapshot.ZoneDNSRecords},
		Evaluate: evaluateProxied,
	}
}

func proxiedExamples() []goodtest.Example {
	lb := func(change func(*snapshot.LoadBalancer)) func(*snapshot.Builder) {
		l := snapshot.LoadBalancer{ID: "lb1", Name: "www." + goodtest.Domain, Enabled: true, Pools: []string{"pool1"}}
		change(&l)
		return balancers(l)
	}
	direct := lb(func(*snapshot.LoadBalancer) {})
	named := func(label string) func(*snapshot.Builder) {
		return lb(func(l *snapshot.LoadBalancer) { l.Name = label + "." + goodtest.Domain })
	}
	return []goodtest.Example{
		{Name: "proxied", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "direct with public origins", Want: posture.Fail, Resource: "lb1", Edit: direct},
		{Name: "direct with host names", Want: posture.Warning, Resource: "lb1",
			Edit: goodtest.Edits(direct, goodPool(func(p *snapshot.Pool) { p.Origins = servers("a.hosting.example") }))},
		{Name: "direct with private origins", Want: posture.Warning,
			Edit: goodtest.Edits(direct, goodPool(func(p *snapshot.Pool) { p.Origins = servers("10.0.0.4", "fd00::1") }))},
		{Name: "the public origin is disabled", Want: posture.Warning, Edit: goodtest.Edits(direct, goodPool(func(p *snapshot.Pool) {
			p.Origins = append(servers("10.0.0.4"), snapshot.Origin{Address: "45.60.10.1"})
		}))},
		{Name: "direct for mail by its name", Want: posture.Pass, Resource: goodtest.Zone, Edit: named("smtp")},
		{Name: "direct for mail by the MX record", Want: posture.Pass, Edit: goodtest.Edits(named("post"), goodtest.AddRecord(
			snapshot.DNSRecord{ID: "m1", Name: goodtest.Domain, Type: "MX", Content: "10 post." + goodtest.Domain}))},
		{Name: "direct, and the name may be one for mail", Want: posture.Warning, Severity: posture.Low, Resource: "lb1", Edit: named("smtp-eu")},
		{Name: "direct for mail on the web", Want: posture.Fail, Resource: "lb1", Edit: named("webmail")},
		{Name: "direct, and the records are not readable", Want: posture.Fail, Resource: "lb1", Edit: goodtest.Edits(direct,
			func(b *snapshot.Builder) { b.Mark(snapshot.ZoneDNSRecords.Source(), snapshot.Denied, "DNS Read", "") })},
		{Name: "a disabled balancer", Want: posture.NotApplicable, Edit: lb(func(l *snapshot.LoadBalancer) { l.Enabled = false })},
		{Name: "another protocol, as declared", Want: posture.NotApplicable, Edit: direct,
			Policy: func(p *policy.Policy) { p.NonWebBalancers = []string{"www." + goodtest.Domain} }},
		{Name: "no balancer", Want: posture.NotApplicable, Edit: balancers()},
	}
}

func evaluateProxied(v *check.View) check.Outcome {
	pools := map[string]snapshot.Pool{}
	for _, p := range check.Read(v, snapshot.LBPools) {
		pools[p.ID] = p
	}
	records, _ := check.ReadOptional(v, snapshot.ZoneDNSRecords)
	needed := exposure.DirectTargets(records)
	j := v.Judge()
	for _, l := range check.Read(v, snapshot.ZoneLoadBalancers) {
		declared := slices.ContainsFunc(v.Policy.NonWebBalancers, func(n string) bool { return exposure.Same(n, l.Name) || n == l.ID })
		switch {
		case !l.Enabled || declared:
			continue
		case l.Proxied:
			j.Pass()
			continue
		}
		r := v.InZone(posture.ResourceLoadBalancer, l.ID, l.Name)
		seen := check.Evidence(snapshot.ZoneLoadBalancers, "/"+l.ID+"/proxied", "false", "true")
		switch direct, needs := exposure.DirectRecord(snapshot.DNSRecord{Name: l.Name, Type: "A"}, needed, true); {
		case direct.Sure:
			j.Pass() // for example for mail: the proxy passes only web traffic (developers.cloudflare.com/dns/proxy-status/)
			continue
		case needs:
			j.Warn(r, "The balancer "+l.Name+" is not proxied, which may be right: "+direct.Why+".", seen)
			j.Rated(posture.Low)
			continue
		}
		if slices.ContainsFunc(l.Pools, func(id string) bool { return hasPublicOrigin(pools[id]) }) {
			j.Fail(r, "The balancer "+l.Name+" is not proxied and publishes the addresses of its origins.", seen)
		} else {
			j.Warn(r, "The balancer "+l.Name+" is not proxied.", seen)
		}
	}
	return j.Done("Every balancer passes through the proxy.", "the zone has no enabled balancer that serves the web")
}

func hasPublicOrigin(p snapshot.Pool) bool {
	return p.Enabled && slices.ContainsFunc(p.Origins, func(o snapshot.Origin) bool {
		a, err := netip.ParseAddr(o.Address)
		return o.Enabled && err == nil && !exposure.ReservedAddress(a)
	})
}

// proposeProxied turns on the proxy for the balancer if an edge certificate covers its name.
func proposeProxied(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/load_balancers/{id}")
	if err != nil || live == nil || propose.Flag(live, "proxied") {
		return nil, err
	}
	name := propose.Text(live, "name")
	covered, err := c.Certified(name)
	if err != nil {
		return nil, err
	}
	if !covered {
		return nil, propose.Refuse("No active edge certificate covers %s, so visitors would get an error; order one first.", name)
	}
	return []change.Edit{propose.Patch("PATCH", place, place.Path, live, map[string]any{"proxied": true})}, nil
}

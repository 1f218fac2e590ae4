package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// paused finds zones whose visitors reach the origin directly.
func paused() check.Check {
	return check.Check{
		ID: "CFL-ZONE-001", Title: "The zone is not paused",
		Category: "dns", Severity: posture.Critical, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Pausing a zone turns off everything but DNS: the WAF, rate limits, certificates at the edge, caching and " +
			"Access. Every record answers with the address of its origin.",
		Fix: "Check that an edge certificate is active, then resume the zone.",
		Words: posture.Words{
			Problem: "Cloudflare is paused on {zone}",
			Impact:  "Anyone can read the origin addresses from DNS and send attacks there, past the WAF, rate limits and Access.",
			Breaks: "Visitors get errors where no edge certificate covers the host, or where the origin does not admit " +
				"Cloudflare's addresses.",
			Dashboard: "Overview › Advanced Actions › Enable Cloudflare on Site.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}",
				Body: `{"paused": false}`},
			Terraform: `resource "cloudflare_zone" "zone" {
  account = {
    id = "{account_id}"
  }
  name   = "{zone}"
  paused = false
}`},
		References: []string{"https://developers.cloudflare.com/dns/proxy-status/", "Cloudflare docs: Pause a zone"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "While a zone is paused its traffic passes no firewall of Cloudflare."),
			check.Supports("soc2 CC6.6", "The protection at the boundary is in force and not switched off."),
			check.Supports("pci 1.3.1", "Inbound traffic passes the rules again."),
			check.Supports("nist PR.IR-01", "The origin is not reached around the edge."),
		},
		Paths: []string{"exposed-origin"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}", Risk: "medium", Reversible: true,
			Body:    `{"paused": false}`,
			Inverse: `PATCH {"paused": true}`,
			Caution: "Traffic starts to flow through the edge at once; check certificate cover and origin firewall first.",
			Propose: proposeResumed},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneLoadBalancers, snapshot.LBPools},
		Evaluate: evaluatePaused,
	}
}

func evaluatePaused(v *check.View) check.Outcome {
	z := v.Zone()
	seen := check.Evidence(snapshot.ZoneList, "/"+z.ID+"/paused", "true", "false")
	switch {
	case check.PublicDNS(z) != "":
		return v.NotApplicable(check.PublicDNS(z))
	case !z.Paused:
		return v.Pass("The zone is not paused.")
	case listed(v.Policy.ParkedZones, z.Name):
		return v.Warn("The zone "+z.Name+" is paused, as parkedZones in the policy says.", seen).
			As(posture.Words{Problem: "Cloudflare is paused on {zone}, as declared", ByHand: true,
				Dashboard: "Overview › Advanced Actions: leave it as it is, or enable Cloudflare and take the zone out of " +
					"parkedZones in the policy."})
	}
	records, known := check.ReadOptional(v, snapshot.ZoneDNSRecords)
	balancers, told := check.ReadOptional(v, snapshot.ZoneLoadBalancers)
	if known && told && !slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool { return r.Proxied }) &&
		!slices.ContainsFunc(balancers, func(l snapshot.LoadBalancer) bool { return l.Enabled && l.Proxied }) {
		return v.Fail("The zone "+z.Name+" is paused. None of its records and load balancers is proxied, so no traffic loses its "+
			"protection.", seen).
			Rated(posture.Low).As(posture.Words{Problem: "Cloudflare is paused on {zone}, which proxies nothing",
			Impact: "A record that someone proxies later is served without protection, although the dashboard shows it as proxied.",
			Breaks: "Nothing, because the zone has no proxied record."})
	}
	return v.Fail("The zone "+z.Name+" is paused, so visitors reach its origins directly.", seen)
}

func pausedExamples() []goodtest.Example {
	pause := goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })
	return []goodtest.Example{
		{Name: "running", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "paused", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Zone, Edit: pause},
		{Name: "paused, and nothing was proxied", Want: posture.Fail, Severity: posture.Low, Edit: goodtest.Edits(pause, goodtest.NotProxied())},
		{Name: "paused, and no record at all", Want: posture.Fail, Severity: posture.Low, Edit: goodtest.Edits(pause, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneDNSRecords, goodtest.Zone, []snapshot.DNSRecord{})
			snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{})
		})},
		{Name: "paused, and the records are not readable", Want: posture.Fail, Severity: posture.Critical, Edit: goodtest.Edits(pause,
			func(b *snapshot.Builder) { b.Mark(snapshot.ZoneDNSRecords.Source(), snapshot.Denied, "DNS Read", "") })},
		{Name: "paused, and a load balancer was proxied", Want: posture.Fail, Severity: posture.Critical, Edit: goodtest.Edits(pause,
			goodtest.NotProxied(), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "l1", Name: goodtest.Domain, Enabled: true,
					Proxied: true}})
			})},
		{Name: "paused, and the load balancers are not readable", Want: posture.Fail, Severity: posture.Critical, Edit: goodtest.Edits(pause,
			goodtest.NotProxied(), func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneLoadBalancers.Source(), snapshot.Denied, "Load Balancers Read", "")
			})},
		{Name: "parked on purpose", Want: posture.Warning, Resource: goodtest.Zone, Edit: pause,
			Policy: func(p *policy.Policy) { p.ParkedZones = []string{"SHOP.example"} }},
		{Name: "not active", Want: posture.NotApplicable,
			Edit: goodtest.Edits(pause, goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "moved" }))},
	}
}

// proposeResumed resumes the zone if it has an edge certificate.
func proposeResumed(c *propose.Case) ([]change.Edit, error) {
	if listed(c.Policy.ParkedZones, c.Finding.Resource.Zone) {
		return nil, propose.Refuse("The operator's list of parked zones names %s, so it stays paused.", c.Finding.Resource.Zone)
	}
	edits, err := propose.Members("PATCH", "/zones/{zone_id}", map[string]any{"paused": false})(c)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	certified, err := c.Certified("")
	if err != nil {
		return nil, err
	}
	if !certified {
		return nil, propose.Refuse("No active edge certificate waits for the zone, so visitors over HTTPS would get an error; order one first.")
	}
	return edits, nil
}

package dns

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// unproxied finds web records that lead around the edge.
func unproxied() check.Check {
	return check.Check{
		ID: "CFL-DNS-002", Title: "Web records pass through the proxy",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "A direct record shows the server address and skips every edge control.",
		Fix: "Proxy the record, or move the service behind a tunnel.",
		References: []string{"https://developers.cloudflare.com/dns/proxy-status/",
			"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Web traffic passes the firewall at the edge before it reaches a server."),
			check.Supports("cis 12.2", "Origins are not exposed where the proxy can stand before them."),
			check.Supports("soc2 CC6.6", "The boundary is at the edge for every web host."),
			check.Supports("pci 1.4.2", "Untrusted networks reach the proxy and not the origin."),
			check.Supports("pci 1.4.5", "Addresses of origins are not in public DNS."),
			check.Supports("nist PR.IR-01", "Origins are reached only through the edge."),
		},
		Aliases: []string{"prowler:dns_record_proxied", "cfsi:unproxied-a", "cfsi:unproxied-aaaa", "cfsi:unproxied-cname",
			"flareinspect:CFL-DNS-002"},
		Paths: []string{"exposed-origin"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/dns_records/{dns_record_id}", Risk: "high", Reversible: true,
			Body:    `{"proxied": true}`,
			Inverse: `PATCH {"proxied": false, "ttl": captured ttl}`,
			Caution: "Breaks services other than HTTP(S) on that name and certificates pinned at the origin; ask for confirmation per record, " +
				"check that a certificate covers the name first.",
			Inputs: []change.Input{{Name: "confirmedNames", Example: `["shop.example.com", "img.example.com"]`,
				Description: "Host names whose owner confirmed that only web clients use them and that no client pins the certificate of the origin."}},
			Propose: proposeProxy},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: evaluateUnproxied,
	}
}

func unproxiedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "all web records proxied", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "an A record bypasses the proxy", Want: posture.Fail, Resource: goodtest.Record,
			Edit: goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) { r.Proxied = false })},
		{Name: "the operator wants it so", Want: posture.Warning, Resource: goodtest.Record,
			Edit:   goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) { r.Proxied = false }),
			Policy: func(p *policy.Policy) { p.DNSOnlyNames = []string{goodtest.Domain} }},
		{Name: "a DKIM key of a mail provider is no host", Want: posture.Pass,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "k1", Name: "s1._domainkey." + goodtest.Domain,
				Type: "CNAME", Content: "s1.dkim.mailhost.example", Proxiable: true})},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
	}
}

// attribute reports whether a name is no host name but says something about one,
// such as a DKIM key or a proof of control (RFC 8552): proxying would break it.
func attribute(name string) bool {
	return strings.HasPrefix(name, "_") || strings.Contains(name, "._")
}

func evaluateUnproxied(v *check.View) check.Outcome {
	if v.Zone().Paused {
		return v.NotApplicable("the zone is paused; that is judged on its own")
	}
	records := check.Read(v, snapshot.ZoneDNSRecords)
	targets := map[string]bool{}
	for _, r := range records {
		if r.Type == "MX" || r.Type == "NS" || r.Type == "SRV" {
			targets[canonical(lastWord(r.Content))] = true
		}
	}
	j := v.Judge()
	for _, r := range records {
		if !r.Proxiable || attribute(r.Name) || r.Type != "A" && r.Type != "AAAA" && r.Type != "CNAME" {
			continue
		}
		if r.Proxied || targets[canonical(r.Name)] || r.Type == "CNAME" && exposure.ProviderOwned(r.Content) {
			j.Pass()
			continue
		}
		res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
		seen := check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/proxied", "false", "true")
		if listed(v.Policy.DNSOnlyNames, r.Name) {
			j.Warn(res, r.Type+" "+r.Name+" bypasses the proxy, as the operator's list says.", seen)
			continue
		}
		j.Fail(res, r.Type+" "+r.Name+" answers with "+r.Content+" instead of the edge.", seen)
	}
	return j.Done("Every web record passes through the proxy.", "the zone has no record that could be proxied")
}

// proposeProxy sends the traffic of a name through the edge. Only the owner knows
// whether something else than a web client uses it, so each name is confirmed.
func proposeProxy(c *propose.Case) ([]change.Edit, error) {
	place, live, err := record(c)
	if err != nil {
		return nil, err
	}
	name := propose.Text(live, "name")
	switch {
	case live == nil || propose.Flag(live, "proxied"):
		return nil, nil
	case live["proxiable"] != true:
		return nil, propose.Refuse("The provider cannot proxy this record.")
	case listed(c.Policy.DNSOnlyNames, name):
		return nil, propose.Refuse("The name %s is on the operator's list of names that bypass the proxy on purpose.", name)
	}
	var confirmed []string
	if err := c.Input("confirmedNames", &confirmed); err != nil {
		return nil, err
	}
	if !listed(confirmed, name) {
		return nil, propose.Refuse("The name %s is not among those confirmed to serve web traffic only.", name)
	}
	serves, err := servesOthers(c, name)
	if err != nil {
		return nil, err
	}
	if serves {
		return nil, propose.Refuse("A mail, name server or service record points to %s, which must keep its own address.", name)
	}
	covered, err := c.Certified(name)
	if err != nil {
		return nil, err
	}
	if !covered {
		return nil, propose.Refuse("No active edge certificate covers %s, so visitors would see an error; order one first.", name)
	}
	e := propose.Patch("PATCH", place, place.Path, live, map[string]any{"proxied": true})
	// The provider sets the TTL of a proxied record itself, so both are restored.
	e.Before = change.Encode(map[string]any{"proxied": false, "ttl": live["ttl"]})
	e.Undo.Body = e.Before
	return []change.Edit{e}, nil
}

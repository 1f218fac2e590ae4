package dns

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// internalAddress finds addresses that are not routed on the internet.
func internalAddress() check.Check {
	return check.Check{
		ID: "CFL-DNS-008", Title: "Public DNS holds no internal address",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "Public DNS answers everyone. A private address in it describes the internal network, and makes the name " +
			"useful for DNS rebinding.",
		Fix: "Publish the name in the internal DNS, then delete the public record.",
		Words: posture.Words{
			Problem: "{name} publishes an internal address",
			Impact: "Anyone can read the internal address, and a hostile page can use the name to reach that host from a browser " +
				"inside the network.",
			Breaks:    "Devices that use public resolvers no longer find the internal host by this name.",
			Dashboard: "DNS › Records › {name} › Edit › Delete.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Internal addresses do not tell outsiders how the network is built."),
			check.Supports("soc2 CC6.6", "The inside is not described to the outside."),
			check.Shows("pci 1.4.5", "Internal addresses are not disclosed by public DNS."),
			check.Supports("nist PR.IR-01", "An attacker learns less about where to go inside."),
		},
		Aliases:  []string{"prowler:dns_record_no_internal_ip"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Unless:   check.NotPublic,
		Evaluate: evaluateInternalAddress,
	}
}

func internalAddressExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "public addresses", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "an internal address inside one of IPv6", Want: posture.Fail, Resource: "i1", Edit: address("AAAA", "::ffff:10.1.2.3", false)},
		{Name: "a private address of an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(address("A", "10.1.2.3", false),
			goodtest.Type("internal"))},
		{Name: "a private address of a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(
			address("A", "10.1.2.3", false), goodtest.Status("moved"))},
		{Name: "a private address that is not proxied, in a partial zone", Want: posture.Pass, Edit: goodtest.Edits(
			address("A", "10.1.2.3", false), goodtest.EditRecord("i1", func(r *snapshot.DNSRecord) { r.Proxied = false }),
			goodtest.Type("partial"))},
		{Name: "a link-local address", Want: posture.Fail, Resource: "i1", Edit: address("A", "169.254.10.1", false)},
		{Name: "a loopback address", Want: posture.Fail, Resource: "i1", Edit: address("A", "127.0.0.53", false)},
		{Name: "a public address beside a private range", Want: posture.Pass, Edit: address("A", "172.32.0.1", false)},
		{Name: "a private address", Want: posture.Fail, Resource: "i1", Edit: address("A", "10.1.2.3", false)},
		{Name: "a carrier-grade address", Want: posture.Fail, Resource: "i1", Edit: address("A", "100.64.0.9", false)},
		{Name: "a proxied placeholder", Want: posture.Pass, Edit: address("A", "203.0.113.9", false)},
		{Name: "another proxied placeholder", Want: posture.Pass, Edit: address("A", "192.0.2.1", false)},
		{Name: "a third proxied placeholder", Want: posture.Pass, Edit: address("A", "198.51.100.77", false)},
		{Name: "a proxied placeholder of IPv6", Want: posture.Pass, Edit: address("AAAA", "100::", false)},
		{Name: "an address just outside the placeholders", Want: posture.Fail, Resource: "i1", Edit: address("AAAA", "100:0:0:1::", false)},
		{Name: "a placeholder that is not proxied", Want: posture.Fail, Resource: "i1", Edit: goodtest.Edits(address("A", "192.0.2.1", false),
			goodtest.EditRecord("i1", func(r *snapshot.DNSRecord) { r.Proxied = false }))},
		{Name: "a unique-local address", Want: posture.Fail, Resource: "i1", Edit: address("AAAA", "fd00::9", false)},
		{Name: "private routing is wanted", Want: posture.Pass, Edit: address("A", "10.1.2.3", true)},
		{Name: "the content is no address", Want: posture.Unknown, Resource: "i1", Edit: address("A", "nowhere", false)},
		{Name: "no address record", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "A" {
				r.Type = "TXT"
			}
		})},
	}
}

func address(kind, content string, private bool) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "i1", Name: "intern." + goodtest.Domain, Type: kind, Content: content, Proxiable: true,
		Proxied: true, PrivateRouting: private})
}

func evaluateInternalAddress(v *check.View) check.Outcome {
	j := v.Judge()
	for _, r := range check.Public(v, v.Zone()) {
		if r.Type != "A" && r.Type != "AAAA" {
			continue
		}
		a, err := netip.ParseAddr(r.Content)
		switch {
		case r.PrivateRouting || err == nil && !exposure.ReservedAddress(a), r.Proxied && traffic.NoOrigin(r.Content):
			j.Pass() // a proxied placeholder is never answered: the edge returns its own addresses
		case err != nil:
			j.Unclear(v.InZone(posture.ResourceDNSRecord, r.ID, r.Name), "the content of the record is not an address")
		default:
			j.Fail(v.InZone(posture.ResourceDNSRecord, r.ID, r.Name), "The "+r.Type+" record "+r.Name+
				" publishes the internal or reserved address "+r.Content+".",
				check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/content", r.Content, "a public address"))
		}
	}
	return j.Done("No record publishes an internal address.", "the zone has no A or AAAA record")
}

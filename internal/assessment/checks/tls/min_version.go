package tls

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// minVersion judges the oldest protocol version the edge accepts.
func minVersion() check.Check {
	return check.Check{
		ID: "CFL-SSL-002", Title: "The edge refuses TLS below 1.2",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "TLS 1.0 and 1.1 rest on ciphers and hashes with known attacks, and browsers dropped both in 2020. PCI DSS does not accept them.",
		Fix: "Set the minimum TLS version to 1.2 after a look at which versions your visitors use.",
		Words: check.SettingTo("min_tls_version", "1.2", posture.Words{
			Problem:   "{zone} accepts TLS below 1.2",
			Impact:    "Someone on the same network can attack the old version to decrypt or change what an old client sends.",
			Breaks:    "Clients that know no TLS 1.2, such as Android 4.3 and Java 7, can no longer connect.",
			Dashboard: "SSL/TLS › Edge Certificates › Minimum TLS Version › TLS 1.2. Versions in use: Analytics & Logs › HTTP Traffic.",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Shows("cis 12.6", "Protocols below TLS 1.2 are refused."),
			check.Supports("cis 3.10", "What is encrypted is encrypted by a protocol that holds."),
			check.Supports("soc2 CC6.7", "Data is encrypted by current means between visitor and edge."),
			check.Shows("pci 4.2.1", "Weak protocol versions are refused between the public network and the edge."),
			check.Supports("nist PR.DS-02", "Data between visitor and edge is protected by current protocols."),
		},
		Aliases: []string{"prowler:zone_min_tls_version_secure", "cnspec:min-tls-1-2", "cfsi:older-tls", "grclanker:CF-ZONE-03",
			"flareinspect:CFL-SSL-002"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/min_tls_version", Risk: "medium", Reversible: true,
			Body:    `{"value": "1.2"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Clients that cannot speak TLS 1.2 lose access. Check the TLS versions in Analytics first.",
			Propose: propose.Setting("min_tls_version", "1.2", "1.3")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("min_tls_version"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: append(traffic.ServedNeeds(), snapshot.ZoneHostnameMinTLS),
		Evaluate: func(v *check.View) check.Outcome {
			min, ok := check.Read(v, snapshot.ZoneSettings).Text("min_tls_version")
			switch {
			case !ok:
				return v.Unknown("Cloudflare did not return min_tls_version")
			case min == "1.2" || min == "1.3":
				return v.Pass("The edge accepts TLS %s and newer.", min)
			case min == "1.0" || min == "1.1":
				return acceptsOld(v, min)
			default:
				return v.Unknown("min_tls_version has a value this check does not know: " + min)
			}
		},
	}
}

// acceptsOld judges a zone with a low minimum: a host may have a higher minimum of its own
// (developers.cloudflare.com/ssl/edge-certificates/additional-options/minimum-tls/).
func acceptsOld(v *check.View, min string) check.Outcome {
	seen := check.Evidence(snapshot.ZoneSettings, "/min_tls_version", min, "1.2 or 1.3")
	hosts, doubt := check.Hosts(v, v.Zone())
	own, known := check.ReadOptional(v, snapshot.ZoneHostnameMinTLS)
	customers, _ := check.ReadOptional(v, snapshot.ZoneCustomHostnames)
	check.ReadOptional(v, snapshot.ZoneLoadBalancers)
	raised := 0
	for _, h := range hosts {
		least := min
		if i := slices.IndexFunc(customers, func(c snapshot.CustomHostname) bool { return c.ID == h.Record }); i >= 0 && !h.Wildcard {
			least = cmp.Or(customers[i].MinTLS, min)
		}
		if m := floorOf(own, h.Name, least); m == "1.2" || m == "1.3" {
			raised++
		}
	}
	switch {
	case !known:
		return v.Provisional(v.Fail("The edge accepts TLS "+min+" for "+v.Zone().Name+".", seen))
	case raised == 0:
		return v.Fail("The edge accepts TLS "+min+" for "+v.Zone().Name+".", seen)
	case raised == len(hosts) && doubt != nil:
		return v.Provisional(v.Warn("Every host of "+v.Zone().Name+" that could be read has a minimum of its own; others accept TLS "+min+".",
			seen).As(posture.Words{Problem: "Hosts of {zone} may accept TLS below 1.2"}))
	case raised < len(hosts):
		return v.Fail("The edge accepts TLS "+min+" for hosts of "+v.Zone().Name+" without a minimum of their own.", seen)
	}
	return v.Warn("Every host of "+v.Zone().Name+" has a minimum of its own; a new one would accept TLS "+min+".", seen).Rated(posture.Low).
		As(posture.Words{Problem: "New hosts of {zone} would accept TLS below 1.2"})
}

// floorOf returns the minimum TLS version of a host.
func floorOf(own []snapshot.HostnameTLS, host, zone string) string {
	for _, h := range own {
		if exposure.Same(h.Hostname, host) && len(h.Values) == 1 {
			return h.Values[0]
		}
	}
	return zone
}

func minVersionExamples() []goodtest.Example {
	own := func(hosts ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			all := []snapshot.HostnameTLS{}
			for _, h := range hosts {
				all = append(all, snapshot.HostnameTLS{Hostname: h, Values: []string{"1.2"}})
			}
			goodtest.OwnHosts(b)
			snapshot.Put(b, snapshot.ZoneHostnameMinTLS, goodtest.Zone, all)
			goodtest.Setting("min_tls_version", "1.0")(b)
		}
	}
	every := own("shop.example", "www.shop.example", "admin.shop.example", "mta-sts.shop.example")
	return []goodtest.Example{
		{Name: "1.0, and every host has a minimum of its own", Want: posture.Warning, Severity: posture.Low, Edit: every},
		{Name: "1.0, and every host and customer has a minimum of its own", Want: posture.Warning, Severity: posture.Low,
			Edit: goodtest.Edits(every, customer("1.2", false))},
		{Name: "1.0, and a customer has a lower minimum of its own", Want: posture.Fail, Edit: goodtest.Edits(every, customer("1.1", false))},
		{Name: "1.0, and a customer has none", Want: posture.Fail, Edit: goodtest.Edits(every, customer("", false))},
		{Name: "1.0, and names below that of a customer have none", Want: posture.Fail, Edit: goodtest.Edits(every, customer("1.2", true))},
		{Name: "1.0, and some hosts have a minimum of their own", Want: posture.Fail, Edit: own("shop.example")},
		{Name: "1.0, and every host but a new one", Want: posture.Fail, Edit: goodtest.Edits(every, goodtest.AddRecord(snapshot.DNSRecord{
			ID: "n1", Name: "new.shop.example", Type: "A", Content: "45.60.10.9", Proxied: true, Proxiable: true}))},
		{Name: "1.0, and nobody may see the hosts' own", Want: posture.Fail,
			Edit: goodtest.Edits(every, goodtest.Denied(snapshot.ZoneHostnameMinTLS))},
		{Name: "1.0, and every host that could be read has a minimum of its own", Want: posture.Warning, Severity: posture.High,
			Edit: goodtest.Edits(every, goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "1.2 is enough", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "1.0 is accepted", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("min_tls_version", "1.0")},
		{Name: "1.1 is accepted", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("min_tls_version", "1.1")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without("min_tls_version") })
		}},
	}
}

package tls

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// coveredNames judges whether every proxied name is reachable over TLS.
func coveredNames() check.Check {
	return check.Check{
		ID: "CFL-SSL-019", Title: "Every proxied name is covered by a certificate",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceDNSRecord, Scope: check.PerZone, Served: true,
		Why: "Universal SSL covers the zone and one level of subdomains. A deeper name needs a certificate that lists it, " +
			"or browsers refuse the connection.",
		Fix: "Order an advanced certificate that includes the name, or turn on Total TLS.",
		Words: posture.Words{
			Problem: "No certificate covers {name}",
			Impact:  "Visitors get a certificate error, or use plain HTTP, which anyone on the same network can read and change.",
			Breaks:  "Nothing that works today. An advanced certificate needs Advanced Certificate Manager, and shows the name in public logs.",
			Dashboard: "SSL/TLS › Edge Certificates › Order Advanced Certificate: add {name}. Or SSL/TLS › Edge Certificates › " +
				"Total TLS: On.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/ssl/certificate_packs/order",
				Body: `{"type": "advanced", "hosts": ["{zone}", "{name}"], "validation_method": "txt", "validity_days": 90, ` +
					`"certificate_authority": "google"}`},
			Terraform: `resource "cloudflare_certificate_pack" "successor" {
  zone_id               = "{zone_id}"
  type                  = "advanced"
  hosts                 = ["{zone}", "{name}"]
  validation_method     = "txt"
  validity_days         = 90
  certificate_authority = "google"
}`},
		References: []string{"https://developers.cloudflare.com/ssl/", "https://developers.cloudflare.com/ssl/get-started/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Names without a certificate could not be visited encrypted."),
			check.Supports("soc2 CC6.7", "Encryption is possible on each proxied name."),
			check.Supports("pci 4.2.1", "A trusted certificate is there for each name; it must also be used."),
			check.Supports("nist PR.DS-02", "Each proxied name can protect data on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneCertificatePacks, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			all := check.Read(v, snapshot.ZoneCertificatePacks)
			j := v.Judge()
			for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
				if r.Proxied {
					judgeName(v, j, v.InZone(posture.ResourceDNSRecord, r.ID, r.Name), all)
				}
			}
			judgeBalancers(v, j, all)
			return j.Done("A certificate covers every proxied name.", "the zone has no proxied record")
		},
	}
}

// judgeName judges whether a certificate covers a name that the edge serves. Custom hostnames have
// their own certificates.
func judgeName(v *check.View, j *check.Judgement, r posture.Resource, all []snapshot.CertificatePack) {
	seen := notCovered(r.Name)
	switch {
	case coveredBy(r.Name, all, v.Now()):
		j.Pass()
	case slices.ContainsFunc(all, func(p snapshot.CertificatePack) bool { return p.InForce(v.Now()) && answersFor(p.Hosts, r.Name) }):
		j.Fail(r, "The certificate that names "+r.Name+" has expired, so browsers refuse the connection.", seen)
		j.As(posture.Words{ByHand: true, Problem: "The certificate for {name} has expired", Dashboard: validation})
	case slices.ContainsFunc(all, func(p snapshot.CertificatePack) bool { return !removed(p) && answersFor(p.Hosts, r.Name) }):
		j.Warn(r, "The certificate that names "+r.Name+" is not active.", seen)
		j.As(posture.Words{ByHand: true,
			Problem: "The certificate for {name} is not active", Dashboard: validation})
	default:
		j.Fail(r, "No certificate covers "+r.Name+", so browsers refuse the connection.", seen)
	}
}

// removed reports whether a pack is deleted, or about to be.
func removed(p snapshot.CertificatePack) bool {
	return slices.Contains([]string{"deleted", "pending_deletion", "deletion_timed_out", "pending_cleanup", "deactivating", "inactive"},
		p.Status)
}

func notCovered(names string) posture.Evidence {
	return check.Evidence(snapshot.ZoneCertificatePacks, "/", "no active pack for "+names, "one that names it, or a wildcard one label above")
}

// judgeBalancers judges the names of load balancers, which have no record, as one finding.
func judgeBalancers(v *check.View, j *check.Judgement, all []snapshot.CertificatePack) {
	balancers, known := check.ReadOptional(v, snapshot.ZoneLoadBalancers)
	if !known {
		j.Unread(v.Resource(), snapshot.ZoneLoadBalancers, v.Zone().ID)
		return
	}
	var bare []string
	for _, b := range balancers {
		if b.Enabled && b.Proxied && !coveredBy(b.Name, all, v.Now()) {
			bare = append(bare, b.Name)
		}
	}
	if names := strings.Join(bare, ", "); names != "" {
		j.Fail(v.Resource(), "No active certificate covers "+check.Count(len(bare), "load balancer", "")+" of "+v.Zone().Name+": "+names+".",
			notCovered(names))
		j.As(posture.Words{ByHand: true, Problem: "Load balancers of {zone} have no active certificate",
			Dashboard: "SSL/TLS › Edge Certificates › Order Advanced Certificate: add the names of the load balancers."})
	}
}

func coveredNamesExamples() []goodtest.Example {
	deep := goodtest.AddRecord(snapshot.DNSRecord{ID: "deep", Name: "a.b." + goodtest.Domain, Type: "A", Content: "45.60.10.1", Proxied: true,
		Proxiable: true})
	pack := func(status string, hosts ...string) snapshot.CertificatePack {
		return snapshot.CertificatePack{ID: "p-" + status, Type: "advanced", Status: status, Hosts: hosts}
	}
	balancer := func(name string, proxied bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "l1", Name: name, Enabled: true,
				Proxied: proxied}})
		}
	}
	usual := pack("active", goodtest.Domain, "*."+goodtest.Domain)
	return []goodtest.Example{
		{Name: "apex and one label", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a certificate that is being renewed", Want: posture.Pass, Edit: packs(func() snapshot.CertificatePack {
			p := pack("pending_validation", goodtest.Domain, "*."+goodtest.Domain)
			p.Certificates = []snapshot.EdgeCertificate{{Status: "active", ExpiresOn: goodtest.InDays(20)}}
			return p
		}())},
		{Name: "two labels below a wildcard", Want: posture.Fail, Resource: "deep", Edit: deep},
		{Name: "a load balancer two labels below a wildcard", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: balancer("a.b."+goodtest.Domain, true)},
		{Name: "a load balancer one label below", Want: posture.Pass, Edit: balancer("a."+goodtest.Domain, true)},
		{Name: "a load balancer that is not proxied", Want: posture.Pass, Edit: balancer("a.b."+goodtest.Domain, false)},
		{Name: "the balancers are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneLoadBalancers.Source(), snapshot.Denied, "Zone: Load Balancers Read", "")
		}},
		{Name: "a pack of its own", Want: posture.Pass, Edit: goodtest.Edits(deep,
			packs(usual, func() snapshot.CertificatePack { p := pack("active", "*.b."+goodtest.Domain); p.ID = "p2"; return p }()))},
		{Name: "a pack that is pending", Want: posture.Warning, Resource: "deep",
			Edit: goodtest.Edits(deep, packs(usual, pack("pending_validation", "a.b."+goodtest.Domain)))},
		{Name: "a pack that is called active and has expired", Want: posture.Fail, Resource: "deep",
			Edit: goodtest.Edits(deep, packs(usual, func() snapshot.CertificatePack {
				p := pack("active", "*.b."+goodtest.Domain)
				p.ID, p.Certificates = "p2", []snapshot.EdgeCertificate{{Status: "active", ExpiresOn: goodtest.InDays(-1)}}
				return p
			}()))},
		{Name: "a pack that was deleted", Want: posture.Fail, Resource: "deep",
			Edit: goodtest.Edits(deep, packs(usual, pack("deleted", "a.b."+goodtest.Domain)))},
		{Name: "a wildcard record needs the wildcard", Want: posture.Pass,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "wild", Name: "*." + goodtest.Domain, Type: "A", Content: "45.60.10.1", Proxied: true})},
		{Name: "no pack at all", Want: posture.Fail, Resource: goodtest.Record, Edit: packs()},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

package tls

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hasCertificate judges whether the zone gets a certificate.
func hasCertificate() check.Check {
	return check.Check{
		ID: "CFL-SSL-015", Title: "The zone has an edge certificate",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Without an active certificate Cloudflare cannot answer over HTTPS. Universal SSL issues one for the zone " +
			"and its direct subdomains at no cost, and renews it.",
		Fix: "Turn on Universal SSL, after a check that the CAA records admit Cloudflare's certificate authorities; or " +
			"order an advanced certificate.",
		Words: posture.Words{
			Problem:   "{zone} has no active edge certificate",
			Impact:    "Visitors get a certificate error, or use plain HTTP, which anyone on the same network can read and change.",
			Breaks:    "Nothing that works today; the certificate is issued within minutes and appears in public logs.",
			Dashboard: "SSL/TLS › Edge Certificates, at the end of the page › Enable Universal SSL.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/ssl/universal/settings",
				Body: `{"enabled": true}`},
			Terraform: `resource "cloudflare_universal_ssl_setting" "zone" {
  zone_id = "{zone_id}"
  enabled = true
}`},
		References: []string{"https://developers.cloudflare.com/ssl/get-started/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Without a certificate nothing could be encrypted."),
			check.Supports("soc2 CC6.7", "Encryption is possible for the zone."),
			check.Supports("pci 4.2.1", "A trusted certificate is there; it must also be used."),
			check.Supports("nist PR.DS-02", "The zone can protect data on the wire."),
		},
		Aliases: []string{"prowler:zone_universal_ssl_enabled", "cfsi:missing-tls", "grclanker:CF-ZONE-05"},
		Paths:   []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/ssl/universal/settings", Risk: "low", Reversible: true,
			Body:    `{"enabled": true}`,
			Inverse: `PATCH {"enabled": false}`,
			Caution: "Issuance takes minutes; CAA must admit the authorities.",
			Propose: proposeUniversal},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneDNSRecords, snapshot.ZoneUniversalSSL},
		Optional: append(traffic.ServedNeeds(), snapshot.ZoneCertificatePacks, snapshot.ZoneCustomCertificates),
		Evaluate: evaluateHasCertificate,
	}
}

func hasCertificateExamples() []goodtest.Example {
	off := func(b *snapshot.Builder) {
		no := false
		snapshot.Put(b, snapshot.ZoneUniversalSSL, goodtest.Zone, snapshot.Switch{Enabled: &no})
	}
	none := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone, []snapshot.CustomCertificate{})
	}
	bare := goodtest.Edits(off, none, packs())
	pack := func(left ...int) func(*snapshot.Builder) {
		p := snapshot.CertificatePack{ID: "p", Type: "universal", Status: "active"}
		for _, n := range left {
			p.Certificates = append(p.Certificates, snapshot.EdgeCertificate{ExpiresOn: snapshot.At(goodtest.Now().Add(days(n)))})
		}
		return packs(p)
	}
	return []goodtest.Example{
		{Name: "Cloudflare issues one", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "Universal SSL is on, packs not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(none, goodtest.Denied(snapshot.ZoneCertificatePacks))},
		{Name: "Universal SSL is on, its pack is pending", Want: posture.Fail, Edit: goodtest.Edits(none,
			packs(snapshot.CertificatePack{ID: "p", Type: "universal", Status: "pending_validation"}))},
		{Name: "Universal SSL is on, its pack is being initialised", Want: posture.Fail, Edit: goodtest.Edits(none,
			packs(snapshot.CertificatePack{ID: "p", Type: "universal", Status: "initializing"}))},
		{Name: "Universal SSL is on, one pack is pending and one active", Want: posture.Pass, Edit: goodtest.Edits(none,
			packs(snapshot.CertificatePack{ID: "p", Type: "universal", Status: "pending_validation"},
				snapshot.CertificatePack{ID: "q", Type: "advanced", Status: "active"}))},
		{Name: "Universal SSL is on, there is no pack", Want: posture.Unknown, Edit: goodtest.Edits(none, packs())},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Zone, Edit: bare},
		{Name: "an advanced pack", Want: posture.Pass, Edit: goodtest.Edits(bare,
			packs(snapshot.CertificatePack{ID: "p", Type: "advanced", Status: "active"}))},
		{Name: "a pack that is being renewed", Want: posture.Pass, Edit: goodtest.Edits(bare, packs(snapshot.CertificatePack{ID: "p",
			Type: "advanced", Status: "pending_validation", Certificates: []snapshot.EdgeCertificate{{Status: "active",
				ExpiresOn: goodtest.InDays(20)}}}))},
		{Name: "a pack of a customer's hostname", Want: posture.Fail, Edit: goodtest.Edits(bare, packs(snapshot.CertificatePack{ID: "p",
			Type: "managed_hostname", Status: "active", Hosts: []string{"shop.customer.test"}}))},
		{Name: "only one whose key is elsewhere", Want: posture.Warning,
			Edit: goodtest.Edits(bare, packs(snapshot.CertificatePack{ID: "p", Type: "keyless", Status: "active"}))},
		{Name: "an uploaded one that is called active and has expired", Want: posture.Fail, Edit: goodtest.Edits(bare, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone, []snapshot.CustomCertificate{{ID: "u", Status: "active",
				ExpiresOn: goodtest.InDays(-1)}})
		})},
		{Name: "a pack that is pending", Want: posture.Fail,
			Edit: goodtest.Edits(bare, packs(snapshot.CertificatePack{ID: "p", Type: "advanced", Status: "pending_validation"}))},
		{Name: "only an uploaded one", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(off, packs())},
		{Name: "only an uploaded pack", Want: posture.Warning,
			Edit: goodtest.Edits(bare, packs(snapshot.CertificatePack{ID: "p", Type: "sni_custom", Status: "active"}))},
		{Name: "an uploaded one that has expired", Want: posture.Fail, Edit: goodtest.Edits(bare, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone, []snapshot.CustomCertificate{{ID: "u", Status: "expired"}})
		})},
		{Name: "an active pack that has expired", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(none, pack(-1))},
		{Name: "an active pack of which one certificate has expired", Want: posture.Pass, Edit: goodtest.Edits(none, pack(-1, 30))},
		{Name: "an active pack that has expired, beside an uploaded one", Want: posture.Warning, Edit: goodtest.Edits(off, pack(-1))},
		{Name: "off, packs not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZoneCertificatePacks))},
		{Name: "off, uploads not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(off, packs(), goodtest.Denied(snapshot.ZoneCustomCertificates))},
		{Name: "not returned", Want: posture.Unknown, Edit: goodtest.Edits(bare, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneUniversalSSL, goodtest.Zone, snapshot.Switch{})
		})},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(bare, goodtest.NotProxied())},
	}
}

func evaluateHasCertificate(v *check.View) check.Outcome {
	universal := check.Read(v, snapshot.ZoneUniversalSSL).Enabled
	all, known := check.ReadOptional(v, snapshot.ZoneCertificatePacks)
	managed, uploaded := truth.If(known, false), truth.If(known, false)
	for _, p := range all {
		if p.InForce(v.Now()) && !p.Ended(v.Now()) && ofZone(p, v.Zone().Name) {
			managed = truth.Or(managed, truth.If(p.Managed() || p.Uploaded(), p.Managed()))
			uploaded = truth.Or(uploaded, truth.If(p.Managed() || p.Uploaded(), p.Uploaded()))
		}
	}
	custom, read := check.ReadOptional(v, snapshot.ZoneCustomCertificates)
	uploaded = truth.Or(uploaded, truth.If(read, false))
	for _, c := range custom {
		uploaded = truth.Or(uploaded, truth.Is(c.Status == "active" && (c.ExpiresOn.IsZero() || c.ExpiresOn.After(v.Now()))))
	}
	ended := slices.IndexFunc(all, func(p snapshot.CertificatePack) bool {
		return p.Status == "active" && p.Ended(v.Now()) && ofZone(p, v.Zone().Name)
	})
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneUniversalSSL, "/enabled", observed, "true, or an active certificate that Cloudflare renews")
	}
	switch {
	case managed == truth.Yes:
		return v.Pass("Cloudflare renews a certificate of the zone.")
	case managed == truth.No && uploaded == truth.No && ended >= 0:
		return v.Fail("Every certificate of "+v.Zone().Name+" has expired, although Cloudflare calls it active.",
			check.Evidence(snapshot.ZoneCertificatePacks, "/"+all[ended].ID+"/certificates", "all expired", "one that has not")).
			As(posture.Words{Problem: "The certificate of {zone} has expired", ByHand: true, Dashboard: validation})
	case universal != nil && *universal && managed == truth.No && uploaded == truth.No && len(all) > 0:
		return v.Fail("No certificate of "+v.Zone().Name+" is active: the one Cloudflare issues is "+strings.ReplaceAll(all[0].Status, "_", " ")+
			".", check.Evidence(snapshot.ZoneCertificatePacks, "/"+all[0].ID+"/status", all[0].Status, "active")).
			As(posture.Words{Problem: "The certificate of {zone} is not active", ByHand: true, Dashboard: validation})
	case universal != nil && *universal && uploaded != truth.Yes:
		return v.Unknown("Universal SSL is on; whether its certificate is active is not known")
	case universal == nil:
		return v.Unknown("Cloudflare did not return whether it issues a certificate")
	case managed == truth.Undecided || uploaded == truth.Undecided:
		return v.Unknown("Universal SSL is off; which other certificates there are is not known")
	case uploaded == truth.Yes:
		return v.Warn(v.Zone().Name+" is served by uploaded certificates only, which Cloudflare does not renew.",
			seen(strconv.FormatBool(*universal)+", uploaded certificates only")).As(posture.Words{Problem: "Only uploaded certificates serve {zone}",
			Impact: "When nobody renews the uploaded certificate in time, browsers, apps and API clients refuse every connection to the zone."})
	}
	return v.Fail("Universal SSL is off and no other certificate of "+v.Zone().Name+" is active.", seen("false, no active certificate"))
}

// ofZone reports whether a pack names a host of the zone; those of customers' hostnames do not.
func ofZone(p snapshot.CertificatePack, zone string) bool {
	return len(p.Hosts) == 0 || slices.ContainsFunc(p.Hosts, func(h string) bool {
		return exposure.Within(strings.TrimPrefix(h, "*."), zone)
	})
}

// proposeUniversal enables Universal SSL, unless CAA records exclude all of its authorities.
func proposeUniversal(c *propose.Case) ([]change.Edit, error) {
	edits, err := propose.Members("PATCH", "/zones/{zone_id}/ssl/universal/settings", map[string]any{"enabled": true})(c)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	records, err := c.List(c.Path("/zones/{zone_id}/dns_records?type=CAA"))
	if err != nil {
		return nil, err
	}
	limited, admitted, names := false, false, slices.Concat(slices.Collect(maps.Values(snapshot.CAANames()))...)
	for _, r := range records {
		f := strings.Fields(propose.Text(r, "content"))
		if !exposure.Same(propose.Text(r, "name"), c.Finding.Resource.Zone) || len(f) < 3 || !strings.EqualFold(f[1], "issue") {
			continue
		}
		authority, _, _ := strings.Cut(strings.Trim(f[2], `"`), ";")
		limited, admitted = true, admitted || slices.Contains(names, strings.ToLower(strings.TrimSpace(authority)))
	}
	if limited && !admitted {
		return nil, propose.Refuse("The CAA records of the zone admit none of the authorities that Cloudflare uses; admit one of them first.")
	}
	return edits, nil
}

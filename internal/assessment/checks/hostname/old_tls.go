package hostname

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// oldTLS judges the minimum protocol of each hostname: its own setting, or otherwise that of the
// zone. Names below a wildcard hostname always have that of the zone
// (developers.cloudflare.com/cloudflare-for-platforms/cloudflare-for-saas/security/certificate-management/enforce-mtls/).
// Entries being deleted are left out.
func oldTLS() check.Check {
	return check.Check{
		ID: "CFL-CH-002", Title: "Customer hostnames refuse old TLS",
		Category: "custom-hostnames", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone, Edge: true,
		Why: "The minimum TLS version of a custom hostname wins over the setting of the zone.",
		Fix: "Raise the minimum TLS version of the custom hostname to 1.2.",
		Words: posture.Words{
			Problem:   "Custom hostname {name} accepts TLS below 1.2",
			Impact:    "Someone on the same network can attack the old version to decrypt or change what an old client sends.",
			Breaks:    "Clients that know no TLS 1.2, such as Android 4.3 and Java 7, can no longer connect.",
			Dashboard: "SSL/TLS › Custom Hostnames › {name} › Edit › Minimum TLS Version: TLS 1.2.",
			Call:      check.HostnameSettings("{id}", `{min_tls_version: "1.2"}`),
		},
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "Customers' hostnames accept current TLS only."),
			check.Supports("soc2 CC6.7", "Data of customers' visitors is encrypted by current means."),
			check.Supports("pci 4.2.1", "Weak protocol versions are refused on customers' hostnames."),
			check.Supports("nist PR.DS-02", "Data to customers' hostnames is protected on the wire."),
		},
		Aliases:  []string{},
		Paths:    []string{"weak-transport"},
		Needs:    []snapshot.Named{snapshot.ZoneCustomHostnames},
		Optional: []snapshot.Named{snapshot.ZoneSetting("min_tls_version")},
		Evaluate: evaluateOldTLS,
	}
}

func oldTLSExamples() []goodtest.Example {
	own := func(value string) func(*snapshot.Builder) {
		return hostname(func(h *snapshot.CustomHostname) { h.MinTLS = value })
	}
	zone := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.With("min_tls_version", value) })
		}
	}
	wildcard := hostname(func(h *snapshot.CustomHostname) { h.Wildcard = true })
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.ZoneSettings.Source(), snapshot.Denied, "Zone: Zone Settings Read", "")
	}
	return []goodtest.Example{
		{Name: "1.2", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "1.3", Want: posture.Pass, Edit: own("1.3")},
		{Name: "1.0", Want: posture.Fail, Resource: "ch1", Edit: own("1.0")},
		{Name: "1.1 while the zone wants 1.2", Want: posture.Fail, Resource: "ch1", Edit: own("1.1")},
		{Name: "1.2 with a wildcard", Want: posture.Pass, Edit: wildcard},
		{Name: "1.2 with a wildcard, while the zone takes 1.0", Want: posture.Fail, Resource: "ch1", Edit: goodtest.Edits(wildcard, zone("1.0"))},
		{Name: "1.0 with a wildcard", Want: posture.Fail, Resource: "ch1", Edit: goodtest.Edits(wildcard, own("1.0"))},
		{Name: "1.2 with a wildcard, the zone is not readable", Want: posture.Unknown, Resource: "ch1", Edit: goodtest.Edits(wildcard, unread)},
		{Name: "as the zone, 1.2", Want: posture.Pass, Edit: own("")},
		{Name: "as the zone, 1.0", Want: posture.Fail, Resource: "ch1", Edit: goodtest.Edits(own(""), zone("1.0"))},
		{Name: "1.2 while the zone takes 1.0", Want: posture.Pass, Edit: zone("1.0")},
		{Name: "as the zone, which is not readable", Want: posture.Unknown, Resource: "ch1", Edit: goodtest.Edits(own(""), unread)},
		{Name: "1.0, the zone is not readable", Want: posture.Fail, Resource: "ch1", Edit: goodtest.Edits(own("1.0"), unread)},
		{Name: "1.2, the zone is not readable", Want: posture.Pass, Edit: unread},
		{Name: "as the zone, which does not say", Want: posture.Unknown, Resource: "ch1",
			Edit: goodtest.Edits(own(""), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without("min_tls_version") })
			})},
		{Name: "a value nobody knows", Want: posture.Unknown, Resource: "ch1", Edit: own("2.0")},
		{Name: "one that goes away", Want: posture.NotApplicable, Edit: hostname(func(h *snapshot.CustomHostname) {
			h.MinTLS, h.Status = "1.0",
				"deleted"
		})},
		{Name: "no hostname", Want: posture.NotApplicable, Edit: none()},
	}
}

func strong(version string) bool { return version == "1.2" || version == "1.3" }

func evaluateOldTLS(v *check.View) check.Outcome {
	j := v.Judge()
	for _, h := range check.Read(v, snapshot.ZoneCustomHostnames) {
		if h.Gone() {
			continue
		}
		r := v.InZone(posture.ResourceCertificate, h.ID, h.Hostname)
		least, from := h.MinTLS, "by its own setting"
		seen := check.Evidence(snapshot.ZoneCustomHostnames, "/"+h.ID+"/min_tls_version", least, "1.2 or 1.3")
		if least == "" || h.Wildcard && strong(least) {
			settings, known := check.ReadOptional(v, snapshot.ZoneSettings)
			if !known {
				j.Unread(r, snapshot.ZoneSetting("min_tls_version"), v.Zone().ID)
				continue
			}
			from = "by the setting of the zone"
			if least != "" {
				from += ", which holds for the names below it"
			}
			least, _ = settings.Text("min_tls_version")
			seen = check.Evidence(snapshot.ZoneSettings, "/min_tls_version", least, "1.2 or 1.3")
		}
		switch {
		case strong(least):
			j.Pass()
		case least == "1.0" || least == "1.1":
			j.Fail(r, "The customer hostname "+h.Hostname+" takes TLS "+least+", "+from+".", seen)
		case least == "":
			j.Unclear(r, "neither the hostname nor the zone tells the lowest TLS version")
		default:
			j.Unclear(r, "the lowest TLS version is one this check does not know: "+least)
		}
	}
	return j.Done("Every customer hostname refuses TLS below 1.2.", "the zone has no custom hostname")
}

package tls

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// hostnameVersion judges exceptions of single host names.
func hostnameVersion() check.Check {
	host := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneHostnameMinTLS, check.GoodZone, []snapshot.HostnameTLS{{Hostname: "old.shop.example", Values: []string{value}}})
		}
	}
	return check.Check{
		ID: "CFL-SSL-013", Title: "No hostname accepts weaker TLS than the zone",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone,
		Why:        "A per-host exception undoes the zone setting where it may matter most.",
		Fix:        "Delete the exception.",
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls:   posture.Controls{CIS: []string{"12.6"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases:    []string{"union:per-hostname-tls-downgrade"},
		Paths:      []string{"weak-transport"},
		Remedy: &check.Remedy{Operation: "DELETE /zones/{zone_id}/hostnames/settings/min_tls_version/{hostname}", Risk: "medium", Reversible: true,
			Body:    "none",
			Inverse: "PUT /zones/{zone_id}/hostnames/settings/min_tls_version/{hostname} with the captured value",
			Caution: "Old clients of that host lose access."},
		Needs:    []snapshot.Named{snapshot.ZoneHostnameMinTLS},
		Optional: []snapshot.Named{snapshot.ZoneSettings},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, h := range check.Read(v, snapshot.ZoneHostnameMinTLS) {
				judgeHostname(v, j, h)
			}
			return j.Done("No host name accepts weaker TLS than the zone.", "no host name has a setting of its own")
		},
		Examples: []check.Example{
			{Name: "as strict as the zone", Want: posture.Pass, Resource: check.GoodZone, Edit: host("1.2")},
			{Name: "1.1", Want: posture.Fail, Resource: "old.shop.example", Edit: host("1.1")},
			{Name: "1.0, settings not readable", Want: posture.Fail, Edit: check.Edits(host("1.0"), denied(snapshot.ZoneSettings))},
			{Name: "weaker than the zone", Want: posture.Warning, Resource: "old.shop.example", Edit: check.Edits(host("1.2"), setting("min_tls_version", "1.3"))},
			{Name: "1.2, settings not readable", Want: posture.Unknown, Edit: check.Edits(host("1.2"), denied(snapshot.ZoneSettings))},
			{Name: "1.3, settings not readable", Want: posture.Pass, Edit: check.Edits(host("1.3"), denied(snapshot.ZoneSettings))},
			{Name: "a value nobody knows", Want: posture.Unknown, Edit: host("2.0")},
			{Name: "no setting", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneHostnameMinTLS, check.GoodZone, []snapshot.HostnameTLS{})
			}},
		},
	}
}

func judgeHostname(v *check.View, j *check.Judgement, h snapshot.HostnameTLS) {
	res := v.InZone(posture.ResourceCertificate, h.Hostname, h.Hostname)
	value := strings.Join(h.Values, ", ")
	seen := check.Seen(snapshot.ZoneHostnameMinTLS, "/"+h.Hostname+"/value", value, "1.2 or 1.3, and no lower than the zone")
	switch {
	case slices.Contains([]string{"1.0", "1.1"}, value):
		j.Fail(res, "The host "+h.Hostname+" accepts TLS "+value+".", seen)
	case value == "1.3":
		j.Pass()
	case value != "1.2":
		j.Unclear(res, "the setting has a value this check does not know: "+value)
	default:
		settings, known := check.Maybe(v, snapshot.ZoneSettings)
		zone, returned := settings.Text("min_tls_version")
		switch {
		case !known:
			j.Unknown(res, "the host accepts TLS 1.2; what the zone accepts is not known")
		case !returned:
			j.Unclear(res, "the provider did not return min_tls_version of the zone")
		case zone == "1.3":
			j.Warn(res, "The host "+h.Hostname+" accepts TLS 1.2 although the zone demands 1.3.", seen)
		default:
			j.Pass()
		}
	}
}

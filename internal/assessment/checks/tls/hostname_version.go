package tls

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hostnameVersion judges exceptions for individual hostnames.
func hostnameVersion() check.Check {
	return check.Check{
		ID: "CFL-SSL-013", Title: "No hostname accepts weaker TLS than the zone",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone, Edge: true,
		Why: "The minimum TLS version of a hostname wins over the setting of the zone. TLS 1.0 and 1.1 rest on ciphers " +
			"and hashes with known attacks.",
		Fix: "Raise the minimum TLS version of the hostname to that of the zone, and to 1.2 at least.",
		Words: posture.Words{
			Problem: "{name} accepts TLS below 1.2",
			Impact:  "Someone on the same network can attack the old version to decrypt or change what an old client sends.",
			Breaks:  "Clients that know no TLS 1.2, such as Android 4.3 and Java 7, can no longer connect.",
			Dashboard: "SSL/TLS › Edge Certificates › Minimum TLS Version shows the zone only; the value of a hostname is changed " +
				"by API.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/hostnames/settings/min_tls_version/{id}",
				From: "/zones/{zone_id}/settings/min_tls_version",
				Body: `{value: (if .result.value == "1.3" then "1.3" else "1.2" end)}`},
			Terraform: hostnameMinimum("1.2")},
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "No hostname falls back to an old protocol."),
			check.Supports("soc2 CC6.7", "Data is encrypted by current means on each hostname."),
			check.Supports("pci 4.2.1", "No exception admits weak protocols at the edge."),
			check.Supports("nist PR.DS-02", "Protection on the wire is the same on all hostnames."),
		},
		Aliases: []string{"union:per-hostname-tls-downgrade"},
		Paths:   []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "DELETE /zones/{zone_id}/hostnames/settings/min_tls_version/{hostname}", Risk: "medium",
			Reversible: true, Body: "none",
			Inverse: "PUT /zones/{zone_id}/hostnames/settings/min_tls_version/{hostname} with the captured value",
			Caution: "Old clients of that host lose access.",
			Propose: proposeNoException},
		Needs:    []snapshot.Named{snapshot.ZoneHostnameMinTLS},
		Optional: append(traffic.ServedNeeds(), snapshot.ZoneSetting("min_tls_version")),
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, h := range check.Read(v, snapshot.ZoneHostnameMinTLS) {
				judgeHostname(v, j, h)
			}
			return j.Done("No host name accepts weaker TLS than the zone.", "no host name has a setting of its own")
		},
	}
}

// hostnameMinimum is the Terraform for the minimum version of one hostname.
func hostnameMinimum(version string) string {
	return `resource "cloudflare_hostname_tls_setting" "min_tls_version" {
  zone_id    = "{zone_id}"
  hostname   = "{id}"
  setting_id = "min_tls_version"
  value      = "` + version + `"
}`
}

func hostnameVersionExamples() []goodtest.Example {
	idle := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneHostnameMinTLS, goodtest.Zone,
				[]snapshot.HostnameTLS{{Hostname: "old.shop.example", Values: []string{value}}})
		}
	}
	host := func(value string) func(*snapshot.Builder) { return goodtest.Edits(answering("old"), idle(value)) }
	records := goodtest.Denied(snapshot.ZoneDNSRecords)
	return []goodtest.Example{
		{Name: "as strict as the zone", Want: posture.Pass, Resource: goodtest.Zone, Edit: host("1.2")},
		{Name: "1.1", Want: posture.Fail, Resource: "old.shop.example", Edit: host("1.1")},
		{Name: "1.0, settings not readable", Want: posture.Fail, Edit: goodtest.Edits(host("1.0"), goodtest.Denied(snapshot.ZoneSettings))},
		{Name: "weaker than the zone", Want: posture.Warning, Resource: "old.shop.example",
			Edit: goodtest.Edits(host("1.2"), goodtest.Setting("min_tls_version", "1.3"))},
		{Name: "1.2, settings not readable", Want: posture.Unknown, Edit: goodtest.Edits(host("1.2"), goodtest.Denied(snapshot.ZoneSettings))},
		{Name: "1.3, settings not readable", Want: posture.Pass, Edit: goodtest.Edits(host("1.3"), goodtest.Denied(snapshot.ZoneSettings))},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: host("2.0")},
		{Name: "1.0 for a name that is not proxied", Want: posture.Pass, Resource: goodtest.Zone, Edit: idle("1.0")},
		{Name: "1.0 for a name below a wildcard", Want: posture.Fail, Resource: "old.shop.example",
			Edit: goodtest.Edits(answering("*"), idle("1.0"))},
		{Name: "1.0 for a name beside a wildcard, with a record that is not proxied", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: goodtest.Edits(answering("*"), direct("old"), idle("1.0"))},
		{Name: "1.0, and the names are not readable", Want: posture.Unknown, Resource: "old.shop.example",
			Edit: goodtest.Edits(idle("1.0"), records)},
		{Name: "1.2 while the zone wants 1.3, and the names are not readable", Want: posture.Unknown, Resource: "old.shop.example",
			Edit: goodtest.Edits(idle("1.2"), goodtest.Setting("min_tls_version", "1.3"), records)},
		{Name: "1.0 in a zone that is not active", Want: posture.NotApplicable, Edit: goodtest.Edits(host("1.0"),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "moved" }))},
		{Name: "no setting", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneHostnameMinTLS, goodtest.Zone, []snapshot.HostnameTLS{})
		}},
	}
}

func judgeHostname(v *check.View, j *check.Judgement, h snapshot.HostnameTLS) {
	res := v.InZone(posture.ResourceCertificate, h.Hostname, h.Hostname)
	// Settings for other names have no effect (developers.cloudflare.com/ssl/reference/certificate-and-hostname-priority/).
	there, doubt := check.Serves(v, v.Zone(), h.Hostname)
	if there == truth.No {
		j.Pass() // the name is not served
		return
	}
	value := strings.Join(h.Values, ", ")
	seen := check.Evidence(snapshot.ZoneHostnameMinTLS, "/"+h.Hostname+"/value", value, "1.2 or 1.3, and no lower than the zone")
	switch {
	case slices.Contains([]string{"1.0", "1.1"}, value) && there == truth.Undecided:
		j.Doubtful(res, *doubt)
	case slices.Contains([]string{"1.0", "1.1"}, value):
		j.Fail(res, "The hostname "+h.Hostname+" accepts TLS "+value+".", seen)
	case value == "1.3":
		j.Pass()
	case value != "1.2":
		j.Unclear(res, "the setting has a value this check does not know: "+value)
	default:
		settings, known := check.ReadOptional(v, snapshot.ZoneSettings)
		zone, returned := settings.Text("min_tls_version")
		switch {
		case !known:
			j.Unknown(res, "the host accepts TLS 1.2; what the zone accepts is not known")
		case !returned:
			j.Unclear(res, "Cloudflare did not return min_tls_version of the zone")
		case zone == "1.3" && there == truth.Undecided:
			j.Doubtful(res, *doubt)
		case zone == "1.3":
			j.Warn(res, "The hostname "+h.Hostname+" accepts TLS 1.2, although the zone requires TLS 1.3.", seen)
			j.As(posture.Words{
				Problem: "{name} accepts older TLS than its zone", Terraform: hostnameMinimum("1.3"),
				Impact: "Someone on the same network can see the certificate in the handshake and use the weaker options of TLS 1.2.",
				Breaks: "Clients that know no TLS 1.3, such as OpenSSL 1.0.2 and apps on Android 9, can no longer connect."})
		default:
			j.Pass()
		}
	}
}

// proposeNoException deletes the exception, so that the zone setting applies. If the zone accepts
// even older versions, its minimum is raised first.
func proposeNoException(c *propose.Case) ([]change.Edit, error) {
	list := c.Path("/zones/{zone_id}/hostnames/settings/min_tls_version")
	host := c.Finding.Resource.ID
	place := change.Place{Path: list, Match: map[string]any{"hostname": host}}
	live, err := c.Locate(place)
	if err != nil || live == nil {
		return nil, err
	}
	zone, err := c.Value("min_tls_version")
	if err != nil {
		return nil, err
	}
	versions := []string{"1.0", "1.1", "1.2", "1.3"}
	floor, _ := zone.(string)
	value := propose.Text(live, "value")
	of, has := slices.Index(versions, floor), slices.Index(versions, value)
	switch {
	case of < 0 || has < 0:
		return nil, propose.Refuse("The lowest TLS version of the zone or of the host is one the service does not know; judge it by hand.")
	case has >= 2 && has >= of:
		return nil, nil
	case of < has:
		return nil, propose.Refuse("The zone accepts TLS %s, which is even weaker than the exception; raise the zone first.", floor)
	}
	item := c.Path("/zones/{zone_id}/hostnames/settings/min_tls_version/{host}", "host", host)
	return []change.Edit{{Place: place, Before: change.Encode(map[string]any{"hostname": host, "value": value}), After: change.Encode(nil),
		Do: change.Call{Method: "DELETE", Path: item}, Undo: &change.Call{Method: "PUT", Path: item,
			Body: change.Encode(map[string]any{"value": value})}}}, nil
}

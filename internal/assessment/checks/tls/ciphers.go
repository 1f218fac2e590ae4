package tls

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ciphers judges the cipher suites of the zone and of individual hostnames. A suite with forward
// secrecy in CBC mode with SHA-2 is neither good nor broken, so it warns.
func ciphers() check.Check {
	return check.Check{
		ID: "CFL-SSL-014", Title: "No legacy cipher suite is allowed",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "RSA key exchange has no forward secrecy, and CBC suites and 3DES have known attacks such as Lucky Thirteen " +
			"and Sweet32. Suites with ECDHE and an AEAD mode avoid both.",
		Fix: "Choose the Modern cipher suites, after a look at which TLS versions your visitors use.",
		Words: posture.Words{
			Problem: "{zone} accepts legacy cipher suites",
			Impact: "Someone who recorded the traffic of an old client can decrypt it with a private key stolen later, or attack " +
				"the weak cipher itself.",
			Breaks: "Clients that know no ECDHE suite with an AEAD mode, such as Android 4.3 and Java 7, can no longer connect.",
			Dashboard: "SSL/TLS › Edge Certificates › Cipher suites › Configure › By security level: Modern. This needs Advanced " +
				"Certificate Manager.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/settings/ciphers",
				Body: `{"value": ` + modernSuites + `}`},
			Terraform: `resource "cloudflare_zone_setting" "ciphers" {
  zone_id    = "{zone_id}"
  setting_id = "ciphers"
  value      = ` + modernSuites + `
}`},
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "Cipher suites that are out of date are refused."),
			check.Supports("soc2 CC6.7", "Data is encrypted by ciphers that hold."),
			check.Supports("pci 4.2.1", "Weak ciphers are refused at the edge; the leg to the origin is another check."),
			check.Supports("nist PR.DS-02", "Data on the wire is protected by strong ciphers."),
		},
		Needs: []snapshot.Named{snapshot.ZoneSetting("ciphers"), snapshot.ZoneSetting("min_tls_version"), snapshot.ZoneHostnameCiphers,
			snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: append(traffic.ServedNeeds(), snapshot.ZoneHostnameMinTLS),
		Evaluate: evaluateCiphers,
	}
}

func ciphersExamples() []goodtest.Example {
	idle := func(suites ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneHostnameCiphers, goodtest.Zone, []snapshot.HostnameTLS{{Hostname: "old.shop.example", Values: suites}})
		}
	}
	host := func(suites ...string) func(*snapshot.Builder) {
		return goodtest.Edits(answering("old"), idle(suites...))
	}
	floor := func(host, version string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneHostnameMinTLS, goodtest.Zone, []snapshot.HostnameTLS{{Hostname: host, Values: []string{version}}})
		}
	}
	list := func(suites ...string) func(*snapshot.Builder) { return goodtest.Setting("ciphers", suites) }
	return []goodtest.Example{
		{Name: "modern suites", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "3DES", Want: posture.Fail, Resource: goodtest.Zone, Edit: list("ECDHE-ECDSA-AES128-GCM-SHA256", "DES-CBC3-SHA")},
		{Name: "CBC with SHA-1", Want: posture.Fail, Edit: list("ECDHE-RSA-AES128-SHA")},
		{Name: "RSA key exchange", Want: posture.Fail, Edit: list("AES128-GCM-SHA256")},
		{Name: "RC4", Want: posture.Fail, Edit: list("ECDHE-RSA-RC4-SHA")},
		{Name: "a host name accepts an old one", Want: posture.Fail, Edit: host("AES128-SHA")},
		{Name: "CBC with SHA-2", Want: posture.Warning, Edit: list("ECDHE-RSA-AES128-SHA256")},
		{Name: "Cloudflare's list below TLS 1.3", Want: posture.Warning, Resource: goodtest.Zone, Edit: list()},
		{Name: "Cloudflare's list with TLS 1.3", Want: posture.Pass, Edit: goodtest.Edits(list(), goodtest.Setting("min_tls_version", "1.3"))},
		{Name: "an old one with TLS 1.3", Want: posture.Pass,
			Edit: goodtest.Edits(list("AES128-SHA"), goodtest.Setting("min_tls_version", "1.3"))},
		{Name: "an old one with TLS 1.3, and a host that accepts 1.2", Want: posture.Fail,
			Edit: goodtest.Edits(list("AES128-SHA"), goodtest.Setting("min_tls_version", "1.3"), floor("old.shop.example", "1.2"),
				answering("old"))},
		{Name: "an old one with TLS 1.3, and a name that is not proxied accepts 1.2", Want: posture.Pass,
			Edit: goodtest.Edits(list("AES128-SHA"), goodtest.Setting("min_tls_version", "1.3"), floor("old.shop.example", "1.2"))},
		{Name: "a name that is not proxied accepts an old one", Want: posture.Pass, Resource: goodtest.Zone, Edit: idle("AES128-SHA")},
		{Name: "a name beside a wildcard, with a record that is not proxied, accepts an old one", Want: posture.Pass,
			Edit: goodtest.Edits(answering("*"), direct("old"), idle("AES128-SHA"))},
		{Name: "a name below a wildcard accepts an old one", Want: posture.Fail, Edit: goodtest.Edits(answering("*"), idle("AES128-SHA"))},
		{Name: "a host name accepts an old one, and has TLS 1.3", Want: posture.Pass,
			Edit: goodtest.Edits(host("AES128-SHA"), floor("old.shop.example", "1.3"))},
		{Name: "a host name without a suite", Want: posture.Unknown, Edit: host()},
		{Name: "a host name without a suite, and the zone accepts 3DES", Want: posture.Fail, Edit: goodtest.Edits(host(), list("DES-CBC3-SHA"))},
		{Name: "a host name without a suite, and neither has the zone", Want: posture.Warning, Edit: goodtest.Edits(host(), list())},
		{Name: "a name without a suite that is not proxied", Want: posture.Pass, Edit: idle()},
		{Name: "Cloudflare's list with TLS 1.3, and a host with TLS 1.2 and a modern list", Want: posture.Pass,
			Edit: goodtest.Edits(list(), goodtest.Setting("min_tls_version", "1.3"), host("ECDHE-RSA-AES128-GCM-SHA256"),
				floor("old.shop.example", "1.2"))},
		{Name: "Cloudflare's list with TLS 1.3, and a host with TLS 1.2", Want: posture.Warning,
			Edit: goodtest.Edits(list(), goodtest.Setting("min_tls_version", "1.3"), answering("old"), floor("old.shop.example", "1.2"))},
		{Name: "an old one with TLS 1.3, and nobody may see the versions of hosts", Want: posture.Unknown,
			Edit: goodtest.Edits(list("AES128-SHA"), goodtest.Setting("min_tls_version", "1.3"), goodtest.Denied(snapshot.ZoneHostnameMinTLS))},
		{Name: "a host name accepts an old one, and nobody may see its version", Want: posture.Unknown,
			Edit: goodtest.Edits(host("AES128-SHA"), goodtest.Denied(snapshot.ZoneHostnameMinTLS))},
		{Name: "modern suites, and nobody may see the versions of hosts", Want: posture.Pass, Edit: goodtest.Denied(snapshot.ZoneHostnameMinTLS)},
		{Name: "a custom hostname accepts an old one", Want: posture.Fail, Resource: goodtest.Zone, Edit: customer("", false, "AES128-SHA")},
		{Name: "a custom hostname accepts CBC with SHA-2", Want: posture.Warning, Edit: customer("", false, "ECDHE-RSA-AES128-SHA256")},
		{Name: "a custom hostname with modern suites", Want: posture.Pass, Edit: customer("1.2", false, "ECDHE-RSA-AES128-GCM-SHA256")},
		{Name: "a custom hostname accepts an old one, and has TLS 1.3", Want: posture.Pass, Edit: customer("1.3", false, "AES128-SHA")},
		{Name: "a wildcard of a customer accepts an old one, and has TLS 1.3", Want: posture.Fail, Edit: customer("1.3", true, "AES128-SHA")},
		{Name: "a custom hostname without suites of its own", Want: posture.Pass, Edit: customer("", false)},
		{Name: "nobody may see the custom hostnames", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZoneCustomHostnames)},
		{Name: "nobody may see the custom hostnames, and the zone accepts 3DES", Want: posture.Fail,
			Edit: goodtest.Edits(list("DES-CBC3-SHA"), goodtest.Denied(snapshot.ZoneCustomHostnames))},
		{Name: "not returned", Want: posture.Unknown, Edit: goodtest.MissingSetting("ciphers")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(list("DES-CBC3-SHA"), goodtest.NotProxied())},
	}
}

// modernSuites is Cloudflare's modern security level
// (developers.cloudflare.com/ssl/edge-certificates/additional-options/cipher-suites/recommendations/).
const modernSuites = `["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256", ` +
	`"ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"]`

// strength is that of a cipher suite, by Cloudflare's OpenSSL names.
type strength int

const (
	modern strength = iota
	dated
	broken
)

func strengthOf(suite string) strength {
	s := strings.ToUpper(suite)
	aead := strings.Contains(s, "GCM") || strings.Contains(s, "CHACHA20") || strings.Contains(s, "CCM")
	switch {
	case strings.Contains(s, "RC4"), strings.Contains(s, "3DES"), strings.Contains(s, "DES-CBC"), !strings.HasPrefix(s, "ECDHE-") &&
		!strings.HasPrefix(s, "AEAD-") && !strings.HasPrefix(s, "TLS_"):
		return broken
	case aead:
		return modern
	case strings.HasSuffix(s, "-SHA"):
		return broken
	default:
		return dated
	}
}

func allModern(suites []string) bool {
	return !slices.ContainsFunc(suites, func(s string) bool { return strengthOf(s) != modern })
}

func evaluateCiphers(v *check.View) check.Outcome {
	settings := check.Read(v, snapshot.ZoneSettings)
	suites, ok := settings.List("ciphers")
	version, returned := settings.Text("min_tls_version")
	floors, known := check.ReadOptional(v, snapshot.ZoneHostnameMinTLS)
	ofHosts := check.Read(v, snapshot.ZoneHostnameCiphers)
	lists := slices.Clone(ofHosts)
	if version != "1.3" {
		lists = append(lists, snapshot.HostnameTLS{Hostname: v.Zone().Name, Values: suites})
	}
	lists = inheriting(lists, floors, suites)
	lists = slices.DeleteFunc(lists, func(l snapshot.HostnameTLS) bool {
		there, _ := check.Serves(v, v.Zone(), l.Hostname)
		return l.Hostname != v.Zone().Name && there == truth.No // the name is not served
	})
	own := func(host string) bool {
		return slices.ContainsFunc(ofHosts, func(h snapshot.HostnameTLS) bool { return h.Hostname == host })
	}
	// A minimum version that was not read may rule out old suites of a host, or let them in.
	unread := !known && (version == "1.3" && (len(suites) == 0 || !allModern(suites)) ||
		slices.ContainsFunc(lists, func(l snapshot.HostnameTLS) bool { return own(l.Hostname) && !allModern(l.Values) }))
	// Suites of older versions are irrelevant where TLS 1.3 is the minimum.
	lists = slices.DeleteFunc(lists, func(l snapshot.HostnameTLS) bool { return floorOf(floors, l.Hostname, version) == "1.3" })
	custom, shown := check.ReadOptional(v, snapshot.ZoneCustomHostnames)
	for _, worst := range []strength{broken, dated} {
		if out := customSuites(v, custom, version, worst); out != nil {
			return *out
		}
		for _, l := range lists {
			i := slices.IndexFunc(l.Values, func(s string) bool { return strengthOf(s) == worst })
			if i < 0 || !known && own(l.Hostname) {
				continue
			}
			seen := check.Evidence(snapshot.ZoneSettings, "/ciphers", l.Hostname+": "+l.Values[i], "ECDHE with an AEAD mode only")
			words := posture.Words{}
			if own(l.Hostname) {
				words = hostnameSuites(l.Hostname)
			}
			if worst == broken {
				return v.Fail(l.Hostname+" accepts the legacy cipher suite "+l.Values[i]+".", seen).As(words)
			}
			return v.Warn(l.Hostname+" accepts the cipher suite "+l.Values[i]+", which uses CBC mode.", seen).As(words.Or(posture.Words{
				Problem: "{zone} accepts cipher suites in CBC mode"}))
		}
	}
	bare := slices.IndexFunc(lists, func(l snapshot.HostnameTLS) bool { return len(l.Values) == 0 })
	switch {
	case !ok:
		return v.Unknown("Cloudflare did not return the setting ciphers")
	case !shown:
		return v.Unknown("whether custom hostnames have cipher suites of their own is not known")
	case unread:
		return v.Unknown("whether a hostname accepts TLS below 1.3, where its cipher suites matter, is not known")
	case len(suites) > 0 && bare >= 0: // perhaps the list of the zone applies, perhaps that of Cloudflare
		return v.Unknown("Cloudflare returned no cipher suite of the hostname " + lists[bare].Hostname + ", which has a setting of its own")
	case len(suites) > 0:
		return v.Pass("Only modern cipher suites are accepted.")
	case !returned:
		return v.Unknown("Cloudflare did not return the setting min_tls_version")
	case version == "1.3" && bare >= 0:
		host := lists[bare].Hostname
		return v.Warn(host+" accepts TLS below 1.3 with the default list of Cloudflare, which contains legacy cipher suites.",
			check.Evidence(snapshot.ZoneSettings, "/ciphers", "empty, with "+host+" below TLS 1.3", "a list of modern suites, or TLS 1.3 only")).
			As(hostnameSuites(host))
	case version == "1.3":
		return v.Pass("Only TLS 1.3 is accepted, whose suites are all modern.")
	}
	return v.Warn("No cipher suites are chosen for "+v.Zone().Name+", so the default list of Cloudflare applies, which contains legacy ones.",
		check.Evidence(snapshot.ZoneSettings, "/ciphers", "empty, with TLS "+version, "a list of modern suites, or TLS 1.3 only"))
}

// inheriting adds the hosts with a minimum version of their own and the suites of the zone.
func inheriting(lists, floors []snapshot.HostnameTLS, suites []string) []snapshot.HostnameTLS {
	for _, h := range floors {
		if !slices.ContainsFunc(lists, func(l snapshot.HostnameTLS) bool { return exposure.Same(l.Hostname, h.Hostname) }) {
			lists = append(lists, snapshot.HostnameTLS{Hostname: h.Hostname, Values: suites})
		}
	}
	return lists
}

// customSuites judges the suites that customers' hostnames have of their own, where TLS 1.3 is not the
// minimum. Names below a wildcard have the minimum of the zone.
func customSuites(v *check.View, all []snapshot.CustomHostname, version string, worst strength) *check.Outcome {
	for _, h := range all {
		floor := cmp.Or(h.MinTLS, version)
		if h.Wildcard {
			floor = version
		}
		i := slices.IndexFunc(h.Ciphers, func(s string) bool { return strengthOf(s) == worst })
		if i < 0 || h.Gone() || floor == "1.3" {
			continue
		}
		seen := check.Evidence(snapshot.ZoneCustomHostnames, "/"+h.ID+"/ciphers", h.Hostname+": "+h.Ciphers[i], "ECDHE with an AEAD mode only")
		words := posture.Words{Problem: "A custom hostname of {zone} accepts legacy cipher suites", ByHand: true,
			Dashboard: "SSL/TLS › Custom Hostnames does not show the suites; they are changed by API.",
			Call:      check.HostnameSettings(url.PathEscape(h.ID), `{ciphers: `+modernSuites+`}`)}
		out := v.Warn("The custom hostname "+h.Hostname+" accepts the cipher suite "+h.Ciphers[i]+", which uses CBC mode.", seen)
		if worst == broken {
			out = v.Fail("The custom hostname "+h.Hostname+" accepts the legacy cipher suite "+h.Ciphers[i]+".", seen)
		}
		out = out.As(words)
		return &out
	}
	return nil
}

// hostnameSuites returns the words for a hostname with its own cipher suites, which override those
// of the zone.
func hostnameSuites(host string) posture.Words {
	return posture.Words{Problem: "A hostname of {zone} accepts legacy cipher suites", ByHand: true,
		Dashboard: "SSL/TLS › Edge Certificates › Cipher suites shows the zone only; the suites of a hostname are changed by API.",
		Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/hostnames/settings/ciphers/" + url.PathEscape(host),
			Body: `{"value": ` + modernSuites + `}`}}
}

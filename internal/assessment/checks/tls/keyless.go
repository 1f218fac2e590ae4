package tls

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// keyless judges the servers with private keys that Cloudflare does not hold.
func keyless() check.Check {
	return check.Check{
		ID: "CFL-SSL-021", Title: "Keyless servers are on and reached through a tunnel",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceCertificate, Scope: check.PerZone,
		Plans: []string{"enterprise"},
		Why: "With Keyless SSL each new connection needs an answer of the key server. One that is off lets connections fail, and one on " +
			"a public address can be attacked by anyone.",
		Fix: "Turn the key server on, and let Cloudflare reach it through Cloudflare Tunnel instead of a public address.",
		Words: posture.Words{
			Problem:   "The keyless server of {name} is off",
			Impact:    "Browsers, apps and API clients cannot open new connections to these hosts.",
			Breaks:    "Nothing for visitors; connections that failed work again.",
			Dashboard: "SSL/TLS › Edge Certificates › the certificate › Keyless SSL › Edit: turn it on, and choose a tunnel.",
		},
		References: []string{"https://developers.cloudflare.com/ssl/keyless-ssl/configuration/"},
		Controls: check.Controls{
			check.Touches("cis 3.10", "Without its key a certificate encrypts nothing."),
			check.Supports("soc2 A1.1", "The key server is there for new connections."),
			check.Supports("pci 1.4.5", "The address of the key server is not on the internet."),
			check.Supports("nist PR.IR-01", "The server with the private keys is not reached by strangers."),
		},
		Needs: []snapshot.Named{snapshot.ZoneCustomCertificates},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, c := range check.Read(v, snapshot.ZoneCustomCertificates) {
				k, hosts := c.Keyless, strings.Join(c.Hosts, ", ")
				if k == nil || c.Status == "deleted" || c.Status == "expired" {
					continue // expired certificates are judged by CFL-SSL-010
				}
				res := v.InZone(posture.ResourceCertificate, c.ID, hosts)
				seen := func(member, observed, expected string) posture.Evidence {
					return check.Evidence(snapshot.ZoneCustomCertificates, "/"+c.ID+"/keyless_server/"+member, observed, expected)
				}
				switch {
				case k.Enabled != nil && !*k.Enabled || k.Status == "deleted":
					j.Fail(res, "The keyless server of the certificate for "+hosts+" is off or deleted.", seen("enabled", "off", "on"))
				case k.Enabled == nil || k.Status != "active":
					j.Unclear(res, "Cloudflare did not say whether the keyless server is on")
				case !k.Tunneled:
					j.Warn(res, "Cloudflare reaches the keyless server of the certificate for "+hosts+" at a public address.",
						seen("tunneled", "a public address", "a tunnel"))
					j.As(posture.Words{Problem: "The keyless server of {name} is on the internet",
						Impact: "Anyone can connect to the server that holds the private keys, and looks for holes in it.",
						Breaks: "New connections fail while the tunnel is down."})
				default:
					j.Pass()
				}
			}
			return j.Done("Every keyless server is on and reached through a tunnel.", "the zone has no keyless certificate")
		},
	}
}

func keylessExamples() []goodtest.Example {
	on, off := true, false
	with := func(status string, k *snapshot.Keyless) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone, []snapshot.CustomCertificate{{ID: "kc1",
				Hosts: []string{goodtest.Domain}, Status: status, ExpiresOn: goodtest.InDays(200), Keyless: k}})
		}
	}
	server := func(enabled *bool, status string, tunneled bool) func(*snapshot.Builder) {
		return with("active", &snapshot.Keyless{ID: "k1", Enabled: enabled, Status: status, Tunneled: tunneled})
	}
	return []goodtest.Example{
		{Name: "on, through a tunnel", Want: posture.Pass, Resource: goodtest.Zone, Edit: server(&on, "active", true)},
		{Name: "off", Want: posture.Fail, Resource: "kc1", Edit: server(&off, "active", true)},
		{Name: "deleted", Want: posture.Fail, Resource: "kc1", Edit: server(&on, "deleted", true)},
		{Name: "a public address", Want: posture.Warning, Resource: "kc1", Edit: server(&on, "active", false)},
		{Name: "whether it is on is not told", Want: posture.Unknown, Edit: server(nil, "active", true)},
		{Name: "a status nobody knows", Want: posture.Unknown, Edit: server(&on, "resting", true)},
		{Name: "the certificate was deleted", Want: posture.NotApplicable, Edit: with("deleted", &snapshot.Keyless{ID: "k1", Enabled: &off})},
		{Name: "a certificate with its key", Want: posture.NotApplicable, Edit: with("active", nil)},
		{Name: "a smaller plan", Want: posture.NotApplicable, Edit: goodtest.Edits(server(&off, "active", true), goodtest.Plan("business"))},
	}
}

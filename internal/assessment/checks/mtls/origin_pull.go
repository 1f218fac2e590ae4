package mtls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originPull judges whether origins can distinguish this account's edge traffic from anyone else's.
func originPull() check.Check {
	return check.Check{
		ID: "CFL-MTLS-004", Title: "The origin can tell the edge from strangers",
		Category: "mtls", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Authenticated Origin Pulls lets the origin see that a request comes from your zone at Cloudflare and not " +
			"from somewhere else.",
		Fix: "Upload a certificate of your own, turn Authenticated Origin Pulls on, then demand the certificate at the " +
			"server.",
		Words: posture.Words{
			Problem: "Origins of {zone} cannot tell Cloudflare from strangers",
			Impact: "Someone who knows the origin's address can reach it around the WAF, directly or from an account of their " +
				"own.",
			Breaks:    "Nothing until the server demands the certificate; then every direct client is refused.",
			Dashboard: "SSL/TLS › Origin Server › Authenticated Origin Pulls: upload a certificate and turn it on for the zone.",
		},
		References: []string{"https://developers.cloudflare.com/ssl/origin-configuration/authenticated-origin-pull/",
			"https://developers.cloudflare.com/ssl/origin-configuration/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "The server can refuse whoever did not come through the edge."),
			check.Supports("soc2 CC6.6", "Going around the boundary leads nowhere."),
			check.Supports("pci 1.4.2", "The origin accepts traffic of the approved component only."),
			check.Supports("nist PR.IR-01", "The origin tells the edge from strangers and can refuse them."),
		},
		Aliases: []string{"union:authenticated-origin-pulls", "grclanker:spec-aop"},
		Paths:   []string{"exposed-origin"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/origin_tls_client_auth/settings", Risk: "medium", Reversible: true,
			Body: `{"enabled": true}`, Inverse: `PUT {"enabled": false}`,
			Caution: "Nothing breaks as long as the server does not demand a certificate; that is set at the server by hand. It has " +
				"no effect while the encryption mode is Off or Flexible.",
			Propose: proposePull},
		Needs: []snapshot.Named{snapshot.ZoneAOPSettings, snapshot.ZoneSetting("tls_client_auth"), snapshot.ZoneAOPCertificates,
			snapshot.ZoneAOPHostCertificates, snapshot.ZoneSetting("ssl"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.OriginTLS().Needs,
		Evaluate: evaluateOriginPull,
	}
}

func evaluateOriginPull(v *check.View) check.Outcome {
	hosts, doubt := check.Hosts(v, v.Zone())
	switch servers := slices.ContainsFunc(hosts, func(h traffic.Host) bool { return h.Kind.HasOrigin() }); {
	case !servers && doubt != nil:
		return v.Doubtful(*doubt)
	case !servers:
		return v.NotApplicable("no name leads to a server: they are tunnels, services of Cloudflare or placeholders")
	}
	on, name := check.Read(v, snapshot.ZoneAOPSettings).Enabled, v.Zone().Name
	auth, _ := check.Read(v, snapshot.ZoneSettings).Text("tls_client_auth")
	own := slices.ContainsFunc(check.Read(v, snapshot.ZoneAOPCertificates), snapshot.OriginPullCert.Active)
	single := slices.ContainsFunc(check.Read(v, snapshot.ZoneAOPHostCertificates), snapshot.OriginPullCert.Active)
	seen := check.Evidence(snapshot.ZoneAOPSettings, "/enabled", "not with an own certificate for the whole zone",
		"true, with an active own certificate")
	if on == nil {
		return v.Unknown("Cloudflare did not return whether origin pulls are authenticated")
	}
	if *on || single || auth == "on" {
		if out := unencrypted(v); out != nil {
			return *out
		}
	}
	switch {
	case *on && own:
		return v.Pass("The edge shows an own certificate to every origin.")
	case *on:
		return v.Warn("Origins of "+name+" see the certificate that Cloudflare shows to the origins of every customer.", seen).As(sharedWords())
	case single:
		return v.Warn("Only single hosts of "+name+" have a certificate that the edge shows to their origin.", seen).
			As(posture.Words{Problem: "Only some origins of {zone} can tell Cloudflare from strangers"})
	case auth == "off":
		return v.Fail("Origins of "+name+" cannot tell the edge from strangers.", seen, check.Evidence(snapshot.ZoneSettings, "/tls_client_auth",
			auth, "on"))
	case auth == "on":
		return v.Warn("Origins of "+name+" see the certificate that Cloudflare shows to the origins of every customer.", seen).As(sharedWords())
	}
	return v.Unknown("Cloudflare did not return whether origin pulls are authenticated by the setting tls_client_auth")
}

func originPullExamples() []goodtest.Example {
	auth := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) {
				if *s = s.With("tls_client_auth", value); value == "" {
					*s = s.Without("tls_client_auth")
				}
			})
		}
	}
	nothing := goodtest.Edits(auth("off"), pull(false, nil, nil))
	ownNothing := goodtest.Edits(nothing, goodtest.OwnHosts)
	tunnel := goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) {
		r.Type, r.Content = "CNAME", goodtest.Tunnel+
			".cfargotunnel.com"
	})
	return []goodtest.Example{
		{Name: "an own certificate", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "an own certificate, the old setting is off", Want: posture.Pass, Edit: auth("off")},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Zone, Edit: nothing},
		{Name: "an own certificate, and the edge speaks no TLS", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Setting("ssl", "flexible")},
		{Name: "the shared certificate, and no encryption", Want: posture.Fail, Edit: goodtest.Edits(pull(true, nil, nil),
			goodtest.Setting("ssl", "off"))},
		{Name: "an own certificate, and the edge checks no certificate", Want: posture.Pass, Edit: goodtest.Setting("ssl", "full")},
		{Name: "an own certificate, and a rule takes TLS from a path", Want: posture.Warning, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseConfig, goodtest.Zone, snapshot.Ruleset{ID: "c", Rules: []snapshot.Rule{
				goodtest.ConfigRule("c1", `starts_with(http.request.uri.path, "/old")`, snapshot.ConfigParams{SSL: "flexible"})}})
		}},
		{Name: "an own certificate, and rules that set the mode are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePhaseConfig.Source(), snapshot.Denied, "Config Rules Read", "")
		}},
		{Name: "a certificate of a host that is not active", Want: posture.Fail, Edit: goodtest.Edits(auth("off"),
			pull(false, nil, []snapshot.OriginPullCert{{ID: "op1", Status: "pending_deployment"}}))},
		{Name: "the shared certificate", Want: posture.Warning, Resource: goodtest.Zone, Edit: pull(true, nil, nil)},
		{Name: "an own certificate that is not active", Want: posture.Warning,
			Edit: pull(true, []snapshot.OriginPullCert{{ID: "op1", Status: "pending_deployment"}}, nil)},
		{Name: "the shared certificate by the old setting", Want: posture.Warning, Edit: goodtest.Edits(auth("on"), pull(false, nil, nil))},
		{Name: "single hosts", Want: posture.Warning, Edit: goodtest.Edits(auth("off"), pull(false, nil, active(300)))},
		{Name: "the old setting is not returned", Want: posture.Unknown, Edit: goodtest.Edits(auth(""), pull(false, nil, nil))},
		{Name: "not returned", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneAOPSettings, goodtest.Zone, snapshot.OriginPull{})
		}},
		{Name: "every origin is a tunnel", Want: posture.NotApplicable, Edit: goodtest.Edits(ownNothing, tunnel)},
		{Name: "every origin is a Worker", Want: posture.NotApplicable,
			Edit: goodtest.Edits(ownNothing, goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) {
				r.Type, r.Content = "AAAA",
					"100::"
			}))},
		{Name: "one origin is a server", Want: posture.Fail, Edit: goodtest.Edits(ownNothing, tunnel,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "s1", Name: "old." + goodtest.Domain, Type: "CNAME", Content: "web.hosting.example",
				Proxied: true}))},
		{Name: "only a load balancer leads to servers", Want: posture.Fail, Edit: goodtest.Edits(nothing, goodtest.OnlyBalancer)},
		{Name: "every origin is a tunnel, and load balancers could not be read", Want: posture.Unknown,
			Edit: goodtest.Edits(ownNothing, tunnel, func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneLoadBalancers.Source(), snapshot.Denied, "Zone: Load Balancers Read", "Cloudflare refused it")
			})},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(nothing, goodtest.NotProxied())},
		{Name: "not active", Want: posture.NotApplicable,
			Edit: goodtest.Edits(nothing, goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

// unencrypted judges certificates that the edge has and shows to no origin, or not to every one,
// because it connects without TLS; nil when the mode is not in the way.
func unencrypted(v *check.View) *check.Outcome {
	plain := func(mode string) bool { return mode == "off" || mode == "flexible" }
	lanes := check.Lanes(v, traffic.OriginTLS(), v.Zone())
	clear := check.LanesWith(lanes, plain)
	seen, words := check.LaneEvidence(clear, "strict or origin_pull"), posture.Words{ByHand: true,
		Problem:   "Cloudflare connects to origins of {zone} without TLS and shows no certificate",
		Breaks:    "Visitors get error 526 from hosts whose origin has no valid certificate.",
		Dashboard: "SSL/TLS › Overview › Configure › Custom SSL/TLS › Full (strict)."}
	var out check.Outcome
	switch doubt := check.DoubtOf(lanes, plain); {
	case len(clear) > 0 && len(clear) == traffic.Listed(lanes):
		out = v.Fail("The edge connects to the origins of "+v.Zone().Name+" without TLS, so it shows them no certificate.", seen...).As(words)
	case len(clear) > 0:
		out = v.Warn("The edge connects to some origins of "+v.Zone().Name+" without TLS, so it shows them no certificate.", seen...).As(words)
	case doubt != nil:
		out = v.Doubtful(*doubt)
	default:
		return nil
	}
	return &out
}

// sharedWords returns the words for the certificate that all Cloudflare customers share.
func sharedWords() posture.Words {
	return posture.Words{Problem: "Origins of {zone} trust every customer of Cloudflare",
		Impact: "Someone can put a zone of their own in front of the origin and reach it around your WAF and Access."}
}

package mtls

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// demanded judges whether hosts that request a client certificate reject visitors without one. A
// rule counts only if it blocks every such request to the host: one that guards some paths leaves
// the rest open. Exceptions made by skip rules are judged by CFL-WAF-010.
func demanded() check.Check {
	return check.Check{
		ID: "CFL-MTLS-003", Title: "Client certificates are demanded where they were issued",
		Category: "mtls", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Issuing client certificates protects nothing until a rule blocks requests that do not show one.",
		Fix: "Add a custom rule that blocks requests without a verified certificate on the hosts that ask for one.",
		Words: posture.Words{
			Problem:   "Client certificates are not enforced on {zone}",
			Impact:    "Anyone can call the API without a certificate, although every client has one.",
			Breaks:    "Clients without a valid certificate are refused.",
			Dashboard: "SSL/TLS › Client Certificates › Create mTLS rule: choose the hosts, action Block.",
		},
		References: []string{docsMutual, "https://developers.cloudflare.com/api/resources/rulesets/subresources/rules"},
		Controls: check.Controls{
			check.Supports("cis 6.4", "A client certificate is demanded besides whatever the application asks."),
			check.Supports("soc2 CC6.1", "Only clients with an issued certificate reach the protected hosts."),
			check.Supports("pci 8.3.1", "A certificate is a factor that the edge checks before the application."),
			check.Supports("nist PR.AA-03", "Clients authenticate by certificate."),
		},
		Aliases: []string{"union:mtls-on-api-hosts"},
		Needs: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZoneClientCertificates, snapshot.ZoneMTLSHostnames,
			snapshot.ZonePhaseCustom},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateDemanded,
	}
}

// guard is how the rules for a host treat visitors without a valid certificate.
type guard struct {
	blocked, challenged, revoked truth.Value

	unread *traffic.Doubt // a failed read on which the answers may depend
}

// guardOf follows requests to a host through the custom rules, without a certificate and with a
// revoked one.
func guardOf(v *check.View, host string) guard {
	var g guard
	usual := func(condition string) []traffic.Lane[traffic.Flow] {
		lanes := check.Lanes(v, traffic.Firewall(traffic.CustomRules).Of(host, condition), v.Zone())
		g.unread = cmp.Or(g.unread, traffic.Unread(lanes))
		// Exceptions are judged by CFL-WAF-010.
		if usual := traffic.Without(lanes, func(f traffic.Flow) bool {
			return slices.ContainsFunc(f.Acts, func(a traffic.Act) bool {
				return a.Rule.Action == "skip" && (a.Rule.Params.Ruleset == "current" || a.Rule.Params.RestOfPhase())
			})
		}); len(usual) > 0 {
			return usual
		}
		return lanes
	}
	challenged := func(f traffic.Flow) truth.Value {
		return truth.Or(f.Blocks(), f.Guards(func(a traffic.Act) truth.Value {
			return truth.Is(traffic.Challenges(a.Rule.Action))
		}))
	}
	without := usual("not cf.tls_client_auth.cert_verified and not cf.tls_client_auth.cert_revoked")
	g.blocked, g.challenged = traffic.Cover(without, traffic.Flow.Blocks).All, traffic.Cover(without, challenged).All
	g.revoked = traffic.Cover(usual("cf.tls_client_auth.cert_verified and cf.tls_client_auth.cert_revoked"), traffic.Flow.Blocks).All
	return g
}

// served drops the hosts that the edge does not serve, which refuse nobody and ask nobody. Of unclear ones that is not
// known, for the reason of unread.
func served(v *check.View, hosts []string) (out, unclear []string, unread *traffic.Doubt) {
	for _, h := range hosts {
		there, doubt := truth.Yes, (*traffic.Doubt)(nil)
		if !strings.HasPrefix(h, "*.") {
			there, doubt = check.Serves(v, v.Zone(), h)
		}
		switch there {
		case truth.Yes:
			out = append(out, h)
		case truth.Undecided:
			unclear, unread = append(unclear, h), doubt
		}
	}
	return out, unclear, unread
}

func evaluateDemanded(v *check.View) check.Outcome {
	hosts, name := check.Read(v, snapshot.ZoneMTLSHostnames).Hostnames, v.Zone().Name
	clients := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.ZoneClientCertificates)),
		func(c snapshot.ClientCertificate) bool { return c.Status != "active" })
	if reason := check.Idle(v.Zone()); reason != "" {
		return v.NotApplicable(reason)
	}
	hosts, unclear, unread := served(v, hosts)
	if len(hosts) == 0 && len(unclear) == 0 && len(clients) == 0 {
		return v.NotApplicable("the zone has no active client certificate, and asks for one at no host that it serves")
	}
	var open, soft, stale []string
	for _, h := range hosts {
		g := guardOf(v, h)
		switch {
		case truth.Or(g.blocked, g.challenged) == truth.No:
			open = append(open, h)
		case g.blocked == truth.No && g.challenged == truth.Yes:
			soft = append(soft, h)
		case g.blocked == truth.Yes && g.revoked == truth.No:
			stale = append(stale, h)
		case g.blocked != truth.Yes || g.revoked != truth.Yes:
			unclear = append(unclear, h)
			if g.unread != nil {
				unread = g.unread
			}
		}
	}
	seen := check.Evidence(snapshot.ZonePhaseCustom, "/rules",
		"no rule that blocks requests to the host without a verified, unrevoked certificate", "one for each associated host")
	if len(open) > 0 {
		return v.Fail("Hosts of "+name+" ask for a client certificate and refuse nobody without one: "+strings.Join(open, ", ")+".", seen)
	}
	var doubts check.Found
	if len(soft) > 0 {
		doubts.Add("requests without a client certificate are only challenged at "+strings.Join(soft, ", "), seen)
	}
	if len(stale) > 0 {
		doubts.Add("revoked client certificates are taken at "+strings.Join(stale, ", "), seen)
	}
	if len(hosts) == 0 && len(unclear) == 0 {
		doubts.Add("client certificates were issued and no host of the zone asks for them", check.Evidence(snapshot.ZoneMTLSHostnames,
			"/hostnames", "none", "at least one"))
	}
	limit := v.Now().AddDate(0, 0, v.Policy.ClientCertDays)
	for _, c := range clients {
		if !c.ExpiresOn.IsZero() && c.ExpiresOn.Before(limit) {
			day := check.Day(c.ExpiresOn)
			doubts.Add("the client certificate "+c.ID+" ends on "+day, check.Evidence(snapshot.ZoneClientCertificates, "/"+c.ID+"/expires_on", day,
				check.Day(limit)+" or later"))
		}
	}
	switch {
	case len(unclear) > 0 && unread != nil: // they may be worse
		return v.Doubtful(*unread)
	case len(doubts.Names) > 0:
		return v.Warn("On "+name+" "+strings.Join(doubts.Names, "; ")+".", doubts.Rows...)
	case len(unclear) > 0:
		return v.Unknown("the rules for these hosts read something whose meaning this check does not know: " + strings.Join(unclear, ", "))
	}
	return v.Pass("Every host that asks for a client certificate blocks requests without a valid one.")
}

func demandedExamples() []goodtest.Example {
	rules := func(all ...snapshot.Rule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "r", Kind: "zone", Rules: all})
		}
	}
	rule := func(action, text string) func(*snapshot.Builder) {
		return rules(snapshot.Rule{ID: "m1", Enabled: true, Action: action, Expression: text})
	}
	hosts := func(all ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneMTLSHostnames, goodtest.Zone, snapshot.MTLSHostnames{Hostnames: all})
		}
	}
	clients := func(status string, days int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneClientCertificates, goodtest.Zone,
				[]snapshot.ClientCertificate{{ID: "cc1", Status: status, ExpiresOn: goodtest.InDays(days)}})
		}
	}
	accountRule := func(expression string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseCustom, goodtest.Account, snapshot.Ruleset{ID: "ar", Rules: []snapshot.Rule{{ID: "a1",
				Enabled: true, Action: "block", Expression: expression}}})
		}
	}
	unserved := func(edit func(*snapshot.Builder)) func(*snapshot.Builder) {
		return goodtest.Edits(func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(rs *[]snapshot.DNSRecord) {
				*rs = slices.DeleteFunc(*rs, func(r snapshot.DNSRecord) bool { return r.Name == "api."+goodtest.Domain })
			})
		}, edit)
	}
	const full = `http.host in {"api.shop.example"} and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`
	out := []goodtest.Example{
		{Name: "blocked, revoked ones too", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "one rule that says it the other way round", Want: posture.Pass, Edit: rule("block",
			`http.host == "api.shop.example" && !(cf.tls_client_auth.cert_verified && !cf.tls_client_auth.cert_revoked)`)},
		{Name: "only those that present none", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: rule("block", `http.host eq "api.shop.example" and not cf.tls_client_auth.cert_presented`)},
		{Name: "the host in capitals", Want: posture.Fail, Edit: rule("block",
			`http.host eq "API.shop.example" and not cf.tls_client_auth.cert_verified`)},
		{Name: "every path but one, which skips rate limits", Want: posture.Fail, Edit: rules(
			snapshot.Rule{ID: "m0", Enabled: true, Action: "skip", Expression: `http.request.uri.path eq "/open"`,
				Params: snapshot.RuleParams{Phases: []string{traffic.RateLimits}}},
			snapshot.Rule{ID: "m1", Enabled: true, Action: "block", Expression: full + ` and http.request.uri.path ne "/open"`})},
		{Name: "every method but one", Want: posture.Fail, Edit: rule("block", full+` and http.request.method ne "OPTIONS"`)},
		{Name: "two rules share the work", Want: posture.Pass, Edit: rules(
			snapshot.Rule{ID: "m1", Enabled: true, Action: "block",
				Expression: `http.host eq "api.shop.example" and not cf.tls_client_auth.cert_verified`},
			snapshot.Rule{ID: "m2", Enabled: true, Action: "block", Expression: "cf.tls_client_auth.cert_revoked"})},
		{Name: "no rule: association alone refuses nobody", Want: posture.Fail, Resource: goodtest.Zone, Edit: rules()},
		{Name: "a disabled rule", Want: posture.Fail, Edit: rules(snapshot.Rule{ID: "m1", Action: "block", Expression: full})},
		{Name: "the rule only logs", Want: posture.Fail, Edit: rule("log", full)},
		{Name: "a second host without a rule", Want: posture.Fail, Edit: hosts("api.shop.example", "www.shop.example")},
		{Name: "a challenge", Want: posture.Warning, Resource: goodtest.Zone, Edit: rule("managed_challenge", full)},
		{Name: "no host", Want: posture.Warning, Resource: goodtest.Zone, Edit: hosts()},
		{Name: "a client certificate ends soon", Want: posture.Warning, Edit: clients("active", 29)},
		{Name: "a revoked one ends soon", Want: posture.Pass, Edit: clients("revoked", 2)},
		{Name: "a host without client certificates of Cloudflare", Want: posture.Fail, Edit: goodtest.Edits(clients("revoked", 300), rules())},
		{Name: "neither", Want: posture.NotApplicable, Edit: goodtest.Edits(clients("revoked", 300), hosts())},
		{Name: "a rule of the account", Want: posture.Pass, Edit: goodtest.Edits(rules(), accountRule(full))},
		{Name: "a rule of the account for another zone", Want: posture.Fail,
			Edit: goodtest.Edits(rules(), accountRule(full+` and cf.zone.name eq "other.example"`))},
		{Name: "a rule after one that skips the rest for everybody", Want: posture.Fail, Edit: rules(
			snapshot.Rule{ID: "m0", Enabled: true, Action: "skip", Expression: "true", Params: snapshot.RuleParams{Ruleset: "current"}},
			snapshot.Rule{ID: "m1", Enabled: true, Action: "block", Expression: full})},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(rules(), func(b *snapshot.Builder) {
			b.Mark(snapshot.AccountPhaseCustom.Source(), snapshot.Denied, "WAF Read", "")
		})},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(rules(),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(rules(), goodtest.Type("internal"))},
		{Name: "a wildcard host", Want: posture.Pass, Edit: goodtest.Edits(hosts("*.shop.example"),
			rule("block", `ends_with(http.host, ".shop.example") and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`))},
	}
	out = append(out,
		goodtest.Example{Name: "the host is not served", Want: posture.Warning, Resource: goodtest.Zone, Edit: unserved(rules())},
		goodtest.Example{Name: "the host is not served, and no certificate is active", Want: posture.NotApplicable,
			Edit: unserved(goodtest.Edits(rules(), clients("revoked", 300)))},
		goodtest.Example{Name: "one of two hosts is not served", Want: posture.Pass, Edit: hosts("api.shop.example", "gone.shop.example")},
		goodtest.Example{Name: "what is served is not readable", Want: posture.Unknown,
			Edit: unserved(goodtest.Edits(rules(), goodtest.Denied(snapshot.ZoneDNSRecords)))})
	return append(out, demandedByText(rule)...)
}

// demandedGood adds a record for the host that asks for client certificates.
func demandedGood(b *snapshot.Builder) {
	goodtest.AddRecord(snapshot.DNSRecord{ID: "api", Name: "api." + goodtest.Domain, Type: "A", Content: "45.60.10.1", Proxied: true,
		Proxiable: true})(b)
}

// demandedByText returns examples of one blocking rule with an expression.
func demandedByText(rule func(action, text string) func(*snapshot.Builder)) []goodtest.Example {
	var out []goodtest.Example
	for _, e := range []struct {
		text string
		want posture.Result
	}{
		{`not cf.tls_client_auth.cert_verified`, posture.Warning},
		{`http.host eq "api.shop.example" and cf.tls_client_auth.cert_verified eq false`, posture.Warning},
		{`not (cf.tls_client_auth.cert_verified and not cf.tls_client_auth.cert_revoked)`, posture.Pass},
		{`http.host ne "www.shop.example" and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`, posture.Pass},
		{`lower(http.host) wildcard "api.*" and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`, posture.Pass},
		{`http.host eq "www.shop.example" and not cf.tls_client_auth.cert_verified`, posture.Fail}, {`cf.tls_client_auth.cert_verified`,
			posture.Fail},
		{`starts_with(http.request.uri.path, "/v1/") and not cf.tls_client_auth.cert_verified`, posture.Fail},
		{`http.host in $mtls and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`, posture.Unknown},
		{`odd(`, posture.Unknown},
	} {
		out = append(out, goodtest.Example{Name: "block on " + e.text, Want: e.want, Resource: goodtest.Zone, Edit: rule("block", e.text)})
	}
	return out
}

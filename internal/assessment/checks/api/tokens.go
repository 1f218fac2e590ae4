package api

import (
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tokens judges whether sessions are identified and their tokens verified.
func tokens() check.Check {
	return check.Check{
		ID: "CFL-API-005", Title: "Session tokens are verified at the edge",
		Category: "api", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why:   "Token validation checks the signature and the date of JSON Web Tokens before a request reaches the API.",
		Fix:   "Set the session identifier, then add a token configuration and a rule that blocks invalid tokens.",
		Words: posture.Words{
			Problem:   "Session tokens for {zone} are not verified by Cloudflare",
			Impact:    "Forged and expired tokens reach the API, which has to refuse each of them itself.",
			Breaks:    "Clients with expired tokens, or tokens of an issuer that is not configured, are refused.",
			Dashboard: "Security › Web assets › Token validation: add a configuration and a rule that blocks.",
		},
		References: []string{docsShield},
		Controls: check.Controls{
			check.Touches("cis 6.1", "It checks tokens that were granted elsewhere."),
			check.Supports("soc2 CC6.1", "A request with a forged or expired token is refused at the edge."),
			check.Supports("pci 8.3.1", "A valid token is a factor that is verified on each call."),
			check.Shows("nist PR.AA-04", "The token is an identity assertion, and its signature is verified."),
		},
		Aliases:  []string{"union:jwt-validation"},
		Needs:    []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneAPIConfiguration, snapshot.ZoneTokenRules},
		Unless:   check.Empty(snapshot.ZoneAPIOperations, nothingSaved),
		Evaluate: evaluateTokens,
	}
}

func tokensExamples() []goodtest.Example {
	sessions := func(ids ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneAPIConfiguration, goodtest.Zone, snapshot.APIConfiguration{AuthIDs: ids})
		}
	}
	rules := func(all ...snapshot.TokenValidationRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneTokenRules, goodtest.Zone, all) }
	}
	limited := func(hosts, excluded []string) snapshot.TokenValidationRule {
		return snapshot.TokenValidationRule{ID: "t1", Action: "block", Enabled: true, Configs: []string{"c1"}, Hosts: hosts, Excluded: excluded}
	}
	rule := func(action string, enabled bool) snapshot.TokenValidationRule {
		return snapshot.TokenValidationRule{ID: "t1", Action: action, Enabled: enabled, Configs: []string{"c1"}}
	}
	return []goodtest.Example{
		{Name: "sessions and a rule that blocks", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "neither", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(sessions(), rules())},
		{Name: "a disabled rule is none", Want: posture.Fail, Edit: goodtest.Edits(sessions(), rules(rule("block", false)))},
		{Name: "sessions alone", Want: posture.Warning, Resource: goodtest.Zone, Edit: rules()},
		{Name: "a rule without sessions", Want: posture.Warning, Edit: sessions()},
		{Name: "a rule that logs", Want: posture.Warning, Edit: rules(rule("log", true))},
		{Name: "a rule for the host of an operation", Want: posture.Pass, Edit: rules(limited([]string{"WWW.shop.example"}, nil))},
		{Name: "a rule for another host", Want: posture.Warning, Edit: rules(limited([]string{"old.shop.example"}, nil))},
		{Name: "a rule for one of two hosts", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(
			saved(snapshot.APIOperation{ID: "o1", Method: "GET", Host: "www.shop.example", Endpoint: "/a"},
				snapshot.APIOperation{ID: "o2", Method: "GET", Host: "api.shop.example", Endpoint: "/b"}),
			rules(limited([]string{"www.shop.example"}, nil)))},
		{Name: "a rule that leaves out one of two operations", Want: posture.Pass, Edit: goodtest.Edits(
			saved(snapshot.APIOperation{ID: "o1", Method: "POST", Host: "www.shop.example", Endpoint: "/login"},
				snapshot.APIOperation{ID: "o2", Method: "GET", Host: "www.shop.example", Endpoint: "/b"}), rules(limited(nil, []string{"o1"})))},
		{Name: "rules for each of two hosts", Want: posture.Pass, Edit: goodtest.Edits(
			saved(snapshot.APIOperation{ID: "o1", Method: "GET", Host: "www.shop.example", Endpoint: "/a"},
				snapshot.APIOperation{ID: "o2", Method: "GET", Host: "api.shop.example", Endpoint: "/b"}),
			rules(limited([]string{"www.shop.example"}, nil), limited([]string{"api.shop.example"}, nil)))},
		{Name: "a rule that leaves out another operation", Want: posture.Pass, Edit: rules(limited(nil, []string{"o9"}))},
		{Name: "a rule that leaves out the only operation", Want: posture.Warning, Edit: rules(limited(nil, []string{"o1"}))},
		{Name: "a rule that looks into no token", Want: posture.Unknown,
			Edit: rules(snapshot.TokenValidationRule{ID: "t1", Action: "block", Enabled: true})},
		{Name: "a rule that looks into no token, for another host", Want: posture.Warning,
			Edit: rules(snapshot.TokenValidationRule{ID: "t1", Action: "block", Enabled: true, Hosts: []string{"old.shop.example"}})},
		{Name: "no operation", Want: posture.NotApplicable, Edit: goodtest.Edits(saved(), sessions(), rules())},
		{Name: "no API protection", Want: posture.NotApplicable, Edit: notEntitled()},
		{Name: "business plan", Want: posture.NotApplicable, Edit: business()},
	}
}

func evaluateTokens(v *check.View) check.Outcome {
	sessions, enabled, odd := len(check.Read(v, snapshot.ZoneAPIConfiguration).AuthIDs) > 0, false, false
	hosts, blocked := map[string]bool{}, map[string]bool{}
	for _, o := range check.Read(v, snapshot.ZoneAPIOperations) {
		host := exposure.Bare(o.Host)
		hosts[host] = true
		for _, r := range check.Read(v, snapshot.ZoneTokenRules) {
			switch {
			case !r.Enabled || !meets(r, o):
			case len(r.Configs) == 0:
				odd = true
			default:
				enabled, blocked[host] = true, blocked[host] || r.Action == "block"
			}
		}
	}
	maps.DeleteFunc(hosts, func(host string, _ bool) bool { return blocked[host] })
	name := v.Zone().Name
	noSession := check.Evidence(snapshot.ZoneAPIConfiguration, "/auth_id_characteristics", "none", "at least one")
	noBlock := check.Evidence(snapshot.ZoneTokenRules, "", "no enabled rule that blocks", "one")
	switch {
	case sessions && len(hosts) == 0:
		return v.Pass("Sessions are recognised and rules block bad tokens on every host with a saved operation.")
	case odd && len(hosts) > 0:
		return v.Unknown("a token validation rule verifies no token in a way that this check follows")
	case !sessions && !enabled:
		return v.Fail("Nothing verifies the session tokens of "+name+".", noSession, noBlock)
	case !sessions:
		return v.Warn("Token rules of "+name+" stand without a session identifier.", noSession)
	}
	if len(hosts) > 0 && slices.Contains(slices.Collect(maps.Values(blocked)), true) {
		bare := slices.Min(slices.Collect(maps.Keys(hosts)))
		return v.Warn("No rule of "+name+" blocks requests to "+bare+" with a bad token.",
			check.Evidence(snapshot.ZoneTokenRules, "", "no enabled rule that blocks for "+bare, "one for each host with a saved operation")).
			As(posture.Words{Problem: "Session tokens for a part of {zone} are not verified by Cloudflare"})
	}
	return v.Warn("No rule of "+name+" blocks requests with a bad token.", noBlock)
}

// meets reports whether a rule applies to a saved operation.
func meets(r snapshot.TokenValidationRule, o snapshot.APIOperation) bool {
	return !slices.Contains(r.Excluded, o.ID) &&
		(len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(h string) bool { return exposure.Same(h, o.Host) }))
}

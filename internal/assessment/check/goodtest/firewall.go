package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodFirewall adds rulesets and their rules.
func goodFirewall(b *snapshot.Builder) {
	on := true
	add := func(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) {
		snapshot.Edit(b, k, Zone, func(s *snapshot.Ruleset) { s.Rules = append(s.Rules, rules...) })
	}
	add(snapshot.ZonePhaseManaged, snapshot.Rule{ID: "r2b", Enabled: true, Action: "execute", Expression: "true",
		Params: snapshot.RuleParams{ExecuteID: snapshot.OWASPRulesetID}})
	add(snapshot.ZonePhaseCustom,
		snapshot.Rule{ID: "r1c", Enabled: true, Action: "managed_challenge", Expression: "cf.waf.credential_check.password_leaked"},
		snapshot.Rule{ID: "r1d", Enabled: true, Action: "block", Expression: "cf.waf.content_scan.has_malicious_obj"})
	snapshot.Edit(b, snapshot.ZoneRulesets, Zone, func(infos *[]snapshot.RulesetInfo) {
		*infos = append(*infos, snapshot.RulesetInfo{ID: snapshot.OWASPRulesetID, Kind: "managed", Phase: "http_request_firewall_managed",
			Name: "OWASP"})
	})
	snapshot.Edit(b, snapshot.ZoneSettings, Zone, func(s *snapshot.Settings) {
		*s = s.With("challenge_ttl", 1800).With("hotlink_protection", "on").With("ip_geolocation", "on")
	})
	snapshot.Put(b, snapshot.ZoneLeakedCredentials, Zone, snapshot.Switch{Enabled: &on})
	snapshot.Put(b, snapshot.ZoneContentScan, Zone, snapshot.ContentScan{Value: "enabled"})
	snapshot.Put(b, snapshot.ZoneURLNormalization, Zone, snapshot.URLNormalization{Type: "cloudflare", Scope: "incoming"})
	snapshot.Put(b, snapshot.ZoneManagedHeaders, Zone, snapshot.ManagedHeaders{Request: map[string]bool{"add_visitor_location_headers": true},
		Response: map[string]bool{"add_security_headers": true}})
	snapshot.Put(b, snapshot.ZoneHold, Zone, snapshot.Hold{Hold: true, IncludeSubdomains: true})
	goodAccountRules(b)
	goodTrafficRules(b)
}

// goodAccountRules deploys one ruleset on every enterprise zone of the account.
func goodAccountRules(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccountRulesets, Account, []snapshot.RulesetInfo{{ID: "ra", Kind: "root", Phase: "http_request_firewall_managed",
		Name: "root"}})
	// It detects leaked passwords, so it does not replace any rule of a zone.
	snapshot.Put(b, snapshot.AccountPhaseManaged, Account, snapshot.Ruleset{ID: "ra", Kind: "root", Phase: "http_request_firewall_managed",
		Rules: []snapshot.Rule{{ID: "raa", Enabled: true, Action: "execute", Expression: `cf.zone.plan eq "ENT"`,
			Params: snapshot.RuleParams{ExecuteID: "c2e184081120413c86c3ab7e14069605"}}}})
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseDDoSL4, snapshot.AccountPhaseDDoSL7,
		snapshot.AccountPhaseRedirect} {
		b.Set(snapshot.Section{Source: k.Source(), Scope: Account, Status: snapshot.Skipped,
			Reason: "the account has no entry point for this phase"})
	}
}

func goodTrafficRules(b *snapshot.Builder) {
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.ZonePhaseConfig, snapshot.ZonePhaseOrigin, snapshot.ZonePhaseDDoS,
		snapshot.ZonePhaseRequest} {
		b.Set(snapshot.Section{Source: k.Source(), Scope: Zone, Status: snapshot.Skipped, Reason: "the zone has no entry point for this phase"})
	}
}

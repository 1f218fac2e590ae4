package snapshot

// zoneRulesets lists the phases of a zone that have an entrypoint ruleset, read once per zone
// (developers.cloudflare.com/api/resources/rulesets/methods/list/).
func zoneRulesets() Source {
	return list(ZoneRulesets, Source{
		Path: "/zones/{zone_id}/rulesets", Paging: Paging{Kind: ByCursor, Size: 50}, Permission: "Zone: Zone WAF Read",
		Example: `[{"id":"r1","kind":"zone","phase":"http_ratelimit","name":"default","version":"3"}]`,
	}, asRead[RulesetInfo])
}

// accountRulesets lists the entrypoint and custom rulesets of the account.
func accountRulesets() Source {
	return list(AccountRulesets, Source{
		Path: "/accounts/{account_id}/rulesets", Paging: Paging{Kind: ByCursor, Size: 50}, Permission: "Account: Account Rulesets Read",
		Example: `[{"id":"r9","kind":"root","phase":"http_request_firewall_custom","name":"root","version":"1"}]`,
	}, asRead[RulesetInfo])
}

func noEnterpriseZone() skipRule {
	return unlessAny(ZoneList, func(z Zone) bool { return z.MayHave("enterprise") },
		"no zone of the account has the enterprise plan, which account rules need")
}

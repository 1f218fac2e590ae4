package snapshot

const (
	// ZonePhaseCache holds the cache rules of a zone.
	ZonePhaseCache Key[Ruleset] = "zone/ruleset/http_request_cache_settings"
	// AccountPhaseMagic holds the rules of the account's network firewall.
	AccountPhaseMagic Key[Ruleset] = "account/ruleset/magic_transit"
)

// The entrypoint rulesets that are read, one function each.

func accountPhaseCustom() Source {
	return firewallPhase(AccountPhaseCustom, "Account: Account WAF Read")
}

func accountPhaseManaged() Source {
	return firewallPhase(AccountPhaseManaged, "Account: Account WAF Read")
}

func accountPhaseRate() Source { return firewallPhase(AccountPhaseRate, "Account: Account WAF Read") }

func zonePhaseCustom() Source { return zonePhase(ZonePhaseCustom, "Zone: Zone WAF Read") }

func zonePhaseManaged() Source { return zonePhase(ZonePhaseManaged, "Zone: Zone WAF Read") }

func zonePhaseRate() Source { return zonePhase(ZonePhaseRate, "Zone: Zone WAF Read") }

func zonePhaseRedirect() Source { return zonePhase(ZonePhaseRedirect, "Zone: Single Redirect Read") }

func zonePhaseResponse() Source { return zonePhase(ZonePhaseResponse, "Zone: Transform Rules Read") }

func zonePhaseRequest() Source {
	return zonePhase(ZonePhaseRequest, "Zone: Transform Rules Read", ZonePhaseResponse)
}

// zonePhaseLeaks holds Sensitive Data Detection, an add-on of the Enterprise plan
// (developers.cloudflare.com/waf/managed-rules/reference/sensitive-data-detection/).
func zonePhaseLeaks() Source {
	s := zonePhase(ZonePhaseLeaks, "Zone: Zone WAF Read", ZonePhaseManaged)
	listed := s.Skip
	s.Skip = func(k *Known, t SourceScope) string {
		if !t.Zone.MayHave("enterprise") {
			return "Sensitive Data Detection needs the Enterprise plan"
		}
		return listed(k, t)
	}
	return s
}

func accountPhaseMagic() Source {
	return accountPhase(AccountPhaseMagic, "Account: Magic Firewall Read")
}

func accountPhaseDDoSL4() Source {
	return firewallPhase(AccountPhaseDDoSL4, "Account: L3/4 DDoS Managed Ruleset Read")
}

func accountPhaseDDoSL7() Source {
	return firewallPhase(AccountPhaseDDoSL7, "Account: DDoS Protection Read")
}

func accountPhaseRedirect() Source {
	return accountPhase(AccountPhaseRedirect, "Account: Bulk URL Redirects Read")
}

func zonePhaseDDoS() Source { return zonePhase(ZonePhaseDDoS, "Zone: HTTP DDoS Managed Ruleset Read") }

func zonePhaseConfig() Source {
	s := zonePhase(ZonePhaseConfig, "Zone: Config Rules Read")
	s.Feeds = true
	return s
}

func zonePhaseOrigin() Source {
	s := zonePhase(ZonePhaseOrigin, "Zone: Origin Rules Read")
	s.Feeds = true
	return s
}

func zonePhaseCache() Source { return zonePhase(ZonePhaseCache, "Zone: Cache Rules Read") }

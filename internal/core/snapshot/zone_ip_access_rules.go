package snapshot

import "slices"

// ZoneIPAccessRules holds the allow entries of one zone.
const ZoneIPAccessRules Key[[]IPAccessRule] = "zone/ip_access_rules"

// zoneIPAccessRules lists the allow entries of one zone, and those that a user made for all of their
// zones, which no list of an account includes. Those of the account, which it repeats, are left out
// (developers.cloudflare.com/api/resources/firewall/subresources/access_rules/methods/list/).
func zoneIPAccessRules() Source {
	return nested(ZoneIPAccessRules, Source{
		Path: "/zones/{zone_id}/firewall/access_rules/rules?mode=whitelist", Paging: Paging{Kind: ByPage, Size: 1000},
		Volatile: true, Permission: "Zone: Firewall Services Read",
		Example: `[{"id":"r2","mode":"whitelist","notes":"","configuration":{"target":"ip","value":"45.60.1.2"},"scope":{"type":"zone"}}]`,
	}, func(page []ipAccessRuleWire) []ipAccessRuleWire {
		return slices.DeleteFunc(page, func(w ipAccessRuleWire) bool { return w.Scope.Type == "organization" })
	}, reduceIPAccessRule)
}

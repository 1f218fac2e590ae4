package snapshot

// zoneIPAccessRules lists the allow entries of one zone
// (developers.cloudflare.com/api/resources/firewall/subresources/access_rules/methods/list/).
func zoneIPAccessRules() Source {
	return list(ZoneIPAccessRules, Source{
		Path: "/zones/{zone_id}/firewall/access_rules/rules?mode=whitelist&scope.type=zone", Paging: Paging{Kind: ByPage, Size: 1000},
		Volatile: true, Permission: "Zone: Firewall Services Read",
		Example: `[{"id":"r2","mode":"whitelist","notes":"","configuration":{"target":"ip","value":"45.60.1.2"},"scope":{"type":"zone"}}]`,
	}, reduceIPAccessRule)
}

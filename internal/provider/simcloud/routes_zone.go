package simcloud

import "net/http"

const (
	permSettings  = "Zone: Zone Settings Read"
	permDNS       = "Zone: DNS Read"
	permTransform = "Zone: Transform Rules Read"
	permZoneWAF   = "Zone: Zone WAF Read"
	permCerts     = "Zone: SSL and Certificates Read"
	permBots      = "Zone: Bot Management Read"
	permFirewall  = "Zone: Firewall Services Read"
	permZoneLogs  = "Zone: Logs Read"
	permPageRules = "Zone: Page Rules Read"
	permRulesets  = "Account: Account Rulesets Read"
	permWAF       = "Account: Account WAF Read"
)

func zoneRoutes() []Route {
	const z = "/zones/{zone_id}"
	records := pages(100, 5_000_000)
	return []Route{
		read(z, permZone, "", readZone),
		change(http.MethodPatch, z, permZone, writeZone),
		read(z+"/settings", permSettings, "zone/settings", readSettings).repeats(),
		change(http.MethodPatch, z+"/settings", permSettings, writeSettings),
		read(z+"/settings/{setting_id}", permSettings, "zone/setting", readSetting),
		change(http.MethodPatch, z+"/settings/{setting_id}", permSettings, writeSetting),
		list(z+"/dns_records", permDNS, "zone/dns_records", records, listRecords),
		change(http.MethodPost, z+"/dns_records", permDNS, createRecord),
		change(http.MethodPost, z+"/dns_records/batch", permDNS, batchRecords),
		again(z+"/dns_records/{record_id}", permDNS, readRecord),
		change(http.MethodPatch, z+"/dns_records/{record_id}", permDNS, patchRecord),
		change(http.MethodPut, z+"/dns_records/{record_id}", permDNS, putRecord),
		change(http.MethodDelete, z+"/dns_records/{record_id}", permDNS, deleteRecord),
		read(z+"/dnssec", permDNS, "zone/dnssec", readDNSSEC),
		change(http.MethodPatch, z+"/dnssec", permDNS, writeDNSSEC),
		read(z+"/pagerules", permPageRules, "zone/page_rules", listPageRules),
		again(z+"/pagerules/{pagerule_id}", permPageRules, readPageRule),
		change(http.MethodPatch, z+"/pagerules/{pagerule_id}", permPageRules, patchPageRule),
		list("/certificates", permCerts, "zone/origin_ca", pages(20, 50), listOriginCerts),
		list(z+"/ssl/certificate_packs", permCerts, "zone/certificate_packs", pages(20, 50), listPacks),
		change(http.MethodPost, z+"/ssl/certificate_packs/order", permCerts, orderPack),
		read(z+"/bot_management", permBots, "zone/bot_management", readBots),
		change(http.MethodPut, z+"/bot_management", permBots, writeBots),
		list(z+"/firewall/access_rules/rules", permFirewall, "zone/ip_access_rules", pages(20, 1000), listZoneAccessRules),
		change(http.MethodPost, z+"/firewall/access_rules/rules", permFirewall, createZoneAccessRule),
		again(z+"/firewall/access_rules/rules/{rule_id}", permFirewall, readZoneAccessRule),
		change(http.MethodPatch, z+"/firewall/access_rules/rules/{rule_id}", permFirewall, patchZoneAccessRule),
		change(http.MethodDelete, z+"/firewall/access_rules/rules/{rule_id}", permFirewall, deleteZoneAccessRule),
		read(z+"/logpush/jobs", permZoneLogs, "zone/logpush_jobs", listZoneJobs),
		read(z+"/workers/routes", "Zone: Workers Routes Read", "zone/worker_routes", listWorkerRoutes),
	}
}

// phase maps a ruleset phase to the permission its entrypoint needs.
type phase struct{ name, permission string }

func zonePhases() []phase {
	return []phase{
		{"http_request_firewall_custom", permZoneWAF},
		{"http_request_firewall_managed", permZoneWAF},
		{"http_ratelimit", permZoneWAF},
		{"ddos_l7", "Zone: HTTP DDoS Managed Ruleset Read"},
		{"http_request_cache_settings", "Zone: Cache Rules Read"},
		{"http_config_settings", "Zone: Config Rules Read"},
		{"http_response_headers_transform", permTransform},
		{"http_request_late_transform", permTransform},
		{"http_response_firewall_managed", permZoneWAF},
		{"http_request_dynamic_redirect", "Zone: Single Redirect Read"},
		{"http_request_origin", "Zone: Origin Rules Read"},
	}
}

func accountPhases() []phase {
	return []phase{
		{"http_request_firewall_custom", permWAF},
		{"http_request_firewall_managed", permWAF},
		{"http_ratelimit", permWAF},
		{"ddos_l4", "Account: L3/4 DDoS Managed Ruleset Read"},
		{"ddos_l7", "Account: DDoS Protection Read"},
		{"http_request_redirect", "Account: Bulk URL Redirects Read"},
		{"magic_transit", "Account: Magic Firewall Read"},
	}
}

// rulesetRoutes returns the operations for zones and for accounts, which are the same. Phases that
// are not assessed share one pattern with a variable segment.
func rulesetRoutes() []Route {
	byCursor := paging{kind: pageCursors, def: 25, max: 50}
	var out []Route
	add := func(base, perm, listSource, itemSource, phaseSource string, phases []phase) {
		r := base + "/rulesets"
		out = append(out,
			list(r, perm, listSource, byCursor, listRulesets),
			change(http.MethodPost, r, perm, createRuleset),
			read(r+"/{ruleset_id}", perm, itemSource, readRuleset),
			change(http.MethodPut, r+"/{ruleset_id}", perm, writeRuleset),
			change(http.MethodDelete, r+"/{ruleset_id}", perm, deleteRuleset),
			change(http.MethodPost, r+"/{ruleset_id}/rules", perm, createRule),
			change(http.MethodPatch, r+"/{ruleset_id}/rules/{rule_id}", perm, patchRule),
			change(http.MethodDelete, r+"/{ruleset_id}/rules/{rule_id}", perm, deleteRule),
			again(r+"/phases/{phase}/entrypoint", perm, readEntrypoint),
			change(http.MethodPut, r+"/phases/{phase}/entrypoint", perm, writeEntrypoint))
		for _, p := range phases {
			path := r + "/phases/" + p.name + "/entrypoint"
			out = append(out, read(path, p.permission, phaseSource+p.name, readEntrypoint).repeats(),
				change(http.MethodPut, path, p.permission, writeEntrypoint))
		}
	}
	add("/zones/{zone_id}", permZoneWAF, "zone/rulesets", "", "zone/ruleset/", zonePhases())
	add("/accounts/{account_id}", permRulesets, "account/rulesets", "account/ruleset_custom", "account/ruleset/", accountPhases())
	return out
}

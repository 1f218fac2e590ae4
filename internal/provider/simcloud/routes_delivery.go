package simcloud

// deliveryRoutes returns the operations of the products that deliver and shape traffic.
func deliveryRoutes() []Route {
	const a, z = "/accounts/{account_id}", "/zones/{zone_id}"
	return append(append(apiRoutes(z), identityRoutes(a, z)...), []Route{
		read(z+"/security-center/securitytxt", permSettings, "zone/security_txt", readSecurityTxt),
		change("PUT", z+"/security-center/securitytxt", permSettings, writeSecurityTxt),
		change("DELETE", z+"/security-center/securitytxt", permSettings, deleteSecurityTxt),
		read(z+"/page_shield", permPageShield, "zone/page_shield", readPageShield),
		change("PUT", z+"/page_shield", permPageShield, writePageShield),
		list(z+"/page_shield/scripts", permPageShield, "zone/page_shield_scripts", pages(15, 100),
			fromBusiness(func(s *pageShield) []obj { return s.scripts })),
		list(z+"/page_shield/connections", permPageShield, "zone/page_shield_connections", pages(15, 100),
			fromBusiness(func(s *pageShield) []obj { return s.connections })),
		read(z+"/page_shield/policies", permPageShield, "zone/page_shield_policies",
			fromBusiness(func(s *pageShield) []obj { return s.policies })),
		list(a+"/challenges/widgets", permTurnstile, "account/turnstile", pages(25, 1000), listWidgets),
		read(z+"/settings/zaraz/config", permZaraz, "zone/zaraz_config", readZaraz),
		list(z+"/snippets", permSnippets, "zone/snippets", pages(25, 25), listSnippets),
		read(z+"/snippets/{snippet_name}/content", permSnippets, "snippet/content", readSnippet),
		read(a+"/load_balancers/pools", permPools, "account/lb_pools", listPools),
		again(a+"/load_balancers/pools/{pool_id}", permPools, readPool),
		change("PATCH", a+"/load_balancers/pools/{pool_id}", permPools, patchPool),
		read(a+"/load_balancers/monitors", permPools, "account/lb_monitors", listMonitors),
		again(a+"/load_balancers/monitors/{monitor_id}", permPools, readMonitor),
		read(z+"/load_balancers", permBalancers, "zone/load_balancers", listBalancers),
		again(z+"/load_balancers/{load_balancer_id}", permBalancers, readBalancer),
		change("PATCH", z+"/load_balancers/{load_balancer_id}", permBalancers, patchBalancer),
		list(z+"/healthchecks", permHealthChecks, "zone/healthchecks", pages(25, 1000), listHealthChecks),
		list(z+"/spectrum/apps", permSettings, "zone/spectrum_apps", pages(20, 100), listSpectrumApps),
		again(z+"/spectrum/apps/{app_id}", permSettings, readSpectrumApp),
		change("PUT", z+"/spectrum/apps/{app_id}", permSettings, writeSpectrumApp),
	}...)
}

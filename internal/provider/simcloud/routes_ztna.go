package simcloud

// ztnaRoutes are the operations of Zero Trust and private networks.
func ztnaRoutes() []Route {
	const a = "/accounts/{account_id}"
	return []Route{
		list(a+"/access/ai-controls/mcp/servers", "Account: MCP Portals Read", "account/mcp_servers", clamped(50, 100), listMCPServers),
		change("PUT", a+"/access/ai-controls/mcp/servers/{server_id}", "Account: MCP Portals Read", writeMCPServer),
		list(a+"/teamnet/routes", permTunnels, "account/teamnet_routes", pages(100, 1000), listPrivateRoutes),
		change("PATCH", a+"/teamnet/routes/{route_id}", permTunnels, patchPrivateRoute),
		read(a+"/gateway/rules", permZeroTrust, "account/gateway_rules", listGatewayRules),
		change("POST", a+"/gateway/rules", permZeroTrust, withGateway(createGatewayRule)),
		again(a+"/gateway/rules/{rule_id}", permZeroTrust, withGateway(readGatewayRule)),
		change("PUT", a+"/gateway/rules/{rule_id}", permZeroTrust, withGateway(writeGatewayRule)),
		change("DELETE", a+"/gateway/rules/{rule_id}", permZeroTrust, withGateway(deleteGatewayRule)),
		read(a+"/gateway/configuration", permZeroTrust, "account/gateway_config", readGatewayConfig),
		change("PATCH", a+"/gateway/configuration", permZeroTrust, withGateway(patchGatewayConfig)),
		read(a+"/gateway/logging", permZeroTrust, "account/gateway_logging", readGatewayLogging),
		change("PUT", a+"/gateway/logging", permZeroTrust, withGateway(writeGatewayLogging)),
		read(a+"/dlp/profiles", permZeroTrust, "account/dlp_profiles", listDLPProfiles),
		list(a+"/one/integrations", permZeroTrust, "account/casb_integrations", paging{kind: pageNumber, def: 10, max: 50, size: "page_size"},
			listIntegrations),
		list(a+"/data-security/posture/findings", permZeroTrust, "account/casb_findings", pages(20, 50), listCASBFindings),
		read(a+"/devices/policy", permZeroTrust, "account/device_policy", readDevicePolicy),
		change("PATCH", a+"/devices/policy", permZeroTrust, withDevices(writeDevicePolicy)),
		again(a+"/devices/policy/{policy_id}", permZeroTrust, withDevices(readProfile)),
		change("PATCH", a+"/devices/policy/{policy_id}", permZeroTrust, withDevices(writeProfile)),
		read(a+"/devices/policies", permZeroTrust, "account/device_policies", listDevicePolicies),
		read(a+"/devices/settings", permZeroTrust, "account/device_settings", readDeviceSettings),
		change("PATCH", a+"/devices/settings", permZeroTrust, withDevices(writeDeviceSettings)),
		read(a+"/devices/resilience/disconnect", permZeroTrust, "account/device_override", readDeviceOverride),
		change("POST", a+"/devices/resilience/disconnect", permZeroTrust, withDevices(writeDeviceOverride)),
		read(a+"/devices/posture", permZeroTrust, "account/device_posture", listDevicePosture),
		change("POST", a+"/devices/posture", permZeroTrust, withDevices(createPosture)),
		read(a+"/magic/ipsec_tunnels", permMagic, "account/magic_ipsec", listIPsec),
		read(a+"/magic/gre_tunnels", permMagic, "account/magic_gre", listGRE),
		list(a+"/dns_firewall", permDNSFirewall, "account/dns_firewall", pages(20, 100), listClusters),
		again(a+"/dns_firewall/{dns_firewall_id}", permDNSFirewall, readCluster),
		change("PATCH", a+"/dns_firewall/{dns_firewall_id}", permDNSFirewall, patchCluster),
	}
}

package simcloud

// ztnaRoutes are the operations of Zero Trust and private networks.
func ztnaRoutes() []Route {
	const a = "/accounts/{account_id}"
	return []Route{
		list(a+"/access/ai-controls/mcp/servers", permAccessApps, "account/mcp_servers", clamped(50, 100), listMCPServers),
		list(a+"/teamnet/routes", permTunnels, "account/teamnet_routes", pages(100, 1000), listPrivateRoutes),
		read(a+"/gateway/rules", permZeroTrust, "account/gateway_rules", listGatewayRules),
		read(a+"/gateway/configuration", permZeroTrust, "account/gateway_config", readGatewayConfig),
		read(a+"/gateway/logging", permZeroTrust, "account/gateway_logging", readGatewayLogging),
		read(a+"/dlp/profiles", permZeroTrust, "account/dlp_profiles", listDLPProfiles),
		read(a+"/one/integrations", permZeroTrust, "account/casb_integrations", listIntegrations),
		list(a+"/data-security/posture/findings", permZeroTrust, "account/casb_findings", pages(20, 50), listCASBFindings),
		read(a+"/devices/policy", permZeroTrust, "account/device_policy", readDevicePolicy),
		read(a+"/devices/policies", permZeroTrust, "account/device_policies", listDevicePolicies),
		read(a+"/devices/settings", permZeroTrust, "account/device_settings", readDeviceSettings),
		read(a+"/devices/resilience/disconnect", permZeroTrust, "account/device_override", readDeviceOverride),
		read(a+"/devices/posture", permZeroTrust, "account/device_posture", listDevicePosture),
		read(a+"/magic/ipsec_tunnels", permMagic, "account/magic_ipsec", listIPsec),
		read(a+"/magic/gre_tunnels", permMagic, "account/magic_gre", listGRE),
		list(a+"/dns_firewall", "Account: DNS Firewall Read", "account/dns_firewall", pages(20, 100), listClusters),
	}
}

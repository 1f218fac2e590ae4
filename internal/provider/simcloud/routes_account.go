package simcloud

import "net/http"

const (
	permAccountSettings = "Account: Account Settings Read"
	permAccountTokens   = "Account: Account API Tokens Read"
	permUserTokens      = "User: API Tokens Read"
	permFilterLists     = "Account: Account Filter Lists Read"
	permAccountAccess   = "Account: Account Firewall Access Rules Read"
	permAccessOrg       = "Account: Access: Organizations, Identity Providers, and Groups Read"
	permAccessApps      = "Account: Access: Apps and Policies Read"
	permServiceTokens   = "Account: Access: Service Tokens Read"
	permTunnels         = "Account: Cloudflare Tunnel Read"
	permWorkers         = "Account: Workers Scripts Read"
	permR2              = "Account: Workers R2 Storage Read"
	permNotifications   = "Account: Notifications Read"
	permAccountLogs     = "Account: Logs Read"
	permZone            = "Zone: Zone Read"
)

func userRoutes() []Route {
	return []Route{
		read("/user/tokens/verify", "", "user/token_verify", verifyUserToken),
		list("/user/tokens", permUserTokens, "user/tokens", pages(20, 50), listUserTokens),
		read("/user/tokens/{token_id}", permUserTokens, "user/token_self", readUserToken),
		list("/accounts", permAccountSettings, "account/list", pages(20, 50), listAccounts),
		list("/zones", permZone, "zone/list", pages(20, 50), listZones),
	}
}

func accountRoutes() []Route {
	const a = "/accounts/{account_id}"
	return []Route{
		read(a, permAccountSettings, "", readAccount),
		change(http.MethodPut, a, permAccountSettings, writeAccount),
		change(http.MethodPatch, a, permAccountSettings, writeAccount),
		read(a+"/tokens/verify", "", "account/token_verify", verifyAccountToken),
		list(a+"/tokens", permAccountTokens, "account/tokens", pages(20, 50), listAccountTokens),
		read(a+"/tokens/{token_id}", permAccountTokens, "account/token_self", readAccountToken).repeats(),
		change(http.MethodPut, a+"/tokens/{token_id}", permAccountTokens, writeAccountToken),
		list(a+"/roles", permAccountSettings, "", pages(20, 50), listRoles),
		list(a+"/members", permAccountSettings, "account/members", pages(20, 50), listMembers),
		change(http.MethodPost, a+"/members", permAccountSettings, inviteMember),
		again(a+"/members/{member_id}", permAccountSettings, readMember),
		change(http.MethodDelete, a+"/members/{member_id}", permAccountSettings, deleteMember),
		list(a+"/iam/user_groups", permAccountSettings, "account/user_groups", pages(20, 50), listUserGroups),
		list(a+"/iam/user_groups/{user_group_id}/members", permAccountSettings, "user_group/members", pages(20, 50), listGroupMembers),
		read(a+"/dns_settings", permDNSSettings, "account/dns_settings", readDNSSettings),
		change("PATCH", a+"/dns_settings", permDNSSettings, patchDNSSettings),
		read(a+"/sso_connectors", "Account: SSO Connector Read", "account/sso_connectors", listConnectors),
		read(a+"/rules/lists", permFilterLists, "account/lists", listLists),
		list(a+"/rules/lists/{list_id}/items", permFilterLists, "account/list_items",
			paging{kind: pageCursors, def: 100, max: 500}, listListItems),
		list(a+"/firewall/access_rules/rules", permAccountAccess, "account/ip_access_rules", pages(20, 1000), listAccountAccessRules),
		change(http.MethodPost, a+"/firewall/access_rules/rules", permAccountAccess, createAccountAccessRule),
		again(a+"/firewall/access_rules/rules/{rule_id}", permAccountAccess, readAccountAccessRule),
		change(http.MethodPatch, a+"/firewall/access_rules/rules/{rule_id}", permAccountAccess, patchAccountAccessRule),
		change(http.MethodDelete, a+"/firewall/access_rules/rules/{rule_id}", permAccountAccess, deleteAccountAccessRule),
		read(a+"/alerting/v3/policies", permNotifications, "account/alert_policies", listAlertPolicies),
		change(http.MethodPost, a+"/alerting/v3/policies", permNotifications, createAlertPolicy),
		again(a+"/alerting/v3/policies/{policy_id}", permNotifications, readAlertPolicy),
		change(http.MethodPut, a+"/alerting/v3/policies/{policy_id}", permNotifications, writeAlertPolicy),
		change(http.MethodDelete, a+"/alerting/v3/policies/{policy_id}", permNotifications, deleteAlertPolicy),
		read(a+"/alerting/v3/available_alerts", permNotifications, "account/alert_available", listAvailableAlerts),
		read(a+"/alerting/v3/destinations/webhooks", permNotifications, "account/alert_webhooks", listWebhooks),
		read(a+"/logpush/jobs", permAccountLogs, "account/logpush_jobs", listAccountJobs),
	}
}

func accessRoutes() []Route {
	const a = "/accounts/{account_id}/access"
	return []Route{
		read(a+"/organizations", permAccessOrg, "account/access_org", readAccessOrg),
		change(http.MethodPut, a+"/organizations", permAccessOrg, writeAccessOrg),
		list(a+"/apps", permAccessApps, "account/access_apps", clamped(50, 100), listApps),
		change(http.MethodPost, a+"/apps", permAccessApps, createApp),
		again(a+"/apps/{app_id}", permAccessApps, readApp),
		change(http.MethodPut, a+"/apps/{app_id}", permAccessApps, writeApp),
		change(http.MethodDelete, a+"/apps/{app_id}", permAccessApps, deleteApp),
		again(a+"/apps/{app_id}/policies/{policy_id}", permAccessApps, readAppPolicy),
		change(http.MethodPut, a+"/apps/{app_id}/policies/{policy_id}", permAccessApps, writeAppPolicy),
		change(http.MethodPost, a+"/apps/{app_id}/policies", permAccessApps, createAppPolicy),
		list(a+"/policies", permAccessApps, "account/access_policies", clamped(50, 100), listAccessPolicies),
		again(a+"/policies/{policy_id}", permAccessApps, readAccessPolicy),
		change(http.MethodPut, a+"/policies/{policy_id}", permAccessApps, writeAccessPolicy),
		list(a+"/groups", permAccessOrg, "account/access_groups", clamped(50, 100), listAccessGroups),
		list(a+"/identity_providers", permAccessOrg, "account/access_idps", clamped(50, 100), listIdentityProviders),
		list(a+"/service_tokens", permServiceTokens, "account/access_service_tokens", clamped(50, 100), listServiceTokens),
		again(a+"/service_tokens/{service_token_id}", permServiceTokens, readServiceToken),
		change(http.MethodPut, a+"/service_tokens/{service_token_id}", permServiceTokens, writeServiceToken),
		change(http.MethodDelete, a+"/service_tokens/{service_token_id}", permServiceTokens, deleteServiceToken),
		change(http.MethodPost, a+"/service_tokens/{service_token_id}/refresh", permServiceTokens, refreshServiceToken),
	}
}

func workloadRoutes() []Route {
	const a = "/accounts/{account_id}"
	const b = a + "/r2/buckets/{bucket_name}/domains"
	return []Route{
		list(a+"/cfd_tunnel", permTunnels, "account/tunnels", pages(100, 1000), listTunnels),
		change(http.MethodDelete, a+"/cfd_tunnel/{tunnel_id}", permTunnels, deleteTunnel),
		read(a+"/cfd_tunnel/{tunnel_id}/configurations", permTunnels, "tunnel/config", readTunnelConfig),
		change(http.MethodPut, a+"/cfd_tunnel/{tunnel_id}/configurations", permTunnels, writeTunnelConfig),
		read(a+"/cfd_tunnel/{tunnel_id}/connections", permTunnels, "tunnel/connections", readTunnelConnections),
		read(a+"/workers/scripts", permWorkers, "account/workers", listWorkers),
		read(a+"/workers/scripts/{script_name}/settings", permWorkers, "worker/settings", readWorkerSettings),
		change(http.MethodPatch, a+"/workers/scripts/{script_name}/script-settings", permWorkers, patchScriptSettings),
		read(a+"/workers/scripts/{script_name}/subdomain", permWorkers, "worker/subdomain", readWorkerSubdomain),
		change(http.MethodPost, a+"/workers/scripts/{script_name}/subdomain", permWorkers, writeWorkerSubdomain),
		list(a+"/r2/buckets", permR2, "account/r2_buckets", paging{kind: pageCursor, def: 20, max: 1000}, listBuckets),
		read(b+"/managed", permR2, "r2/managed_domain", readManagedDomain),
		change(http.MethodPut, b+"/managed", permR2, writeManagedDomain),
		read(b+"/custom", permR2, "r2/custom_domains", readCustomDomains),
		again(b+"/custom/{domain}", permR2, readCustomDomain),
		change(http.MethodPut, b+"/custom/{domain}", permR2, writeCustomDomain),
		list(a+"/storage/kv/namespaces", "Account: Workers KV Storage Read", "account/kv_namespaces", pages(20, 100), listNamespaces),
		list(a+"/d1/database", "Account: D1 Read", "account/d1_databases", pages(1000, 10000), listDatabases),
		read(a+"/queues", "Account: Queues Read", "account/queues", listQueues),
		change(http.MethodPost, a+"/queues/{queue_id}/consumers", "Account: Queues Read", createConsumer),
	}
}

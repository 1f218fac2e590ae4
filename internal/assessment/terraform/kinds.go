package terraform

import "net/http"

// Ranks: resources are written after those they refer to, and removed before them.
const (
	first  = iota // settings, and resources that refer to nothing
	second        // resources that name those: policies, pools, rulesets that others execute
	third         // applications, load balancers, entrypoint rulesets of phases
	fourth        // policies of one application
)

// Reasons why some resources are not judged.
const (
	notAssessed   = "this product is not assessed"
	namelessGroup = "the plan tells the ids of what is granted and not what that allows"
	leftAsItIs    = "destroying it leaves the setting as it is"
	doesNotPass   = "only rules that let requests pass are assessed"
)

// renamed maps resource types of version 4 to their version 5 names. Types that are written
// differently have a kind of their own.
func renamed() map[string]string {
	return map[string]string{
		"cloudflare_access_application":             "cloudflare_zero_trust_access_application",
		"cloudflare_access_policy":                  "cloudflare_zero_trust_access_policy",
		"cloudflare_access_group":                   "cloudflare_zero_trust_access_group",
		"cloudflare_access_service_token":           "cloudflare_zero_trust_access_service_token",
		"cloudflare_access_organization":            "cloudflare_zero_trust_organization",
		"cloudflare_zero_trust_access_organization": "cloudflare_zero_trust_organization",
		"cloudflare_access_identity_provider":       "cloudflare_zero_trust_access_identity_provider",
		"cloudflare_managed_headers":                "cloudflare_managed_transforms",
		"cloudflare_teams_account":                  "cloudflare_zero_trust_gateway_settings",
		"cloudflare_teams_rule":                     "cloudflare_zero_trust_gateway_policy",
		"cloudflare_tunnel":                         "cloudflare_zero_trust_tunnel_cloudflared",
		"cloudflare_argo_tunnel":                    "cloudflare_zero_trust_tunnel_cloudflared",
		"cloudflare_tunnel_config":                  "cloudflare_zero_trust_tunnel_cloudflared_config",
		"cloudflare_tunnel_route":                   "cloudflare_zero_trust_tunnel_cloudflared_route",
		"cloudflare_zero_trust_tunnel_route":        "cloudflare_zero_trust_tunnel_cloudflared_route",
		"cloudflare_worker_domain":                  "cloudflare_workers_custom_domain",
		"cloudflare_workers_domain":                 "cloudflare_workers_custom_domain",
		"cloudflare_worker_route":                   "cloudflare_workers_route",
		"cloudflare_worker_script":                  "cloudflare_workers_script",
	}
}

// kinds describes how resources are written, by type (developers.cloudflare.com/api,
// registry.terraform.io/providers/cloudflare/cloudflare/latest/docs).
func kinds() map[string]kind {
	const (
		account, zone = "/accounts/{account_id}/", "/zones/{zone_id}/"
		access        = account + "access/"
		bucket        = account + "r2/buckets/{bucket_name}/"
	)
	return map[string]kind{
		// Zones
		"cloudflare_zone": {path: "/zones", update: http.MethodPatch, keep: "paused type vanity_name_servers", shape: zoneBody,
			adds: "zones are judged from the first assessment after they were made", goes: "what an account is without the zone is not judged"},
		"cloudflare_zone_setting": {path: zone + "settings/{setting_id}", set: http.MethodPatch, keep: "value enabled",
			shape: settingBody},
		"cloudflare_zone_settings_override": {keep: "settings", blocks: "settings security_header initial_settings minify nel aegis",
			whole: overrides},
		"cloudflare_zone_dnssec": {path: zone + "dnssec", set: http.MethodPatch, off: object{"status": "disabled"},
			keep: "status dnssec_multi_signer dnssec_presigned dnssec_use_nsec3", shape: dnssecBody},
		"cloudflare_zone_hold": {path: zone + "hold", keep: "include_subdomains hold_after", whole: hold},
		"cloudflare_bot_management": {path: zone + "bot_management", set: http.MethodPut,
			omit: "using_latest_model stale_zone_configuration"},
		"cloudflare_url_normalization_settings": {path: zone + "url_normalization", set: http.MethodPut},
		"cloudflare_managed_transforms":         {path: zone + "managed_headers", set: http.MethodPatch, whole: transforms},
		"cloudflare_leaked_credential_check":    {path: zone + "leaked-credential-checks", set: http.MethodPost},
		"cloudflare_page_shield_policy":         {path: zone + "page_shield/policies"},
		"cloudflare_page_rule": {path: zone + "pagerules", blocks: "actions forwarding_url minify cache_key_fields",
			shape: pageRuleBody},
		"cloudflare_ruleset":       {whole: ruleset, rank: third, blocks: rulesetBlocks},
		"cloudflare_snippet_rules": {path: zone + "snippets/snippet_rules", set: http.MethodPut, keep: "rules"},
		"cloudflare_healthcheck":   {omit: "failure_reason status", path: zone + "healthchecks", shape: healthBody},
		"cloudflare_waiting_room":  {no: "waiting rooms are not followed"},
		"cloudflare_custom_hostname": {path: zone + "custom_hostnames", update: http.MethodPatch, blocks: "ssl settings",
			omit: "wait_for_ssl_pending_validation ownership_verification ownership_verification_http status verification_errors"},
		"cloudflare_spectrum_application": {path: zone + "spectrum/apps", blocks: "dns edge_ips origin_dns origin_port_range"},
		// DNS
		"cloudflare_dns_record": {path: zone + "dns_records", blocks: "data", shape: recordBody,
			omit: "meta proxiable tags_modified_on comment_modified_on hostname metadata allow_overwrite zone_name"},
		"cloudflare_record": {path: zone + "dns_records", update: http.MethodPatch, blocks: "data", shape: recordBody,
			omit: "hostname proxiable metadata allow_overwrite"},
		"cloudflare_email_routing_settings": {path: zone + "email/routing", whole: mailRouting},
		"cloudflare_email_routing_catch_all": {path: zone + "email/routing/rules/catch_all", set: http.MethodPut,
			names: map[string]string{"action": "actions", "matcher": "matchers"}, omit: "tag"},
		// Certificates
		"cloudflare_universal_ssl_setting": {path: zone + "ssl/universal/settings", set: http.MethodPatch},
		"cloudflare_certificate_pack": {path: zone + "ssl/certificate_packs",
			adds: "when its certificates are issued and end is known only afterwards"},
		"cloudflare_hostname_tls_setting":                {whole: hostnameTLS, keep: "value"},
		"cloudflare_authenticated_origin_pulls":          {whole: originPulls},
		"cloudflare_authenticated_origin_pulls_settings": {path: zone + "origin_tls_client_auth/settings", set: http.MethodPut},
		"cloudflare_mtls_certificate": {path: account + "mtls_certificates",
			adds: "when the certificate ends is not told by the plan"},
		// Access
		"cloudflare_zero_trust_access_application": {path: access + "apps", rank: third, shape: appBody, omit: "aud domain_type",
			blocks: "cors_headers saas_app landing_page_design scim_config authentication mfa_config refresh_token_options " +
				"hybrid_and_implicit_options"},
		"cloudflare_zero_trust_access_policy": {path: access + "policies", rank: second, shape: policyBody,
			blocks: "connection_rules ssh mfa_config", omit: "application_id app_count reusable precedence",
			names: map[string]string{"approval_group": "approval_groups"}},
		"cloudflare_zero_trust_access_policy of an application": {path: access + "apps/{application_id}/policies", rank: fourth,
			shape: policyBody, blocks: "connection_rules ssh", names: map[string]string{"approval_group": "approval_groups"}},
		"cloudflare_zero_trust_access_group": {path: access + "groups", rank: first, shape: policyBody},
		"cloudflare_zero_trust_access_service_token": {path: access + "service_tokens",
			omit: "client_id client_secret expires_at last_seen_at min_days_for_renewal"},
		"cloudflare_zero_trust_organization": {path: access + "organizations", set: http.MethodPut,
			blocks: "login_design custom_pages mfa_config mfa_ssh_piv_key_requirements"},
		"cloudflare_zero_trust_access_identity_provider": {omit: "saml_certificate_set", path: access + "identity_providers",
			blocks: "config scim_config"},
		// Gateway, tunnels, devices
		"cloudflare_zero_trust_gateway_policy": {path: account + "gateway/rules",
			blocks: "rule_settings audit_ssh biso_admin_controls check_session dns_resolvers egress l4override notification_settings " +
				"payload_log resolve_dns_internally untrusted_cert",
			names: map[string]string{"block_page_reason": "block_reason", "message": "msg", "disable_printing": "dp", "disable_copy_paste": "dcp",
				"disable_download": "dd", "disable_upload": "du", "disable_keyboard": "dk"},
			omit: "deleted_at read_only sharable source_account warning_status"},
		"cloudflare_zero_trust_gateway_settings": {path: account + "gateway/configuration", set: http.MethodPut, whole: gatewaySettings,
			blocks: "antivirus block_page body_scanning certificate custom_certificate extended_email_matching fips logging " +
				"notification_settings settings_by_rule_type dns http l4", names: map[string]string{"message": "msg"}},
		"cloudflare_zero_trust_gateway_logging": {path: account + "gateway/logging", set: http.MethodPut},
		"cloudflare_zero_trust_tunnel_cloudflared": {path: account + "cfd_tunnel", update: http.MethodPatch,
			keep: "name config_src tunnel_secret secret", names: map[string]string{"secret": "tunnel_secret"}},
		"cloudflare_zero_trust_tunnel_cloudflared_config": {path: account + "cfd_tunnel/{tunnel_id}/configurations", set: http.MethodPut,
			keep: "config", rank: third, blocks: "config origin_request access warp_routing", names: ingress()},
		"cloudflare_zero_trust_tunnel_cloudflared_route": {path: account + "teamnet/routes", update: http.MethodPatch, rank: second,
			omit: "deleted_at"},
		"cloudflare_zero_trust_device_default_profile": {path: account + "devices/policy", set: http.MethodPatch,
			omit: "default enabled gateway_unique_id policy_id fallback_domains"},
		// R2
		"cloudflare_r2_bucket": {path: account + "r2/buckets", id: "name", update: http.MethodPatch, omit: "creation_date",
			names: map[string]string{"location": "locationHint", "storage_class": "storageClass"}},
		"cloudflare_r2_managed_domain": {path: bucket + "domains/managed", set: http.MethodPut, keep: "enabled", rank: second},
		"cloudflare_r2_custom_domain": {path: bucket + "domains/custom", id: "domain", rank: second, omit: "jurisdiction status zone_name",
			names: map[string]string{"zone_id": "zoneId", "min_tls": "minTLS"}},
		"cloudflare_r2_bucket_cors": {path: bucket + "cors", rank: second, keep: "rules", set: http.MethodPut, off: object{"rules": []any{}},
			names: map[string]string{"expose_headers": "exposeHeaders", "max_age_seconds": "maxAgeSeconds"}},
		"cloudflare_r2_bucket_lifecycle": {path: bucket + "lifecycle", rank: second, keep: "rules", set: http.MethodPut, names: map[string]string{
			"abort_multipart_uploads_transition": "abortMultipartUploadsTransition", "delete_objects_transition": "deleteObjectsTransition",
			"storage_class_transitions": "storageClassTransitions", "max_age": "maxAge", "storage_class": "storageClass"}},
		"cloudflare_r2_bucket_lock": {path: bucket + "lock", rank: second, keep: "rules", set: http.MethodPut,
			names: map[string]string{"max_age_seconds": "maxAgeSeconds"}},
		// Workers
		"cloudflare_workers_script": {whole: worker, adds: "what a new script is bound to is known from the first assessment after it was made"},
		"cloudflare_workers_route":  {path: zone + "workers/routes", rank: second, names: map[string]string{"script_name": "script"}},
		"cloudflare_workers_script_subdomain": {path: account + "workers/scripts/{script_name}/subdomain", set: http.MethodPost, rank: second,
			off: object{"enabled": false, "previews_enabled": false}},
		"cloudflare_workers_custom_domain": {path: account + "workers/domains", rank: second},
		// Balancing
		"cloudflare_load_balancer": {omit: "zone_name", path: zone + "load_balancers", rank: third, shape: balancerBody, blocks: balancerBlocks,
			names: map[string]string{"default_pool_ids": "default_pools", "fallback_pool_id": "fallback_pool"}},
		"cloudflare_load_balancer_pool": {path: account + "load_balancers/pools", rank: second, omit: "disabled_at networks",
			blocks: "load_shedding origin_steering notification_filter"},
		"cloudflare_load_balancer_monitor": {path: account + "load_balancers/monitors"},
		// Lists and rules for addresses
		"cloudflare_list": {path: account + "rules/lists", whole: addressList, omit: "num_items num_referencing_filters item items"},
		"cloudflare_list_item": {omit: "operation_id", path: account + "rules/lists/{list_id}/items", rank: second, blocks: "redirect hostname",
			shape: itemBody, goes: "items taken out of a list are not followed"},
		"cloudflare_access_rule": {path: "/{scope}/firewall/access_rules/rules", update: http.MethodPatch, blocks: "configuration",
			whole: accessRule, omit: "allowed_modes scope"},
		// The account
		"cloudflare_account": {path: "/accounts", keep: "name settings", blocks: "settings", shape: accountBody,
			adds: "the assessment is one of another account", goes: "nothing is left to judge without the account"},
		"cloudflare_account_member": {path: account + "members", omit: "user", shape: grantsBody},
		"cloudflare_account_token":  {path: account + "tokens", omit: "issued_on last_used_on value", shape: grantsBody},
		"cloudflare_api_token": {path: "/user/tokens", omit: "issued_on last_used_on value", blocks: "condition request_ip", shape: grantsBody,
			names: map[string]string{"policy": "policies"}},
		"cloudflare_logpush_job": {path: "/{scope}/logpush/jobs", blocks: "output_options",
			omit:  "last_complete last_error error_message",
			names: map[string]string{"cve_2021_44228": "CVE-2021-44228", "cve20214428": "CVE-2021-44228"}},
		"cloudflare_notification_policy": {path: account + "alerting/v3/policies", blocks: "filters", shape: alertBody},
		"cloudflare_turnstile_widget":    {no: "widgets are not followed"},
	}
}

const (
	rulesetBlocks = "action_parameters ratelimit logging exposed_credential_check overrides from_value target_url from_list uri path " +
		"query origin sni edge_ttl browser_ttl serve_stale cache_key cache_reserve custom_key query_string header cookie user host " +
		"response matched_data autominify status_code_range"
	balancerBlocks = "adaptive_routing location_strategy random_steering session_affinity_attributes fixed_response overrides"
)

// ingress maps tunnel settings to their API names, which are those of cloudflared
// (developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/configure-tunnels/origin-parameters/).
func ingress() map[string]string {
	return map[string]string{"ingress_rule": "ingress", "origin_request": "originRequest", "ca_pool": "caPool",
		"connect_timeout": "connectTimeout", "disable_chunked_encoding": "disableChunkedEncoding", "http2_origin": "http2Origin",
		"http_host_header": "httpHostHeader", "keep_alive_connections": "keepAliveConnections", "keep_alive_timeout": "keepAliveTimeout",
		"match_sn_ito_host": "matchSNItoHost", "no_happy_eyeballs": "noHappyEyeballs", "no_tls_verify": "noTLSVerify",
		"origin_server_name": "originServerName", "proxy_type": "proxyType", "tcp_keep_alive": "tcpKeepAlive",
		"tls_timeout": "tlsTimeout", "aud_tag": "audTag", "team_name": "teamName", "warp_routing": "warp-routing",
		"bastion_mode": "bastionMode", "proxy_address": "proxyAddress", "proxy_port": "proxyPort", "ip_rules": "ipRules"}
}

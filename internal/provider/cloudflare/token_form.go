package cloudflare

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// documentedKeys returns the keys in the reference table of the token form
// (developers.cloudflare.com/fundamentals/api/how-to/account-owned-token-template/#permission-reference).
func documentedKeys() []string {
	return []string{"account_analytics", "account_api_tokens", "account_settings", "billing", "workers_scripts", "workers_kv_storage",
		"workers_routes", "workers_r2", "d1", "queues", "page", "stream", "images", "logs", "dns", "zone", "zone_settings", "analytics",
		"firewall_services", "page_rules", "cache", "ssl_and_certificates", "access", "access_acct", "access_audit_log",
		"access_custom_page", "teams"}
}

// formKey returns the key of a permission in the token form: one of documentedKeys, or one that
// only appears in links that the provider itself publishes. "" means that none is published.
func formKey(permission string) string {
	return map[string]string{
		"User: API Tokens Read":                                               "api_tokens",
		"Account: Account API Tokens Read":                                    "account_api_tokens",
		"Account: Account Settings Read":                                      "account_settings",
		"Account: Workers Scripts Read":                                       "workers_scripts",
		"Account: Workers KV Storage Read":                                    "workers_kv_storage",
		"Account: Workers R2 Storage Read":                                    "workers_r2",
		"Account: D1 Read":                                                    "d1",
		"Account: Queues Read":                                                "queues",
		"Account: Cloudflare Pages Read":                                      "page",
		"Account: Cloudflare Tunnel Read":                                     "argotunnel",
		"Account: Turnstile Read":                                             "challenge_widgets",
		"Account: Logs Read":                                                  "account_logs",
		"Account: Magic Transit Read":                                         "magic_transit",
		"Account: Zero Trust Read":                                            "teams",
		"Account: Access: Apps and Policies Read":                             "access",
		"Account: Access: Organizations, Identity Providers, and Groups Read": "access_acct",
		"Zone: Zone Read":                                                     "zone",
		"Zone: Zone Settings Read":                                            "zone_settings",
		"Zone: DNS Read":                                                      "dns",
		"Zone: SSL and Certificates Read":                                     "ssl_and_certificates",
		"Zone: Firewall Services Read":                                        "firewall_services",
		"Zone: Page Rules Read":                                               "page_rules",
		"Zone: Workers Routes Read":                                           "workers_routes",
		"Zone: Bot Management Read":                                           "bot_management",
		"Zone: Load Balancers Read":                                           "load_balancers",
		"Zone: Zone WAF Read":                                                 "zone_waf",
		"Zone: Transform Rules Read":                                          "zone_transform_rules",
		"Zone: Cache Rules Read":                                              "cache_settings",
		"Zone: Logs Read":                                                     "logs",
		"Zone: Email Routing Rules Read":                                      "email_routing_rule",
	}[permission]
}

// PermissionGroup returns the name of a permission in the API (GET
// /accounts/{account_id}/tokens/permission_groups), which differs from the dashboard's for some.
func PermissionGroup(permission string) string {
	named := map[string]string{
		"Account: Account Filter Lists Read":        "Account Rule Lists Read",
		"Account: Account Security Center Insights": "Account Security Center Insights Read",
		"Account: Bulk URL Redirects Read":          "Mass URL Redirects Read",
		"Account: Cloud Email Security Read":        "Cloud Email Security: Read",
		"Account: Cloudflare Pages Read":            "Pages Read",
		"Account: L3/4 DDoS Managed Ruleset Read":   "L4 DDoS Managed Ruleset Read",
		"Account: Registrar: Domains Read":          "Registrar Domains Read",
		"Account: Turnstile Read":                   "Turnstile Sites Read",
		"Zone: API Gateway Read":                    "Domain API Gateway Read",
		"Zone: Cache Rules Read":                    "Cache Settings Read",
		"Zone: Config Rules Read":                   "Config Settings Read",
		"Zone: DMARC Management Read":               "Email Security DMARC Reports Read",
		"Zone: Managed Headers Read":                "Managed headers Read",
		"Zone: Origin Rules Read":                   "Origin Read",
		"Zone: Page Shield Read":                    "Domain Page Shield Read",
		"Zone: Single Redirect Read":                "Dynamic URL Redirects Read",
		"Zone: Transform Rules Read":                "Zone Transform Rules Read",
	}
	if name := named[permission]; name != "" {
		return name
	}
	_, name, _ := strings.Cut(permission, ": ")
	return name
}

// Grants returns the permissions needed to read the sources, sorted, without what every valid token may do.
func Grants(sources []snapshot.Source) []string {
	var out []string
	for _, s := range sources {
		if Grant(s.Permission) {
			out = append(out, s.Permission)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Grant reports whether a permission must be granted to a token.
func Grant(permission string) bool { return strings.Contains(permission, ": ") }

// TokenForm returns a link to the provider's token form with permissions filled in. An
// account-owned token is created in another place than a user's token; accountID restricts a user's
// token to one account.
func TokenForm(permissions []string, ofAccount bool, accountID string) posture.TokenForm {
	type group struct {
		Key  string `json:"key"`
		Type string `json:"type"`
	}
	form, groups := posture.TokenForm{ByHand: []string{}, Undocumented: []string{}}, []group{}
	for _, p := range slices.Sorted(slices.Values(permissions)) {
		key := formKey(p)
		if key == "" {
			form.ByHand = append(form.ByHand, p)
			continue
		}
		if !slices.Contains(documentedKeys(), key) {
			form.Undocumented = append(form.Undocumented, p)
		}
		groups = append(groups, group{key, "read"})
	}
	encoded, err := json.Marshal(groups)
	if err != nil {
		encoded = []byte("[]")
	}
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	common := "permissionGroupKeys=" + escape(string(encoded)) + "&name=" + escape("Edgeposture (read only)")
	if ofAccount {
		form.URL = "https://dash.cloudflare.com/?to=/:account/api-tokens&" + common
		return form
	}
	if accountID == "" {
		accountID = "*"
	}
	form.URL = "https://dash.cloudflare.com/profile/api-tokens?" + common + "&accountId=" + escape(accountID) + "&zoneId=all"
	return form
}

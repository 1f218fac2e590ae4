package explain

import (
	"net/url"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
)

// pages maps each step to its page in the dashboard, below the zone.
func pages() map[string]string {
	return map[string]string{
		"dns": "/dns/records", "edge_tls": "/ssl-tls/edge-certificates", "always_use_https": "/ssl-tls/edge-certificates",
		"ddos_l7": "/security/ddos", "http_request_sanitize": "/rules/settings", "http_request_dynamic_redirect": "/rules/redirect-rules",
		"http_request_transform": "/rules/transform-rules", "page_rules": "/rules/page-rules",
		"http_config_settings": "/rules/configuration-rules", "http_request_origin": "/rules/origin-rules",
		"ip_access_rules": "/security/waf/tools", traffic.CustomRules: "/security/waf/custom-rules",
		traffic.RateLimits: "/security/waf/rate-limiting-rules", traffic.ManagedRules: "/security/waf/managed-rules",
		"http_request_sbfm": "/security/bots", "http_request_late_transform": "/rules/transform-rules",
		"http_request_cache_settings": "/caching/cache-rules", "snippets": "/rules/snippets", "workers": "/workers", "origin": "/ssl-tls",
		"http_response_headers_transform": "/rules/transform-rules", "http_response_firewall_managed": "/security/waf/managed-rules",
	}
}

// dashboard returns the URL of the dashboard page where the deciding setting or rule is changed; ""
// when nothing decides the step.
func (w *walk) dashboard(s PhaseStep) string {
	if s.By == nil {
		return ""
	}
	account := "https://dash.cloudflare.com/" + url.PathEscape(w.snap.Account.ID)
	switch {
	case s.Phase == "access":
		return "https://one.dash.cloudflare.com/" + url.PathEscape(w.snap.Account.ID) + "/access/apps"
	case s.Phase == "http_request_redirect":
		return account + "/bulk-redirects"
	case s.By.Scope == "account":
		return account + "/application-security/waf"
	}
	return account + "/" + url.PathEscape(w.zone.Name) + pages()[s.Phase]
}

package traffic

import "slices"

// Phase is a phase of the ruleset engine.
type Phase struct {
	Name string
	// Title is the name in the dashboard.
	Title string
	// Skippable is set when a custom rule may skip the phase by name.
	Skippable bool
}

// The phases of the firewall.
const (
	CustomRules  = "http_request_firewall_custom"
	RateLimits   = "http_ratelimit"
	ManagedRules = "http_request_firewall_managed"
)

// Phases lists the phases that decide about a request, in order. Within a phase, account rules come
// before zone rules (developers.cloudflare.com/ruleset-engine/reference/phases-list/, as of
// 2026-09-25; for what can be skipped developers.cloudflare.com/waf/custom-rules/skip/options/).
func Phases() []Phase {
	return []Phase{
		{Name: "http_request_sanitize", Title: "URL normalization"},
		{Name: "http_request_dynamic_redirect", Title: "Single Redirects"},
		{Name: "http_request_transform", Title: "URL Rewrite Rules"},
		{Name: "http_config_settings", Title: "Configuration Rules"},
		{Name: "http_request_origin", Title: "Origin Rules"},
		{Name: CustomRules, Title: "WAF custom rules"},
		{Name: RateLimits, Title: "Rate limiting rules", Skippable: true},
		{Name: ManagedRules, Title: "WAF managed rules", Skippable: true},
		{Name: "http_request_sbfm", Title: "Super Bot Fight Mode", Skippable: true},
		{Name: "http_request_redirect", Title: "Bulk Redirects"},
		{Name: "http_request_late_transform", Title: "Request header transform rules"},
		{Name: "http_request_cache_settings", Title: "Cache Rules"},
		{Name: "http_response_headers_transform", Title: "Response header transform rules"},
	}
}

func order(phase string) int {
	return slices.IndexFunc(Phases(), func(p Phase) bool { return p.Name == phase })
}

// terminates reports whether an action ends the processing of a request for good. A challenge does so
// until the visitor solves it; the request then meets the later rules (developers.cloudflare.com/ruleset-engine/rules-language/actions/).
func terminates(action string) bool {
	return slices.Contains([]string{"block", "redirect", "serve_error", "force_connection_close"}, action)
}

// Challenges reports whether an action lets a request through only when the visitor solves a challenge.
func Challenges(action string) bool {
	return slices.Contains([]string{"managed_challenge", "js_challenge", "challenge"}, action)
}

// Stops reports whether an action keeps requests from the application, or challenges them.
func Stops(action string) bool { return terminates(action) || Challenges(action) }

// passes reports whether an action is one that Cloudflare publishes and that stops nothing.
func passes(action string) bool {
	return slices.Contains([]string{"", "log", "skip", "execute", "rewrite", "route", "score", "set_config", "set_cache_settings",
		"set_cache_control", "set_cache_tags", "compress_response", "ddos_dynamic", "log_custom_field", "bypass", "normalize", "passthrough",
		"transform_response_html"}, action)
}

package simcloud

const phaseCache = "http_request_cache_settings"

// cacheRule returns a rule that caches responses at the edge, see
// https://developers.cloudflare.com/cache/how-to/cache-rules/settings/.
func cacheRule(s *stream, updated, expression, description, mode string, armor bool) obj {
	r := newRule(s, updated, "set_cache_settings", expression, description)
	ttl := obj{"mode": mode}
	if mode == "override_origin" {
		ttl["default"] = 7200
	}
	r["action_parameters"] = obj{
		"cache": true, "edge_ttl": ttl, "browser_ttl": obj{"mode": "respect_origin"},
		"cache_key": obj{"cache_deception_armor": armor, "ignore_query_strings_order": false},
	}
	return r
}

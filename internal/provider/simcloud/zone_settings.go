package simcloud

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// defaultSettings returns the settings of a well-kept zone, see
// https://developers.cloudflare.com/api/resources/zones/subresources/settings/.
func defaultSettings() map[string]any {
	return map[string]any{
		"0rtt": "off", "advanced_ddos": "on", "always_online": "off", "always_use_https": "on",
		"automatic_https_rewrites": "on", "brotli": "on", "browser_cache_ttl": 14400, "browser_check": "on",
		"cache_level": "aggressive", "challenge_ttl": 1800, "ciphers": []string{}, "cname_flattening": "flatten_at_root",
		"development_mode": "off", "early_hints": "off", "edge_cache_ttl": 7200, "email_obfuscation": "on",
		"hotlink_protection": "off", "http2": "on", "http3": "on", "ip_geolocation": "on", "ipv6": "on", "max_upload": 100,
		"min_tls_version": "1.2", "opportunistic_encryption": "on", "opportunistic_onion": "on", "orange_to_orange": "off",
		"privacy_pass": "on", "pseudo_ipv4": "off", "replace_insecure_js": "on", "rocket_loader": "off",
		"security_header": obj{"strict_transport_security": obj{
			"enabled": true, "max_age": 31536000, "include_subdomains": true, "preload": false, "nosniff": true,
		}},
		"security_level": "medium", "server_side_exclude": "on", "sort_query_string_for_cache": "off", "ssl": "strict",
		"ssl_recommender": "off", "tls_1_3": "on", "tls_client_auth": "off", "waf": "off",
		"websockets": "on",
	}
}

// paidSettings returns the settings that cannot be edited below business.
func paidSettings() []string {
	return []string{"ciphers", "sort_query_string_for_cache", "advanced_ddos"}
}

func (z *zone) value(id string) any {
	if v, set := z.settings[id]; set {
		return v
	}
	return defaultSettings()[id]
}

func (z *zone) setting(id string) obj {
	o := obj{"id": id, "value": z.value(id), "modified_on": nil, "editable": true}
	if when := z.changed[id]; when != "" {
		o["modified_on"] = when
	}
	if rank(z.plan) < 2 && slices.Contains(paidSettings(), id) {
		o["editable"] = false
	}
	if id == "development_mode" {
		o["time_remaining"] = max(z.devMode, 0)
	}
	return o
}

func readSettings(c *call) answer {
	if c.cloud.opts.NoBulkSettings {
		return refuse(http.StatusNotFound, 7000, "No route for that URI")
	}
	out := []obj{}
	for _, id := range slices.Sorted(maps.Keys(defaultSettings())) {
		out = append(out, c.zone.setting(id))
	}
	return ok(out)
}

func unknownSetting() answer {
	return refuse(http.StatusBadRequest, 1006, "Unrecognized zone setting name")
}

func readSetting(c *call) answer {
	id := c.id("setting_id")
	if _, known := defaultSettings()[id]; !known {
		return unknownSetting()
	}
	return ok(c.zone.setting(id))
}

func writeSetting(c *call) answer {
	var body struct {
		Value any `json:"value"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	id := c.id("setting_id")
	if bad := c.set(id, body.Value, true); bad != nil {
		return *bad
	}
	return ok(c.zone.setting(id))
}

// writeSettings changes several settings, all or none.
func writeSettings(c *call) answer {
	var body struct {
		Items []struct {
			ID    string `json:"id"`
			Value any    `json:"value"`
		} `json:"items"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	for _, item := range body.Items {
		if bad := c.set(item.ID, item.Value, false); bad != nil {
			return *bad
		}
	}
	out := []obj{}
	for _, item := range body.Items {
		_ = c.set(item.ID, item.Value, true) // already validated above
		out = append(out, c.zone.setting(item.ID))
	}
	return ok(out)
}

// set validates a value and, if keep is true, stores it.
func (c *call) set(id string, value any, keep bool) *answer {
	known, exists := defaultSettings()[id]
	if !exists {
		a := unknownSetting()
		return &a
	}
	if c.zone.setting(id)["editable"] != true {
		a := refuse(http.StatusBadRequest, 1015, "Not allowed to edit setting for "+id)
		return &a
	}
	invalid := refuse(http.StatusBadRequest, 1007, "Invalid value for zone setting "+id)
	if allowed := allowedValues()[id]; allowed != nil && !slices.Contains(allowed, value) {
		return &invalid
	}
	if id == "security_header" {
		full, valid := fullHeader(value)
		if !valid {
			return &invalid
		}
		value = full
	} else if value == nil || !fits(obj{id: known}, obj{id: value}) {
		return &invalid
	}
	if keep {
		c.keep(id, value)
	}
	return nil
}

// keep stores a value. Development mode switches itself off after three hours,
// see https://developers.cloudflare.com/cache/reference/development-mode/.
func (c *call) keep(id string, value any) {
	was := c.zone.value(id)
	c.zone.settings[id], c.zone.changed[id] = value, stamp(c.now)
	if id == "development_mode" && value != was {
		if c.zone.devMode = 0; value == "on" {
			c.zone.devMode = 3 * 60 * 60
		}
	}
}

// allowedValues returns the accepted values of the settings that remedies write.
func allowedValues() map[string][]any {
	onOff := []any{"on", "off"}
	values := map[string][]any{
		"ssl":             {"off", "flexible", "full", "strict", "origin_pull"},
		"min_tls_version": {"1.0", "1.1", "1.2", "1.3"},
		"tls_1_3":         {"on", "off", "zrt"},
		"security_level":  {"off", "essentially_off", "low", "medium", "high", "under_attack"},
		"challenge_ttl": {
			300.0, 900.0, 1800.0, 2700.0, 3600.0, 7200.0, 10800.0, 14400.0, 28800.0, 57600.0, 86400.0, 604800.0, 2592000.0, 31536000.0,
		},
	}
	for _, id := range []string{
		"0rtt", "always_online", "always_use_https", "automatic_https_rewrites", "brotli", "browser_check", "development_mode",
		"email_obfuscation", "hotlink_protection", "http2", "http3", "ip_geolocation", "ipv6", "opportunistic_encryption", "tls_client_auth",
	} {
		values[id] = onOff
	}
	return values
}

// fullHeader replaces the header setting as the API does: missing members fall back to their defaults.
func fullHeader(value any) (any, bool) {
	outer, isObject := value.(map[string]any)
	if !isObject {
		return nil, false
	}
	sent, isObject := outer["strict_transport_security"].(map[string]any)
	if !isObject {
		return nil, false
	}
	full := obj{"enabled": false, "max_age": 0, "include_subdomains": false, "preload": false, "nosniff": false}
	if !fits(full, sent) || number(sent["max_age"]) < 0 {
		return nil, false
	}
	for key := range full {
		if v, given := sent[key]; given && v != nil {
			full[key] = v
		}
	}
	return obj{"strict_transport_security": full}, true
}

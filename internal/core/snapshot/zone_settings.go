package snapshot

import (
	"encoding/json"
	"slices"
	"strings"
)

// settingIDs are the zone settings that checks, graph and paths read.
func settingIDs() []string {
	return []string{"0rtt", "always_online", "always_use_https", "automatic_https_rewrites", "browser_check", "challenge_ttl", "ciphers",
		"development_mode", "email_obfuscation", "hotlink_protection", "http2", "http3", "ip_geolocation", "min_tls_version",
		"opportunistic_encryption", "security_header", "security_level", "ssl", "tls_1_3", "tls_client_auth"}
}

// zoneSettings reads all settings of a zone in one call. The bulk read is served
// by the API but may be withdrawn one day, so a refusal for any other reason
// than the token is answered by reading the settings one by one
// (developers.cloudflare.com/api/resources/zones/subresources/settings/).
func zoneSettings() Source {
	var singly []string
	for _, id := range settingIDs() {
		singly = append(singly, "/zones/{zone_id}/settings/"+id)
	}
	return object(ZoneSettings, Source{
		Path: "/zones/{zone_id}/settings", Permission: "Zone: Zone Settings Read", Feeds: true,
		Singly: singly,
		Example: `[{"id":"ssl","value":"strict","editable":true},{"id":"security_header","value":{"strict_transport_security":{"enabled":true,` +
			`"max_age":31536000}}},{"id":"unused","value":1}]`,
	}, reduceSettings)
}

func reduceSettings(w []Setting) Settings {
	known := settingIDs()
	out := Settings{}
	for _, s := range w {
		if slices.Contains(known, s.ID) {
			s.Value = canonicalJSON(s.Value)
			if s.ID != "security_level" {
				s.ModifiedOn = Time{}
			}
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Setting) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// canonicalJSON gives equal values equal bytes, whatever the key order.
func canonicalJSON(raw json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return json.RawMessage("null")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

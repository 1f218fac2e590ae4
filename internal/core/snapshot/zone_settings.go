package snapshot

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// toSaveRequests is why a read was left out in a zone whose settings are read one by one.
const toSaveRequests = "Cloudflare no longer lists zone settings, and reading them one by one takes up the request budget of a " +
	"free zone; choose the check by name or category to have it read"

// settingIDs are the zone settings that checks, graph and paths read.
func settingIDs() []string {
	return []string{"0rtt", "always_online", "always_use_https", "automatic_https_rewrites", "browser_check", "challenge_ttl", "ciphers",
		"development_mode", "email_obfuscation", "hotlink_protection", "http2", "http3", "ip_geolocation", "min_tls_version",
		"opportunistic_encryption", "security_header", "security_level", "ssl", "tls_1_3", "tls_client_auth"}
}

// zoneSettings reads all settings of a zone in one call, which Cloudflare ends on 2027-03-31. From
// then on, and when the list is refused for any other reason than the token, the settings that
// the plan of a run asks for are read one by one
// (developers.cloudflare.com/api/resources/zones/subresources/settings/).
func zoneSettings() Source {
	var singly []SingleRead
	for _, id := range settingIDs() {
		singly = append(singly, SingleRead{ID: id, Path: "/zones/{zone_id}/settings/" + id})
	}
	return object(ZoneSettings, Source{
		Path: "/zones/{zone_id}/settings", Permission: "Zone: Zone Settings Read", Feeds: true,
		Singly: singly, Ends: time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC),
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

package snapshot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ZoneSettings holds all settings of a zone.
const ZoneSettings Key[Settings] = "zone/settings"

// ZoneSetting names a single setting of ZoneSettings by its id, such as "ssl".
type ZoneSetting string

// Source returns the source of all zone settings.
func (ZoneSetting) Source() string { return ZoneSettings.Source() }

// Name identifies the single setting.
func (s ZoneSetting) Name() string { return s.Source() + "/" + string(s) }

// Setting is one zone setting: the bare value, an object for a few.
type Setting struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
	// ModifiedOn is kept only for the security level.
	ModifiedOn Time `json:"modified_on,omitzero"`
	// LeftOut marks a setting that was not read. A missing setting is not part of the zone's plan.
	LeftOut bool `json:"left_out,omitempty"`
}

// SortKey orders settings by id.
func (s Setting) SortKey() string { return s.ID }

// Settings are the zone settings, sorted by id.
type Settings []Setting

// Text returns a setting that is a word or a number; ok is false when the provider did not return
// it.
func (s Settings) Text(id string) (value string, ok bool) {
	raw, ok := s.raw(id)
	if !ok {
		return "", false
	}
	if json.Unmarshal(raw, &value) == nil {
		return value, true
	}
	var n float64
	if json.Unmarshal(raw, &n) == nil {
		return strconv.FormatFloat(n, 'f', -1, 64), true
	}
	return "", false
}

// List returns a setting that is a list of words.
func (s Settings) List(id string) (values []string, ok bool) {
	raw, ok := s.raw(id)
	if !ok || json.Unmarshal(raw, &values) != nil {
		return nil, false
	}
	return values, true
}

// Modified returns when a setting was last changed; the zero time when the provider did not say or
// the date is not kept.
func (s Settings) Modified(id string) Time {
	for _, v := range s {
		if v.ID == id {
			return v.ModifiedOn
		}
	}
	return Time{}
}

// HSTS returns the strict-transport-security setting. ok is false when the provider did not return
// it.
func (s Settings) HSTS() (h HSTS, ok bool) {
	raw, ok := s.raw("security_header")
	if !ok {
		return HSTS{}, false
	}
	var outer struct {
		STS HSTS `json:"strict_transport_security"`
	}
	if json.Unmarshal(raw, &outer) != nil {
		return HSTS{}, false
	}
	return outer.STS, true
}

func (s Settings) raw(id string) (json.RawMessage, bool) {
	for _, v := range s {
		if v.ID == id {
			return v.Value, !v.LeftOut
		}
	}
	return nil, false
}

// leftOut reports whether a setting was not read.
func (s Settings) leftOut(id string) bool {
	return slices.ContainsFunc(s, func(v Setting) bool { return v.ID == id && v.LeftOut })
}

// With returns a copy of the settings with one value replaced or added.
func (s Settings) With(id string, value any) Settings {
	raw, err := json.Marshal(value)
	if err != nil {
		return s
	}
	out := make(Settings, 0, len(s)+1)
	found := false
	for _, v := range s {
		if v.ID == id {
			v.Value, found = raw, true
		}
		out = append(out, v)
	}
	if !found {
		out = append(out, Setting{ID: id, Value: raw})
	}
	return out
}

// Without returns a copy of the settings without one.
func (s Settings) Without(id string) Settings {
	out := make(Settings, 0, len(s))
	for _, v := range s {
		if v.ID != id {
			out = append(out, v)
		}
	}
	return out
}

// HSTS holds the parameters of RFC 6797; MaxAge is in seconds.
type HSTS struct {
	Enabled           bool `json:"enabled"`
	MaxAge            int  `json:"max_age"`
	IncludeSubdomains bool `json:"include_subdomains"`
	Preload           bool `json:"preload"`
}

// String says the settings in words, as evidence has them.
func (h HSTS) String() string {
	if !h.Enabled {
		return "off"
	}
	out := fmt.Sprintf("max-age=%d", h.MaxAge)
	if h.IncludeSubdomains {
		out += "; includeSubDomains"
	}
	if h.Preload {
		out += "; preload"
	}
	return out
}

// toSaveRequests is the reason for reads that are left out in a zone whose settings are read one by
// one.
const toSaveRequests = "Cloudflare no longer lists zone settings, and reading them one by one takes up the request budget of a " +
	"free zone; choose the check by name or category to have it read"

// settingIDs are the zone settings that checks, graph and paths read.
func settingIDs() []string {
	return []string{"0rtt", "always_online", "always_use_https", "automatic_https_rewrites", "browser_check", "challenge_ttl", "ciphers",
		"development_mode", "email_obfuscation", "hotlink_protection", "http2", "http3", "ip_geolocation", "min_tls_version",
		"opportunistic_encryption", "security_header", "security_level", "ssl", "tls_1_3", "tls_client_auth"}
}

// zoneSettings reads all settings of a zone in one call, which Cloudflare removes on 2027-03-31.
// From then on, and when the list is refused for a reason other than the token, only the settings
// that the plan of the run needs are read, one by one
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

// canonicalJSON encodes equal values to equal bytes, whatever their key order.
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

package snapshot

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Zone sources; the scope is the zone id, but ZoneList's is the account id.
const (
	ZoneList          Key[[]Zone]         = "zone/list"
	ZoneSettings      Key[Settings]       = "zone/settings"
	ZoneDNSRecords    Key[[]DNSRecord]    = "zone/dns_records"
	ZoneDNSSEC        Key[DNSSEC]         = "zone/dnssec"
	ZonePageRules     Key[[]PageRule]     = "zone/page_rules"
	ZoneOriginCA      Key[[]OriginCert]   = "zone/origin_ca"
	ZoneBotManagement Key[BotManagement]  = "zone/bot_management"
	ZoneIPAccessRules Key[[]IPAccessRule] = "zone/ip_access_rules"
	ZoneLogpushJobs   Key[[]LogpushJob]   = "zone/logpush_jobs"
)

// Zone is a domain as the zone list tells it. Plan is plan.legacy_id.
type Zone struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Status      string   `json:"status"`
	Paused      bool     `json:"paused"`
	Type        string   `json:"type"`
	Plan        string   `json:"plan"`
	NameServers []string `json:"name_servers"`
	CreatedOn   Time     `json:"created_on,omitzero"`
	DevMode     int      `json:"development_mode"`
	Phishing    bool     `json:"phishing_detected"`
}

// SortKey orders zones by id.
func (z Zone) SortKey() string { return z.ID }

// Partial reports whether only single host names of the domain are served here.
func (z Zone) Partial() bool { return z.Type == "partial" }

// ZoneSetting names a single setting of ZoneSettings by its id, such as "ssl".
type ZoneSetting string

// Source is that of all settings.
func (ZoneSetting) Source() string { return ZoneSettings.Source() }

// Name tells the setting apart from others.
func (s ZoneSetting) Name() string { return s.Source() + "/" + string(s) }

// Setting is one zone setting: the bare value, an object for a few.
type Setting struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
	// ModifiedOn is kept for the security level alone.
	ModifiedOn Time `json:"modified_on,omitzero"`
	// LeftOut marks a setting that was not asked for. One that is not there at all is not in the plan of the zone.
	LeftOut bool `json:"left_out,omitempty"`
}

// SortKey orders settings by id.
func (s Setting) SortKey() string { return s.ID }

// Settings are the zone settings, sorted by id.
type Settings []Setting

// Text gives a setting that is a word or a number; ok is false when the
// provider did not return it.
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

// List gives a setting that is a list of words.
func (s Settings) List(id string) (values []string, ok bool) {
	raw, ok := s.raw(id)
	if !ok || json.Unmarshal(raw, &values) != nil {
		return nil, false
	}
	return values, true
}

// Modified tells when a setting was changed last; the zero time when the
// provider did not say or the date is not kept.
func (s Settings) Modified(id string) Time {
	for _, v := range s {
		if v.ID == id {
			return v.ModifiedOn
		}
	}
	return Time{}
}

// HSTS is the strict-transport-security setting. ok is false when the provider
// did not return it.
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

// leftOut reports whether a setting was not asked for.
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

// Without returns a copy of the settings that lacks one.
func (s Settings) Without(id string) Settings {
	out := make(Settings, 0, len(s))
	for _, v := range s {
		if v.ID != id {
			out = append(out, v)
		}
	}
	return out
}

// HSTS as RFC 6797 means it; MaxAge is seconds.
type HSTS struct {
	Enabled           bool `json:"enabled"`
	MaxAge            int  `json:"max_age"`
	IncludeSubdomains bool `json:"include_subdomains"`
	Preload           bool `json:"preload"`
}

// DNSRecord is one record. Content of a TXT record that looks like a credential
// is replaced by its kind before it is stored, and CredentialKind says so.
type DNSRecord struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Type           string `json:"type"`
	Content        string `json:"content"`
	Proxied        bool   `json:"proxied"`
	Proxiable      bool   `json:"proxiable"`
	PrivateRouting bool   `json:"private_routing,omitempty"`
	TTL            int    `json:"ttl"`
	Priority       int    `json:"priority,omitempty"`
	CredentialKind string `json:"credential_kind,omitempty"`
}

// SortKey orders records by id.
func (r DNSRecord) SortKey() string { return r.ID }

// DNSSEC is the signing state of a zone.
type DNSSEC struct {
	Status      string `json:"status"`
	Presigned   bool   `json:"dnssec_presigned"`
	MultiSigner bool   `json:"dnssec_multi_signer"`
	ModifiedOn  Time   `json:"modified_on,omitzero"`
}

// PageRule is a legacy rule that still takes effect.
type PageRule struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Priority int               `json:"priority"`
	Targets  []string          `json:"targets"`
	Actions  map[string]string `json:"actions"` // action id → value as text, JSON for objects
}

// SortKey orders page rules by id.
func (p PageRule) SortKey() string { return p.ID }

// OriginCert is a certificate of the provider's origin authority.
type OriginCert struct {
	ID        string   `json:"id"`
	Hostnames []string `json:"hostnames"`
	ExpiresOn Time     `json:"expires_on,omitzero"`
	Validity  int      `json:"requested_validity"`
	Revoked   bool     `json:"revoked,omitempty"`
}

// SortKey orders certificates by id.
func (c OriginCert) SortKey() string { return c.ID }

// BotManagement is the bot configuration; which fields exist depends on the plan.
type BotManagement struct {
	FightMode           *bool  `json:"fight_mode,omitempty"`
	EnableJS            *bool  `json:"enable_js,omitempty"`
	DefinitelyAutomated string `json:"sbfm_definitely_automated,omitempty"`
	LikelyAutomated     string `json:"sbfm_likely_automated,omitempty"`
	VerifiedBots        string `json:"sbfm_verified_bots,omitempty"`
	AIBots              string `json:"ai_bots_protection,omitempty"`
	RobotsManaged       *bool  `json:"is_robots_txt_managed,omitempty"`
	CrawlerProtection   string `json:"crawler_protection,omitempty"`
}

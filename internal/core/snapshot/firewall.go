package snapshot

// Zone sources of what surrounds the rules; the scope is the zone id.
const (
	ZoneLeakedCredentials Key[Switch]           = "zone/leaked_credentials" //nolint:gosec // the name of a read
	ZoneContentScan       Key[ContentScan]      = "zone/content_scan"
	ZoneURLNormalization  Key[URLNormalization] = "zone/url_normalization"
	ZoneManagedHeaders    Key[ManagedHeaders]   = "zone/managed_headers"
	ZoneHold              Key[Hold]             = "zone/hold"
)

// Switch is a feature that is on or off; nil when the provider did not say.
type Switch struct {
	Enabled *bool `json:"enabled"`
}

// ContentScan tells whether uploads are scanned: enabled or disabled.
type ContentScan struct {
	Value string `json:"value"`
}

// URLNormalization says how paths are made comparable (cloudflare or rfc3986)
// and where: incoming, both or none.
type URLNormalization struct {
	Type  string `json:"type"`
	Scope string `json:"scope"`
}

// ManagedHeaders maps the ids of managed transforms to whether they are on.
type ManagedHeaders struct {
	Request  map[string]bool `json:"request"`
	Response map[string]bool `json:"response"`
}

// Hold keeps other accounts from adding the zone; until After it is lifted.
type Hold struct {
	Hold              bool `json:"hold"`
	After             Time `json:"hold_after,omitzero"`
	IncludeSubdomains bool `json:"include_subdomains"`
}

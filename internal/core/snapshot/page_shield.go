package snapshot

// Client-side security sources.
const (
	ZonePageShield            Key[PageShield]       = "zone/page_shield"
	ZonePageShieldScripts     Key[[]PageScript]     = "zone/page_shield_scripts"
	ZonePageShieldConnections Key[[]PageConnection] = "zone/page_shield_connections"
	ZonePageShieldPolicies    Key[[]PagePolicy]     = "zone/page_shield_policies"
)

// PageShield tells whether scripts of the pages are watched; nil when the
// provider did not say.
type PageShield struct {
	Enabled *bool `json:"enabled,omitempty"`
}

// PageScript is a script visitors' browsers loaded. URL has no query. Scores run
// from 1, surely malicious, to 99; 0 means that there is none.
type PageScript struct {
	ID              string `json:"id"`
	Host            string `json:"host"`
	URL             string `json:"url"`
	LastSeen        Time   `json:"last_seen_at,omitzero"`
	DomainMalicious bool   `json:"domain_reported_malicious,omitempty"`
	URLMalicious    bool   `json:"url_reported_malicious,omitempty"`
	Malware         int    `json:"malware_score,omitempty"`
	Magecart        int    `json:"magecart_score,omitempty"`
	Cryptomining    int    `json:"cryptomining_score,omitempty"`
}

// SortKey orders scripts by id.
func (s PageScript) SortKey() string { return s.ID }

// PageConnection is a host that scripts of the pages spoke to.
type PageConnection struct {
	ID              string `json:"id"`
	Host            string `json:"host"`
	LastSeen        Time   `json:"last_seen_at,omitzero"`
	DomainMalicious bool   `json:"domain_reported_malicious,omitempty"`
	URLMalicious    bool   `json:"url_reported_malicious,omitempty"`
}

// SortKey orders connections by id.
func (c PageConnection) SortKey() string { return c.ID }

// PagePolicy is a content security policy the edge adds.
type PagePolicy struct {
	ID         string `json:"id"`
	Action     string `json:"action"`
	Enabled    bool   `json:"enabled"`
	Expression string `json:"expression,omitempty"`
	AnySource  bool   `json:"any_source,omitempty"` // scripts of any host are allowed
}

// SortKey orders policies by id.
func (p PagePolicy) SortKey() string { return p.ID }

package snapshot

import (
	"net/url"

	"github.com/edgeposture/edgeposture/internal/core/csp"
)

const (
	// ZonePageShield says whether the scripts of the pages are monitored.
	ZonePageShield Key[PageShield] = "zone/page_shield"
	// ZonePageShieldScripts holds the scripts that browsers loaded recently.
	ZonePageShieldScripts Key[[]PageScript] = "zone/page_shield_scripts"
	// ZonePageShieldConnections holds the hosts that page scripts connected to.
	ZonePageShieldConnections Key[[]PageConnection] = "zone/page_shield_connections"
	// ZonePageShieldPolicies holds the content security policies of a zone.
	ZonePageShieldPolicies Key[[]PagePolicy] = "zone/page_shield_policies"
)

// PageShield says whether page scripts are monitored; nil when the provider does not say.
type PageShield struct {
	Enabled *bool `json:"enabled,omitempty"`
}

// PageScript is a script that visitors' browsers loaded. URL has no query. Scores run from 1,
// certainly malicious, to 99; 0 means no score.
type PageScript struct {
	ID              string `json:"id"`
	Host            string `json:"host"`
	URL             string `json:"url"`
	LastSeen        Time   `json:"last_seen_at,omitzero"`
	DomainMalicious bool   `json:"domain_reported_malicious,omitempty"`
	URLMalicious    bool   `json:"url_reported_malicious,omitempty"`
	Integrity       int    `json:"js_integrity_score,omitempty"`
	Malware         int    `json:"malware_score,omitempty"`
	Magecart        int    `json:"magecart_score,omitempty"`
	Cryptomining    int    `json:"cryptomining_score,omitempty"`
	// Unchecked is set when Cloudflare does not say whether the script is malicious, which the
	// published answer leaves open.
	Unchecked bool `json:"unchecked,omitempty"`
}

// SortKey orders scripts by id.
func (s PageScript) SortKey() string { return s.ID }

// PageConnection is a host that page scripts connected to.
type PageConnection struct {
	ID              string `json:"id"`
	Host            string `json:"host"`
	LastSeen        Time   `json:"last_seen_at,omitzero"`
	DomainMalicious bool   `json:"domain_reported_malicious,omitempty"`
	URLMalicious    bool   `json:"url_reported_malicious,omitempty"`
	// Unchecked is as for scripts.
	Unchecked bool `json:"unchecked,omitempty"`
}

// SortKey orders connections by id.
func (c PageConnection) SortKey() string { return c.ID }

// PagePolicy is a content security policy added at the edge.
type PagePolicy struct {
	ID         string `json:"id"`
	Action     string `json:"action"`
	Enabled    bool   `json:"enabled"`
	Expression string `json:"expression,omitempty"`
	AnySource  bool   `json:"any_source,omitempty"` // scripts of any host are allowed
}

// SortKey orders policies by id.
func (p PagePolicy) SortKey() string { return p.ID }

const permissionPageShield = "Zone: Page Shield Read"

// zonePageShield reads whether page scripts are monitored
// (developers.cloudflare.com/api/resources/page_shield/methods/get/).
func zonePageShield() Source {
	return object(ZonePageShield, Source{
		Path: "/zones/{zone_id}/page_shield", Permission: permissionPageShield,
		Example: `{"enabled":true,"use_cloudflare_reporting_endpoint":true,"use_connection_url_path":false,"updated_at":"2026-01-01T00:00:00Z"}`,
	}, asRead[PageShield])
}

// unwatched skips the observations for a zone whose scripts are not monitored.
func unwatched(k *Known, t SourceScope) string {
	switch k.Status(ZonePageShield, t.Zone.ID) {
	case NotEntitled, Absent, Skipped:
		return "the zone has no client-side security"
	}
	if s, ok := Cached(k, ZonePageShield, t.Zone.ID); ok && s.Enabled != nil && !*s.Enabled {
		return "scripts of the zone are not watched"
	}
	return ""
}

type pageScriptWire struct {
	ID              string  `json:"id"`
	Host            string  `json:"host"`
	URL             string  `json:"url"`
	LastSeen        Time    `json:"last_seen_at"`
	DomainMalicious *bool   `json:"domain_reported_malicious"`
	URLMalicious    *bool   `json:"url_reported_malicious"`
	Integrity       float64 `json:"js_integrity_score"`
	Malware         float64 `json:"malware_score"`
	Magecart        float64 `json:"magecart_score"`
	Cryptomining    float64 `json:"cryptomining_score"`
}

func reducePageScript(w pageScriptWire) PageScript {
	return PageScript{ID: w.ID, Host: w.Host, URL: withoutQuery(w.URL), LastSeen: w.LastSeen,
		DomainMalicious: given(w.DomainMalicious), URLMalicious: given(w.URLMalicious),
		Integrity: int(w.Integrity), Malware: int(w.Malware), Magecart: int(w.Magecart),
		Cryptomining: int(w.Cryptomining), Unchecked: w.DomainMalicious == nil && w.URLMalicious == nil &&
			w.Integrity+w.Malware+w.Magecart+w.Cryptomining == 0}
}

type pageConnectionWire struct {
	ID              string `json:"id"`
	Host            string `json:"host"`
	LastSeen        Time   `json:"last_seen_at"`
	DomainMalicious *bool  `json:"domain_reported_malicious"`
	URLMalicious    *bool  `json:"url_reported_malicious"`
}

// withoutQuery keeps scheme, host and path: the rest may identify a visitor.
func withoutQuery(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// zonePageShieldScripts lists the scripts that browsers loaded recently
// (developers.cloudflare.com/api/resources/page_shield/subresources/scripts/methods/list/).
func zonePageShieldScripts() Source {
	return list(ZonePageShieldScripts, Source{
		Path: "/zones/{zone_id}/page_shield/scripts", Paging: Paging{Kind: ByPage, Size: 100}, Volatile: true, Permission: permissionPageShield,
		Plans: []string{"business", "enterprise"}, After: []string{ZonePageShield.Source()}, Skip: unwatched,
		Example: `[{"id":"s1","host":"acme.example","url":"https://cdn.acme.example/app.js?user=drop","last_seen_at":"2026-01-01T00:00:00Z",` +
			`"domain_reported_malicious":false,"js_integrity_score":97,"malware_score":98,"page_urls":["https://acme.example/?q=drop"]}]`,
	}, reducePageScript)
}

// zonePageShieldConnections lists the hosts that page scripts connected to
// (developers.cloudflare.com/api/resources/page_shield/subresources/connections/methods/list/).
func zonePageShieldConnections() Source {
	return list(ZonePageShieldConnections, Source{
		Path: "/zones/{zone_id}/page_shield/connections", Paging: Paging{Kind: ByPage, Size: 100}, Volatile: true,
		Permission: permissionPageShield,
		Plans:      []string{"business", "enterprise"}, After: []string{ZonePageShield.Source()}, Skip: unwatched,
		Example: `[{"id":"c1","host":"acme.example","url":"https://pay.acme.example/?card=drop","last_seen_at":"2026-01-01T00:00:00Z",` +
			`"domain_reported_malicious":false,"page_urls":["https://acme.example/?q=drop"]}]`,
	}, func(w pageConnectionWire) PageConnection {
		return PageConnection{ID: w.ID, Host: w.Host, LastSeen: w.LastSeen, DomainMalicious: given(w.DomainMalicious),
			URLMalicious: given(w.URLMalicious), Unchecked: w.DomainMalicious == nil && w.URLMalicious == nil}
	})
}

type pagePolicyWire struct {
	ID         string `json:"id"`
	Action     string `json:"action"`
	Enabled    bool   `json:"enabled"`
	Expression string `json:"expression"`
	Value      string `json:"value"`
}

// zonePageShieldPolicies lists the content security policies of a zone
// (developers.cloudflare.com/api/resources/page_shield/subresources/policies/methods/list/).
func zonePageShieldPolicies() Source {
	return list(ZonePageShieldPolicies, Source{
		Path: "/zones/{zone_id}/page_shield/policies", Permission: permissionPageShield,
		Plans: []string{"business", "enterprise"}, After: []string{ZonePageShield.Source()}, Skip: unwatched,
		Example: `[{"id":"p1","action":"allow","enabled":true,"expression":"true","description":"drop","value":"script-src 'self' drop"}]`,
	}, func(w pagePolicyWire) PagePolicy {
		return PagePolicy{ID: w.ID, Action: w.Action, Enabled: w.Enabled, Expression: w.Expression,
			AnySource: csp.Parse(w.Value).AnyScript()}
	})
}

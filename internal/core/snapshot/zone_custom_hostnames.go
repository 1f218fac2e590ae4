package snapshot

import "encoding/json"

const (
	// ZoneCustomHostnames holds the hostnames of customers.
	ZoneCustomHostnames Key[[]CustomHostname] = "zone/custom_hostnames"
	// ZoneFallbackOrigin holds the server for custom hostnames without their own.
	ZoneFallbackOrigin Key[FallbackOrigin] = "zone/fallback_origin"
)

// CustomHostname is a customer's hostname that the zone serves. MinTLS is empty when the setting of
// the zone applies, Ciphers when it has none of its own. Errors counts the errors of the ownership verification.
type CustomHostname struct {
	ID         string `json:"id"`
	Hostname   string `json:"hostname"`
	Status     string `json:"status"`
	CreatedAt  Time   `json:"created_at,omitzero"`
	Origin     string `json:"custom_origin_server,omitempty"`
	SSLStatus  string `json:"ssl_status,omitempty"`
	SSLExpires Time   `json:"ssl_expires_on,omitzero"`
	MinTLS     string `json:"min_tls_version,omitempty"`
	// Ciphers are its cipher suites for TLS 1.2 and older.
	Ciphers  []string `json:"ciphers,omitempty"`
	Wildcard bool     `json:"wildcard,omitempty"` // names below it are served too
	Errors   int      `json:"verification_errors,omitempty"`
}

// SortKey orders hostnames by id.
func (h CustomHostname) SortKey() string { return h.ID }

// Gone reports whether the entry is deleted or being deleted.
func (h CustomHostname) Gone() bool { return h.Status == "deleted" || h.Status == "pending_deletion" }

// FallbackOrigin serves the custom hostnames without their own server.
type FallbackOrigin struct {
	Origin string `json:"origin"`
	Status string `json:"status"`
}

// Origin is one server of a pool: an address or a hostname.
type Origin struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Network string `json:"virtual_network_id,omitempty"` // in which a private address is
	Enabled bool   `json:"enabled"`
}

type customHostnameWire struct {
	ID        string `json:"id"`
	Hostname  string `json:"hostname"`
	Status    string `json:"status"`
	CreatedAt Time   `json:"created_at"`
	Origin    string `json:"custom_origin_server"`
	SSL       struct {
		Status    string `json:"status"`
		ExpiresOn Time   `json:"expires_on"`
		Wildcard  bool   `json:"wildcard"`
		Settings  struct {
			MinTLS  string   `json:"min_tls_version"`
			Ciphers []string `json:"ciphers"`
		} `json:"settings"`
	} `json:"ssl"`
	Errors []json.RawMessage `json:"verification_errors"`
}

// zoneCustomHostnames lists customers' hostnames, without the proofs of their ownership
// (developers.cloudflare.com/api/resources/custom_hostnames/methods/list/).
func zoneCustomHostnames() Source {
	return list(ZoneCustomHostnames, Source{
		Path: "/zones/{zone_id}/custom_hostnames", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true, Permission: permissionCertificates,
		Feeds: true,
		Example: `[{"id":"h1","hostname":"shop.customer.example","status":"active","created_at":"2026-01-01T00:00:00Z",` +
			`"custom_origin_server":"a.acme.example","custom_metadata":{"note":"drop"},"ownership_verification":{"value":"drop"},` +
			`"ssl":{"status":"active","expires_on":"2026-05-01T00:00:00Z","settings":{"min_tls_version":"1.2",` +
			`"ciphers":["AES128-SHA"]},"custom_key":"drop","validation_records":[{"txt_value":"drop"}]},"verification_errors":["drop"]}]`,
	}, func(w customHostnameWire) CustomHostname {
		return CustomHostname{ID: w.ID, Hostname: ASCII(w.Hostname), Status: w.Status, CreatedAt: w.CreatedAt, Origin: w.Origin,
			SSLStatus: w.SSL.Status, SSLExpires: w.SSL.ExpiresOn, MinTLS: w.SSL.Settings.MinTLS,
			Ciphers: w.SSL.Settings.Ciphers, Wildcard: w.SSL.Wildcard, Errors: len(w.Errors)}
	})
}

// zoneFallbackOrigin reads the server for custom hostnames without their own
// (developers.cloudflare.com/api/resources/custom_hostnames/subresources/fallback_origin/methods/get/).
func zoneFallbackOrigin() Source {
	return object(ZoneFallbackOrigin, Source{
		Path: "/zones/{zone_id}/custom_hostnames/fallback_origin", Volatile: true, Permission: permissionCertificates,
		After:   []string{ZoneCustomHostnames.Source()},
		Skip:    without(ZoneCustomHostnames, "custom hostnames are not in use", "the zone has no custom hostname"),
		Example: `{"origin":"fallback.acme.example","status":"active","errors":["drop"],"created_at":"2026-01-01T00:00:00Z"}`,
	}, asRead[FallbackOrigin])
}

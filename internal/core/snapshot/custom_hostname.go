package snapshot

// Sources of hostnames that customers bring.
const (
	ZoneCustomHostnames Key[[]CustomHostname] = "zone/custom_hostnames"
	ZoneFallbackOrigin  Key[FallbackOrigin]   = "zone/fallback_origin"
)

// CustomHostname is a hostname of a customer that the zone serves. MinTLS is
// empty when the setting of the zone holds. Errors counts what went wrong while
// its ownership was verified.
type CustomHostname struct {
	ID         string `json:"id"`
	Hostname   string `json:"hostname"`
	Status     string `json:"status"`
	CreatedAt  Time   `json:"created_at,omitzero"`
	Origin     string `json:"custom_origin_server,omitempty"`
	SSLStatus  string `json:"ssl_status,omitempty"`
	SSLExpires Time   `json:"ssl_expires_on,omitzero"`
	MinTLS     string `json:"min_tls_version,omitempty"`
	Wildcard   bool   `json:"wildcard,omitempty"` // names below it are served, too
	Errors     int    `json:"verification_errors,omitempty"`
}

// SortKey orders hostnames by id.
func (h CustomHostname) SortKey() string { return h.ID }

// Gone reports whether the entry is being taken away.
func (h CustomHostname) Gone() bool { return h.Status == "deleted" || h.Status == "pending_deletion" }

// FallbackOrigin serves the hostnames that have no server of their own.
type FallbackOrigin struct {
	Origin string `json:"origin"`
	Status string `json:"status"`
}

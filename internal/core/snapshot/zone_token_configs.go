package snapshot

// ZoneTokenConfigs holds the configurations that validate session tokens.
const ZoneTokenConfigs Key[[]TokenConfig] = "zone/token_configs"

// TokenConfig says where session tokens are in a request and which keys verify them. Only the
// algorithms of the keys are kept.
type TokenConfig struct {
	ID         string   `json:"id"`
	Title      string   `json:"title,omitempty"`
	Algorithms []string `json:"algorithms,omitempty"`
	CreatedAt  Time     `json:"created_at,omitzero"`
	Updated    Time     `json:"last_updated,omitzero"`
}

// SortKey orders configurations by id.
func (c TokenConfig) SortKey() string { return c.ID }

type tokenConfigWire struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	CreatedAt   Time   `json:"created_at"`
	Updated     Time   `json:"last_updated"`
	Credentials struct {
		Keys []struct {
			Algorithm string `json:"alg"`
		} `json:"keys"`
	} `json:"credentials"`
}

// zoneTokenConfigs lists the configurations that validate session tokens, without the keys
// (developers.cloudflare.com/api/resources/token_validation/subresources/configuration/methods/list/).
func zoneTokenConfigs() Source {
	return list(ZoneTokenConfigs, Source{
		Path: "/zones/{zone_id}/token_validation/config", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionAPI,
		Plans: []string{"enterprise"}, After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
		Example: `[{"id":"t1","title":"Sign-in","description":"drop","token_type":"JWT","token_sources":["http.request.headers[\"drop\"][0]"],` +
			`"credentials":{"keys":[{"alg":"ES256","kty":"EC","kid":"drop","crv":"P-256","x":"drop","y":"drop"}]},` +
			`"created_at":"2026-01-01T00:00:00Z","last_updated":"2026-01-01T00:00:00Z"}]`,
	}, func(w tokenConfigWire) TokenConfig {
		c := TokenConfig{ID: w.ID, Title: w.Title, CreatedAt: w.CreatedAt, Updated: w.Updated}
		for _, k := range w.Credentials.Keys {
			c.Algorithms = append(c.Algorithms, k.Algorithm)
		}
		return c
	})
}

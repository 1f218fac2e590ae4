package snapshot

// MagicGRE holds the GRE tunnels to sites.
const MagicGRE Key[[]GRETunnel] = "account/magic_gre"

// GRETunnel connects a site without encryption.
type GRETunnel struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	HealthCheck bool   `json:"health_check"`
}

// SortKey orders tunnels by id.
func (t GRETunnel) SortKey() string { return t.ID }

type grePageWire struct {
	Tunnels []greTunnelWire `json:"gre_tunnels"`
}

type greTunnelWire struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	HealthCheck *siteHealthWire `json:"health_check"`
}

// accountMagicGRE lists the GRE tunnels to sites
// (developers.cloudflare.com/api/resources/magic_transit/subresources/gre_tunnels/methods/list/).
func accountMagicGRE() Source {
	return nested(MagicGRE, Source{
		Path: "/accounts/{account_id}/magic/gre_tunnels", Permission: permissionMagic,
		After: []string{ZoneList.Source()}, Skip: noEnterpriseZone(),
		Example: `{"gre_tunnels":[{"id":"t2","name":"site-b","customer_gre_endpoint":"drop","health_check":{"enabled":true},` +
			`"bgp":{"md5_key":"drop"}}]}`,
	}, func(p grePageWire) []greTunnelWire { return p.Tunnels }, func(w greTunnelWire) GRETunnel {
		return GRETunnel{ID: w.ID, Name: w.Name, HealthCheck: w.HealthCheck != nil && w.HealthCheck.Enabled}
	})
}

package snapshot

// MagicIPsec holds the encrypted tunnels to sites.
const MagicIPsec Key[[]IPsecTunnel] = "account/magic_ipsec"

// IPsecTunnel connects a site. A nil setting was not returned.
type IPsecTunnel struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	NullCipher       *bool  `json:"allow_null_cipher,omitempty"`
	ReplayProtection *bool  `json:"replay_protection,omitempty"`
	HealthCheck      bool   `json:"health_check"`
	KeyGenerated     Time   `json:"psk_last_generated_on,omitzero"`
}

// SortKey orders tunnels by id.
func (t IPsecTunnel) SortKey() string { return t.ID }

// HealthCheck is a standalone health check; Type is in upper case.
type HealthCheck struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Type          string `json:"type"`
	Suspended     bool   `json:"suspended"`
	AllowInsecure bool   `json:"allow_insecure"`
}

// SortKey orders health checks by id.
func (h HealthCheck) SortKey() string { return h.ID }

type ipsecPageWire struct {
	Tunnels []ipsecTunnelWire `json:"ipsec_tunnels"`
}

type ipsecTunnelWire struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	NullCipher       *bool           `json:"allow_null_cipher"`
	ReplayProtection *bool           `json:"replay_protection"`
	HealthCheck      *siteHealthWire `json:"health_check"`
	Key              *struct {
		Generated Time `json:"last_generated_on"`
	} `json:"psk_metadata"`
}

type siteHealthWire struct {
	Enabled bool `json:"enabled"`
}

func reduceIPsecTunnel(w ipsecTunnelWire) IPsecTunnel {
	t := IPsecTunnel{ID: w.ID, Name: w.Name, NullCipher: w.NullCipher, ReplayProtection: w.ReplayProtection,
		HealthCheck: w.HealthCheck != nil && w.HealthCheck.Enabled}
	if w.Key != nil {
		t.KeyGenerated = w.Key.Generated
	}
	return t
}

const permissionMagic = "Account: Magic Transit Read"

// accountMagicIPsec lists the encrypted tunnels to sites; customer addresses and routing keys are
// dropped
// (developers.cloudflare.com/api/resources/magic_transit/subresources/ipsec_tunnels/methods/list/).
func accountMagicIPsec() Source {
	return nested(MagicIPsec, Source{
		Path: "/accounts/{account_id}/magic/ipsec_tunnels", Permission: permissionMagic,
		After: []string{ZoneList.Source()}, Skip: noEnterpriseZone(),
		Example: `{"ipsec_tunnels":[{"id":"t1","name":"site-a","allow_null_cipher":false,"replay_protection":true,"customer_endpoint":"drop",` +
			`"health_check":{"enabled":true},"psk_metadata":{"last_generated_on":"2026-01-01T00:00:00Z"},"bgp":{"md5_key":"drop"}}]}`,
	}, func(p ipsecPageWire) []ipsecTunnelWire { return p.Tunnels }, reduceIPsecTunnel)
}

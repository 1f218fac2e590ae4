package snapshot

import "net/netip"

// Private networks and what connects them.
const (
	TunnelConnections Key[[]Connector]    = "tunnel/connections" // scope: tunnel id
	PrivateRoutes     Key[[]PrivateRoute] = "account/teamnet_routes"
	DNSFirewall       Key[[]DNSCluster]   = "account/dns_firewall"
	MagicIPsec        Key[[]IPsecTunnel]  = "account/magic_ipsec"
	MagicGRE          Key[[]GRETunnel]    = "account/magic_gre"
	AccountPhaseMagic Key[Ruleset]        = "account/ruleset/magic_transit"
)

// PrivateRoute leads an address range into a tunnel.
type PrivateRoute struct {
	ID             string `json:"id"`
	Network        string `json:"network"`
	TunnelID       string `json:"tunnel_id"`
	TunnelType     string `json:"tun_type"`
	VirtualNetwork string `json:"virtual_network_id,omitempty"`
}

// SortKey orders routes by id.
func (r PrivateRoute) SortKey() string { return r.ID }

// Prefix is the range; ok is false when the network cannot be read as one.
func (r PrivateRoute) Prefix() (p netip.Prefix, ok bool) {
	p, err := netip.ParsePrefix(r.Network)
	return p.Masked(), err == nil
}

// DNSCluster shields name servers. A nil setting was not told.
type DNSCluster struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	RefusesAny *bool    `json:"deprecate_any_requests,omitempty"`
	RateLimit  *float64 `json:"ratelimit,omitempty"` // queries a second, nil is no limit
	Mitigation *bool    `json:"attack_mitigation,omitempty"`
}

// SortKey orders clusters by id.
func (c DNSCluster) SortKey() string { return c.ID }

// IPsecTunnel connects a site. A nil setting was not told.
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

// GRETunnel connects a site without encryption.
type GRETunnel struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	HealthCheck bool   `json:"health_check"`
}

// SortKey orders tunnels by id.
func (t GRETunnel) SortKey() string { return t.ID }

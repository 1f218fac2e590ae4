package snapshot

import "net/netip"

// PrivateRoutes holds the private ranges routed to tunnels.
const PrivateRoutes Key[[]PrivateRoute] = "account/teamnet_routes"

// PrivateRoute routes an address range into a tunnel.
type PrivateRoute struct {
	ID             string `json:"id"`
	Network        string `json:"network"`
	TunnelID       string `json:"tunnel_id"`
	TunnelType     string `json:"tun_type"`
	VirtualNetwork string `json:"virtual_network_id,omitempty"`
}

// SortKey orders routes by id.
func (r PrivateRoute) SortKey() string { return r.ID }

// Prefix returns the range; ok is false when the network cannot be parsed.
func (r PrivateRoute) Prefix() (p netip.Prefix, ok bool) {
	p, err := netip.ParsePrefix(r.Network)
	return p.Masked(), err == nil
}

// accountTeamnetRoutes lists the private ranges routed to tunnels; without a tunnel there are none
// (developers.cloudflare.com/api/resources/zero_trust/subresources/networks/subresources/routes/methods/list/).
func accountTeamnetRoutes() Source {
	return list(PrivateRoutes, Source{
		Path: "/accounts/{account_id}/teamnet/routes?is_deleted=false", Paging: Paging{Kind: ByPage, Size: 1000}, Permission: permissionTunnel,
		Feeds: true,
		After: []string{Tunnels.Source()},
		Skip:  whenEmpty(Tunnels, "the account has no tunnel"),
		Example: `[{"id":"r1","network":"10.20.0.0/16","tunnel_id":"t1","tun_type":"cfd_tunnel","tunnel_name":"drop","virtual_network_id":"v1",` +
			`"comment":"drop"}]`,
	}, asRead[PrivateRoute])
}

package snapshot

// HostnameRoutes holds the private hostnames routed to tunnels.
const HostnameRoutes Key[[]HostnameRoute] = "account/hostname_routes"

// HostnameRoute routes a private hostname into a tunnel. A name may stand for the names below it:
// Cloudflare trims a leading "*.".
type HostnameRoute struct {
	ID       string `json:"id"`
	Hostname string `json:"hostname"`
	TunnelID string `json:"tunnel_id"`
}

// SortKey orders routes by id.
func (r HostnameRoute) SortKey() string { return r.ID }

// accountHostnameRoutes lists the private hostnames routed to tunnels and WARP connectors; without
// either, and without Zero Trust, there are none
// (developers.cloudflare.com/api/resources/zero_trust/subresources/networks/subresources/hostname_routes/methods/list/).
func accountHostnameRoutes() Source {
	return list(HostnameRoutes, Source{
		Path: "/accounts/{account_id}/zerotrust/routes/hostname?is_deleted=false", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionTunnel, After: []string{AccessOrg.Source(), Tunnels.Source(), WARPConnectors.Source()},
		Skip: firstOf(accessUnused(), func(k *Known, t SourceScope) string {
			tunnels, read := Cached(k, Tunnels, t.AccountID)
			connectors, known := Cached(k, WARPConnectors, t.AccountID)
			if read && known && len(tunnels)+len(connectors) == 0 {
				return "the account has no tunnel"
			}
			return ""
		}),
		Example: `[{"id":"h1","hostname":"wiki.internal.local","tunnel_id":"t1","tunnel_name":"drop","tun_type":"cfd_tunnel","comment":"drop"}]`,
	}, asRead[HostnameRoute])
}

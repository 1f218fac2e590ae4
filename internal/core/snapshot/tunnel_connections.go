package snapshot

// TunnelConnections holds the connectors of a tunnel.
const TunnelConnections Key[[]Connector] = "tunnel/connections" // scope: tunnel id

// tunnelConnections lists the connectors of a tunnel, unless the tunnel list already has them or
// nothing ever connected
// (developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/subresources/cloudflared/subresources/connections/methods/get/).
func tunnelConnections() Source {
	return list(TunnelConnections, Source{
		Path: "/accounts/{account_id}/cfd_tunnel/{item}/connections", Volatile: true, Permission: permissionTunnel,
		Parent: Tunnels.Source(), Items: idsOf(Tunnels, nil),
		Skip: func(k *Known, t SourceScope) string {
			all, _ := Cached(k, Tunnels, t.AccountID)
			for _, tunnel := range all {
				switch {
				case tunnel.ID != t.Item:
				case tunnel.Status == "inactive":
					return "nothing ever connected to the tunnel"
				case len(tunnel.Connectors) > 0:
					return "the tunnel list names the connectors"
				}
			}
			return ""
		},
		Example: `[{"id":"c1","version":"2026.10.0","arch":"linux_amd64","run_at":"2026-01-01T00:00:00Z","features":["drop"],` +
			`"conns":[{"colo_name":"fra01","origin_ip":"drop"}]}]`,
	}, asRead[Connector])
}

package simcloud

// makeRoutes routes one private range to the first tunnel, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/networks/.
func (a *account) makeRoutes() {
	if len(a.tunnels) > 0 {
		a.addRoute(a.tunnels[0], "10.20.0.0/16")
	}
}

// addRoute routes a range to a tunnel.
func (a *account) addRoute(tunnel obj, network string) obj {
	r := obj{
		"id": a.next("route").uuid(), "network": network, "tunnel_id": tunnel["id"], "tunnel_name": tunnel["name"], "tun_type": "cfd_tunnel",
		"virtual_network_id": hexID(a.seed, "virtual-network"), "virtual_network_name": "default", "comment": "",
		"created_at": a.cloud.ago(90 * day), "deleted_at": nil,
	}
	a.routes = append(a.routes, r)
	return r
}

func listPrivateRoutes(c *call) answer { return listOf(c, c.acct.routes) }

// addHostname routes a private hostname to a tunnel.
func (a *account) addHostname(tunnel obj, name string) obj {
	r := obj{"id": a.next("hostname").uuid(), "hostname": name, "tunnel_id": tunnel["id"], "tunnel_name": tunnel["name"],
		"tun_type": "cfd_tunnel", "comment": canaryTunnelMeta, "created_at": a.cloud.ago(60 * day), "deleted_at": nil}
	a.hostnames = append(a.hostnames, r)
	return r
}

func listHostnameRoutes(c *call) answer { return listOf(c, c.acct.hostnames) }

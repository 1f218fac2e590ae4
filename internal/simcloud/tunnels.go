package simcloud

// makeTunnels generates remotely managed tunnels whose hostnames each have an
// Access application, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/.
func (a *account) makeTunnels() {
	for i := range count(a.spec.Tunnels, 2) {
		host := "intern" + num(i+1) + "." + a.zoneName(i%max(a.zoneCount, 1))
		rule := obj{"hostname": host, "service": "http://10.20.0." + num(i%250+1) + ":8080", "originRequest": obj{"httpHostHeader": canaryTunnelHost}}
		if a.org == nil {
			rule["originRequest"] = obj{"access": obj{"required": true, "teamName": "team", "audTag": []string{}}}
		} else {
			a.addApp("Internal "+num(i+1), "self_hosted", host)
		}
		a.addTunnel("tunnel-"+num(i+1), i%max(a.zoneCount, 1), rule)
	}
}

// addTunnel appends a tunnel with one public hostname and its record.
func (a *account) addTunnel(name string, zone int, rule obj) obj {
	s := a.next("tunnel")
	id := s.uuid()
	client := s.uuid()
	t := obj{
		"id": id, "account_tag": a.id, "name": name, "status": "healthy", "config_src": "cloudflare", "remote_config": true,
		"tun_type": "cfd_tunnel", "created_at": a.cloud.ago(150 * day), "deleted_at": nil, "conns_active_at": a.cloud.ago(day),
		"conns_inactive_at": nil, "metadata": obj{"note": canaryTunnelMeta},
		"connections": []obj{{
			"id": s.uuid(), "uuid": s.uuid(), "client_id": client, "client_version": "2026.10.0", "colo_name": "fra03",
			"is_pending_reconnect": false, "opened_at": a.cloud.ago(day), "origin_ip": "185.220.20.9",
		}},
	}
	a.tunnels = append(a.tunnels, t)
	a.configs[id] = obj{
		"tunnel_id": id, "version": 4, "source": "cloudflare", "created_at": a.cloud.ago(30 * day),
		"config": obj{"ingress": []obj{rule, {"service": "http_status:404"}}, "originRequest": obj{"connectTimeout": 30}, "warp-routing": obj{"enabled": false}},
	}
	a.hosts = append(a.hosts, tunnelHost{zone, asText(rule["hostname"]), id})
	return t
}

func listTunnels(c *call) answer {
	if c.query.Get("is_deleted") != "true" {
		return listOf(c, c.acct.tunnels)
	}
	return listOf(c, []obj{})
}

func readTunnelConfig(c *call) answer {
	if config, known := c.acct.configs[c.id("tunnel_id")]; known {
		return ok(config)
	}
	return notFound("tunnel")
}

func readTunnelConnections(c *call) answer {
	i := byKey(c.acct.tunnels, "id", c.id("tunnel_id"))
	if i < 0 {
		return notFound("tunnel")
	}
	t := c.acct.tunnels[i]
	return ok([]obj{{
		"id": newStream(0, "client", asText(t["id"])).uuid(), "version": "2026.10.0", "arch": "linux_amd64", "run_at": c.cloud.ago(day),
		"features": []string{"ha-origin"}, "config_version": 4, "conns": t["connections"],
	}})
}

package simcloud

import "time"

// makeTunnels generates remotely managed tunnels whose hostnames each have an
// Access application, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/.
func (a *account) makeTunnels() {
	for i := range count(a.spec.Tunnels, 2) {
		host := "intern" + num(i+1) + "." + a.zoneName(i%max(a.zoneCount, 1))
		rule := obj{"hostname": host, "service": "http://10.20.0." + num(i%250+1) + ":8080",
			"originRequest": obj{"httpHostHeader": canaryTunnelHost}}
		if i%2 == 1 {
			rule["service"] = "https://10.20.0." + num(i%250+1) + ":8443"
		}
		t := a.addGuardedTunnel("tunnel-"+num(i+1), i%max(a.zoneCount, 1), rule)
		if i%2 == 1 {
			t["connections"] = []obj{} // the list omits them for some tunnels
		}
	}
}

// addGuardedTunnel appends a tunnel whose hostname is behind Access.
func (a *account) addGuardedTunnel(name string, zone int, rule obj) obj {
	if a.org == nil {
		rule["originRequest"] = obj{"access": obj{"required": true, "teamName": "team", "audTag": []string{}}}
	} else {
		a.addApp("Internal "+name, "self_hosted", asText(rule["hostname"]))
	}
	return a.addTunnel(name, zone, rule)
}

// release returns the connector version released the given number of months ago.
func (cl *Cloud) release(monthsAgo int) string {
	at := time.Date(cl.born.Year(), cl.born.Month()-time.Month(monthsAgo), 1, 0, 0, 0, 0, time.UTC)
	return num(at.Year()) + "." + num(int(at.Month())) + ".0"
}

// connection returns one connection of a running connector.
func (a *account) connection(version string) obj {
	s := a.next("connection")
	return obj{
		"id": s.uuid(), "uuid": s.uuid(), "client_id": s.uuid(), "client_version": version, "colo_name": "fra03",
		"is_pending_reconnect": false, "opened_at": a.cloud.ago(day), "origin_ip": "185.220.20.9",
	}
}

// connect replaces the connectors of a tunnel by one per version.
func (a *account) connect(t obj, versions ...string) {
	conns := []obj{}
	for _, v := range versions {
		conns = append(conns, a.connection(v))
	}
	t["connections"] = conns
	a.clients[asText(t["id"])] = conns
}

// addTunnel appends a tunnel with one public hostname and its record.
func (a *account) addTunnel(name string, zone int, rule obj) obj {
	s := a.next("tunnel")
	id := s.uuid()
	t := obj{
		"id": id, "account_tag": a.id, "name": name, "status": "healthy", "config_src": "cloudflare", "remote_config": true,
		"tun_type": "cfd_tunnel", "created_at": a.cloud.ago(150 * day), "deleted_at": nil, "conns_active_at": a.cloud.ago(day),
		"conns_inactive_at": nil, "metadata": obj{"note": canaryTunnelMeta},
	}
	a.connect(t, a.cloud.release(1), a.cloud.release(2))
	a.tunnels = append(a.tunnels, t)
	a.configs[id] = obj{
		"tunnel_id": id, "version": 4, "source": "cloudflare", "created_at": a.cloud.ago(30 * day),
		"config": obj{"ingress": []obj{rule, {"service": "http_status:404"}}, "originRequest": obj{"connectTimeout": 30}},
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
	out := []obj{}
	for _, conn := range c.acct.clients[asText(c.acct.tunnels[i]["id"])] {
		out = append(out, obj{
			"id": conn["client_id"], "version": conn["client_version"], "arch": "linux_amd64", "run_at": c.cloud.ago(day),
			"features": []string{"ha-origin"}, "config_version": 4, "conns": []obj{conn},
		})
	}
	return ok(out)
}

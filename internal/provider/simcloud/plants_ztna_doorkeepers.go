package simcloud

// plantsDoorkeepers misconfigure identity providers and Access applications that are not websites.
func plantsDoorkeepers() []Plant {
	org := func(check, variant, result string, change func(*account)) Plant {
		return accountWide(check, variant, result, slotOrg, change).onAccess()
	}
	idp := func(variant, kind string, config obj) Plant {
		return accountWide("CFL-ZT-030", variant, failed, "CFL-ZT-030", func(a *account) {
			a.addIDP("Partners", kind, config, obj{"enabled": true, "user_deprovision": true})
		}).claiming("CFL-ZT-030", slotIDPs).onAccess()
	}
	app := appPlants("Entry")
	saas := func(variant, result string, members obj) Plant {
		return app("CFL-ZT-034", variant, result, "saas", func(_ *account, made obj) { made["saas_app"] = members })
	}
	servers := func(a *account, made obj, names ...string) {
		delete(made, "domain")
		delete(made, "self_hosted_domains")
		delete(made, "destinations")
		p := a.newPolicy("Operators", "allow", obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}})
		p["connection_rules"] = obj{"ssh": obj{"usernames": names}}
		made["session_duration"], made["policies"] = "1h", []obj{p}
		made["target_criteria"] = []obj{{"port": 22, "protocol": "SSH", "target_attributes": obj{"hostname": []string{"db"}}}}
	}
	enter := func(variant, result string, names ...string) Plant {
		return app("CFL-ZT-035", variant, result, "infrastructure", func(a *account, made obj) { servers(a, made, names...) }).
			claiming("CFL-ZT-037")
	}
	private := func(variant, result string, ranges ...string) Plant {
		return app("CFL-ZT-036", variant, result, "self_hosted", func(_ *account, made obj) {
			list := []obj{}
			for _, r := range ranges {
				list = append(list, obj{"type": "private", "cidr": r, "l4_protocol": "tcp", "port_range": "1-65535"})
			}
			delete(made, "domain")
			delete(made, "self_hosted_domains")
			made["destinations"] = list
		})
	}
	lasts := func(variant, result, duration string) Plant {
		return org("CFL-ZT-033", variant, result, func(a *account) {
			a.org["allow_authenticate_via_warp"], a.org["warp_auth_session_duration"] = true, duration
		})
	}
	return []Plant{
		idp("keys", "oidc", obj{"pkce_enabled": true, "auth_url": "https://idp.test/a", "token_url": "https://idp.test/t",
			"certs_url": "http://idp.test/keys"}),
		idp("page", "saml", obj{"sign_request": true, "sso_target_url": "HTTP://idp.test/sso"}),
		org("CFL-ZT-031", "loose", failed, func(a *account) { a.org["strict_service_token_auth"] = false }),
		org("CFL-ZT-032", "kept", failed, func(a *account) { a.org["service_token_inactivity"] = obj{"enabled": false} }),
		lasts("month", failed, "720h"), lasts("week", warning, "168h"),
		saas("in-the-clear", failed, obj{"auth_type": "saml", "consumer_service_url": "http://crm.test/acs"}),
		saas("implicit", warning, obj{"auth_type": "oidc", "grant_types": []string{"implicit"},
			"redirect_uris": []string{"https://crm.test/cb"}}),
		enter("root", failed, "ann", "root"), enter("image", warning, "ubuntu"),
		private("class", failed, "10.0.0.0/8"), private("halves", failed, "0.0.0.0/1", "128.0.0.0/1"), private("wide", warning, "172.16.0.0/12"),
		accountWide("CFL-ZT-037", "no-key", failed, "CFL-ZT-037", func(a *account) {
			servers(a, a.addApp("Entry no-key", "infrastructure", "no-key-entry."+a.zoneName(0)), "ann")
			a.sshLog = obj{"public_key": "", "seed_id": ""}
		}).onAccess(),
	}
}

// plantsConnectors misconfigure what connects private networks to the account.
func plantsConnectors() []Plant {
	jump := func(variant, service string, socks bool) Plant {
		return tunnelOf("CFL-TUNNEL-009", variant, failed, service, func(a *account, t obj) {
			config, _ := a.configs[asText(t["id"])]["config"].(obj)
			if socks {
				config["originRequest"] = obj{"proxyType": "socks"}
			}
		})
	}
	vpc := func(variant, result, mode string) Plant {
		return accountWide("CFL-TUNNEL-010", variant, result, "CFL-TUNNEL-010", func(a *account) {
			a.vpc = append(a.vpc, obj{"service_id": a.next("vpc").uuid(), "name": "db", "type": "tcp", "tcp_port": 5432,
				"app_protocol": "postgresql",
				"host":         obj{"ipv4": "10.20.0.9", "network": obj{"tunnel_id": "f70ff985-a4ef-4643-bbbc-4a0ed4fc8415"}},
				"tls_settings": obj{"cert_verification_mode": mode}})
		}).when(func(a *account) bool { return len(a.tunnels) > 0 })
	}
	warp := func(variant, result, status string, days int) Plant {
		return found("CFL-TUNNEL-011", variant, result, "tunnel", func(a *account) string {
			w := obj{"id": a.next("warp").uuid(), "name": "branch-" + variant, "status": status, "tun_type": "warp_connector",
				"created_at": a.cloud.ago(daysOf(200)), "conns_inactive_at": a.cloud.ago(daysOf(days)), "deleted_at": nil,
				"metadata": obj{"note": canaryTunnelMeta}}
			a.warp = append(a.warp, w)
			return asText(w["id"])
		}).onAccess()
	}
	// Whether a single host is protected depends on the last network rule.
	host := func(variant, result string, change func(*account, string)) Plant {
		return found("CFL-TUNNEL-012", variant, result, "tunnel", func(a *account) string {
			name := variant + ".corp.internal"
			change(a, name)
			return asText(a.addHostname(a.tunnels[0], name)["id"])
		}).when(func(a *account) bool { return a.org != nil && len(a.tunnels) > 0 }).sharing(slotNetworkEnd)
	}
	return []Plant{
		host("unguarded", failed, func(a *account, _ string) { a.gwFinal["enabled"] = false }).following("CFL-GW-005", failed, hasRoutes),
		host("everyone", warning, func(a *account, name string) {
			a.addGatewayRule("Wiki", "allow", "l4", 5000, `net.sni.host == "`+name+`"`)
		}),
		jump("bastion", "bastion", false), jump("socks", "tcp://10.40.0.8:22", true),
		vpc("unchecked", failed, "disabled"), vpc("any-name", warning, "verify_ca"),
		warp("forgotten", failed, "down", 90), warp("down", warning, "down", 2), warp("degraded", warning, "degraded", 0),
	}
}

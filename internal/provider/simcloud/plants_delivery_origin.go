package simcloud

// plantsBalancing change the account, because pools belong to it; the balancers of a plant are in
// the first zone.
func plantsBalancing() []Plant {
	pool := func(variant, result string, monitor func(*account) any, enabled bool, addresses ...string) Plant {
		return Plant{CheckID: "CFL-LB-003", Variant: variant, Result: result, ResourceType: "load_balancer",
			Apply: func(s *Scene) []Planted {
				p := s.account.addPool(variant, monitor(s.account), addresses...)
				origins, _ := p["origins"].([]obj)
				for _, o := range origins {
					o["enabled"] = enabled
				}
				return one("CFL-LB-003", "load_balancer", asText(p["id"]), result)
			}}
	}
	good := func(a *account) any { return a.goodMonitor() }
	none := func(*account) any { return nil }
	twins := []string{"185.220.23.10", "185.220.23.11"}
	return []Plant{
		{CheckID: "CFL-LB-001", Variant: "no-monitor", Result: failed, ResourceType: "load_balancer", Apply: func(s *Scene) []Planted {
			p := s.account.addPool("blind", nil, twins...)
			s.account.addBalancer("blind", true, p["id"])
			return append(one("CFL-LB-001", "load_balancer", asText(p["id"]), failed), one("CFL-LB-003", "load_balancer", asText(p["id"]),
				warning)...)
		}},
		{CheckID: "CFL-LB-001", Variant: "geo-pool", Result: failed, ResourceType: "load_balancer", Apply: func(s *Scene) []Planted {
			p := s.account.addPool("far", nil, twins...)
			main := s.account.addPool("near", s.account.goodMonitor(), twins...)
			lb := s.account.addBalancer("geo", true, main["id"])
			lb["steering_policy"], lb["region_pools"] = "geo", obj{"OC": []any{p["id"]}}
			return append(one("CFL-LB-001", "load_balancer", asText(p["id"]), failed), one("CFL-LB-003", "load_balancer", asText(p["id"]),
				warning)...)
		}},
		pool("no-origin", failed, good, false, twins...),
		pool("one-origin", warning, good, true, "185.220.23.20"),
		pool("http-monitor", warning, func(a *account) any { return a.addMonitor("http", false) }, true, twins...),
		pool("insecure-monitor", warning, func(a *account) any { return a.addMonitor("https", true) }, true, twins...),
		pool("no-monitor", warning, none, true, twins...),
		directBalancer("public", failed, twins...),
		directBalancer("host-names", warning, "a.hosting.test", "b.hosting.test"),
		directBalancer("private", warning, "10.40.0.1", "10.40.0.2"),
		{CheckID: "CFL-LB-007", Variant: "free", Result: failed, ResourceType: "load_balancer", Apply: func(s *Scene) []Planted {
			const server = "till-eu.herokuapp.com"
			s.account.say(server, outsideName{rcode: "NXDOMAIN"})
			p := s.account.addPool("given-up", s.account.goodMonitor(), twins[0], server)
			s.account.addBalancer("given-up", true, p["id"])
			return one("CFL-LB-007", "load_balancer", asText(p["id"]), failed)
		}},
		affinityPlant("never", failed, func(lb obj) {
			lb["session_affinity_attributes"] = obj{"samesite": "Auto", "secure": "Never", "drain_duration": 60}
		}),
		healthPlant("http", failed, "HTTP", false),
		healthPlant("insecure", warning, "HTTPS", true),
	}
}

// addBalancer adds a balancer to the first zone.
func (a *account) addBalancer(host string, proxied bool, pools ...any) obj {
	lb := a.newBalancer(host+"-lb."+a.zoneName(0), proxied, pools...)
	a.balancers[0] = append(a.balancers[0], lb)
	return lb
}

func directBalancer(variant, result string, addresses ...string) Plant {
	return Plant{CheckID: "CFL-LB-004", Variant: variant, Result: result, ResourceType: "load_balancer",
		Apply: func(s *Scene) []Planted {
			p := s.account.addPool("direct-"+variant, s.account.goodMonitor(), addresses...)
			lb := s.account.addBalancer("direct-"+variant, false, p["id"])
			return one("CFL-LB-004", "load_balancer", asText(lb["id"]), result)
		}}
}

func affinityPlant(variant, result string, change func(obj)) Plant {
	return Plant{CheckID: "CFL-LB-006", Variant: variant, Result: result, ResourceType: "load_balancer",
		Apply: func(s *Scene) []Planted {
			p := s.account.addPool("sticky-"+variant, s.account.goodMonitor(), "185.220.23.30", "185.220.23.31")
			lb := s.account.addBalancer("sticky-"+variant, true, p["id"])
			change(lb)
			return one("CFL-LB-006", "load_balancer", asText(lb["id"]), result)
		}}
}

func healthPlant(variant, result, kind string, insecure bool) Plant {
	return zonal("CFL-LB-005", variant, result, "health-"+variant, func(z *zone) {
		z.addHealthCheck("plant "+variant, kind, insecure)
	}).on("pro", "business", "enterprise")
}

func plantsSpectrum() []Plant {
	app := func(check, variant, result, protocol, tls string, firewall bool) Plant {
		return zonal(check, variant, result, "spectrum-"+variant, func(z *zone) {
			z.addApp("plant-"+variant, protocol, tls, firewall)
		}).on("pro", "business", "enterprise")
	}
	return []Plant{
		app("CFL-SPECTRUM-001", "mail-off", failed, "tcp/143", "off", true),
		app("CFL-SPECTRUM-001", "database-range", failed, "tcp/3300-3310", "off", true),
		app("CFL-SPECTRUM-001", "flexible", warning, "tcp/443", "flexible", true),
		app("CFL-SPECTRUM-001", "other-off", warning, "tcp/5222", "off", true),
		app("CFL-SPECTRUM-002", "ssh", failed, "tcp/22", "off", false),
		app("CFL-SPECTRUM-002", "database", failed, "tcp/5432", "strict", false),
		app("CFL-SPECTRUM-002", "web", warning, "tcp/443", "strict", false),
	}
}

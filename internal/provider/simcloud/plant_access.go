package simcloud

// usesAccess reports whether the account has Access.
func usesAccess(a *account) bool { return a.org != nil }

func plantsAccess() []Plant {
	everyone := obj{"everyone": obj{}}
	app := func(check, variant, result, kind string, change func(*account, obj)) Plant {
		return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "access_app", fits: usesAccess,
			Apply: func(s *Scene) []Planted {
				made := s.account.addSite("Tool "+variant, kind, variant)
				change(s.account, made)
				return one(check, "access_app", asText(made["id"]), result)
			}}
	}
	return []Plant{
		app("CFL-ZT-007", "everyone", failed, "self_hosted", func(a *account, made obj) {
			a.attach(made, a.newPolicy("Anyone", "allow", everyone))
		}),
		app("CFL-ZT-007", "bypass-everyone", failed, "self_hosted", func(a *account, made obj) {
			a.attach(made, a.newPolicy("Open", "bypass", everyone))
		}),
		app("CFL-ZT-007", "group-everyone", failed, "self_hosted", func(a *account, made obj) {
			group := a.addGroup("All visitors", everyone)
			a.attach(made, a.newPolicy("Visitors", "allow", obj{"group": obj{"id": group["id"]}}))
		}),
		app("CFL-ZT-007", "everyone-with-require", warning, "self_hosted", func(a *account, made obj) {
			p := a.newPolicy("Anyone here", "allow", everyone)
			p["require"] = []obj{{"geo": obj{"country_code": "DE"}}}
			a.attach(made, p)
		}),
		app("CFL-ZT-008", "month", failed, "self_hosted", func(_ *account, made obj) { made["session_duration"] = "730h" }),
		app("CFL-ZT-008", "policy-week", failed, "self_hosted", func(a *account, made obj) {
			p := a.newPolicy("Support", "allow", obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}})
			p["session_duration"] = "168h"
			a.attach(made, p)
		}),
		app("CFL-ZT-008", "ssh-day", warning, "ssh", func(_ *account, made obj) { made["session_duration"] = "18h" }),
		tunnelPlant("private-http", failed, "http://10.30.0.9:9000", nil),
		tunnelPlant("ssh", failed, "ssh://bastion:22", nil),
		tunnelPlant("other-service", warning, "https://intranet.partner.test", nil),
		tunnelPlant("path-only", warning, "http://10.30.0.11:9000", func(a *account, host string) {
			a.addApp("Admin of "+host, "self_hosted", host+"/admin")
		}).when(usesAccess),
		tunnelPlant("public-path", warning, "http://10.30.0.12:9000", func(a *account, host string) {
			a.addApp("All of "+host, "self_hosted", host)["destinations"] = []obj{{"type": "public", "uri": host,
				"overrides": []obj{{"behavior": "public", "path_pattern": "/api/*"}}}}
		}).when(usesAccess),
		bypassPlant("wide-range", failed, obj{"ip": obj{"ip": "11.0.0.0/8"}}),
		bypassPlant("country", failed, obj{"geo": obj{"country_code": "FR"}}),
		bypassPlant("any-service-token", failed, obj{"any_valid_service_token": obj{}}).claiming(slotTokenUse),
		bypassPlant("wide-list", failed, obj{"ip_list": obj{"id": addressList}}),
		bypassPlant("middle-range", warning, obj{"ip": obj{"ip": "185.220.0.0/20"}}),
	}
}

// tunnelPlant publishes a service; an application may cover a part of the hostname.
func tunnelPlant(variant, result, service string, app func(a *account, host string)) Plant {
	return Plant{CheckID: "CFL-ZT-015", Variant: variant, Result: result, ResourceType: "tunnel",
		Apply: func(s *Scene) []Planted {
			a := s.account
			host := "open-" + variant + "." + a.zoneName(0)
			t := a.addTunnel("open-"+variant, 0, obj{"hostname": host, "service": service})
			if app != nil {
				app(a, host)
			}
			return one("CFL-ZT-015", "tunnel", asText(t["id"]), result)
		}}
}

// What is held of lists of addresses, and the one that a policy names.
const (
	addressLists = "access_lists"
	addressItems = "gateway_list/items"
	addressList  = "6a1ed4b7-0c2f-4a3f-9d0e-6f4a7a3c51b2"
)

// bypassPlant adds an application with a bypass that is too wide.
func bypassPlant(variant, result string, include obj) Plant {
	return Plant{CheckID: "CFL-ZT-026", Variant: variant, Result: result, ResourceType: "access_policy", fits: usesAccess,
		Apply: func(s *Scene) []Planted {
			a := s.account
			made := a.addSite("Feed "+variant, "self_hosted", "feed-"+variant)
			p := a.newPolicy("Bypass "+variant, "bypass", include)
			a.attach(made, p)
			if include["ip_list"] != nil {
				a.hold(addressLists, obj{"id": addressList})
				a.hold(addressItems+"/"+addressList, obj{"value": "198.51.100.7", "description": canaryProduct, "created_at": a.cloud.ago(90 * day)})
				a.hold(addressItems+"/"+addressList, obj{"value": "12.0.0.0/8", "created_at": a.cloud.ago(90 * day)})
			}
			found := one("CFL-ZT-026", "access_policy", asText(p["id"]), result)
			if include["any_valid_service_token"] != nil {
				found = append(found, one("CFL-ZT-011", "access_policy", asText(p["id"]), failed)...)
			}
			return found
		}}
}

package simcloud

import "strings"

// appPlants returns a function that makes plants in Access applications of their own, which are named by the title.
func appPlants(title string) func(check, variant, result, kind string, change func(*account, obj)) Plant {
	return func(check, variant, result, kind string, change func(*account, obj)) Plant {
		return found(check, variant, result, "access_app", func(a *account) string {
			made := a.addApp(title+" "+variant, kind, variant+"-"+strings.ToLower(title)+"."+a.zoneName(0))
			change(a, made)
			return asText(made["id"])
		}).onAccess()
	}
}

// plantsApps misconfigure Access applications.
func plantsApps() []Plant {
	noMFA := obj{"mfa_disabled": true}
	corp := func(a *account) obj { return obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}} }
	staff := func(a *account, require ...obj) obj {
		p := a.newPolicy("Team", "allow", corp(a))
		p["require"] = append([]obj{}, require...)
		return p
	}
	app := appPlants("App")
	weak := func(variant, result, kind string, require ...obj) Plant {
		return app("CFL-ZT-009", variant, result, kind, func(a *account, made obj) {
			made["mfa_config"], made["policies"] = noMFA, []obj{staff(a, require...)}
		})
	}
	set := func(check, variant, result, member string, value any) Plant {
		return app(check, variant, result, "self_hosted", func(_ *account, made obj) { made[member] = value })
	}
	cors := func(credentials bool) obj {
		return obj{"allow_all_origins": true, "allow_credentials": credentials, "allowed_methods": []string{"GET"}, "max_age": 600}
	}
	return []Plant{
		weak("no-factor", failed, "self_hosted"),
		weak("ssh-no-factor", failed, "ssh"),
		app("CFL-ZT-009", "mail-rule-only", failed, "self_hosted", func(a *account, made obj) {
			made["mfa_config"], made["policies"] = noMFA, []obj{staff(a, corp(a))}
		}),
		weak("address-only", warning, "self_hosted", obj{"ip": obj{"ip": "185.220.22.0/24"}}),
		weak("country-only", warning, "self_hosted", obj{"geo": obj{"country_code": "DE"}}),
		weak("saas-no-factor", warning, "saas"),
		set("CFL-ZT-014", "readable", failed, "http_only_cookie_attribute", false),
		set("CFL-ZT-014", "same-site-none", warning, "same_site_cookie_attribute", "none"),
		set("CFL-ZT-014", "same-site-empty", warning, "same_site_cookie_attribute", ""),
		set("CFL-ZT-014", "unbound", warning, "enable_binding_cookie", false),
		set("CFL-ZT-014", "preflight", warning, "options_preflight_bypass", true),
		set("CFL-ZT-017", "credentials", failed, "cors_headers", cors(true)),
		set("CFL-ZT-017", "any-origin", warning, "cors_headers", cors(false)),
		mcpPlant("no-login", failed, "unauthenticated", true),
		mcpPlant("no-login-direct", failed, "unauthenticated", false),
		mcpPlant("past-gateway", warning, "bearer", false),
		accountWide("CFL-ZT-029", "open", warning, slotOrg, func(a *account) { a.org["deny_unmatched_requests"] = false }).onAccess(),
		accountWide("CFL-ZT-029", "exempted", warning, slotOrg, func(a *account) {
			a.org["deny_unmatched_requests_exempted_zone_names"] = []string{a.zoneName(0)}
		}).onAccess(),
	}
}

func mcpPlant(variant, result, auth string, gateway bool) Plant {
	return found("CFL-ZT-020", variant, result, "access_app", func(a *account) string {
		return asText(a.addMCPServer("Server "+variant, auth, gateway)["id"])
	}).onAccess()
}

// plantsTrust admit people and machines that are not named individually.
func plantsTrust() []Plant {
	anyToken := obj{"any_valid_service_token": obj{}}
	policy := func(variant, result, decision string, rules func(*account) (include, require []obj)) Plant {
		return found("CFL-ZT-011", variant, result, "access_policy", func(a *account) string {
			include, require := rules(a)
			p := a.newPolicy("Policy "+variant, decision, include...)
			p["require"] = append([]obj{}, require...)
			app := a.addSite("Door "+variant, "self_hosted", variant+"-door")
			a.attach(app, p)
			if method, ok := include[0]["login_method"].(obj); ok {
				app["allowed_idps"] = []any{method["id"]}
			}
			return asText(p["id"])
		}).onAccess()
	}
	fixed := func(include []obj, require ...obj) func(*account) ([]obj, []obj) {
		return func(*account) ([]obj, []obj) { return include, require }
	}
	login := func(kind string) func(*account) ([]obj, []obj) {
		return func(a *account) ([]obj, []obj) {
			return []obj{{"login_method": obj{"id": a.addIDP("Login "+kind, kind, obj{}, obj{})["id"]}}}, nil
		}
	}
	return []Plant{
		policy("public-mail", failed, "allow", fixed([]obj{{"email_domain": obj{"domain": "gmail.com"}}})),
		policy("public-mail-group", failed, "allow", func(a *account) ([]obj, []obj) {
			g := a.addGroup("Friends", obj{"email_domain": obj{"domain": "outlook.com"}})
			return []obj{{"group": obj{"id": g["id"]}}}, nil
		}),
		policy("any-token", failed, "non_identity", fixed([]obj{anyToken})).claiming(slotTokenUse),
		policy("any-token-limited", warning, "allow", fixed([]obj{anyToken}, obj{"geo": obj{"country_code": "DE"}})).claiming(slotTokenUse),
		policy("consumer-login", failed, "allow", login("github")).claiming(slotIDPs),
		policy("consumer-login-in-a-country", warning, "allow", func(a *account) ([]obj, []obj) {
			include, _ := login("github")(a)
			return include, []obj{{"geo": obj{"country_code": "DE"}}}
		}).claiming(slotIDPs),
	}
}

// plantsServiceTokens misconfigure Access service tokens.
func plantsServiceTokens() []Plant {
	used := func(check, variant, result string, change func(*Cloud, obj)) Plant {
		return found(check, variant, result, "token", func(a *account) string {
			t := a.addUsedServiceToken(variant)
			change(a.cloud, t)
			return asText(t["id"])
		}).onAccess()
	}
	return []Plant{
		used("CFL-ZT-012", "expired", failed, func(cl *Cloud, t obj) { t["expires_at"] = cl.ago(5 * day) }),
		used("CFL-ZT-012", "disabled", failed, func(_ *Cloud, t obj) { t["enabled"] = false }),
		used("CFL-ZT-012", "soon", warning, func(cl *Cloud, t obj) { t["expires_at"] = cl.ahead(12 * day) }),
		found("CFL-ZT-012", "unused", warning, "token", func(a *account) string {
			return asText(a.addServiceToken("unused")["id"])
		}).onAccess().claiming(slotTokenUse),
		used("CFL-ZT-028", "two-years", failed, func(cl *Cloud, t obj) { t["created_at"] = cl.ago(730 * day) }),
		used("CFL-ZT-028", "no-version", failed, func(cl *Cloud, t obj) {
			t["created_at"] = cl.ago(730 * day)
			delete(t, "client_secret_version")
			delete(t, "updated_at")
		}),
		used("CFL-ZT-028", "rotated", warning, func(cl *Cloud, t obj) {
			t["created_at"], t["client_secret_version"] = cl.ago(730*day), 2
			delete(t, "updated_at")
		}),
	}
}

// plantsProviders weaken identity providers. All are findings of the account and share one slot.
func plantsProviders() []Plant {
	scim := obj{"enabled": true, "user_deprovision": true, "seat_deprovision": true, "secret": canarySCIMSecret}
	with := func(variant, result string, change func(*account)) Plant {
		return accountWide("CFL-ZT-013", variant, result, slotIDPs, change).onAccess()
	}
	return []Plant{
		with("saml-bare", failed, func(a *account) {
			a.addIDP("Partner directory", "saml", obj{"sign_request": false, "issuer_url": "https://idp.test"}, obj{"enabled": false})
		}),
		with("saml-unsigned", warning, func(a *account) {
			a.addIDP("Partner directory", "saml", obj{"sign_request": false, "issuer_url": "https://idp.test"}, scim)
		}),
		with("no-proof-key", warning, func(a *account) {
			a.addIDP("Partner login", "oidc", obj{"client_id": "partner", "client_secret": canaryClientSecret, "pkce_enabled": false}, scim)
		}),
		with("no-provisioning", warning, func(a *account) {
			a.addIDP("Second directory", "okta", obj{"client_id": "second"}, obj{"enabled": false, "user_deprovision": false})
		}),
		with("leavers-stay", warning, func(a *account) {
			a.addIDP("Second directory", "okta", obj{"client_id": "second"}, obj{"enabled": true, "user_deprovision": false})
		}),
		with("pin-accepted", warning, func(a *account) {
			pin := a.addIDP("Mailed code", "onetimepin", obj{}, obj{})
			app := a.addApp("Guest area", "self_hosted", "guests."+a.zoneName(0))
			app["allowed_idps"] = []any{a.idps[0]["id"], pin["id"]}
		}),
		with("every-provider", warning, func(a *account) {
			a.addIDP("Mailed code", "onetimepin", obj{}, obj{})
			a.addApp("Visitor area", "self_hosted", "visitors."+a.zoneName(0))["allowed_idps"] = []any{}
		}),
	}
}

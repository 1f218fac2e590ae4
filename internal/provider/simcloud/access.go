package simcloud

import "maps"

import "net/http"

// makeAccess generates Zero Trust Access: organisation, groups, policies and
// applications, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/access/.
func (a *account) makeAccess() {
	if a.spec.Apps < 0 {
		return
	}
	s, cl := a.next("access"), a.cloud
	created := cl.ago(300 * day)
	a.org = obj{
		"name": a.name, "auth_domain": "team" + num(a.index) + ".cloudflareaccess.com", "created_at": created, "updated_at": created,
		"session_duration": "24h", "is_ui_read_only": true, "allow_authenticate_via_warp": false, "auto_redirect_to_identity": false,
		"user_seat_expiration_inactive_time": "1460h", "deny_unmatched_requests": true, "deny_unmatched_requests_exempted_zone_names": []string{},
		"mfa_required_for_all_apps": true, "mfa_config": obj{"allowed_authenticators": []string{"security_key"}, "session_duration": "24h"},
		"warp_auth_session_duration": "24h", "strict_service_token_auth": true,
		"service_token_inactivity": obj{"enabled": true, "inactivity_threshold_days": 90, "action": "disable"},
		"login_design":             obj{"header_text": canaryLoginDesign, "background_color": "#ffffff"}, "custom_pages": obj{},
	}
	a.idps = []obj{{
		"id": s.uuid(), "name": "Company directory", "type": "azureAD",
		"config": obj{"client_id": "directory-client", "client_secret": canaryClientSecret, "conditional_access_enabled": true,
			"pkce_enabled": true},
		"scim_config": obj{"enabled": true, "user_deprovision": true, "seat_deprovision": true, "secret": canarySCIMSecret},
	}}
	a.serviceTokens = []obj{{
		"id": s.uuid(), "name": "Deployment", "client_id": s.hex32() + ".access", "client_secret": canaryClientSecret, "duration": "2160h",
		"created_at": cl.ago(10 * day), "updated_at": cl.ago(10 * day), "expires_at": cl.ahead(80 * day), "enabled": true,
		"client_secret_version": 1,
	}}
	a.addGroup("Staff", obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}})
	staff := a.newPolicy("Staff", "allow", obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}})
	staff["reusable"] = true
	a.policies = []obj{staff}
	for i := range count(a.spec.Apps, 2) {
		app := a.addApp("Portal "+num(i+1), "self_hosted", "portal"+num(i+1)+"."+a.zoneName(0))
		if i == 1 {
			// A bypass for one small office network is acceptable: no finding.
			a.attach(app, a.newPolicy("Office", "bypass", obj{"ip": obj{"ip": "185.220.22.16/28"}}))
		}
	}
	if cl.opts.Hostile {
		for i, text := range hostileTexts() {
			a.addApp(text, "self_hosted", "hostile"+num(i)+"."+a.zoneName(0))
		}
	}
}

func (a *account) addGroup(name string, include ...obj) obj {
	g := obj{
		"id": a.next("group").uuid(), "name": name, "include": include, "require": []obj{}, "exclude": []obj{},
		"is_default": []obj{}, "created_at": a.cloud.ago(300 * day), "updated_at": a.cloud.ago(300 * day),
	}
	a.groups = append(a.groups, g)
	return g
}

func (a *account) newPolicy(name, decision string, include ...obj) obj {
	return obj{
		"id": a.next("policy").uuid(), "name": name, "decision": decision, "include": include, "require": []obj{}, "exclude": []obj{},
		"precedence": 1, "reusable": false, "approval_required": false, "isolation_required": false,
		"purpose_justification_required": false, "approval_groups": []obj{},
		"created_at": a.cloud.ago(200 * day), "updated_at": a.cloud.ago(200 * day),
	}
}

// addApp appends an application with the shared policy and an 8 hour session.
func (a *account) addApp(name, kind, domain string) obj {
	s := a.next("app")
	app := obj{
		"id": s.uuid(), "uid": s.uuid(), "aud": s.hex32() + s.hex32(), "name": name, "type": kind, "domain": domain,
		"self_hosted_domains": []string{domain}, "destinations": []obj{{"type": "public", "uri": domain}},
		"session_duration": "8h", "allowed_idps": []any{a.idps[0]["id"]}, "auto_redirect_to_identity": true,
		"http_only_cookie_attribute": true, "same_site_cookie_attribute": "lax", "enable_binding_cookie": true,
		"options_preflight_bypass": false, "skip_interstitial": false, "app_launcher_visible": true, "logo_url": "",
		"service_auth_401_redirect": true, "created_at": a.cloud.ago(200 * day), "updated_at": a.cloud.ago(200 * day),
		"policies": []obj{a.policies[0]},
	}
	if kind == "saas" {
		delete(app, "domain")
		delete(app, "self_hosted_domains")
		delete(app, "destinations")
		app["saas_app"] = obj{"auth_type": "oidc", "client_id": s.hex32(), "client_secret": canarySaaS,
			"grant_types": []string{"authorization_code_with_pkce"}, "redirect_uris": []string{"https://" + a.zoneName(0) + "/callback"}}
	}
	a.apps = append(a.apps, app)
	return app
}

// addSite appends an application for a name of the first zone that answers.
func (a *account) addSite(name, kind, label string) obj {
	a.sites = append(a.sites, label+"."+a.zoneName(0))
	return a.addApp(name, kind, label+"."+a.zoneName(0))
}

// attach adds one more policy to an application.
func (a *account) attach(app, policy obj) {
	attached, _ := app["policies"].([]obj)
	policy["precedence"] = len(attached) + 1
	app["policies"] = append(append([]obj{}, attached...), policy)
}

// whenEnabled returns the documented error while Access is not in use.
func (c *call) whenEnabled(items func() []obj) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	return listOf(c, items())
}

func notEnabled() answer {
	return refuse(http.StatusNotFound, 9999, "access.api.error.not_enabled")
}

func readAccessOrg(c *call) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	return ok(c.acct.org)
}

func listApps(c *call) answer {
	return c.whenEnabled(func() []obj {
		out := []obj{}
		for _, app := range c.acct.apps {
			out = append(out, withoutReuse(app))
		}
		return out
	})
}

// withoutReuse drops the reusable member of an application's policies, as the API does.
func withoutReuse(app obj) obj {
	out := maps.Clone(app)
	if attached, ok := app["policies"].([]obj); ok {
		out["policies"] = withoutMember(attached, "reusable")
	}
	return out
}

// listAccessPolicies returns the reusable policies only, as the API does; the policies of a single
// application are returned with it.
func listAccessPolicies(c *call) answer {
	return c.whenEnabled(func() []obj {
		out := []obj{}
		for _, p := range c.acct.policies {
			out = append(out, c.acct.counted(p))
		}
		return out
	})
}

// counted adds the number of applications a reusable policy is attached to.
func (a *account) counted(policy obj) obj {
	apps := 0
	for _, app := range a.apps {
		if attached, isList := app["policies"].([]obj); isList && byKey(attached, "id", asText(policy["id"])) >= 0 {
			apps++
		}
	}
	o := obj{"app_count": apps}
	maps.Copy(o, policy)
	delete(o, "precedence")
	return o
}

func listAccessGroups(c *call) answer {
	return c.whenEnabled(func() []obj { return c.acct.groups })
}

func listIdentityProviders(c *call) answer {
	return c.whenEnabled(func() []obj { return c.acct.idps })
}

func listServiceTokens(c *call) answer {
	return c.whenEnabled(func() []obj { return c.acct.serviceTokens })
}

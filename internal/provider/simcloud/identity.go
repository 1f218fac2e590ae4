package simcloud

const canaryMCPDetail = "leakcanary-mcp-detail"

// makeIdentity generates objects beyond the shared Access setup: a service token in use, an MCP
// server and device enrolment.
func (a *account) makeIdentity() {
	deploy := a.addApp("Deployment API", "self_hosted", "deploy."+a.zoneName(0))
	a.attach(deploy, a.tokenPolicy("Deployment token", asText(a.serviceTokens[0]["id"])))
	a.addMCPServer("Tickets", "oauth", true)
	a.enrolment = a.addApp("Device enrolment", "warp", "team"+num(a.index)+".cloudflareaccess.com/warp")
	managed := a.newPolicy("Managed devices", "allow", obj{"email_domain": obj{"domain": "corp." + a.zoneName(0)}})
	managed["require"] = []obj{{"certificate": obj{}}}
	a.enrolment["policies"] = []obj{managed}
}

// tokenPolicy returns a policy that admits one service token.
func (a *account) tokenPolicy(name, token string) obj {
	return a.newPolicy(name, "non_identity", obj{"service_token": obj{"token_id": token}})
}

// addServiceToken appends a service token without findings.
func (a *account) addServiceToken(name string) obj {
	s, cl := a.next("service-token"), a.cloud
	t := obj{
		"id": s.uuid(), "name": name, "client_id": s.hex32() + ".access", "duration": "8760h", "created_at": cl.ago(20 * day),
		"updated_at": cl.ago(20 * day),
		"expires_at": cl.ahead(340 * day), "enabled": true, "client_secret_version": 1, "last_seen_at": cl.ago(day),
	}
	a.serviceTokens = append(a.serviceTokens, t)
	return t
}

// addUsedServiceToken appends a service token and an application that it may use.
func (a *account) addUsedServiceToken(name string) obj {
	t := a.addServiceToken(name)
	app := a.addSite("Interface of "+name, "self_hosted", "api-"+name)
	a.attach(app, a.tokenPolicy("Token "+name, asText(t["id"])))
	return t
}

// addIDP appends an identity provider.
func (a *account) addIDP(name, kind string, config, scim obj) obj {
	addresses := map[string][]string{"saml": {"sso_target_url"}, "oidc": {"auth_url", "token_url", "certs_url"}}
	for _, member := range addresses[kind] {
		if _, told := config[member]; !told {
			config[member] = "https://idp.test/" + member
		}
	}
	p := obj{"id": a.next("idp").uuid(), "name": name, "type": kind, "config": config, "scim_config": scim}
	a.idps = append(a.idps, p)
	return p
}

// addMCPServer appends an MCP server, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/ai_controls/.
func (a *account) addMCPServer(name, auth string, gateway bool) obj {
	m := obj{
		"id": a.next("mcp").hex32(), "name": name, "hostname": "https://mcp." + a.zoneName(0) + "/mcp", "auth_type": auth, "description": "",
		"authentication_status": "connected", "status": "ready", "secure_web_gateway": gateway, "prompts": []obj{}, "tools": []obj{},
		"auth_config_summary": obj{"registration_info": obj{"client_id": canaryMCPDetail, "redirect_uris": []string{}}}, "error_details": nil,
		"created_at": a.cloud.ago(60 * day), "modified_at": a.cloud.ago(60 * day), "last_synced": a.cloud.ago(day),
	}
	a.mcpServers = append(a.mcpServers, m)
	return m
}

func listMCPServers(c *call) answer {
	return c.whenEnabled(func() []obj { return c.acct.mcpServers })
}

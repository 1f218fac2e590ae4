package simcloud

import (
	"maps"
	"slices"
)

// mergedInto changes the members in the request in place; those named in kept belong to the
// provider and never change.
func (c *call) mergedInto(o obj, kept ...string) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	if sent = pick(sent, o); !fits(o, sent) {
		return invalid("a member has the wrong type")
	}
	maps.Copy(o, merged(o, sent, kept...))
	return ok(o)
}

// writeAccessOrg changes the Zero Trust organisation, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/organizations/.
func writeAccessOrg(c *call) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	return c.mergedInto(c.acct.org, "auth_domain", "created_at")
}

func writeServiceToken(c *call) answer {
	i := byKey(c.acct.serviceTokens, "id", c.id("service_token_id"))
	if i < 0 {
		return noServiceToken()
	}
	t := c.acct.serviceTokens[i]
	if _, told := t["duration"]; !told {
		t["duration"] = ""
	}
	if a := c.mergedInto(t, "id", "client_id", "created_at", "expires_at"); a.status >= 400 {
		return a
	}
	return readServiceToken(c)
}

func deleteServiceToken(c *call) answer {
	i := byKey(c.acct.serviceTokens, "id", c.id("service_token_id"))
	if i < 0 {
		return noServiceToken()
	}
	c.acct.serviceTokens = slices.Delete(c.acct.serviceTokens, i, i+1)
	return ok(obj{"id": c.id("service_token_id")})
}

// writeMCPServer changes an MCP server; its authentication type can only be set when it is added.
func writeMCPServer(c *call) answer {
	i := byKey(c.acct.mcpServers, "id", c.id("server_id"))
	if i < 0 {
		return notFound("MCP server")
	}
	return c.mergedInto(c.acct.mcpServers[i], "id", "hostname", "auth_type", "created_at")
}

func writeDeviceSettings(c *call) answer { return c.mergedInto(c.acct.deviceSettings) }

// patchGatewayConfig replaces each group of settings in the request.
func patchGatewayConfig(c *call) answer {
	sent, valid := c.sent()
	settings, isObject := sent["settings"].(obj)
	if !valid || !isObject {
		return badBody()
	}
	maps.Copy(c.acct.gateway, settings)
	return readGatewayConfig(c)
}

// writeTunnelConfig replaces the configuration of a tunnel, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/subresources/cloudflared/subresources/configurations/.
func writeTunnelConfig(c *call) answer {
	config, known := c.acct.configs[c.id("tunnel_id")]
	if !known {
		return notFound("tunnel")
	}
	sent, valid := c.sent()
	settings, isObject := sent["config"].(obj)
	ingress := objects(settings["ingress"])
	if !valid || !isObject || len(ingress) == 0 || asText(ingress[len(ingress)-1]["hostname"]) != "" {
		return refuse(400, 1056, "the last ingress rule must match every request")
	}
	config["config"] = settings
	return ok(config)
}

func deleteTunnel(c *call) answer {
	i := byKey(c.acct.tunnels, "id", c.id("tunnel_id"))
	if i < 0 {
		return notFound("tunnel")
	}
	gone := c.acct.tunnels[i]
	c.acct.tunnels = slices.Delete(c.acct.tunnels, i, i+1)
	return ok(gone)
}

func patchPrivateRoute(c *call) answer {
	i := byKey(c.acct.routes, "id", c.id("route_id"))
	if i < 0 {
		return notFound("route")
	}
	return c.mergedInto(c.acct.routes[i], "id", "created_at")
}

// createPosture adds a device posture rule.
func createPosture(c *call) answer {
	sent, valid := c.sent()
	if !valid || asText(sent["name"]) == "" || asText(sent["type"]) == "" {
		return badBody()
	}
	sent["id"] = c.newWriteStream().uuid()
	c.acct.posture = append(c.acct.posture, sent)
	return ok(sent)
}

// createAppPolicy adds a policy to an application, after the existing ones.
func createAppPolicy(c *call) answer {
	app, _ := c.app()
	if app == nil {
		return noApp()
	}
	sent, valid := c.sent()
	if !valid || asText(sent["name"]) == "" || asText(sent["decision"]) == "" {
		return badBody()
	}
	attached, _ := app["policies"].([]obj)
	policy := merged(c.acct.newPolicy(asText(sent["name"]), asText(sent["decision"])), sent, "id", "reusable")
	policy["precedence"] = len(attached) + 1
	app["policies"] = append(attached, policy)
	return ok(policy)
}

package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// mcpServers finds MCP servers that any agent may call.
func mcpServers() check.Check {
	return check.Check{
		ID: "CFL-ZT-020", Title: "MCP servers demand authentication",
		Category: "access", Severity: posture.High, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "An MCP server offers tools to AI agents: it reads data and acts for whoever calls. Authentication says " +
			"who that is, and Gateway can log and filter the calls.",
		Fix: "Require OAuth or a token at the MCP server, add it to Access again, and route it through Gateway.",
		Words: posture.Words{
			Problem: "MCP server {name} requires no authentication",
			Impact:  "Anyone who knows its address lets an agent use the tools of the server and read what they return.",
			Breaks:  "Agents that send no credentials can no longer call the server.",
			Dashboard: "Zero Trust › Access controls › AI controls › MCP servers: delete {name}, then add it again with OAuth " +
				"or custom headers.",
			Terraform: `# With another address or kind of login Terraform deletes the server and makes a new one.
resource "cloudflare_zero_trust_access_ai_controls_mcp_server" "server" {
  account_id         = "{account_id}"
  id                 = "{id}"
  name               = "{name}"
  hostname           = var.server_url
  auth_type          = "oauth"
  secure_web_gateway = true
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/", "Cloudflare API: Access AI controls"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "Tools of an MCP server can be used only after access was granted."),
			check.Supports("soc2 CC6.1", "The server asks who calls before it lets tools run."),
			check.Supports("pci 7.2.5", "Agents and services that call tools have an identity to which privileges can be given."),
			check.Supports("nist PR.AA-05", "What an agent may do can follow a policy because it is known who it is."),
		},
		Needs:    []snapshot.Named{snapshot.MCPServers},
		Evaluate: evaluateMCPServers,
	}
}

func mcpServersExamples() []goodtest.Example {
	server := func(change func(*snapshot.MCPServer)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.MCPServers, goodtest.Account, func(ss *[]snapshot.MCPServer) { change(&(*ss)[0]) })
		}
	}
	auth := func(kind string) func(*snapshot.Builder) {
		return server(func(s *snapshot.MCPServer) { s.AuthType = kind })
	}
	direct := server(func(s *snapshot.MCPServer) { s.SecureWebGateway = false })
	return []goodtest.Example{
		{Name: "a login through Gateway", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a bearer token through Gateway", Want: posture.Pass, Edit: auth("bearer")},
		{Name: "no login", Want: posture.Fail, Resource: goodtest.MCPServer, Edit: auth("unauthenticated")},
		{Name: "no login and past Gateway", Want: posture.Fail, Resource: goodtest.MCPServer, Edit: goodtest.Edits(auth("unauthenticated"),
			direct)},
		{Name: "a login past Gateway", Want: posture.Warning, Resource: goodtest.MCPServer, Edit: direct},
		{Name: "a kind of login nobody knows", Want: posture.Unknown, Resource: goodtest.MCPServer, Edit: auth("handshake")},
		{Name: "no server", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.MCPServers, goodtest.Account, []snapshot.MCPServer{})
		}},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateMCPServers(v *check.View) check.Outcome {
	j := v.Judge()
	for _, s := range check.Read(v, snapshot.MCPServers) {
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: s.ID, Name: s.Name}
		switch {
		case s.AuthType == "unauthenticated":
			j.Fail(r, "The MCP server "+s.Name+" answers without authentication.",
				check.Evidence(snapshot.MCPServers, "/"+s.ID+"/auth_type", s.AuthType, "oauth or bearer"))
		case s.AuthType != "oauth" && s.AuthType != "bearer":
			j.Unclear(r, "Cloudflare returned a kind of login this check does not know")
		case !s.SecureWebGateway:
			j.Warn(r, "Calls to the MCP server "+s.Name+" do not pass Gateway.",
				check.Evidence(snapshot.MCPServers, "/"+s.ID+"/secure_web_gateway", "false", "true"))
			j.As(posture.Words{Problem: "Calls to MCP server {name} bypass Gateway",
				Impact:    "Data that an agent sends to the server or reads from it leaves without a log and past your DLP rules.",
				Breaks:    "Calls that a Gateway policy blocks fail from then on.",
				Dashboard: "Zero Trust › Access controls › AI controls › MCP servers › {name} › Edit › Route traffic through Cloudflare Gateway: On.",
				Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/access/ai-controls/mcp/servers/{id}",
					Body: `{"secure_web_gateway": true}`}})
		default:
			j.Pass()
		}
	}
	return j.Done("Every MCP server requires authentication and is reached through Gateway.", "no MCP server is registered")
}

package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// mcpServers finds tool servers that any agent may call.
func mcpServers() check.Check {
	return check.Check{
		ID: "CFL-ZT-020", Title: "MCP servers demand authentication",
		Category: "access", Severity: posture.High, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why:        "An unauthenticated tool server lets any agent act on internal data.",
		Fix:        "Require authentication at the server and route it through Gateway.",
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
			j.Fail(r, "The tool server "+s.Name+" demands no login.", check.Evidence(snapshot.MCPServers, "/"+s.ID+"/auth_type", s.AuthType,
				"oauth or bearer"))
		case s.AuthType != "oauth" && s.AuthType != "bearer":
			j.Unclear(r, "the provider returned a kind of login this check does not know")
		case !s.SecureWebGateway:
			j.Warn(r, "Calls to the tool server "+s.Name+" do not pass Gateway.", check.Evidence(snapshot.MCPServers, "/"+s.ID+"/secure_web_gateway",
				"false", "true"))
		default:
			j.Pass()
		}
	}
	return j.Done("Every tool server demands a login and is reached through Gateway.", "no tool server is registered")
}

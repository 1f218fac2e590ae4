package snapshot

// MCPServers holds the MCP servers that agents reach through Access.
const MCPServers Key[[]MCPServer] = "account/mcp_servers"

// MCPServer is an MCP server that agents reach through Access.
type MCPServer struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	Hostname         string `json:"hostname"`
	AuthType         string `json:"auth_type"`
	AuthStatus       string `json:"authentication_status,omitempty"`
	SecureWebGateway bool   `json:"secure_web_gateway"`
}

// SortKey orders servers by id.
func (s MCPServer) SortKey() string { return s.ID }

// mcpServers lists the MCP servers that agents reach through Access
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/ai_controls/).
func mcpServers() Source {
	return list(MCPServers, Source{
		Path: "/accounts/{account_id}/access/ai-controls/mcp/servers", Paging: Paging{Kind: ByPage, Size: 100},
		Permission: "Account: MCP Portals Read",
		After:      []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"tickets","name":"Tickets","hostname":"https://mcp.acme.example/mcp","auth_type":"oauth",` +
			`"authentication_status":"ready","secure_web_gateway":true,"auth_config_summary":{"client_id":"drop"},"error_details":"drop"}]`,
	}, asRead[MCPServer])
}

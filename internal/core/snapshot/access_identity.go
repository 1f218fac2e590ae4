package snapshot

// Who may log in to Access, and with what.
const (
	AccessIDPs          Key[[]IdentityProvider] = "account/access_idps"
	AccessServiceTokens Key[[]ServiceToken]     = "account/access_service_tokens"
	MCPServers          Key[[]MCPServer]        = "account/mcp_servers"
)

// IdentityProvider is a login method. A pointer is nil when the provider did
// not say, which for most types means that the type does not know the setting.
type IdentityProvider struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Type            string `json:"type"`
	SignRequest     *bool  `json:"sign_request,omitempty"`
	PKCE            *bool  `json:"pkce_enabled,omitempty"`
	SCIM            *bool  `json:"scim_enabled,omitempty"`
	UserDeprovision *bool  `json:"user_deprovision,omitempty"`
}

// SortKey orders providers by id.
func (p IdentityProvider) SortKey() string { return p.ID }

// Mailed reports whether the login is the provider's own, such as a code sent
// by mail.
func (p IdentityProvider) Mailed() bool { return p.Type == "onetimepin" || p.Type == "cloudflare" }

// Company reports whether a company runs the directory behind the login.
func (p IdentityProvider) Company() bool {
	switch p.Type {
	case "azureAD", "centrify", "google-apps", "oidc", "okta", "onelogin", "pingone", "saml":
		return true
	default:
		return false
	}
}

// Consumer reports whether anyone can open a login of the type.
func (p IdentityProvider) Consumer() bool {
	switch p.Type {
	case "google", "github", "facebook", "linkedin", "yandex":
		return true
	default:
		return false
	}
}

// ServiceToken is a machine login of Access. ClientID is masked. Enabled is nil
// when the provider did not say, which means enabled.
type ServiceToken struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	ClientID      string `json:"client_id"`
	Duration      string `json:"duration"`
	Enabled       *bool  `json:"enabled,omitempty"`
	ExpiresAt     Time   `json:"expires_at,omitzero"`
	CreatedAt     Time   `json:"created_at,omitzero"`
	SecretVersion *int   `json:"client_secret_version,omitempty"`
}

// SortKey orders tokens by id.
func (t ServiceToken) SortKey() string { return t.ID }

// MCPServer is a tool server that agents reach through Access.
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

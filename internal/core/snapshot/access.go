package snapshot

// Zero Trust sources.
const (
	AccessOrg      Key[AccessOrganization] = "account/access_org"
	AccessApps     Key[[]AccessApp]        = "account/access_apps"
	AccessPolicies Key[[]AccessPolicy]     = "account/access_policies"
	AccessGroups   Key[[]AccessGroup]      = "account/access_groups"
	Tunnels        Key[[]Tunnel]           = "account/tunnels"
	TunnelConfig   Key[TunnelSettings]     = "tunnel/config" // scope: tunnel id
)

// AccessOrganization is the Zero Trust organisation of the account.
type AccessOrganization struct {
	AuthDomain      string   `json:"auth_domain"`
	SessionDuration string   `json:"session_duration"`
	DenyUnmatched   bool     `json:"deny_unmatched_requests"`
	ExemptedZones   []string `json:"deny_unmatched_requests_exempted_zone_names,omitempty"`
	MFARequired     bool     `json:"mfa_required_for_all_apps,omitempty"`
}

// AccessApp is an application with the policies attached to it.
type AccessApp struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Domain  string   `json:"domain"`
	Domains []string `json:"domains"` // every host name and path the app protects, Domain included
	// Elsewhere are the destinations that are no public address, in the order of the application.
	Elsewhere       []AccessDestination `json:"destinations,omitempty"`
	SessionDuration string              `json:"session_duration"`
	Policies        []AccessPolicy      `json:"policies"`
	AllowedIDPs     []string            `json:"allowed_idps,omitempty"` // empty admits every provider
	HTTPOnly        *bool               `json:"http_only_cookie_attribute,omitempty"`
	SameSite        string              `json:"same_site_cookie_attribute,omitempty"`
	BindingCookie   *bool               `json:"enable_binding_cookie,omitempty"`
	PreflightBypass *bool               `json:"options_preflight_bypass,omitempty"`
	CORS            *AccessCORS         `json:"cors_headers,omitempty"`
	MFA             *AccessMFA          `json:"mfa_config,omitempty"`
}

// SortKey orders apps by id.
func (a AccessApp) SortKey() string { return a.ID }

// AccessDestination is what an application guards besides public addresses. Type is private, via_mcp_server_portal,
// worker, preview_worker, all_workers or all_preview_workers; Value the id of the worker or of the server, or the private
// host name or range.
type AccessDestination struct {
	Type  string `json:"type"`
	Value string `json:"value,omitempty"`
}

// AccessCORS is what an application tells pages of other origins.
type AccessCORS struct {
	AllowAllOrigins  bool `json:"allow_all_origins"`
	AllowCredentials bool `json:"allow_credentials"`
}

// AccessMFA is the second factor Access itself asks for, set on an application
// or a policy.
type AccessMFA struct {
	Disabled bool `json:"mfa_disabled"`
}

// AccessPolicy decides who passes.
type AccessPolicy struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Decision        string       `json:"decision"`
	Include         []AccessRule `json:"include"`
	Require         []AccessRule `json:"require"`
	Exclude         []AccessRule `json:"exclude"`
	SessionDuration string       `json:"session_duration,omitempty"`
	MFA             *AccessMFA   `json:"mfa_config,omitempty"`
	// Approval says that one of some people lets each of those in.
	Approval bool `json:"approval_required,omitempty"`
}

// SortKey orders policies by id.
func (p AccessPolicy) SortKey() string { return p.ID }

// AccessRule is one selector: Kind is the provider's word (everyone, email,
// email_domain, ip, group, any_valid_service_token, geo, …), Value what it
// selects; the local part of an e-mail address is masked.
type AccessRule struct {
	Kind  string `json:"kind"`
	Value string `json:"value,omitempty"`
}

// AccessGroup is a named set of selectors.
type AccessGroup struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Include []AccessRule `json:"include"`
	Require []AccessRule `json:"require"`
	Exclude []AccessRule `json:"exclude"`
}

// SortKey orders groups by id.
func (g AccessGroup) SortKey() string { return g.ID }

// Tunnel connects private services. ConfigSrc local means its ingress rules
// live on the host and cannot be read here.
type Tunnel struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	ConfigSrc string `json:"config_src"`
	CreatedAt Time   `json:"created_at,omitzero"`
	// InactiveSince is when the last connection ended, zero while there is one.
	InactiveSince Time `json:"conns_inactive_at,omitzero"`
	// Connectors are the running clients when the list named their versions.
	Connectors []Connector `json:"connectors,omitempty"`
}

// SortKey orders tunnels by id.
func (t Tunnel) SortKey() string { return t.ID }

// Connector is one running client of a tunnel.
type Connector struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// SortKey orders connectors by id.
func (c Connector) SortKey() string { return c.ID }

// TunnelSettings is the remote configuration of a tunnel.
type TunnelSettings struct {
	Version int       `json:"version"`
	Ingress []Ingress `json:"ingress"`
}

// Ingress maps a public hostname to a private service.
type Ingress struct {
	Hostname       string `json:"hostname"`
	Path           string `json:"path,omitempty"`
	Service        string `json:"service"`
	NoTLSVerify    bool   `json:"no_tls_verify,omitempty"`
	AccessRequired bool   `json:"access_required,omitempty"`
}

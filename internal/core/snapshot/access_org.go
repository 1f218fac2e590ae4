package snapshot

// AccessOrg holds the Zero Trust organisation.
const AccessOrg Key[AccessOrganization] = "account/access_org"

// AccessOrganization is the Zero Trust organisation of the account.
type AccessOrganization struct {
	AuthDomain      string   `json:"auth_domain"`
	SessionDuration string   `json:"session_duration"`
	DenyUnmatched   bool     `json:"deny_unmatched_requests"`
	ExemptedZones   []string `json:"deny_unmatched_requests_exempted_zone_names,omitempty"`
	MFARequired     bool     `json:"mfa_required_for_all_apps,omitempty"`
	// ByClient says whether a session of the device client signs in to applications, ClientSession
	// how long it lasts.
	ByClient      *bool  `json:"allow_authenticate_via_warp,omitempty"`
	ClientSession string `json:"warp_auth_session_duration,omitempty"`
	// StrictTokens says whether service tokens pass only Service Auth policies.
	StrictTokens *bool `json:"strict_service_token_auth,omitempty"`
	// IdleTokens says what happens to unused service tokens.
	IdleTokens *IdleTokens `json:"service_token_inactivity,omitempty"`
}

// IdleTokens says whether unused service tokens are disabled or deleted.
type IdleTokens struct {
	Enabled bool `json:"enabled"`
}

// accessOrg reads the Zero Trust organisation; not found means that Access is
// not in use (developers.cloudflare.com/api/resources/zero_trust/subresources/organizations/methods/list/).
func accessOrg() Source {
	return object(AccessOrg, Source{
		Path: "/accounts/{account_id}/access/organizations", Permission: permissionAccessOrg, Feeds: true,
		Example: `{"auth_domain":"acme.cloudflareaccess.com","session_duration":"24h","allow_authenticate_via_warp":false,` +
			`"warp_auth_session_duration":"24h","strict_service_token_auth":true,"service_token_inactivity":{"enabled":true,` +
			`"inactivity_threshold_days":90,"action":"disable"},"login_design":{"logo_path":"drop"}}`,
	}, asRead[AccessOrganization])
}

const (
	permissionAccessOrg  = "Account: Access: Organizations, Identity Providers, and Groups Read"
	permissionAccessApps = "Account: Access: Apps and Policies Read"
)

// accessUnused skips the rest of Access when the account has no organisation.
func accessUnused() skipRule { return unused(AccessOrg, "Access is not in use") }

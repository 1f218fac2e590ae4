package snapshot

import "time"

// AccessServiceTokens holds the service tokens.
const AccessServiceTokens Key[[]ServiceToken] = "account/access_service_tokens"

// ServiceToken is a service token of Access. ClientID is masked. Enabled is nil when the provider
// does not say, which means enabled.
type ServiceToken struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	ClientID      string `json:"client_id"`
	Duration      string `json:"duration"`
	Enabled       *bool  `json:"enabled,omitempty"`
	ExpiresAt     Time   `json:"expires_at,omitzero"`
	CreatedAt     Time   `json:"created_at,omitzero"`
	SecretVersion *int   `json:"client_secret_version,omitempty"`
	// UpdatedAt is the last change of any kind, including a rotation or a new expiry date.
	UpdatedAt Time `json:"updated_at,omitzero"`
}

// Dead reports whether the token is unusable: it is disabled or expired.
func (t ServiceToken) Dead(now time.Time) bool {
	return t.Enabled != nil && !*t.Enabled || !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now)
}

// SortKey orders tokens by id.
func (t ServiceToken) SortKey() string { return t.ID }

// maskID keeps the first four characters of an identifier that is half of a credential.
func maskID(id string) string {
	if len(id) <= 8 {
		return "•••"
	}
	return id[:4] + "•••"
}

// accessServiceTokens lists the service tokens
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/service_tokens/methods/list/).
func accessServiceTokens() Source {
	return list(AccessServiceTokens, Source{
		Path: "/accounts/{account_id}/access/service_tokens", Paging: Paging{Kind: ByPage, Size: 100}, Volatile: true,
		Permission: "Account: Access: Service Tokens Read",
		After:      []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"s1","name":"deploy","client_id":"88bfdrop88bf.access","client_secret":"drop","duration":"8760h","enabled":true,` +
			`"expires_at":"2026-12-01T00:00:00Z","created_at":"2026-01-01T00:00:00Z","client_secret_version":1}]`,
	}, func(t ServiceToken) ServiceToken { t.ClientID = maskID(t.ClientID); return t })
}

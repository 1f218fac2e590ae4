package snapshot

// TokenVerify is the pre-flight answer on the token of the run.
const (
	UserTokenVerify    Key[TokenVerify] = "user/token_verify" //nolint:gosec // the name of a read
	AccountTokenVerify Key[TokenVerify] = "account/token_verify"
	UserTokenSelf      Key[Token]       = "user/token_self"
	AccountTokenSelf   Key[Token]       = "account/token_self"
	UserTokens         Key[[]Token]     = "user/tokens"
	AccountTokens      Key[[]Token]     = "account/tokens"
	AccountList        Key[[]Account]   = "account/list"
)

// TokenVerify says whether a token works and until when.
type TokenVerify struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
	NotBefore Time   `json:"not_before,omitzero"`
}

// Token is an API token without its secret.
type Token struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Status     string        `json:"status"`
	IssuedOn   Time          `json:"issued_on,omitzero"`
	LastUsedOn Time          `json:"last_used_on,omitzero"`
	ExpiresOn  Time          `json:"expires_on,omitzero"`
	NotBefore  Time          `json:"not_before,omitzero"`
	SourceIPs  []string      `json:"source_ips,omitempty"`
	Policies   []TokenPolicy `json:"policies"`
}

// SortKey orders tokens by id.
func (t Token) SortKey() string { return t.ID }

// TokenPolicy is one grant of a token: its permission group names and the
// resources they reach.
type TokenPolicy struct {
	Effect    string   `json:"effect"`
	Groups    []string `json:"groups"`
	Resources []string `json:"resources"`
}

// Account is a provider account as the account list tells it.
type Account struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	Type             string `json:"type"`
	CreatedOn        Time   `json:"created_on,omitzero"`
	EnforceTwoFactor bool   `json:"enforce_twofactor"`
	AbuseContact     bool   `json:"abuse_contact"`
}

// SortKey orders accounts by id.
func (a Account) SortKey() string { return a.ID }

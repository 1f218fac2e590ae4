package snapshot

// UserTokenSelf holds the policies of the user token in use.
const UserTokenSelf Key[Token] = "user/token_self"

// Token is an API token without its secret; one without a name has its id for a name.
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

// TokenPolicy is one grant of a token: the names of its permission groups and the resources it
// applies to.
type TokenPolicy struct {
	Effect    string   `json:"effect"`
	Groups    []string `json:"groups"`
	Resources []string `json:"resources"`
}

// userTokenSelf reads the policies of the user token in use
// (developers.cloudflare.com/api/resources/user/subresources/tokens/methods/get/).
func userTokenSelf() Source {
	return object(UserTokenSelf, Source{
		Path: "/user/tokens/{token_id}", Volatile: true, Permission: "User: API Tokens Read",
		After: []string{UserTokenVerify.Source(), AccountTokenVerify.Source()}, Skip: ownedByAccount,
		Fill: func(k *Known, _ SourceScope) map[string]string {
			v, _ := Cached(k, UserTokenVerify, UserScope)
			return map[string]string{"token_id": v.ID}
		},
		Example: `{"id":"t1","name":"ci","status":"active","policies":[{"effect":"allow","permission_groups":[{"name":"DNS Read"}],` +
			`"resources":{"com.cloudflare.api.account.1":"*"}}]}`,
	}, reduceToken)
}

package snapshot

// AccountTokenSelf holds the policies of the account-owned token in use.
const AccountTokenSelf Key[Token] = "account/token_self"

// accountTokenSelf reads the policies of the account-owned token in use
// (developers.cloudflare.com/api/resources/accounts/subresources/tokens/methods/get/).
func accountTokenSelf() Source {
	return object(AccountTokenSelf, Source{
		Path: "/accounts/{account_id}/tokens/{token_id}", Volatile: true, Permission: "Account: Account API Tokens Read",
		After: []string{AccountTokenVerify.Source()}, Skip: ownedByUser,
		Fill: func(k *Known, t SourceScope) map[string]string {
			v, _ := Cached(k, AccountTokenVerify, t.AccountID)
			return map[string]string{"token_id": v.ID}
		},
		Example: `{"id":"t1","name":"ci","status":"active","policies":[]}`,
	}, reduceToken)
}

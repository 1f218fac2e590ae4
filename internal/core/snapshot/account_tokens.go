package snapshot

// AccountTokens holds the tokens the account owns.
const AccountTokens Key[[]Token] = "account/tokens"

// accountTokens lists the tokens the account owns
// (developers.cloudflare.com/api/resources/accounts/subresources/tokens/methods/list/).
func accountTokens() Source {
	return list(AccountTokens, Source{
		Path: "/accounts/{account_id}/tokens", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: "Account: Account API Tokens Read",
		Example:    `[{"id":"t2","name":"deploy","status":"active","issued_on":"2026-01-01T00:00:00Z","policies":[]}]`,
	}, reduceToken)
}

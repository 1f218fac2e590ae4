package snapshot

// AccountTokenVerify says whether an account-owned token works.
const AccountTokenVerify Key[TokenVerify] = "account/token_verify"

// accountTokenVerify verifies an account-owned token; such a token fails at the user endpoint
// (developers.cloudflare.com/api/resources/accounts/subresources/tokens/methods/verify/).
func accountTokenVerify() Source {
	return object(AccountTokenVerify, Source{
		Path: "/accounts/{account_id}/tokens/verify", Permission: "a valid account token",
		After: []string{UserTokenVerify.Source()},
		Skip: func(k *Known, _ SourceScope) string {
			if k.Status(UserTokenVerify, UserScope) == OK {
				return "the token belongs to a user"
			}
			return ""
		},
		Example: `{"id":"ed17574386854bf78a67040be0a770b0","status":"active"}`,
	}, asRead[TokenVerify])
}

// ownedByAccount is the skip rule of user-level reads.
func ownedByAccount(k *Known, t SourceScope) string {
	if k.Status(AccountTokenVerify, t.AccountID) == OK {
		return "the token belongs to the account"
	}
	return ""
}

// ownedByUser is the skip rule of reads on the account's own token.
func ownedByUser(k *Known, t SourceScope) string {
	if k.Status(AccountTokenVerify, t.AccountID) == Skipped {
		return "the token belongs to a user"
	}
	return ""
}

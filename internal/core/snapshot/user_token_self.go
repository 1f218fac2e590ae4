package snapshot

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

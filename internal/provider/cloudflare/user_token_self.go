package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// userTokenSelf reads the policies of the user token in use
// (developers.cloudflare.com/api/resources/user/subresources/tokens/methods/get/).
func userTokenSelf() Source {
	return object(snapshot.UserTokenSelf, Source{
		Path: "/user/tokens/{token_id}", Live: true, Permission: "User: API Tokens Read",
		After: []string{snapshot.UserTokenVerify.Source(), snapshot.AccountTokenVerify.Source()}, Skip: ownedByAccount,
		Fill: func(k *Known, _ Target) map[string]string {
			v, _ := Peek(k, snapshot.UserTokenVerify, snapshot.UserScope)
			return map[string]string{"token_id": v.ID}
		},
		Example: `{"id":"t1","name":"ci","status":"active","policies":[{"effect":"allow","permission_groups":[{"name":"DNS Read"}],"resources":{"com.cloudflare.api.account.1":"*"}}]}`,
	}, reduceToken)
}

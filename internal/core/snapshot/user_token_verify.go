package snapshot

// UserTokenVerify says whether a user token works.
const UserTokenVerify Key[TokenVerify] = "user/token_verify"

// TokenVerify says whether a token works and until when.
type TokenVerify struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
	NotBefore Time   `json:"not_before,omitzero"`
}

// userTokenVerify verifies a user token
// (developers.cloudflare.com/api/resources/user/subresources/tokens/methods/verify/).
func userTokenVerify() Source {
	return object(UserTokenVerify, Source{
		Path: "/user/tokens/verify", Permission: "a valid user token",
		Example: `{"id":"ed17574386854bf78a67040be0a770b0","status":"active","expires_on":"2030-01-01T00:00:00Z"}`,
	}, asRead[TokenVerify])
}

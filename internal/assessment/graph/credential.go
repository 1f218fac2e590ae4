package graph

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// credentials adds the entry to the account itself: members sign in to the dashboard and tokens
// call the API, both from the internet.
func (b *builder) credentials() {
	members, tokens := known(b, snapshot.AccountMembers, b.account), known(b, snapshot.AccountTokens, b.account)
	if len(members) > 0 || len(tokens) > 0 || len(known(b, snapshot.UserTokens, snapshot.UserScope)) > 0 {
		b.edge(InternetID, InternetTo, b.accountID())
	}
}

package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const inSettings = "Zero Trust › Access controls › Access settings"

// orgCall sets one member of the organisation. PUT replaces the whole object, so the body is the
// object that was read with the change.
func orgCall(change string) posture.Call {
	return posture.Call{Method: "PUT", Path: organizationPath, From: organizationPath,
		Body: `.result | del(.created_at, .updated_at) | ` + change}
}

// inUseTokens returns the enabled service tokens.
func inUseTokens(all []snapshot.ServiceToken) (out []snapshot.ServiceToken) {
	for _, t := range all {
		if t.Enabled == nil || *t.Enabled {
			out = append(out, t)
		}
	}
	return out
}

// editOrg is an example edit of the organisation.
func editOrg(change func(*snapshot.AccessOrganization)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.AccessOrg, goodtest.Account, change) }
}

// noTokens is an example edit: the account has no service token.
func noTokens(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, []snapshot.ServiceToken{})
}

// tokenOff is an example edit: the only service token is disabled.
func tokenOff(b *snapshot.Builder) {
	off := false
	snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { (*ts)[0].Enabled = &off })
}

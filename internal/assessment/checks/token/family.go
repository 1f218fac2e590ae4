// Package token holds the checks of the API tokens of the account and of the
// credential the run itself uses.
package token

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// verified returns the result of whichever verify call the run made. apiKey is true when neither
// was needed: then the run uses a global API key.
func verified(v *check.View) (t snapshot.TokenVerify, source snapshot.Named, apiKey bool) {
	for _, k := range []snapshot.Key[snapshot.TokenVerify]{snapshot.UserTokenVerify, snapshot.AccountTokenVerify} {
		if v.StatusOf(k) == snapshot.OK {
			return check.Read(v, k), k, false
		}
	}
	return snapshot.TokenVerify{}, nil, v.StatusOf(snapshot.UserTokenVerify) == snapshot.Skipped &&
		v.StatusOf(snapshot.AccountTokenVerify) == snapshot.Skipped
}

func resource(id, name string) posture.Resource {
	return posture.Resource{Type: posture.ResourceToken, ID: id, Name: name}
}

// skip is an example edit: the run did not need these calls.
func skip(keys ...snapshot.Named) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for _, k := range keys {
			b.Mark(k.Source(), snapshot.Skipped, "", "not needed for this credential")
		}
	}
}

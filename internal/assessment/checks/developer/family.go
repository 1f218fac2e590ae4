// Package developer holds the checks of the developer platform: scripts, sites
// and the public address of buckets.
package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// lets returns an example policy with one rule.
func lets(decision, kind, value string) snapshot.AccessPolicy {
	return snapshot.AccessPolicy{ID: "p9", Name: "Visitors", Decision: decision, Include: []snapshot.AccessRule{{Kind: kind, Value: value}}}
}

// policies is an example edit that sets the policies of the application a9.
func policies(all ...snapshot.AccessPolicy) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
			for i := range *as {
				if (*as)[i].ID == "a9" {
					(*as)[i].Policies = all
				}
			}
		})
	}
}

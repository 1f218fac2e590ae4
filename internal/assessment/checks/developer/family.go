// Package developer holds the checks of the developer platform: scripts, sites
// and the public address of buckets.
package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// accessOf returns the context for evaluating Access policies, and the reusable policies. The check
// must declare AccessPolicies and AccessGroups as optional; if they could not be read, it is
// undecided who is admitted.
func accessOf(v *check.View) (admission.Access, map[string]snapshot.AccessPolicy) {
	groups, _ := check.ReadOptional(v, snapshot.AccessGroups)
	policies, _ := check.ReadOptional(v, snapshot.AccessPolicies)
	return admission.Access{Groups: exposure.IndexGroups(groups)}, exposure.IndexPolicies(policies)
}

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

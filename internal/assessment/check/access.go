package check

import (
	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// AccessOf returns the context for evaluating Access policies, and the reusable policies. The check
// must declare AccessPolicies, AccessGroups, GatewayListItems and DevicePosture; if they are optional and
// could not be read, it is undecided who is admitted.
func AccessOf(v *View) (admission.Access, map[string]snapshot.AccessPolicy) {
	groups, _ := ReadOptional(v, snapshot.AccessGroups)
	policies, _ := ReadOptional(v, snapshot.AccessPolicies)
	v.declared(snapshot.GatewayListItems.Source())
	access := admission.Access{Groups: exposure.IndexGroups(groups), Lists: listsOf(v)}
	if all, known := ReadOptional(v, snapshot.DevicePosture); known {
		access.Posture = &all
	}
	return access, exposure.IndexPolicies(policies)
}

// AccessWithLogins is AccessOf with the logins of the account. The check must declare AccessIDPs as
// optional, too.
func AccessWithLogins(v *View) (admission.Access, map[string]snapshot.AccessPolicy) {
	access, policies := AccessOf(v)
	if idps, known := ReadOptional(v, snapshot.AccessIDPs); known {
		access.Logins = &idps
	}
	return access, policies
}

func listsOf(v *View) admission.Lists {
	return func(id string) ([]snapshot.GatewayListItem, bool) {
		items, known := ReadOptionalAt(v, snapshot.GatewayListItems, id)
		return items, known && items != nil // a list that is gone has no section
	}
}

// DoorsOf lists the addresses that the applications of the account cover. The check must need
// AccessApps and declare what AccessOf reads.
func DoorsOf(v *View) []exposure.AccessEndpoint {
	access, reusable := AccessOf(v)
	return access.Doors(Read(v, snapshot.AccessApps), reusable)
}

// GatewayRules returns the rules of Gateway as they are now. The check must declare GatewayRules, and
// GatewayListItems where it looks at conditions on traffic; rules that could not be read are none.
func GatewayRules(v *View) []admission.Rule {
	return admission.Rules(Read(v, snapshot.GatewayRules), v.Now(), listsOf(v))
}

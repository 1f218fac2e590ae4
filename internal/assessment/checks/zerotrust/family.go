// Package zerotrust holds the checks of Zero Trust as a whole.
package zerotrust

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// editApps is an example edit of the applications.
func editApps(change func(*[]snapshot.AccessApp)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, change) }
}

// editApp is an example edit of one application.
func editApp(id string, change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AccessApps, goodtest.Account, func(a *snapshot.AccessApp) {
		if a.ID == id {
			change(a)
		}
	})
}

// unused is an example edit: the account has no Zero Trust organisation.
func unused(b *snapshot.Builder) {
	b.Mark(snapshot.AccessOrg.Source(), snapshot.Absent, "", "")
	for _, k := range []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessIDPs,
		snapshot.AccessServiceTokens} {
		b.Mark(k.Source(), snapshot.Skipped, "", "Access is not in use")
	}
}

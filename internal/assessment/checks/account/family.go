// Package account holds the checks of the account, its members and its audit
// log.
package account

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// inForce lists the domains of the connectors that are enabled and verified.
func inForce(connectors []snapshot.SSOConnector) map[string]bool {
	out := map[string]bool{}
	for _, c := range connectors {
		if c.Covers() && c.EmailDomain != "" {
			out[strings.ToLower(c.EmailDomain)] = true
		}
	}
	return out
}

// enforce is an example edit of the account's two-factor switch.
func enforce(on bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountList, goodtest.Account, func(as *[]snapshot.Account) {
			for i := range *as {
				(*as)[i].EnforceTwoFactor = on
			}
		})
	}
}

// connector is an example edit that leaves one connector.
func connector(domain string, enabled bool, verification string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountSSOConnectors, goodtest.Account, []snapshot.SSOConnector{
			{ID: "s1", EmailDomain: domain, Enabled: enabled, Verification: verification}})
	}
}

// members is an example edit of one member, or of all when id is empty.
func members(id string, change func(*snapshot.Member)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AccountMembers, goodtest.Account, func(m *snapshot.Member) {
		if id == "" || m.ID == id {
			change(m)
		}
	})
}

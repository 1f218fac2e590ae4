package attackpath_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestPathsAskWhoPasses: an application that lets everyone in guards nothing, and a network that Gateway closes is not reached.
func TestPathsAskWhoPasses(t *testing.T) {
	account := posture.Resource{Type: posture.ResourceAccount, ID: goodtest.Account}
	bypass := func(rule snapshot.AccessRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				p := &(*as)[0].Policies[0]
				p.Decision, p.Include = "bypass", []snapshot.AccessRule{rule}
			})
		}
	}
	domain := func(d string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Domain, (*as)[0].Domains = d, []string{d}
			})
		}
	}
	network := func(change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, func(rs *[]snapshot.GatewayRule) {
				for i := range *rs {
					if (*rs)[i].ID == goodtest.NetworkRule {
						change(&(*rs)[i])
					}
				}
			})
		}
	}
	for _, c := range []struct {
		name, kind string
		edit       func(*snapshot.Builder)
		found      bool
	}{
		{"the application asks for a login", "tunnel-without-access", nil, false},
		{"the application lets everyone in", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "everyone"}), true},
		{"the application lets one address in", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9"}), false},
		{"a more specific application lets everyone in", "tunnel-without-access", func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				open := (*as)[0]
				open.ID, open.Policies = "open", []snapshot.AccessPolicy{{ID: "o", Decision: "bypass",
					Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
				(*as)[0].Domain, (*as)[0].Domains = "*.shop.example", []string{"*.shop.example"}
				*as = append(*as, open)
			})
		}, true},
		{"the star of the application stands for another label", "tunnel-without-access", domain("*.example"), true},
		{"the application leaves everything public", "tunnel-without-access", func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				for _, d := range append((*as)[0].Domains, (*as)[0].Domain) {
					(*as)[0].Public = append((*as)[0].Public, snapshot.AccessPublic{Address: d, Path: "/*"})
				}
			})
		}, true},
		{"the application lets in a group nobody knows", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "group", Value: "g9"}), false},
		{"the network is blocked", "open-enrolment", nil, false},
		{"the block is off", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Enabled = false }), true},
		{"the block is for web requests", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Filters = []string{"http"} }), true},
		{"the block is for some people", "open-enrolment",
			network(func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "a@b.c"` }), true},
		{"a block that cannot be read", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip ???" }), false},
	} {
		t.Run(c.kind+", "+c.name, func(t *testing.T) {
			b := goodtest.Snapshot()
			if c.edit != nil {
				c.edit(b)
			}
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &account, Rule: &posture.Rule{CheckID: "CFL-ZT-003"}}}
			g, nodeOf := graph.Build(snap, findings)
			found := false
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				found = found || p.Kind == c.kind
			}
			require.Equal(t, c.found, found)
		})
	}
}

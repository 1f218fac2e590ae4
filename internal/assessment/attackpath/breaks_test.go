package attackpath_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestABreakLeavesNoWay: the change that is said to break a path covers everything that makes it.
func TestABreakLeavesNoWay(t *testing.T) {
	app := func(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) { change(&(*as)[0]) })
		}
	}
	admits := func(id, decision string, rule snapshot.AccessRule) snapshot.AccessPolicy {
		return snapshot.AccessPolicy{ID: id, Name: id, Decision: decision, Include: []snapshot.AccessRule{rule}}
	}
	everyone := snapshot.AccessRule{Kind: "everyone"}
	skip := func(id, host string) snapshot.Rule {
		return snapshot.Rule{ID: id, Description: id, Enabled: true, Action: "skip", Expression: `http.host eq "` + host + `"`,
			Params: snapshot.RuleParams{Phases: []string{"http_request_firewall_managed"}}}
	}
	for _, c := range []struct {
		name, kind string
		edit       func(*snapshot.Builder)
		want       []string // the changes
	}{
		{"two policies let everyone in", "open-access-app", app(func(a *snapshot.AccessApp) {
			a.Policies = []snapshot.AccessPolicy{admits("Feed", "bypass", everyone), admits("Hook", "bypass", everyone)}
		}), []string{"Remove the bypass policy Hook, or limit it to exact addresses, and limit the policy Feed as well.",
			"Remove the bypass policy Feed, or limit it to exact addresses, and limit the policy Hook as well."}},
		{"two policies admit a token for good", "lasting-service-token", goodtest.Edits(app(func(a *snapshot.AccessApp) {
			rule := snapshot.AccessRule{Kind: "service_token", Value: "lasting"}
			a.Policies = append(a.Policies, admits("Build", "non_identity", rule), admits("Ship", "non_identity", rule))
		}), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) {
				lasting := (*ts)[0]
				lasting.ID, lasting.Name, lasting.Duration = "lasting", "Runner", "forever"
				*ts = append(*ts, lasting)
			})
		}), []string{"Take the service token out of the policies Build, Ship."}},
		{"two rules skip the firewall, each at a host", "firewall-skip", func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{Rules: []snapshot.Rule{
				skip("Partner", "www."+goodtest.Domain), skip("Tester", goodtest.Domain)}})
		}, []string{"Limit or remove Partner, Tester.", "Limit or remove Tester, Partner."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			paths := pathsAfter(t, c.edit)
			i := slices.IndexFunc(paths, func(p posture.AttackPath) bool { return p.Kind == c.kind })
			require.GreaterOrEqual(t, i, 0)
			var changes []string
			for _, b := range paths[i].Breaks {
				changes = append(changes, b.Change)
			}
			require.True(t, slices.ContainsFunc(changes, func(s string) bool { return slices.Contains(c.want, s) }), changes)
		})
	}
}

// TestOneTokenIsOneChange: replacing a token closes its ways into all applications.
func TestOneTokenIsOneChange(t *testing.T) {
	paths := pathsAfter(t, func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { (*ts)[0].Duration = "forever" })
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
			tokens, _ := b.Build()
			all, _ := snapshot.Read(tokens, snapshot.AccessServiceTokens, goodtest.Account)
			for n, host := range []string{goodtest.Domain, "www." + goodtest.Domain} {
				a := (*as)[0]
				a.ID, a.Domain, a.Domains = "t"+string(rune('0'+n)), host, []string{host}
				a.Policies = []snapshot.AccessPolicy{{ID: a.ID, Name: a.ID, Decision: "non_identity",
					Include: []snapshot.AccessRule{{Kind: "service_token", Value: all[0].ID}}}}
				*as = append(*as, a)
			}
		})
	})
	paths = slices.DeleteFunc(paths, func(p posture.AttackPath) bool { return p.Kind != "lasting-service-token" })
	require.Greater(t, len(paths), 1)
	require.Len(t, attackpath.Least(paths, func(attackpath.ChokePoint) int { return 1 }).Changes, 1)
}

// TestRulesApplyToBalancedHosts: transport and firewall rules are those of a zone also where its only host is a proxied load balancer.
func TestRulesApplyToBalancedHosts(t *testing.T) {
	for _, proxied := range []bool{true, false} {
		paths := pathsAfter(t, goodtest.Edits(goodtest.OnlyBalancer, goodtest.Setting("min_tls_version", "1.0"), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneLoadBalancers, goodtest.Zone, func(ls *[]snapshot.LoadBalancer) { (*ls)[0].Proxied = proxied })
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{Rules: []snapshot.Rule{{ID: "r", Enabled: true, Action: "skip",
				Expression: "true", Params: snapshot.RuleParams{Phases: []string{"http_request_firewall_managed"}}}}})
		}))
		for _, kind := range []string{"weak-transport", "firewall-skip"} {
			require.Equal(t, proxied, slices.ContainsFunc(paths, func(p posture.AttackPath) bool { return p.Kind == kind }), kind)
		}
	}
}

func pathsAfter(t *testing.T, edit func(*snapshot.Builder)) []posture.AttackPath {
	t.Helper()
	b := goodtest.Snapshot()
	edit(b)
	return pathsOf(t, b)
}

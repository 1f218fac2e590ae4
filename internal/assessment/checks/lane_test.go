package checks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestRulesDecide: what a rule can change is judged as it reaches requests. A check that reads such a source asks the resolver,
// which shows in what it reads, or is named here with the reason.
func TestRulesDecide(t *testing.T) {
	firewall, plain, hsts, header := traffic.FirewallNeeds(), traffic.PlainHTTP().Needs, traffic.HSTS().Needs, traffic.Header("").Needs
	aspects := map[snapshot.Named][]snapshot.Named{
		snapshot.ZoneSetting("always_use_https"): plain,
		snapshot.ZoneSetting("security_header"):  hsts,
		snapshot.ZonePhaseRedirect:               plain,
		snapshot.ZonePhaseCustom:                 firewall,
		snapshot.ZonePhaseManaged:                firewall,
		snapshot.ZonePhaseRate:                   firewall,
		snapshot.ZonePhaseResponse:               header,
	}
	for _, id := range traffic.RuledSettings() {
		aspects[snapshot.ZoneSetting(id)] = traffic.Setting(id).Needs
	}
	asks := func(c check.Check, needs []snapshot.Named) bool {
		all := slices.Concat(c.Needs, c.Optional)
		return !slices.ContainsFunc(needs, func(n snapshot.Named) bool { return !slices.Contains(all, n) })
	}
	unasked := map[string]string{
		"CFL-LB-006":    "the attribute of the cookie hangs on the setting itself",
		"CFL-SSL-005":   "asks only which custom rules block requests over plain HTTP",
		"CFL-WAIT-001":  "the attribute of the cookie hangs on the setting itself",
		"CFL-WAF-026":   "judges by what a limit counts, and asks only whether requests meet it",
		"CFL-RULES-001": "judges where a redirect leads, and asks only whether requests meet it",
	}
	got := map[string]bool{}
	for _, c := range checks.All() {
		for _, n := range slices.Concat(c.Needs, c.Optional) {
			if of := aspects[n]; of != nil && !asks(c, of) {
				got[c.ID] = true
				if unasked[c.ID] == "" {
					t.Errorf("%s %s reads %v", c.ID, c.Title, n)
				}
			}
		}
	}
	for id := range unasked {
		require.True(t, got[id], "%s asks the resolver now: take it out of the list", id)
	}
}

// TestManyRules: each of many rules with the patterns that the dashboard suggests is judged, and one before all of them hides the
// others. Following them all for each of them took minutes.
func TestManyRules(t *testing.T) {
	judged := func(rules ...snapshot.Rule) map[posture.Result]int {
		b := goodtest.Snapshot()
		snapshot.Put(b, snapshot.ZonePhaseRedirect, goodtest.Zone, snapshot.Ruleset{ID: "redirects", Rules: rules})
		snap, err := b.Build()
		require.NoError(t, err)
		out := map[posture.Result]int{}
		of := slices.DeleteFunc(checks.All(), func(c check.Check) bool { return c.ID != "CFL-RULES-001" })
		for _, f := range check.Run(snap, of, policy.Default()).Findings {
			out[f.Result]++
		}
		return out
	}
	var rules []snapshot.Rule
	for i := range 60 {
		rules = append(rules, snapshot.Rule{ID: fmt.Sprint("r", i), Enabled: true, Action: "redirect",
			Expression: fmt.Sprintf(`http.request.full_uri wildcard "https://*.shop.example/old/%d/*"`, i),
			Params:     snapshot.RuleParams{RedirectTo: "https://elsewhere.test/"}})
	}
	require.Equal(t, map[posture.Result]int{posture.Warning: 60}, judged(rules...))
	all := snapshot.Rule{ID: "all", Enabled: true, Action: "redirect", Expression: "true",
		Params: snapshot.RuleParams{RedirectTo: "https://www.shop.example/"}}
	require.Equal(t, map[posture.Result]int{posture.Pass: 1}, judged(slices.Insert(rules, 0, all)...))
}

package traffic_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// TestSweepHostileConditions: one condition that Cloudflare accepts, which anyone who may write a rule of one account can write, does not
// keep the workers of all accounts busy. Each of these took 4 seconds or more for one aspect of one zone.
func TestSweepHostileConditions(t *testing.T) {
	stars := func(n int) string { return `wildcard "` + strings.Repeat("*a", n) + `"` }
	before := fuzztest.Spent(t)
	for _, condition := range []string{
		"http.request.uri.path " + stars(2000),
		"http.request.uri " + stars(1000),
		"http.request.full_uri " + stars(1000),
		`http.request.uri.path matches "` + strings.Repeat("(a?){1000}", 20) + `"`,
		`http.request.uri.path matches "` + strings.Repeat("a{1000}", 125) + `"`,
	} {
		require.Less(t, len(condition), 4096+100)
		made := snapshot.NewBuilder(snapshot.AccountRef{ID: "a"}, goodNow)
		made.Zones = []snapshot.Zone{{ID: "z", Name: "site.example", Status: "active", Plan: "enterprise"}}
		snapshot.Put(made, snapshot.ZoneDNSRecords, "z", []snapshot.DNSRecord{{ID: "1", Name: "site.example", Type: "A", Content: "8.8.8.8",
			Proxied: true}})
		snapshot.Put(made, snapshot.ZoneRulesets, "z", []snapshot.RulesetInfo{})
		snapshot.Put(made, snapshot.AccountRulesets, "a", []snapshot.RulesetInfo{})
		rule := snapshot.Rule{ID: "r", Enabled: true, Action: "block", Expression: condition}
		snapshot.Put(made, snapshot.ZonePhaseCustom, "z", snapshot.Ruleset{ID: "custom", Rules: []snapshot.Rule{rule}})
		snap, err := made.Build()
		require.NoError(t, err)
		traffic.Firewall(firewallPhases[0]).Lanes(snap, snap.Zones[0])
	}
	require.Less(t, fuzztest.Spent(t)-before, 20*time.Second)
}

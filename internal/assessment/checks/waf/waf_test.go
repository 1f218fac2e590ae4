package waf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestUnreadZoneLeavesTheOthersJudged: a zone whose source was refused is
// UNKNOWN with the permission and never passes or fails; its neighbour fails.
func TestUnreadZoneLeavesTheOthersJudged(t *testing.T) {
	bad := []snapshot.IPAccessRule{{ID: "second", Mode: "whitelist", Target: "country", Value: "DE", HasNotes: true}}
	for _, tc := range []struct {
		check  check.Check
		source snapshot.Named
	}{
		{skipRules(), snapshot.ZoneRulesets}, {skipRules(), snapshot.ZonePhaseCustom}, {skipRules(), snapshot.ZonePhaseManaged},
		{allowEntries(), snapshot.ZoneIPAccessRules},
	} {
		t.Run(tc.check.ID+" "+tc.source.Source(), func(t *testing.T) {
			b := goodtest.Snapshot()
			b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "other.example", Status: "active", Type: "full", Plan: "enterprise"})
			snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
			zoneRules(snapshot.ZonePhaseCustom, rule("first", "skip", "true"))(b)
			snapshot.Put(b, snapshot.ZoneRulesets, "z2", []snapshot.RulesetInfo{})
			snapshot.Put(b, snapshot.ZonePhaseManaged, "z2", snapshot.Ruleset{})
			snapshot.Put(b, snapshot.ZonePhaseCustom, "z2", snapshot.Ruleset{ID: "r", Rules: []snapshot.Rule{rule("second", "skip", "true")}})
			snapshot.Put(b, snapshot.ZoneIPAccessRules, "z2", bad)
			b.Set(snapshot.Section{Source: tc.source.Source(), Scope: goodtest.Zone, Status: snapshot.Denied, Permission: "WAF Read"})
			s, err := b.Build()
			require.NoError(t, err)
			got := check.Run(s, []check.Check{tc.check}, policy.Default())
			results := map[string]posture.Result{}
			for _, f := range got.Findings {
				results[f.Resource.ID] = f.Result
				require.NotEqual(t, posture.Pass, f.Result)
				if f.Resource.ID == goodtest.Zone {
					require.Equal(t, "WAF Read", f.Permission)
					require.Contains(t, f.Reason, tc.source.Source())
				}
			}
			require.Equal(t, posture.Unknown, results[goodtest.Zone])
			require.Equal(t, posture.Fail, results["second"])
		})
	}
}

func TestSourceLimits(t *testing.T) {
	named := func(name string) (limit, bool) {
		switch name {
		case "narrow":
			return proven, true
		case "wide":
			return wideList, true
		default:
			return unlimited, false
		}
	}
	path := ` and http.request.uri.path eq "/x"`
	for in, want := range map[string]string{
		"true": "bad", "false": "good", "not true": "good", "ssl": "bad", `http.request.method eq "POST"`: "bad",
		"ip.src eq 1.2.3.4": "doubtful", "ip.src eq 1.2.3.4" + path: "good", "(ip.src eq 1.2.3.4 or ssl)" + path: "bad",
		"ip.src in {1.2.0.0/16}" + path: "good", "ip.src in {1.2.0.0/15}" + path: "bad", "ip.src in {2001:db8::/31}" + path: "bad",
		"ip.src in {1.0.0.0..2.0.0.0}" + path: "bad", "not ip.src ne 1.2.3.4" + path: "good", "ip.src ne 1.2.3.4" + path: "bad",
		"ip.src in $narrow": "doubtful", "ip.src in $wide": "bad", "ip.src in $wide" + path: "good", "ip.src in $other": "?",
		"ip.src in $other" + path:      "good",
		"ip.src.asnum eq 64500" + path: "doubtful", "ip.src.asnum in {64500 64501}": "doubtful", "ip.src.asnum gt 5" + path: "?",
		"(ip.src in $wide or ip.src.asnum eq 64500)": "bad", "(ip.src in $wide or ip.src.asnum eq 64500)" + path: "doubtful",
		"cf.client.bot" + path: "good", "not cf.client.bot" + path: "bad", "cf.client.bot eq true" + path: "good", "cf.client.bot ne true" +
			path: "bad",
		`cf.verified_bot_category eq "Search Engine Crawler"` + path: "good", `cf.verified_bot_category eq ""` + path: "bad",
		`is_timed_hmac_valid_v0("k", http.request.uri, 10800, http.request.timestamp.sec, 8)` + path: "good",
		"ip.src eq 1.2.3.4 xor ssl": "bad", "cf.future.field" + path: "?", "cf.future.field or true": "bad",
		"ip.src eq 1.2.3.4 and cf.future.field" + path:                                      "good",
		`ip.src eq 1.2.3.4 and http.request.uri.path contains "/"`:                          "doubtful",
		`ip.src eq 1.2.3.4 and http.request.uri.path matches ".*"`:                          "doubtful",
		`ip.src eq 1.2.3.4 and http.request.uri.path matches "^/api/"`:                      "good",
		`ip.src eq 1.2.3.4 and http.request.uri contains "/api"`:                            "doubtful",
		`ip.src eq 1.2.3.4 and starts_with(lower(http.request.uri.path), "/api")`:           "good",
		`ip.src eq 1.2.3.4 and not starts_with(http.request.uri.path, "/api")`:              "doubtful",
		`ip.src eq 1.2.3.4 and http.request.full_uri wildcard "https://shop.example/api/*"`: "good",
		`ip.src eq 1.2.3.4 and http.request.full_uri wildcard "https://shop.example/*"`:     "doubtful",
	} {
		e, err := expression.Parse(in)
		require.NoError(t, err, in)
		got := "?"
		if g, ok := readBranches(e, named).judge(); ok {
			got = []string{"good", "doubtful", "bad"}[g]
		}
		require.Equal(t, want, got, in)
	}
}

package waf

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// BenchmarkSkipRules judges 60 skip rules, of which 50 skip what an earlier one skips already.
func BenchmarkSkipRules(b *testing.B) {
	for name, covered := range map[string]string{
		"paths below a path":   `http.request.uri.path eq "/api/%d"`,
		"headers below a path": `starts_with(http.request.uri.path, "/api/") and http.user_agent contains "m%d"`,
		"paths and headers":    `starts_with(http.request.uri.path, "/api/x%d") and http.cookie contains "m%[1]d"`,
		"addresses":            `starts_with(http.request.uri.path, "/api/x%d") and ip.src in {45.60.%[1]d.0/24 45.0.0.0/8}`,
	} {
		b.Run(name, func(b *testing.B) {
			made := goodtest.Snapshot()
			rules := []snapshot.Rule{skipPhases(`starts_with(http.request.uri.path, "/api/")`, traffic.ManagedRules)}
			for i := range 59 {
				r := skipPhases(fmt.Sprintf(covered, i), traffic.ManagedRules)
				if i >= 50 {
					r.Expression = fmt.Sprintf(`http.request.uri.path eq "/other/%d" and http.referer contains "r%d"`, i, i)
				}
				r.ID = fmt.Sprint("k", i)
				rules = append(rules, r)
			}
			zoneRules(snapshot.ZonePhaseCustom, rules...)(made)
			snap, err := made.Build()
			require.NoError(b, err)
			for b.Loop() {
				check.Run(snap, []check.Check{skipRules()}, policy.Default())
			}
		})
	}
}

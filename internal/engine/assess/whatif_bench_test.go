package assess

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// BenchmarkWhatIf tells what follows from one change of each kind, in a zone of every fifth, and from a plan of 200.
func BenchmarkWhatIf(b *testing.B) {
	for _, zones := range []int{200, 1000} {
		b.Run(fmt.Sprint(zones), func(b *testing.B) {
			cloud := simcloud.New(simcloud.Options{Seed: 4, Now: simNow, Limit: simcloud.Limit{Disabled: true},
				Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 50, Plant: 0.3,
					Plans: []string{"free", "pro", "business", "enterprise"}}}, Tokens: []simcloud.Token{{CanWrite: true}}})
			w := newWorkshopAt(b, cloud, cloud, cloud, cloud.Tokens()[0].Secret, simNow)
			snap, _ := w.assess()
			start := time.Now()
			state := whatif.Judge(snap, checks.All(), policy.Default())
			first := time.Since(start)
			apps, _ := snapshot.Read(snap, snapshot.AccessApps, snap.Account.ID)
			var plan []whatif.Step
			for b.Loop() {
				var took []time.Duration
				plan = nil
				for i, z := range snap.Zones {
					one := []change.Call{
						call("PATCH", "/zones/"+z.ID+"/settings/ssl", fields{"value": "off"}),
						call("POST", "/zones/"+z.ID+"/dns_records", fields{"type": "A", "name": "new", "content": "185.220.20.9"}),
						call("PUT", "/zones/"+z.ID+"/rulesets/phases/http_request_firewall_custom/entrypoint", fields{"rules": []any{fields{
							"action": "skip", "action_parameters": fields{"ruleset": "current"}, "expression": "true"}}}),
						call("PATCH", "/accounts/"+snap.Account.ID+"/access/apps/"+apps[0].ID, fields{"session_duration": "900h"}),
						call("PATCH", "/zones/"+z.ID, fields{"paused": true}),
					}[i%5]
					if len(plan) < 200 {
						plan = append(plan, whatif.Step{Call: one})
					}
					if i/5%(zones/50) > 0 { // some fifty of them
						continue
					}
					start := time.Now()
					_, _, err := state.After([]whatif.Step{{Call: one}})
					require.NoError(b, err)
					took = append(took, time.Since(start))
				}
				start := time.Now()
				_, _, err := state.After(plan)
				require.NoError(b, err)
				b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-plan-of-200")
				slices.Sort(took)
				b.ReportMetric(float64(first.Milliseconds()), "ms-first")
				b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-p50")
				b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "ms-p95")
			}
		})
	}
}

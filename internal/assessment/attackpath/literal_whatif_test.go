package attackpath_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

// TestSweepWhatIfGivesThePathsOfTheChangedAccount tries calls of the API on random accounts, and makes the same changes to them.
func TestSweepWhatIfGivesThePathsOfTheChangedAccount(t *testing.T) {
	t.Parallel()
	accounts := sized(600, 40)
	const zone, account = "/zones/" + goodtest.Zone, "/accounts/" + goodtest.Account
	for seed := range accounts {
		before, after, r := newSite(seed), newSite(seed), rand.New(rand.NewPCG(seed, 10))
		var steps []whatif.Step
		call := func(method, path, body string) {
			steps = append(steps, whatif.Step{Call: change.Call{Method: method, Path: path, Body: json.RawMessage(body)}})
		}
		for range 1 + r.IntN(3) {
			switch r.IntN(7) {
			case 0:
				after.ssl = any1(r, "strict", "off")
				call("PATCH", zone+"/settings/ssl", `{"value":"`+after.ssl+`"}`)
			case 1:
				after.clear = false
				call("PATCH", zone+"/settings/always_use_https", `{"value":"on"}`)
			case 2:
				if n := len(after.records); n > 0 {
					i := r.IntN(n)
					call("DELETE", zone+"/dns_records/"+after.records[i].ID, "")
					after.records = slices.Delete(after.records, i, i+1)
				}
			case 3:
				if n := len(after.records); n > 0 {
					i := r.IntN(n)
					after.records[i].Proxied = !after.records[i].Proxied
					call("PATCH", zone+"/dns_records/"+after.records[i].ID, `{"proxied":`+strconv.FormatBool(after.records[i].Proxied)+`}`)
				}
			case 4:
				after.zone.Paused = !after.zone.Paused
				call("PATCH", zone, `{"paused":`+strconv.FormatBool(after.zone.Paused)+`}`)
			case 5:
				b := after.buckets["assets"]
				b.public = !b.public
				after.buckets["assets"] = b
				call("PUT", account+"/r2/buckets/assets/domains/managed", `{"enabled":`+strconv.FormatBool(b.public)+`}`)
			case 6:
				if n := len(after.apps); n > 0 {
					i := r.IntN(n)
					call("DELETE", account+"/access/apps/"+after.apps[i].ID, "")
					after.apps = slices.Delete(after.apps, i, i+1)
				}
			}
		}
		state := func(a *site) *whatif.State {
			snap, err := a.builder().Build()
			require.NoError(t, err)
			return whatif.Judge(snap, checks.All(), policy.Default())
		}
		_, tried, err := state(before).After(steps)
		require.NoError(t, err)
		require.Equal(t, rated(state(after).Paths()), rated(tried.Paths()), "account %d after %+v: %+v %s", seed, steps, before, before.account)
	}
}

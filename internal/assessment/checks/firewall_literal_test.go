package checks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic/traffictest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestSweepFirewallAgreesWithALiteralReading sends a request of each kind through random zones, one rule after the other: what of them
// managed rules check, and whom skip rules let past, is what the checks say.
func TestSweepFirewallAgreesWithALiteralReading(t *testing.T) {
	t.Parallel()
	zones := 1000
	if testing.Short() {
		zones = 25
	}
	told := map[string]int{}
	for n := range zones {
		site := traffictest.New(uint64(n))
		snap := managed(t, site.Snapshot(t))
		got := check.Run(snap, slices.DeleteFunc(checks.All(), func(c check.Check) bool {
			return c.ID != "CFL-WAF-005" && c.ID != "CFL-WAF-010"
		}), policy.Default())
		verdicts := map[string]posture.Result{}
		for _, f := range got.Findings {
			verdicts[f.CheckID+" "+f.Resource.ID] = f.Result
		}
		deployed := deployments(snap)
		reach, covered, bare := 0, 0, 0
		acts, anyone := map[string]bool{}, map[string]bool{}
		for _, v := range site.Grid() {
			fate := site.Literal(v)
			for _, id := range slices.Concat(fate.Acts[traffic.CustomRules], fate.Acts[traffic.ManagedRules]) {
				acts[id] = true
				anyone[id] = anyone[id] || v.Source.String() == "9.9.9.9" && v.Country == "JP"
			}
			if fate.Ended {
				continue
			}
			reach++
			switch {
			case slices.ContainsFunc(fate.Acts[traffic.ManagedRules], func(id string) bool { return slices.Contains(deployed, id) }):
				covered++
			case !slices.ContainsFunc(deployed, func(id string) bool { return site.Meets(id, v) }):
				bare++
			}
		}
		want := posture.Fail
		switch {
		case reach == 0, covered > 0 && bare == 0:
			want = posture.Pass
		case covered > 0:
			want = posture.Warning
		}
		if snap.Zones[0].Plan != "free" {
			require.Equal(t, want, verdicts["CFL-WAF-005 zone"], "zone %d: %d of %d, %d bare", n, covered, reach, bare)
			told["WAF-005 "+string(want)]++
		}
		for _, r := range skipping(snap) {
			is := verdicts["CFL-WAF-010 "+r.ID]
			switch id := fmt.Sprintf("zone %d: %s %s", n, r.ID, r.Expression); {
			case !acts[r.ID]:
				require.Empty(t, is, id)
			case is == posture.Fail:
				require.True(t, anyone[r.ID], id)
			case anyone[r.ID] && slices.Contains(r.Params.Phases, traffic.ManagedRules) && (len(deployed) > 0 || snap.Zones[0].Plan == "free"):
				require.Equal(t, posture.Fail, is, id)
			}
			told["WAF-010 "+string(is)]++
		}
	}
	t.Log(told)
	require.Greater(t, len(told), 3)
}

// managed says of the rulesets that the zone executes that Cloudflare manages them.
func managed(t *testing.T, snap *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	sections := snap.Sections()
	for i, s := range sections {
		if s.Source == snapshot.ZoneRulesets.Source() || s.Source == snapshot.AccountRulesets.Source() {
			value, err := snapshot.Canonical([]snapshot.RulesetInfo{{ID: "m1", Kind: "managed"}, {ID: "m2", Kind: "managed"}})
			require.NoError(t, err)
			sections[i].Value = value
		}
	}
	out, err := snapshot.New(snap.Account, snap.TakenAt, snap.Zones, sections)
	require.NoError(t, err)
	return out
}

// deployments lists the enabled rules that execute a managed ruleset for the zone.
func deployments(snap *snapshot.Snapshot) (out []string) {
	zone, _ := snapshot.Read(snap, snapshot.ZonePhaseManaged, snap.Zones[0].ID)
	account, _ := snapshot.Read(snap, snapshot.AccountPhaseManaged, snap.Account.ID)
	for _, r := range slices.Concat(zone.Rules, account.Rules) {
		if r.Enabled && r.Action == "execute" {
			out = append(out, r.ID)
		}
	}
	return out
}

// skipping lists the enabled skip rules of the zone.
func skipping(snap *snapshot.Snapshot) []snapshot.Rule {
	custom, _ := snapshot.Read(snap, snapshot.ZonePhaseCustom, snap.Zones[0].ID)
	managed, _ := snapshot.Read(snap, snapshot.ZonePhaseManaged, snap.Zones[0].ID)
	return slices.DeleteFunc(append(custom.Rules, managed.Rules...), func(r snapshot.Rule) bool { return !r.Enabled || r.Action != "skip" })
}

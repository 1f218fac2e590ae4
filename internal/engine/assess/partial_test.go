package assess

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/score"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepPartialReads denies every source in turn, and 500 random pairs: what is
// then passed or failed was so before, and the score counts what was judged.
func TestSweepPartialReads(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 10, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 6, RecordsPerZone: 12, Plans: []string{"enterprise", "free", "pro"}, Plant: 0.3}}})
	quiet := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	before := map[string]posture.Result{}
	whole := check.Run(quiet, checks.All(), policy.Default())
	for _, f := range whole.Findings {
		before[f.ID] = f.Result
	}
	var sources []string
	for _, s := range quiet.Sections() {
		sources = append(sources, s.Source)
	}
	sources = slices.Compact(sources)
	require.Greater(t, len(sources), 130)
	deny := func(names ...string) {
		var replaced []snapshot.Section
		for _, name := range names {
			for _, scope := range quiet.Scopes(name) {
				replaced = append(replaced, snapshot.Section{Source: name, Scope: scope, Status: snapshot.Denied, Permission: "Some: " + name})
			}
		}
		holds(t, quiet, replaced, before)
	}
	for i, name := range sources {
		if left(i) {
			continue
		}
		deny(name)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 500 {
		if left(i) {
			continue
		}
		deny(sources[r.IntN(len(sources))], sources[r.IntN(len(sources))])
	}
	t.Logf("%d sources denied one by one and 500 pairs, %d findings each", len(sources), len(whole.Findings))
}

// TestScoreCountsWhatWasRead takes more and more sources away: the coverage falls,
// and the score is always the one of the verdicts that are left.
func TestScoreCountsWhatWasRead(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 11, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 12, Plant: 0.3}}})
	quiet := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	sections := quiet.Sections()
	r := rand.New(rand.NewPCG(5, 6))
	last := 101.0
	for _, i := range r.Perm(len(sections)) {
		if sections[i].Source == snapshot.ZoneList.Source() {
			continue
		}
		sections[i] = snapshot.Section{Source: sections[i].Source, Scope: sections[i].Scope, Status: snapshot.Denied, Permission: "Some: Read"}
		if r.IntN(20) != 0 {
			continue
		}
		snap, err := snapshot.New(quiet.Account, quiet.TakenAt, quiet.Zones, sections)
		require.NoError(t, err)
		got := check.Run(snap, checks.All(), policy.Default())
		s, coverage := score.Of(got.Tallies, got.Findings)
		judged := 0
		for _, tally := range got.Tallies {
			judged += tally.Pass + tally.Fail + tally.Warning
		}
		require.Equal(t, judged, coverage.Evaluated)
		require.GreaterOrEqual(t, s.Value, 0)
		require.LessOrEqual(t, s.Value, 100)
		if coverage.Percent < 50 {
			require.Nil(t, s.Grade, "a grade on %.1f %%", coverage.Percent)
		}
		last = min(last, coverage.Percent)
	}
	require.Less(t, last, 20.0, "with almost everything denied almost nothing is judged")
}

package assess

import (
	"cmp"
	"fmt"
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
// and the score never rises.
func TestScoreCountsWhatWasRead(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 11, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 12, Plant: 0.3}}})
	quiet := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	sections := quiet.Sections()
	r := rand.New(rand.NewPCG(5, 6))
	last, value := 101.0, 100
	var refs []posture.ZoneRef
	for _, z := range quiet.Zones {
		refs = append(refs, posture.ZoneRef{ID: z.ID, Name: z.Name, Status: z.Status})
	}
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
		s, _, coverage := score.Of(got, refs)
		judged := 0
		for _, tally := range got.Tallies {
			judged += tally.Pass + tally.Fail + tally.Warning
		}
		require.Equal(t, judged, coverage.Evaluated)
		require.GreaterOrEqual(t, s.Value, 0)
		require.LessOrEqual(t, s.Value, 100)
		require.LessOrEqual(t, s.Value, value, "what is hidden raises nothing")
		require.Equal(t, s.Grade == nil, s.Withheld != "")
		value = s.Value
		last = min(last, coverage.Percent)
	}
	require.Less(t, last, 20.0, "with almost everything denied almost nothing is judged")
}

// TestSweepHidingRaisesNothing takes each section away from several accounts: no number and no grade rises, of the
// account or of a zone, and a withheld grade does not come back.
func TestSweepHidingRaisesNothing(t *testing.T) {
	hidden, rose := 0, map[string]bool{}
	for seed, plant := range []float64{0, 0.03, 0.2, 0.6} {
		cloud := simcloud.New(simcloud.Options{Seed: uint64(seed), Now: simNow, Limit: simcloud.Limit{Disabled: true},
			Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 8, Plant: plant}}})
		quiet := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
		var refs []posture.ZoneRef
		for _, z := range quiet.Zones {
			refs = append(refs, posture.ZoneRef{ID: z.ID, Name: z.Name, Status: z.Status})
		}
		marks := func(snap *snapshot.Snapshot) []posture.Mark {
			s, of, _ := score.Of(check.Run(snap, checks.All(), policy.Default()), refs)
			return append(of, s.Mark)
		}
		before := marks(quiet)
		for i, sec := range quiet.Sections() {
			if left(i) || sec.Status != snapshot.OK || sec.Source == snapshot.ZoneList.Source() {
				continue
			}
			hidden++
			sections := quiet.Sections()
			sections[i] = snapshot.Section{Source: sec.Source, Scope: sec.Scope, Status: snapshot.Denied, Permission: "Some: Read"}
			snap, err := snapshot.New(quiet.Account, quiet.TakenAt, quiet.Zones, sections)
			require.NoError(t, err)
			for n, after := range marks(snap) {
				if was := before[n]; after.Value > was.Value || after.Letter() != "" && after.Letter() < cmp.Or(was.Letter(), "Z") {
					rose[fmt.Sprintf("%s: %d %s, then %d %s", sec.Source, was.Value, was.Letter(), after.Value, after.Letter())] = true
				}
			}
		}
	}
	require.Empty(t, rose)
	t.Logf("%d sections hidden one by one", hidden)
}

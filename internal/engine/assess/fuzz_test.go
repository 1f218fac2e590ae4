package assess

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// FuzzJudged puts any answer of the provider into the good account and judges it by the checks
// that look at it, rulesets and their expressions among them: each says something, none fails
// on it, and the same answer is judged the same.
func FuzzJudged(f *testing.F) {
	sources := snapshot.Sources()
	for i, s := range sources {
		f.Add(uint16(i), []byte(s.Example))
	}
	good, err := goodtest.Snapshot().Build()
	require.NoError(f, err)
	all := checks.All()
	f.Fuzz(func(t *testing.T, which uint16, answer []byte) {
		defer fuzztest.Bound(t)()
		source := sources[int(which)%len(sources)]
		value, err := source.Decode(answer)
		if err != nil {
			return
		}
		sections := good.Sections()
		for i := range sections {
			if sections[i].Source == source.Name {
				sections[i].Status, sections[i].Value = snapshot.OK, value
			}
		}
		snap, err := snapshot.New(good.Account, good.TakenAt, good.Zones, sections)
		if err != nil {
			return
		}
		of := slices.DeleteFunc(slices.Clone(all), func(c check.Check) bool {
			return !slices.ContainsFunc(slices.Concat(c.Needs, c.Optional), func(n snapshot.Named) bool { return n.Source() == source.Name })
		})
		judged := check.Run(snap, of, policy.Default())
		for _, finding := range judged.Findings {
			require.NotContains(t, finding.Reason, "please report", "%s on %s: %s", finding.CheckID, source.Name, finding.Reason)
		}
		require.Len(t, check.Run(snap, of, policy.Default()).Findings, len(judged.Findings))
	})
}

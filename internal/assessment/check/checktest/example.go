package checktest

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// agreement is what testdata/catalogue.json requires of the results of one check. A check that is
// not listed has no requirements.
type agreement struct {
	ID                     string
	Plans                  []string
	Warning, NotApplicable bool
}

// workList reads the agreements by check from testdata/catalogue.json in the parent of the family's
// directory.
func workList(t *testing.T) map[string]agreement {
	t.Helper()
	raw, err := os.ReadFile("testdata/catalogue.json")
	require.NoError(t, err)
	var list []agreement
	require.NoError(t, json.Unmarshal(raw, &list))
	byID := map[string]agreement{}
	for _, a := range list {
		byID[a.ID] = a
	}
	return byID
}

// everyResult asserts that each agreed result has an example, and that the check says UNKNOWN when
// something it reads is denied.
func everyResult(t *testing.T, c goodtest.Case, agreed agreement) {
	count := map[posture.Result]int{}
	for _, x := range c.Examples {
		count[x.Want]++
	}
	count[posture.Unknown] += unknownWhenDenied(t, c)
	require.True(t, c.Check.Unread != nil || count[posture.Unknown] > 0, "it is never UNKNOWN")
	if agreed.Warning {
		require.NotZero(t, count[posture.Warning], "it warns of nothing")
	}
	// The runner gives NOT_APPLICABLE for a plan by itself.
	if agreed.NotApplicable && len(agreed.Plans) == 0 {
		require.NotZero(t, count[posture.NotApplicable], "it always applies")
	}
}

// unknownWhenDenied counts the reads whose denial makes some finding UNKNOWN.
func unknownWhenDenied(t *testing.T, c goodtest.Case) int {
	n := 0
	for _, need := range slices.Concat(c.Check.Needs, c.Check.Optional) {
		b := goodOf(c)
		if len(c.Examples) > 0 && c.Examples[0].Edit != nil {
			c.Examples[0].Edit(b)
		}
		b.Mark(need.Source(), snapshot.Denied, "Some: Permission Read", "")
		if slices.ContainsFunc(run(t, c.Check, b, policy.Default()).Findings,
			func(f posture.Verdict) bool { return f.Result == posture.Unknown }) {
			n++
		}
	}
	return n
}

// unread denies every source in turn, needed or optional: that must not turn a verdict on the good
// snapshot into FAIL or WARNING.
func unread(t *testing.T, c goodtest.Case) {
	for _, source := range slices.Concat(c.Check.Needs, c.Check.Optional) {
		for _, status := range []snapshot.Status{snapshot.Denied, snapshot.Failed} {
			b := goodOf(c)
			b.Mark(source.Source(), status, "Some Read", "")
			got := run(t, c.Check, b, policy.Default())
			for _, f := range got.Findings {
				if c.Check.Unread == nil || f.Result != posture.Warning {
					require.NotContains(t, []posture.Result{posture.Fail, posture.Warning}, f.Result, "without %s: %s", source.Source(), describe(got))
				}
			}
		}
	}
}

// settings removes the zone settings the check does not name, which must not change the result of
// any example. When a setting it names is missing, the verdict must be UNKNOWN or, where settings
// are optional, the same as without any settings.
func settings(t *testing.T, c goodtest.Case) {
	changed := func(b *snapshot.Builder, change func(snapshot.Setting) (snapshot.Setting, bool), policy policy.Policy) check.Evaluation {
		s, err := b.Build()
		require.NoError(t, err)
		sections := s.Sections()
		for i, sec := range sections {
			if sec.Source != snapshot.ZoneSettings.Source() || sec.Status != snapshot.OK {
				continue
			}
			all, _ := snapshot.Read(s, snapshot.ZoneSettings, sec.Scope)
			kept := snapshot.Settings{}
			for _, setting := range all {
				if setting, keep := change(setting); keep {
					kept = append(kept, setting)
				}
			}
			sections[i].Value, err = snapshot.Canonical(kept)
			require.NoError(t, err)
		}
		s, err = snapshot.New(s.Account, s.TakenAt, s.Zones, sections)
		require.NoError(t, err)
		return check.Run(s, []check.Check{c.Check}, policy)
	}
	named := slices.Concat(c.Check.Needs, c.Check.Optional)
	for _, e := range c.Examples {
		b, policy := goodOf(c), policy.Default()
		apply(e, b, &policy)
		got := changed(b, func(s snapshot.Setting) (snapshot.Setting, bool) {
			return s, slices.Contains(named, snapshot.Named(snapshot.ZoneSetting(s.ID)))
		}, policy)
		require.Empty(t, cmp.Diff(run(t, c.Check, b, policy), got), "example %q reads a setting that the check does not name", e.Name)
	}
	results := func(e check.Evaluation) (out []posture.Result) {
		for _, f := range e.Findings {
			out = append(out, f.Result)
		}
		return out
	}
	for _, n := range named {
		setting, single := n.(snapshot.ZoneSetting)
		if !single {
			continue
		}
		leave := func(s snapshot.Setting) (snapshot.Setting, bool) {
			if s.ID == string(setting) {
				s = snapshot.Setting{ID: s.ID, LeftOut: true}
			}
			return s, true
		}
		if slices.Contains(c.Check.Needs, n) {
			for _, f := range changed(goodOf(c), leave, policy.Default()).Findings {
				require.Equal(t, posture.Unknown, f.Result, "%s was left out: %s", setting, f.Message)
				require.Contains(t, f.Reason, setting.Name()+" was not read: Cloudflare no longer lists zone settings")
				require.Contains(t, f.Reason, "choose the check by name")
			}
			continue
		}
		for _, e := range c.Examples {
			b, policy := goodOf(c), policy.Default()
			apply(e, b, &policy)
			got := changed(b, leave, policy)
			b.Mark(setting.Source(), snapshot.Failed, "", "")
			require.Equal(t, results(run(t, c.Check, b, policy)), results(got), "%s was left out of %q: %s", setting, e.Name, describe(got))
		}
	}
}

// reported takes each example as far as a report, so that a check that the simulated provider has no case
// for is known to reach people too.
func reported(t *testing.T, c goodtest.Case) {
	for _, e := range c.Examples {
		b, policy := goodOf(c), policy.Default()
		apply(e, b, &policy)
		s, err := b.Build()
		require.NoError(t, err)
		made, err := report.Build(report.Run{AssessmentID: "a", CompletedAt: goodtest.Now()}, s,
			check.Run(s, []check.Check{c.Check}, policy), nil)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(posture.Findings(made.Findings), func(f posture.Finding) bool {
			return f.CheckID == c.Check.ID && f.Result == e.Want && (e.Resource == "" || f.Resource.ID == e.Resource)
		}), "example %q is not in the report", e.Name)
	}
}

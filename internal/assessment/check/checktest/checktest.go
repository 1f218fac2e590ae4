// Package checktest holds the conformance test every check must pass. A family of checks calls
// Conform once, which covers checks added later.
package checktest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

var good = sync.OnceValue(goodtest.Snapshot)

// goodOf returns the snapshot that the examples of a case edit.
func goodOf(c goodtest.Case) *snapshot.Builder {
	b := good().Clone()
	if c.Good != nil {
		c.Good(b)
	}
	return b
}

// Conform asserts, for each check: complete metadata; at least one passing and one failing example,
// and one of each agreed result; every example gives its verdict, which a report and an export
// contain; a denied need gives UNKNOWN with the permission and no PASS, FAIL or WARNING, and no
// denied or failed read a FAIL or WARNING; the check reads no zone setting that it does not name;
// the good snapshot gives no finding; shuffled input gives the same findings; evaluation does not
// change the snapshot; an empty snapshot does not panic and proves nothing.
func Conform(t *testing.T, cases []goodtest.Case) {
	t.Helper()
	agreed := workList(t)
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.Check.ID, func(t *testing.T) {
			require.False(t, seen[c.Check.ID], "the id is used twice")
			seen[c.Check.ID] = true
			metadata(t, c.Check)
			words(t, c.Check)
			examples(t, c)
			reviewed(t, c)
			everyResult(t, c, agreed[c.Check.ID])
			reported(t, c)
			denied(t, c)
			unread(t, c)
			settings(t, c)
			silentOnGood(t, c)
			stable(t, c)
			empty(t, c.Check)
		})
	}
}

func metadata(t *testing.T, c check.Check) {
	require.Regexp(t, `^CFL-[A-Z0-9]+-\d{3}$`, c.ID)
	require.NotEmpty(t, c.Title)
	require.Contains(t, posture.Categories(), c.Category)
	require.Contains(t, posture.Severities(), c.Severity)
	require.NotEmpty(t, c.Why, "why")
	require.NotEmpty(t, c.Fix, "fix")
	require.NotEmpty(t, c.References, "references")
	require.NotEmpty(t, c.Needs, "needs")
	require.NotEmpty(t, c.Scope, "scope")
	require.NotNil(t, c.Evaluate)
	require.NotEmpty(t, c.Controls, "controls")
	for i, m := range c.Controls {
		require.Regexp(t, `^(cis|soc2|pci|nist) \S+$`, m.Framework+" "+m.Control)
		require.Regexp(t, `^[A-Z].{15,118}\.$`, m.Reason, "%s %s: the reason is one sentence", m.Framework, m.Control)
		require.NotContains(t, strings.TrimSuffix(m.Reason, "."), ". ", "%s %s: the reason is one sentence", m.Framework, m.Control)
		require.False(t, slices.ContainsFunc(c.Controls[:i], func(o posture.Mapping) bool {
			return o.Framework == m.Framework && o.Control == m.Control
		}), "%s %s is there twice", m.Framework, m.Control)
	}
	if r := c.Remedy; r != nil {
		require.NotEmpty(t, r.Operation)
		require.Contains(t, []string{"low", "medium", "high"}, r.Risk)
	}
}

func run(t *testing.T, c check.Check, b *snapshot.Builder, policy policy.Policy) check.Evaluation {
	t.Helper()
	s, err := b.Build()
	require.NoError(t, err)
	return check.Run(s, []check.Check{c}, policy)
}

func apply(e goodtest.Example, b *snapshot.Builder, policy *policy.Policy) {
	if e.Edit != nil {
		e.Edit(b)
	}
	if e.Policy != nil {
		e.Policy(policy)
	}
}

func examples(t *testing.T, c goodtest.Case) {
	has := map[posture.Result]bool{}
	for _, e := range c.Examples {
		b, policy := goodOf(c), policy.Default()
		apply(e, b, &policy)
		got := run(t, c.Check, b, policy)
		ok := slices.ContainsFunc(got.Findings, func(f posture.Verdict) bool {
			return f.Result == e.Want && (e.Resource == "" || f.Resource.ID == e.Resource) && (e.Severity == "" || f.Severity == e.Severity) &&
				(!e.ByHand || f.Words.ByHand)
		})
		require.True(t, ok, "example %q wants %s %s on %q, findings: %s", e.Name, e.Severity, e.Want, e.Resource, describe(got))
		for _, f := range got.Findings {
			require.NotContains(t, f.Reason, "the check failed on this input", "example %q panics", e.Name)
			if f.Result == posture.Fail || f.Result == posture.Warning {
				saysAll(t, "example "+e.Name, f.Words)
				sentence(t, "example "+e.Name+": message", f.Message, 4, 70)
				require.NotEmpty(t, f.Message, "example %q", e.Name)
				require.LessOrEqual(t, f.Severity.Rank(), max(c.Check.Worst.Rank(), c.Check.Severity.Rank()),
					"example %q is rated worse than Worst of its check says", e.Name)
				require.NotEmpty(t, f.Evidence, "example %q has no evidence", e.Name)
				require.Contains(t, []posture.ResourceType{c.Check.Resource, posture.ResourceAccount, posture.ResourceZone}, f.Resource.Type,
					"example %q", e.Name)
			}
		}
		has[e.Want] = true
	}
	require.True(t, has[posture.Pass], "no passing example")
	require.True(t, has[posture.Fail], "no failing example")
}

func denied(t *testing.T, c goodtest.Case) {
	for _, need := range c.Check.Needs {
		b := goodOf(c)
		for _, e := range c.Examples {
			if e.Want == posture.Fail && e.Edit != nil {
				e.Edit(b)
				break
			}
		}
		b.Mark(need.Source(), snapshot.Denied, "Some: Permission Read", "")
		got := run(t, c.Check, b, policy.Default())
		require.NotEmpty(t, got.Findings)
		for _, f := range got.Findings {
			if c.Check.Unread != nil && f.Result == posture.Warning {
				continue
			}
			if f.Result == posture.NotApplicable && skippedEverywhere(c, need) {
				continue
			}
			require.Equal(t, posture.Unknown, f.Result, "%s denied: %s", need.Source(), describe(got))
			require.Equal(t, "Some: Permission Read", f.Permission)
			require.Contains(t, f.Reason, need.Source())
		}
	}
}

// skippedEverywhere reports whether the good snapshot has no section for a need.
func skippedEverywhere(c goodtest.Case, need snapshot.Named) bool {
	return !slices.Contains(goodOf(c).Sources(), need.Source())
}

func silentOnGood(t *testing.T, c goodtest.Case) {
	got := run(t, c.Check, goodOf(c), policy.Default())
	for _, f := range got.Findings {
		require.Contains(t, []posture.Result{posture.Pass, posture.NotApplicable}, f.Result, describe(got))
	}
}

func stable(t *testing.T, c goodtest.Case) {
	for _, e := range c.Examples {
		b := goodOf(c)
		if e.Edit != nil {
			e.Edit(b)
		}
		s, err := b.Build()
		require.NoError(t, err)
		before := s.Digest()
		want := check.Run(s, []check.Check{c.Check}, policy.Default())
		require.Equal(t, before, s.Digest(), "the check changed the snapshot")
		sections := s.Sections()
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
		again, err := snapshot.New(s.Account, s.TakenAt, s.Zones, sections)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, check.Run(again, []check.Check{c.Check}, policy.Default())))
	}
}

func empty(t *testing.T, c check.Check) {
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: goodtest.Account}, goodtest.Now())
	for _, f := range run(t, c, b, policy.Default()).Findings {
		require.NotEqual(t, posture.Pass, f.Result)
		if c.Unread == nil {
			require.NotEqual(t, posture.Fail, f.Result)
			require.NotEqual(t, posture.Warning, f.Result)
		}
	}
}

func describe(e check.Evaluation) string {
	var b strings.Builder
	for _, f := range e.Findings {
		b.WriteString("\n  " + string(f.Result) + " " + string(f.Resource.Type) + "/" + f.Resource.ID + ": " + f.Message + " " + f.Reason)
	}
	return b.String()
}

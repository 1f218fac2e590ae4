package compliance_test

import (
	"encoding/json"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]string{
		"cis": "cis", "soc2": "soc2", "pci": "pci", "nist": "nist", "SOC-2": "soc2", "PCI-DSS": "pci", "Nist-Csf": "nist",
		"cis-benchmark": "cis", " NIST ": "nist",
		"": "", "iso27001": "", "cis ": "cis", "cis/../x": "", "soc": "",
	} {
		f, ok := compliance.Parse(name)
		require.Equal(t, want, f.ID, name)
		require.Equal(t, want != "", ok, name)
	}
	var ids []string
	for _, f := range compliance.Frameworks() {
		ids = append(ids, f.ID)
		require.NotEmpty(t, f.Title)
		require.NotEmpty(t, f.Version)
	}
	require.Equal(t, []string{"cis", "soc2", "pci", "nist"}, ids)
}

func FuzzParse(f *testing.F) {
	f.Add("cis")
	f.Add("PCI-DSS")
	f.Fuzz(func(t *testing.T, name string) {
		defer fuzztest.Bound(t)()
		got, ok := compliance.Parse(name)
		if ok != slices.Contains(compliance.Frameworks(), got) {
			t.Fatalf("%q gives %+v, %v", name, got, ok)
		}
	})
}

func catalogue() []compliance.CheckControls {
	var out []compliance.CheckControls
	for _, c := range checks.All() {
		out = append(out, compliance.CheckControls{CheckID: c.ID, Controls: c.Controls})
	}
	return out
}

// TestEveryControlOfACheckExists holds the frameworks against the checks.
func TestEveryControlOfACheckExists(t *testing.T) {
	reports, err := compliance.BuildAll(compliance.Input{})
	require.NoError(t, err)
	known := map[string]map[string]bool{}
	for _, r := range reports {
		known[r.Framework.ID] = map[string]bool{}
		for _, c := range r.Controls {
			require.False(t, known[r.Framework.ID][c.ID], "%s %s is there twice", r.Framework.ID, c.ID)
			known[r.Framework.ID][c.ID] = true
			require.NotEmpty(t, c.Title, c.ID)
			require.NotEmpty(t, c.Group, c.ID)
			require.Equal(t, compliance.NotAssessed, c.Status, c.ID)
		}
	}
	named := 0
	for _, c := range checks.All() {
		for _, m := range c.Controls {
			require.True(t, known[m.Framework][m.Control], "%s names %s %s, which frameworks.json does not have", c.ID, m.Framework, m.Control)
			named++
		}
	}
	require.Greater(t, named, 210)
}

// assessment is one written down: a line is a check, the controls of CIS it
// names (shows, supports with a plus and touches with a minus before it), and the
// first letters of what its findings say.
func assessment(lines ...string) compliance.Input {
	in := compliance.Input{AssessmentID: "a"}
	var all []posture.Finding
	for _, l := range lines {
		w := strings.Fields(l)
		var k posture.Controls
		var mapped []posture.Mapping
		for id := range strings.SplitSeq(w[1], ",") {
			m := posture.Mapping{Framework: "cis", Control: strings.TrimLeft(id, "+-"), Strength: posture.Shows, Reason: "It shows it."}
			switch id[0] {
			case '+':
				m.Strength = posture.Supports
			case '-':
				m.Strength = posture.Touches
			}
			k.CIS, mapped = append(k.CIS, m.Control), append(mapped, m)
		}
		in.Catalogue = append(in.Catalogue, compliance.CheckControls{CheckID: w[0], Controls: mapped})
		tally := posture.CheckTally{CheckID: w[0], Severity: posture.High}
		for i, r := range strings.Join(w[2:], "") {
			f := posture.Finding{ID: w[0] + string(rune('a'+i)), CheckID: w[0], Severity: posture.High, Controls: k}
			switch r {
			case 'P':
				f.Result = posture.Pass
			case 'F':
				f.Result = posture.Fail
			case 'W':
				f.Result = posture.Warning
			case 'U':
				f.Result = posture.Unknown
			case 'N':
				f.Result = posture.NotApplicable
			}
			count(&tally, f.Result, 1)
			all = append(all, f)
		}
		if len(w) > 2 {
			in.Tallies = append(in.Tallies, tally)
		}
	}
	in.Findings = each(all)
	return in
}

// count adds a finding to a tally; a PASS stands for several resources.
func count(t *posture.CheckTally, r posture.Result, judged int) {
	switch r {
	case posture.Fail:
		t.Fail++
	case posture.Warning:
		t.Warning++
	case posture.Unknown:
		t.Unknown++
	case posture.Pass:
		t.Pass += judged
	default:
		t.NotApplicable++
	}
}

func each(all []posture.Finding) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func control(t *testing.T, r compliance.Report, id string) compliance.Control {
	t.Helper()
	i := slices.IndexFunc(r.Controls, func(c compliance.Control) bool { return c.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return r.Controls[i]
}

func TestControl(t *testing.T) {
	rate := func(v float64) *float64 { return &v }
	cis, _ := compliance.Parse("cis")
	for _, tc := range []struct {
		name   string
		lines  []string
		status compliance.Status
		rate   *float64
		checks []string
		open   []string
		score  int // -1: none
	}{
		{"no check", nil, "not_assessed", nil, []string{}, []string{}, -1},
		{"not run", []string{"A 1.1"}, "not_assessed", nil, []string{"A"}, []string{}, -1},
		{"another control", []string{"A 2.1 F"}, "not_assessed", nil, []string{}, []string{}, 0},
		{"unread", []string{"A 1.1 U", "B 1.1"}, "not_assessed", nil, []string{"A", "B"}, []string{"Aa"}, -1},
		{"nothing to judge", []string{"A 1.1 N", "B 1.1"}, "not_applicable", nil, []string{"A", "B"}, []string{}, -1},
		{"nothing to judge and unread", []string{"A 1.1 N", "B 1.1 U"}, "not_assessed", nil, []string{"A", "B"}, []string{"Ba"}, -1},
		{"all pass", []string{"A 1.1 PP", "B 1.1 P", "C 1.1 N", "D 1.1"}, "pass", rate(1), []string{"A", "B", "C", "D"}, []string{}, 100},
		{"passes and one unread", []string{"A 1.1 P", "B 1.1 U"}, "partial", rate(1), []string{"A", "B"}, []string{"Ba"}, 100},
		{"one zone unread", []string{"A 1.1 PPU"}, "partial", rate(1), []string{"A"}, []string{"Ac"}, 100},
		{"only warnings", []string{"A 1.1 W"}, "partial", rate(0.5), []string{"A"}, []string{"Aa"}, 50},
		{"all fail", []string{"A 1.1 F", "B 1.1 WF"}, "fail", rate(1. / 6), []string{"A", "B"}, []string{"Aa", "Bb", "Ba"}, 17},
		{"fails and one unread", []string{"A 1.1 F", "B 1.1 U"}, "fail", rate(0), []string{"A", "B"}, []string{"Aa", "Ba"}, 0},
		{"mixed", []string{"A 1.1 F", "B 1.1 PPP"}, "partial", rate(0.75), []string{"A", "B"}, []string{"Aa"}, 75},
		{"what shows and what supports", []string{"A 1.1 P", "B +1.1 P"}, "pass", rate(1), []string{"A", "B"}, []string{}, 100},
		{"only what supports", []string{"A +1.1 P", "B +1.1 PP"}, "partial", rate(1), []string{"A", "B"}, []string{}, 50},
		{"what shows has nothing to judge", []string{"A 1.1 N", "B +1.1 P"}, "partial", rate(1), []string{"A", "B"}, []string{}, 50},
		{"what shows did not run", []string{"A 1.1", "B +1.1 P"}, "partial", rate(1), []string{"A", "B"}, []string{}, 50},
		{"what shows could not be read", []string{"A 1.1 U", "B +1.1 P"}, "partial", rate(1), []string{"A", "B"}, []string{"Aa"}, 50},
		{"what supports fails", []string{"A +1.1 F"}, "fail", rate(0), []string{"A"}, []string{"Aa"}, 0},
		{"what supports fails beside a pass", []string{"A 1.1 P", "B +1.1 F"}, "partial", rate(0.5), []string{"A", "B"}, []string{"Ba"}, 50},
		{"only what touches", []string{"A -1.1 P", "B -1.1 F"}, "not_assessed", nil, []string{"A", "B"}, []string{}, -1},
		{"a failure that touches", []string{"A 1.1 P", "B -1.1 F"}, "pass", rate(1), []string{"A", "B"}, []string{}, 100},
		{"a pass that touches", []string{"A 1.1 F", "B -1.1 P"}, "fail", rate(0), []string{"A", "B"}, []string{"Aa"}, 0},
		{"unread, and a pass that touches", []string{"A 1.1 U", "B -1.1 P"}, "not_assessed", nil, []string{"A", "B"}, []string{"Aa"}, -1},
		{"a thousandth is no full score", []string{"A 1.1 W", "B 1.1 " + strings.Repeat("P", 500)}, "partial", rate(500.5 / 501),
			[]string{"A", "B"}, []string{"Aa"}, 99},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := compliance.Build(cis, assessment(tc.lines...))
			require.NoError(t, err)
			got := control(t, r, "1.1")
			require.Equal(t, tc.status, got.Status)
			require.Equal(t, tc.rate, got.PassRate)
			require.Equal(t, tc.checks, got.CheckIDs)
			require.Len(t, got.Checks, len(tc.checks))
			for i, c := range got.Checks {
				require.Equal(t, tc.checks[i], c.CheckID)
				require.Equal(t, "It shows it.", c.Reason)
			}
			require.Equal(t, tc.open, got.FindingIDs)
			if tc.score < 0 {
				require.Nil(t, r.Score)
			} else {
				require.Equal(t, tc.score, *r.Score)
			}
			sum := r.Totals.Pass + r.Totals.Fail + r.Totals.Partial + r.Totals.NotAssessed + r.Totals.NotApplicable
			require.Equal(t, len(r.Controls), r.Totals.Controls)
			require.Equal(t, r.Totals.Controls, sum)
		})
	}
}

// TestWhatRanCounts: the controls of a check are those it named when it ran; the
// catalogue of today speaks only for checks that did not run.
func TestWhatRanCounts(t *testing.T) {
	in := assessment("A 1.1 F")
	now := []posture.Mapping{{Framework: "cis", Control: "2.1", Strength: posture.Shows, Reason: "Today's reason."}}
	in.Catalogue = []compliance.CheckControls{{CheckID: "A", Controls: now}, {CheckID: "B", Controls: now}}
	cis, _ := compliance.Parse("cis")
	r, err := compliance.Build(cis, in)
	require.NoError(t, err)
	require.Equal(t, []compliance.Reason{{CheckID: "A", Strength: posture.Supports,
		Reason: "The check was mapped to this control when it ran and no longer is."}}, control(t, r, "1.1").Checks)
	require.Equal(t, []compliance.Reason{{CheckID: "B", Strength: posture.Shows, Reason: "Today's reason."}}, control(t, r, "2.1").Checks)
	require.Equal(t, compliance.NotAssessed, control(t, r, "2.1").Status)
}

// TestIncompleteInput: a report that hides findings is worse than none.
func TestIncompleteInput(t *testing.T) {
	cis, _ := compliance.Parse("cis")
	for name, tc := range map[string]struct {
		edit func(*compliance.Input)
		says string
	}{
		"broken read": {func(in *compliance.Input) {
			in.Findings = func(yield func(posture.Finding, error) bool) { yield(posture.Finding{}, errors.New("disk gone")) }
		}, "disk gone"},
		"no findings":         {func(in *compliance.Input) { in.Findings = nil }, "1 findings of A to list, 0 were given"},
		"finding of no tally": {func(in *compliance.Input) { in.Tallies = nil }, "did not count"},
	} {
		in := assessment("A 1.1 F")
		tc.edit(&in)
		_, err := compliance.BuildAll(in)
		require.ErrorContains(t, err, tc.says, name)
		_, err = compliance.Build(cis, in)
		require.ErrorContains(t, err, tc.says, name)
	}
	_, err := compliance.Build(compliance.Framework{ID: "iso"}, compliance.Input{})
	require.ErrorContains(t, err, "no framework")
}

// TestSameResourceTwice: a check may say twice of one resource that it could not be judged.
func TestSameResourceTwice(t *testing.T) {
	k := posture.Controls{CIS: []string{"1.1"}}
	in := compliance.Input{Tallies: []posture.CheckTally{{CheckID: "A", Unknown: 2, Fail: 1}}, Findings: each([]posture.Finding{
		{ID: "x", CheckID: "A", Result: posture.Unknown, Controls: k}, {ID: "x", CheckID: "A", Result: posture.Fail, Controls: k},
		{ID: "y", CheckID: "A", Result: posture.Unknown, Controls: k}})}
	cis, _ := compliance.Parse("cis")
	r, err := compliance.Build(cis, in)
	require.NoError(t, err)
	require.Equal(t, []string{"x", "y"}, control(t, r, "1.1").FindingIDs)
}

// TestOrderDoesNotMatter shuffles everything and wants the same bytes, and the
// same from one pass over all frameworks as from four.
func TestOrderDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var findings []posture.Finding
	var tallies []posture.CheckTally
	for i, e := range catalogue() {
		tally := posture.CheckTally{CheckID: e.CheckID}
		for n := range rnd.IntN(4) {
			f := posture.Finding{ID: e.CheckID + string(rune('a'+n)), CheckID: e.CheckID, Controls: check.Controls(e.Controls).Named(),
				Severity: posture.Severities()[rnd.IntN(5)], Result: posture.Results()[rnd.IntN(5)]}
			count(&tally, f.Result, 1+i%3)
			findings = append(findings, f)
		}
		tallies = append(tallies, tally)
	}
	build := func() string {
		all, err := compliance.BuildAll(compliance.Input{AssessmentID: "a", Catalogue: catalogue(), Tallies: tallies, Findings: each(findings)})
		require.NoError(t, err)
		for i, f := range compliance.Frameworks() {
			one, err := compliance.Build(f, compliance.Input{AssessmentID: "a", Catalogue: catalogue(), Tallies: tallies, Findings: each(findings)})
			require.NoError(t, err)
			require.Equal(t, one, all[i])
		}
		raw, err := json.Marshal(all)
		require.NoError(t, err)
		return string(raw)
	}
	want := build()
	require.Contains(t, want, `"status":"partial"`)
	for range 10 {
		rnd.Shuffle(len(findings), func(i, j int) { findings[i], findings[j] = findings[j], findings[i] })
		rnd.Shuffle(len(tallies), func(i, j int) { tallies[i], tallies[j] = tallies[j], tallies[i] })
		require.Equal(t, want, build())
	}
}

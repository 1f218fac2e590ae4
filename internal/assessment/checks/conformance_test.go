package checks

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// entry is what the work list of checks says of one of them.
type entry struct {
	ID, Category, Title, Severity string
	Needs, Optional, Plans        []string
	Warning, NotApplicable        bool
	Controls                      struct{ CIS, SOC2, PCI, NIST []string }
	Aliases, AttackPaths          []string
	Remedy, Risk                  string
	Reversible                    bool
}

func workList(t *testing.T) []entry {
	t.Helper()
	raw, err := os.ReadFile("testdata/catalogue.json")
	require.NoError(t, err)
	var list []entry
	require.NoError(t, json.Unmarshal(raw, &list))
	return list
}

// TestCatalogueIsComplete holds every check against the work list: nothing is
// missing, nothing was added, and what is said of a check is what was agreed.
func TestCatalogueIsComplete(t *testing.T) {
	byID := map[string]check.Check{}
	for _, c := range All() {
		byID[c.ID] = c
	}
	list := workList(t)
	require.Len(t, list, 210)
	for _, e := range list {
		c, there := byID[e.ID]
		require.True(t, there, "%s is missing", e.ID)
		require.EqualValues(t, e.Category, c.Category, e.ID)
		require.Equal(t, e.Title, c.Title, e.ID)
		require.EqualValues(t, e.Severity, c.Severity, e.ID)
		require.Equal(t, e.Plans, append([]string{}, c.Plans...), e.ID)
		require.ElementsMatch(t, e.Controls.CIS, c.Controls.CIS, e.ID)
		require.ElementsMatch(t, e.Controls.SOC2, c.Controls.SOC2, e.ID)
		require.ElementsMatch(t, e.Controls.PCI, c.Controls.PCI, e.ID)
		require.ElementsMatch(t, e.Controls.NIST, c.Controls.NIST, e.ID)
		require.ElementsMatch(t, e.Aliases, c.Aliases, e.ID)
		require.ElementsMatch(t, e.AttackPaths, c.Paths, e.ID)
		if e.Remedy == "" {
			require.Nil(t, c.Remedy, e.ID)
			continue
		}
		require.NotNil(t, c.Remedy, e.ID)
		require.Equal(t, e.Remedy, c.Remedy.Operation, e.ID)
		require.Equal(t, e.Risk, c.Remedy.Risk, e.ID)
		require.Equal(t, e.Reversible, c.Remedy.Reversible, e.ID)
	}
	require.Len(t, byID, len(list), "a check that is not on the work list")
}

// TestEveryReadOfTheWorkListIsDeclared compares what checks read with the work
// list. A read may move from needed to optional where a verdict on one zone must
// not hang on another, and a check may read more.
func TestEveryReadOfTheWorkListIsDeclared(t *testing.T) {
	byID := map[string]check.Check{}
	for _, c := range All() {
		byID[c.ID] = c
	}
	var moved, more []string
	for _, e := range workList(t) {
		c := byID[e.ID]
		needs, optional := sources(c.Needs), sources(c.Optional)
		for _, source := range slices.Concat(e.Needs, e.Optional) {
			require.Contains(t, slices.Concat(needs, optional, []string{"zone/spf_inspect"}), source, "%s does not read %s", e.ID, source)
		}
		for _, source := range e.Needs {
			if !slices.Contains(needs, source) {
				moved = append(moved, e.ID+" "+source)
			}
		}
		for _, source := range slices.Concat(needs, optional) {
			if !slices.Contains(e.Needs, source) && !slices.Contains(e.Optional, source) {
				more = append(more, e.ID+" "+source)
			}
		}
	}
	t.Logf("needed there, optional here:\n%s\nread besides:\n%s", strings.Join(moved, "\n"), strings.Join(more, "\n"))
}

func sources(names []snapshot.Named) []string {
	var out []string
	for _, n := range names {
		out = append(out, n.Source())
	}
	return out
}

// TestEveryResultHasAnExample prints the table of checks and results. A check has
// an example of each result its condition knows, and says UNKNOWN when one of
// its needs is denied.
func TestEveryResultHasAnExample(t *testing.T) {
	byID := map[string]check.Check{}
	for _, c := range All() {
		byID[c.ID] = c
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s %5s %5s %5s %5s %5s\n", "check", "pass", "fail", "warn", "n/a", "unkn")
	for _, e := range workList(t) {
		c := byID[e.ID]
		count := map[posture.Result]int{}
		for _, x := range c.Examples {
			count[x.Want]++
		}
		count[posture.Unknown] += unknownWhenDenied(t, c)
		fmt.Fprintf(&b, "%-20s %5d %5d %5d %5d %5d\n", e.ID, count[posture.Pass], count[posture.Fail], count[posture.Warning], count[posture.NotApplicable], count[posture.Unknown])
		require.NotZero(t, count[posture.Pass], "%s passes nothing", e.ID)
		require.NotZero(t, count[posture.Fail], "%s fails nothing", e.ID)
		require.True(t, c.VerdictOnFailure != "" || count[posture.Unknown] > 0, "%s is never UNKNOWN", e.ID)
		if e.Warning {
			require.NotZero(t, count[posture.Warning], "%s warns of nothing", e.ID)
		}
		// A plan is a reason for NOT_APPLICABLE the runner knows by itself.
		if e.NotApplicable && !(len(e.Plans) > 0 && count[posture.NotApplicable] == 0) {
			require.NotZero(t, count[posture.NotApplicable], "%s always applies", e.ID)
		}
	}
	t.Log("\n" + b.String())
}

// unknownWhenDenied counts the reads whose refusal makes some finding UNKNOWN. A
// refusal never leaves a PASS that hangs on the read.
func unknownWhenDenied(t *testing.T, c check.Check) int {
	t.Helper()
	n := 0
	for _, need := range slices.Concat(c.Needs, c.Optional) {
		b := check.Good()
		if len(c.Examples) > 0 && c.Examples[0].Edit != nil {
			c.Examples[0].Edit(b)
		}
		b.Mark(need.Source(), snapshot.Denied, "Some: Permission Read", "")
		s, err := b.Build()
		require.NoError(t, err)
		if slices.ContainsFunc(check.Run(s, []check.Check{c}, check.DefaultPolicy()).Findings, func(f posture.Verdict) bool { return f.Result == posture.Unknown }) {
			n++
		}
	}
	return n
}

// TestControlsAreReal holds every control against the list of its framework.
func TestControlsAreReal(t *testing.T) {
	raw, err := os.ReadFile("testdata/controls.json")
	require.NoError(t, err)
	var real map[string][]string
	require.NoError(t, json.Unmarshal(raw, &real))
	for _, c := range All() {
		for framework, ids := range map[string][]string{"cis": c.Controls.CIS, "soc2": c.Controls.SOC2, "pci": c.Controls.PCI, "nist": c.Controls.NIST} {
			require.NotEmpty(t, real[framework], framework)
			for _, id := range ids {
				require.Contains(t, real[framework], id, "%s names a control %s does not have", c.ID, framework)
			}
		}
	}
}

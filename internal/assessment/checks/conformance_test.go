package checks

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
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

// TestCatalogueIsComplete holds the work list against the checks: nothing that was
// asked for is missing, and what is said of it is what was agreed. There may be more.
func TestCatalogueIsComplete(t *testing.T) {
	byID := map[string]check.Check{}
	for _, c := range All() {
		byID[c.ID] = c
	}
	list := workList(t)
	require.NotEmpty(t, list)
	for _, e := range list {
		c, there := byID[e.ID]
		require.True(t, there, "%s is missing", e.ID)
		require.EqualValues(t, e.Category, c.Category, e.ID)
		require.Equal(t, e.Title, c.Title, e.ID)
		require.EqualValues(t, e.Severity, c.Severity, e.ID)
		require.Equal(t, e.Plans, append([]string{}, c.Plans...), e.ID)
		named := c.Controls.Named()
		require.ElementsMatch(t, e.Controls.CIS, named.CIS, e.ID)
		require.ElementsMatch(t, e.Controls.SOC2, named.SOC2, e.ID)
		require.ElementsMatch(t, e.Controls.PCI, named.PCI, e.ID)
		require.ElementsMatch(t, e.Controls.NIST, named.NIST, e.ID)
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

// TestControlsAreReal holds every control against the list of its framework.
func TestControlsAreReal(t *testing.T) {
	raw, err := os.ReadFile("testdata/controls.json")
	require.NoError(t, err)
	var real map[string][]string
	require.NoError(t, json.Unmarshal(raw, &real))
	for _, c := range All() {
		for _, m := range c.Controls {
			require.Contains(t, real[m.Framework], m.Control, "%s names a control %s does not have", c.ID, m.Framework)
		}
	}
}

package checks

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestCatalogue(t *testing.T) {
	all := All()
	require.GreaterOrEqual(t, len(all), len(workList(t)))
	require.Regexp(t, `^\d{4}\.\d{1,2}\.\d+$`, Version)
	require.True(t, slices.IsSortedFunc(all, func(a, b check.Check) int { return strings.Compare(a.ID, b.ID) }))
	cis, soc2 := regexp.MustCompile(`^([1-9]|1[0-8])\.\d{1,2}$`), regexp.MustCompile(`^(CC[1-9]\.\d|A1\.\d|C1\.\d|PI1\.\d)$`)
	pci, nist := regexp.MustCompile(`^([1-9]|1[0-2])(\.\d{1,2}){1,3}$`), regexp.MustCompile(`^(GV|ID|PR|DE|RS|RC)\.[A-Z]{2}-\d{2}$`)
	paths := []string{"exposed-origin", "open-access-app", "tunnel-without-access", "weak-transport", "worker-plaintext-secret"}
	ids, titles := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		require.False(t, ids[c.ID], "%s is there twice", c.ID)
		require.False(t, titles[c.Title], "the title of %s is there twice", c.ID)
		ids[c.ID], titles[c.Title] = true, true
		require.Contains(t, posture.Categories(), c.Category, c.ID)
		named := c.Controls.Named()
		for _, f := range []struct {
			pattern *regexp.Regexp
			ids     []string
		}{{cis, named.CIS}, {soc2, named.SOC2}, {pci, named.PCI}, {nist, named.NIST}} {
			require.NotNil(t, f.ids, c.ID) // a framework may have no control for it
			for _, id := range f.ids {
				require.Regexp(t, f.pattern, id, c.ID)
			}
		}
		for _, p := range c.Paths {
			require.Contains(t, paths, p, c.ID)
		}
		for _, a := range c.Aliases {
			require.Regexp(t, `^[a-z]+:\S+$`, a, c.ID)
		}
	}
}

// TestGarbledSectionsDoNotPanic gives every section the zero value of its shape
// and then JSON of another shape.
func TestGarbledSectionsDoNotPanic(t *testing.T) {
	for _, raw := range []string{`null`, `{}`, `[]`, `[{}]`, `"x"`} {
		b := goodtest.Snapshot()
		for _, source := range b.Sources() {
			b.Mark(source, snapshot.OK, "", "")
		}
		s, err := b.Build()
		require.NoError(t, err)
		sections := s.Sections()
		for i := range sections {
			sections[i].Value = json.RawMessage(raw)
		}
		s, err = snapshot.New(s.Account, s.TakenAt, s.Zones, sections)
		require.NoError(t, err)
		for _, f := range check.Run(s, All(), policy.Default()).Findings {
			require.NotContains(t, f.Reason, "the check failed on this input", "%s with %s", f.CheckID, raw)
		}
	}
}

// BenchmarkRun judges 1,000 zones of 100 records.
func BenchmarkRun(b *testing.B) {
	s := large(b, 1000, 100)
	all := All()
	check.Run(s, all, policy.Default()) // decode the sections once
	b.ReportAllocs()
	for b.Loop() {
		check.Run(s, all, policy.Default())
	}
}

func large(tb testing.TB, zones, records int) *snapshot.Snapshot {
	good, err := goodtest.Snapshot().Build()
	require.NoError(tb, err)
	var zs []snapshot.Zone
	var sections []snapshot.Section
	for _, sec := range good.Sections() {
		if sec.Scope != goodtest.Zone {
			sections = append(sections, sec)
		}
	}
	for i := range zones {
		z := good.Zones[0]
		z.ID, z.Name = fmt.Sprintf("%032d", i), fmt.Sprintf("zone%d.example", i)
		zs = append(zs, z)
		for _, sec := range good.Sections() {
			if sec.Scope != goodtest.Zone {
				continue
			}
			sec.Scope = z.ID
			if sec.Source == snapshot.ZoneDNSRecords.Source() {
				var rs []snapshot.DNSRecord
				for n := range records {
					rs = append(rs, snapshot.DNSRecord{ID: fmt.Sprintf("%d-%d", i, n), Name: fmt.Sprintf("host%d.%s", n, z.Name), Type: "A",
						Content: fmt.Sprintf("45.%d.%d.%d", i/250, i%250, n), Proxied: n%2 == 0, Proxiable: true})
				}
				sec.Value, err = snapshot.Canonical(rs)
				require.NoError(tb, err)
			}
			sections = append(sections, sec)
		}
	}
	s, err := snapshot.New(good.Account, good.TakenAt, zs, sections)
	require.NoError(tb, err)
	return s
}

func TestWhatJudgesDifferently(t *testing.T) {
	known, last := map[string]bool{}, ""
	for _, c := range All() {
		known[c.ID] = true
	}
	for line := range strings.Lines(changes) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, row, 3, line)
		require.True(t, known[row[1]], line)
		require.False(t, newer(last, row[0]), "%s stands after a newer version", line)
		require.Regexp(t, `^[A-Z].*\.$`, row[2])
		last = row[0]
	}
	require.False(t, newer(last, Version), "the version of the catalogue is older than its last change")
	require.Len(t, Changes("CFL-CDA-001", "2026.11.3"), 1)
	require.Empty(t, Changes("CFL-CDA-001", Version))
	require.Empty(t, Changes("CFL-CDA-001", "2026.11.10"), "versions are compared as numbers")
	require.Len(t, Changes("CFL-CDA-001", ""), 1)
	require.Empty(t, Changes("CFL-NONE", "2026.11.3"))
}

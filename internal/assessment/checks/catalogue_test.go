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
	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
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

// BenchmarkRun judges 1,000 zones of 100 records, with the few rules of the good zone and with 20 more of each zone.
func BenchmarkRun(b *testing.B) {
	for _, rules := range []int{0, 20} {
		b.Run(fmt.Sprintf("1000 zones, 100 records, %d rules", rules), func(b *testing.B) {
			s, all := ruled(b, large(b, 1000, 100), rules), All()
			check.Run(s, all, policy.Default()) // decode the sections once
			b.ReportAllocs()
			for b.Loop() {
				check.Run(s, all, policy.Default())
			}
		})
	}
}

// ruled adds so many rules to each zone, in turn to four phases, with conditions on hosts, paths, sources and scores.
func ruled(tb testing.TB, s *snapshot.Snapshot, rules int) *snapshot.Snapshot {
	tb.Helper()
	type phase struct {
		key  snapshot.Key[snapshot.Ruleset]
		rule snapshot.Rule
	}
	yes := true
	phases := []phase{
		{snapshot.ZonePhaseCustom, snapshot.Rule{Action: "managed_challenge"}},
		{snapshot.ZonePhaseRate, snapshot.Rule{Action: "block"}},
		{snapshot.ZonePhaseConfig, snapshot.Rule{Action: "set_config", Params: snapshot.RuleParams{
			Config: &snapshot.ConfigParams{BrowserCheck: &yes}}}},
		{snapshot.ZonePhaseCache, snapshot.Rule{Action: "set_cache_settings", Params: snapshot.RuleParams{
			Cache: &snapshot.CacheParams{Eligible: true, Armor: true}}}},
	}
	forms := []string{`http.host eq "host%d.%s" and http.request.uri.path contains "/a%[1]d"`,
		`ip.src in {10.%d.0.0/16} and http.request.method eq "POST" and http.host ne "%s"`,
		`starts_with(http.request.uri.path, "/p%d/") or http.user_agent contains "bot.%s"`,
		`ip.src.country in {"DE" "FR"} and cf.bot_management.score lt %d and cf.zone.name eq "%s"`}
	sections := slices.DeleteFunc(s.Sections(), func(sec snapshot.Section) bool {
		return slices.ContainsFunc(phases, func(p phase) bool { return p.key.Source() == sec.Source })
	})
	for _, z := range s.Zones {
		for at, p := range phases {
			set, _ := snapshot.Read(s, p.key, z.ID)
			set.Rules = slices.Clone(set.Rules)
			for i := at; i < rules; i += len(phases) {
				r := p.rule
				r.ID, r.Enabled, r.Expression = fmt.Sprintf("%s-%d", z.ID, i), true, fmt.Sprintf(forms[i/len(phases)%len(forms)], i, z.Name)
				set.Rules = append(set.Rules, r)
			}
			value, err := snapshot.Canonical(set)
			require.NoError(tb, err)
			sec := s.SectionOf(p.key, z.ID)
			sec.Status, sec.Value = snapshot.OK, value
			sections = append(sections, sec)
		}
	}
	out, err := snapshot.New(s.Account, s.TakenAt, s.Zones, sections)
	require.NoError(tb, err)
	return out
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

// TestUnknownPlans: what a plan that nobody knows, or that Cloudflare does not tell, includes is not known, so no check says that the zone
// or the account lacks something.
func TestUnknownPlans(t *testing.T) {
	for _, plan := range []string{"", "partner_x"} {
		b := goodtest.Snapshot()
		goodtest.Plan(plan)(b)
		snap, err := b.Build()
		require.NoError(t, err)
		results := map[string]posture.Result{}
		for _, f := range check.Run(snap, All(), policy.Default()).Findings {
			results[f.CheckID] = f.Result
		}
		for _, c := range All() {
			if len(c.Plans) > 0 {
				require.Equal(t, posture.Unknown, results[c.ID], "%s of %q", c.ID, plan)
			}
		}
	}
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
	require.Len(t, Changes("CFL-CDA-001", "2026.11.3"), 4)
	require.Empty(t, Changes("CFL-CDA-001", Version))
	require.Len(t, Changes("CFL-CDA-001", "2026.11.10"), 2, "versions are compared as numbers")
	require.Len(t, Changes("CFL-CDA-001", ""), 4)
	require.Empty(t, Changes("CFL-NONE", "2026.11.3"))
}

// TestChecks holds every check against its examples and the rules for all.
func TestChecks(t *testing.T) { checktest.Conform(t, cases()) }

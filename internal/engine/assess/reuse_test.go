package assess

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

// hand is a clock that is set by hand.
type hand struct{ at time.Time }

func (h *hand) now() time.Time           { return h.at }
func (h *hand) pass(d time.Duration)     { h.at = h.at.Add(d) }
func incremental() posture.AssessRequest { return posture.AssessRequest{Incremental: true} }

// basisOf is what a later run may reuse forward of a snapshot.
func basisOf(now time.Time, snap *snapshot.Snapshot) *baseline {
	b := &baseline{now: now, sections: map[sectionKey]snapshot.Section{}}
	for _, s := range snap.Sections() {
		if s.ReadAt.IsZero() {
			s.ReadAt = snap.TakenAt
		}
		b.sections[sectionKey{s.Source, s.Scope}] = s
	}
	return b
}

// TestUnchangedAccountCostsAlmostNothing reads accounts of several sizes again
// after half an hour in which nobody changed anything.
func TestUnchangedAccountCostsAlmostNothing(t *testing.T) {
	t.Parallel()
	for _, size := range []struct {
		zones int
		plan  string
		most  float64 // percent
	}{{1, "enterprise", 5}, {2, "free", 5}, {5, "business", 3}, {30, "pro", 1}} {
		t.Run(fmt.Sprint(size.zones, " zones, ", size.plan), func(t *testing.T) {
			t.Parallel()
			clock := &hand{simNow()}
			cloud := simcloud.New(simcloud.Options{Seed: 4, Now: clock.now, Limit: simcloud.Limit{Disabled: true},
				Accounts: []simcloud.AccountSpec{{Zones: size.zones, RecordsPerZone: 5, Plans: []string{size.plan}, Clean: true,
					Plain: size.plan == "free"}}})
			whole := readOn(t, cloud, incremental(), clock.now, nil)
			full := cloud.Requests().Total
			cloud.ResetRequests()
			clock.pass(30 * time.Minute)
			again := readOn(t, cloud, incremental(), clock.now, basisOf(clock.now(), whole))
			cost := cloud.Requests().Total
			t.Logf("%d requests, then %d: %.2f %%", full, cost, 100*float64(cost)/float64(full))
			require.LessOrEqual(t, 100*float64(cost)/float64(full), size.most)
			require.Equal(t, whole.Digest(), again.Digest(), "the same is known")
			for _, s := range again.Sections() {
				require.Equal(t, !slices.Contains((&collector{baseline: &baseline{}}).beginning(), s.Source) && s.Status != snapshot.Skipped,
					!s.ReadAt.IsZero(), "%s of %s is marked", s.Source, s.Scope)
			}

			// Marks outlive several runs: what was read first is read again after a day.
			for range 3 {
				clock.pass(8 * time.Hour)
				again = readOn(t, cloud, incremental(), clock.now, basisOf(clock.now(), again))
			}
			for _, s := range again.Sections() {
				if !s.ReadAt.IsZero() {
					require.LessOrEqual(t, clock.now().Sub(s.ReadAt), reuseAtMost, "%s of %s", s.Source, s.Scope)
				}
			}
		})
	}
}

// TestSweepChangedSectionsAreReadAgain changes the provider by every remedy of the catalogue
// between a whole and an incremental run: the incremental one knows what a whole one
// knows, byte for byte.
func TestSweepChangedSectionsAreReadAgain(t *testing.T) {
	t.Parallel()
	done := map[string]bool{} // one variant of each shows as much as all
	for i, p := range simcloud.Plants() {
		for _, id := range foundIn(p) {
			c, _ := byID(id)
			if c.Remedy == nil || c.Remedy.Propose == nil || done[id] || i%3 > 0 || left(i/3) {
				continue
			}
			done[id] = true
			t.Run(id+"/"+p.Variant, func(t *testing.T) {
				t.Parallel()
				clock := &hand{simNow()}
				w := newWorkshopOn(t, planting(p), clock.now)
				whole := readOn(t, w.cloud, incremental(), clock.now, nil)
				clock.pass(10 * time.Minute)
				snap, findings := w.assess(c.ID)
				r := w.request(snap, findings, inputsOf(w), c.ID)
				kept, err := w.engine.Plan(t.Context(), r)
				require.NoError(t, err)
				if len(kept.Steps) == 0 {
					return // left to people
				}
				_, err = w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
				require.NoError(t, err)
				clock.pass(10 * time.Minute)
				now := readOn(t, w.cloud, incremental(), clock.now, nil)
				require.NotEqual(t, whole.Digest(), now.Digest())
				again := readOn(t, w.cloud, incremental(), clock.now, basisOf(clock.now(), whole))
				require.Empty(t, apart(now, again), "what was changed was read again")
			})
		}
	}
}

// apart names the sections in which two snapshots differ, but for jobs that tell when
// they last ran.
func apart(a, b *snapshot.Snapshot) (out string) {
	ofA, ofB := sectionsOf(a), sectionsOf(b)
	for _, s := range slices.Concat(a.Sections(), b.Sections()) {
		x, y := ofA(s.Source, s.Scope), ofB(s.Source, s.Scope)
		runs := !y.ReadAt.IsZero() && strings.HasSuffix(s.Source, "/logpush_jobs")
		if !runs && (x.Status != y.Status || string(x.Value) != string(y.Value)) {
			out += s.Source + " of " + s.Scope + "; "
		}
	}
	return out
}

// sectionsOf gives sections of a snapshot with their values.
func sectionsOf(s *snapshot.Snapshot) func(source, scope string) snapshot.Section {
	all := map[[2]string]snapshot.Section{}
	for sec := range s.All() {
		all[[2]string{sec.Source, sec.Scope}] = sec
	}
	return func(source, scope string) snapshot.Section {
		if sec, there := all[[2]string{source, scope}]; there {
			return sec
		}
		return s.Section(source, scope)
	}
}

// TestWhatMayBeCarried is the table of reasons to read again.
func TestWhatMayBeCarried(t *testing.T) {
	t.Parallel()
	clock := &hand{simNow()}
	cloud := simcloud.New(simcloud.Options{Seed: 4, Now: clock.now, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 2, Plans: []string{"enterprise", "free"}}}})
	account := cloud.Accounts()[0]
	zones := cloud.ZoneIDs(account)
	whole := readOn(t, cloud, incremental(), clock.now, nil)
	set := func(b *baseline, source, scope string, edit func(*snapshot.Section)) {
		key := sectionKey{source, scope}
		s := b.sections[key]
		edit(&s)
		b.sections[key] = s
	}
	logged := func(after time.Duration, c snapshot.AuditedChange) func(*baseline) {
		return func(b *baseline) {
			at := b.now.Add(-30 * time.Minute).Add(after)
			c.Time = snapshot.At(at)
			c.Action = "update"
			b.touched.add(c)
		}
	}
	settings, apps, live := snapshot.ZoneSettings.Source(), snapshot.AccessApps.Source(), snapshot.Tunnels.Source()
	cases := []struct {
		name  string
		edit  func(*baseline)
		again []string // what of settings of zone 0, of zone 1, of apps and tunnels is read again
	}{
		{"nothing changed", func(*baseline) {}, nil},
		{"a day, all but half an hour, went by", func(b *baseline) { b.now = whole.TakenAt.Add(24 * time.Hour) }, []string{"tunnels"}},
		{"it was not read then", func(b *baseline) { delete(b.sections, sectionKey{apps, account}) }, []string{"apps"}},
		{"a day went by", func(b *baseline) { b.now = b.now.Add(24 * time.Hour) }, []string{"zone 0", "zone 1", "apps", "tunnels"}},
		{"an hour went by", func(b *baseline) { b.now = b.now.Add(time.Hour) }, []string{"tunnels"}},
		{"a change before the read", logged(-time.Hour, snapshot.AuditedChange{Product: "odd"}), nil},
		{"a change shortly before the read", logged(-4*time.Minute, snapshot.AuditedChange{Product: "odd"}), []string{"zone 0", "zone 1", "apps",
			"tunnels"}},
		{"a change in a zone", logged(time.Minute, snapshot.AuditedChange{ZoneID: zones[0], Product: "dns_records"}),
			[]string{"zone 0", "apps", "tunnels"}},
		{"a change of a known product outside of zones", logged(time.Minute, snapshot.AuditedChange{Product: "API_Tokens"}),
			[]string{"apps", "tunnels"}},
		{"a change of an unknown product", logged(time.Minute, snapshot.AuditedChange{Product: "rulesets"}), []string{"zone 0", "zone 1", "apps",
			"tunnels"}},
		{"a change of nothing that is named", logged(time.Minute, snapshot.AuditedChange{}), []string{"zone 0", "zone 1", "apps", "tunnels"}},
		{"it was denied then", func(b *baseline) { set(b, apps, account, func(s *snapshot.Section) { s.Status = snapshot.Denied }) },
			[]string{"apps"}},
		{"it failed then", func(b *baseline) {
			set(b, settings, zones[0], func(s *snapshot.Section) { s.Status = snapshot.Failed })
		}, []string{"zone 0"}},
		{"it is not in the plan", func(b *baseline) {
			set(b, settings, zones[0], func(s *snapshot.Section) { s.Status = snapshot.NotEntitled })
		}, nil},
		{"a zone has another plan", func(b *baseline) {
			set(b, snapshot.ZoneList.Source(), account, func(s *snapshot.Section) { s.Value = []byte(`[]`) })
			known := snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) { return sectionsOf(whole)(source, scope), true })
			require.Empty(t, b.learn(known, account))
		}, []string{"zone 0", "zone 1", "apps", "tunnels"}},
		{"the log was not read", func(b *baseline) { b.touched = nil }, []string{"zone 0", "zone 1", "apps", "tunnels"}},
	}
	sources := map[string]snapshot.Source{}
	for _, s := range snapshot.Sources() {
		sources[s.Name] = s
	}
	for _, tc := range cases {
		b := basisOf(clock.now().Add(30*time.Minute), whole)
		b.touched = &touched{zones: map[string]time.Time{}}
		tc.edit(b)
		var again []string
		for _, ask := range []struct {
			name, source string
			target       snapshot.SourceScope
		}{{"zone 0", settings, snapshot.SourceScope{AccountID: account, Zone: snapshot.Zone{ID: zones[0]}}},
			{"zone 1", settings, snapshot.SourceScope{AccountID: account, Zone: snapshot.Zone{ID: zones[1]}}},
			{"apps", apps, snapshot.SourceScope{AccountID: account}}, {"tunnels", live, snapshot.SourceScope{AccountID: account}}} {
			if _, ok := b.reuse(sources[ask.source], ask.target, nil); !ok {
				again = append(again, ask.name)
			}
		}
		require.Equal(t, tc.again, again, tc.name)
	}

	// A read that hangs on another one is as it was only if that is.
	b := basisOf(clock.now().Add(30*time.Minute), whole)
	b.touched = &touched{zones: map[string]time.Time{}}
	list := sectionsOf(whole)(snapshot.ZoneRulesets.Source(), zones[0])
	target := snapshot.SourceScope{AccountID: account, Zone: whole.Zones[0]}
	target.Zone.ID = zones[0]
	_, ok := b.reuse(sources[settings], target, []*promise{{section: list}})
	require.True(t, ok)
	for _, other := range []snapshot.Section{{Source: list.Source, Scope: list.Scope, Status: snapshot.Absent, Value: list.Value},
		{Source: list.Source, Scope: "elsewhere", Status: list.Status, Value: list.Value}, {Source: "not read", Scope: list.Scope}} {
		_, ok = b.reuse(sources[settings], target, []*promise{{section: list}, {section: other}})
		require.False(t, ok, other.Source)
	}
	list.Value = []byte(`[]`)
	_, ok = b.reuse(sources[settings], target, []*promise{{section: list}})
	require.False(t, ok)
}

// TestWithoutALogEverythingIsRead takes away what tells what was changed.
func TestWithoutALogEverythingIsRead(t *testing.T) {
	t.Parallel()
	clock := &hand{simNow()}
	cloud := simcloud.New(simcloud.Options{Seed: 4, Now: clock.now, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 2}}})
	whole := readOn(t, cloud, incremental(), clock.now, nil)
	account := cloud.Accounts()[0]
	clock.pass(10 * time.Minute)
	marked := func() int {
		n := 0
		for _, s := range readOn(t, cloud, incremental(), clock.now, basisOf(clock.now(), whole)).Sections() {
			if !s.ReadAt.IsZero() {
				n++
			}
		}
		return n
	}
	require.NotZero(t, marked())
	cloud.Deny("Account: Account Settings Read")
	require.Zero(t, marked())

	many := make([]snapshot.AuditedChange, fullLog)
	for i := range many {
		many[i] = snapshot.AuditedChange{Time: snapshot.At(clock.now().Add(-24 * time.Hour)), Action: "update", Product: "dlp",
			ResourceID: fmt.Sprint(i)}
	}
	learn := func() string {
		value, err := snapshot.Canonical(many)
		require.NoError(t, err)
		return basisOf(clock.now(), whole).learn(snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) {
			if source == snapshot.AccountAuditChanges.Source() {
				return snapshot.Section{Source: source, Scope: scope, Status: snapshot.OK, Value: value}, true
			}
			return sectionsOf(whole)(source, scope), true
		}), account)
	}
	require.Equal(t, "more was changed lately than the audit log shows at once", learn())
	many[0].Time = snapshot.At(clock.now().Add(-25 * time.Hour))
	require.Empty(t, learn())
}

// TestSourcesThatNobodyChanges keeps the list of what is an hour old at most.
func TestSourcesThatNobodyChanges(t *testing.T) {
	t.Parallel()
	var live []string
	for _, s := range snapshot.Sources() {
		if s.Volatile {
			live = append(live, s.Name)
		}
		require.True(t, s.Volatile || s.Window == 0 || s.Name == snapshot.AccountAuditChanges.Source(), "%s is a log", s.Name)
	}
	require.Contains(t, live, snapshot.TunnelConnections.Source())
	require.Contains(t, live, snapshot.ZoneCertificatePacks.Source())
	require.NotContains(t, live, snapshot.ZoneSettings.Source())
	require.Greater(t, len(checks.All()), len(live))
}

// pastRuns is a store of earlier runs, the newest first.
type pastRuns struct {
	Store
	runs     []posture.AssessmentSummary
	sections map[string][]snapshot.Section
	filter   store.AssessmentFilter
	page     store.Page
	err      error
}

func (s *pastRuns) Assessments(_ context.Context, f store.AssessmentFilter, p store.Page) ([]posture.AssessmentSummary, string, error) {
	s.filter, s.page = f, p
	return s.runs, "", s.err
}

func (s *pastRuns) Sections(_ context.Context, job string) ([]snapshot.Section, error) {
	if sections, there := s.sections[job]; there {
		return sections, nil
	}
	return nil, errors.New("no such job")
}

// TestEarlierRuns: a section comes from the run that read it last, of those that saw the same zones with the same token and checks.
func TestEarlierRuns(t *testing.T) {
	now := simNow()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	section := func(source, value string, readAt time.Time) snapshot.Section {
		return snapshot.Section{Source: source, Scope: "a", Status: snapshot.OK, Value: []byte(value), ReadAt: readAt}
	}
	list := func(value string) snapshot.Section { return section(snapshot.ZoneList.Source(), value, time.Time{}) }
	made := func(job string, change func(*posture.AssessmentSummary)) posture.AssessmentSummary {
		a := posture.AssessmentSummary{JobID: job, CatalogueVersion: "1", Account: posture.AccountRef{ID: "a"}, StartedAt: ago(time.Hour)}
		change(&a)
		return a
	}
	same := func(*posture.AssessmentSummary) {}
	past := &pastRuns{runs: []posture.AssessmentSummary{
		made("other catalogue", func(a *posture.AssessmentSummary) { a.CatalogueVersion = "2" }),
		made("other account", func(a *posture.AssessmentSummary) { a.Account.ID = "b" }),
		made("other token", func(a *posture.AssessmentSummary) { a.StartedAt = ago(3 * time.Hour) }),
		made("no zones", same),
		made("last", same),
		made("other zones", same),
		made("first", func(a *posture.AssessmentSummary) { a.StartedAt = ago(2 * time.Hour) }),
	}, sections: map[string][]snapshot.Section{
		"no zones": {section("x", "no zones", now)},
		"last": {section("x", "last", time.Time{}), section("y", "carried", ago(90*time.Minute)),
			section("w", "last", ago(time.Minute)), list("[1]")},
		"other zones": {list("[2]"), section("z", "other zones", now)},
		"first": {list("[1]"), section("x", "first", time.Time{}), section("y", "first", ago(80*time.Minute)),
			section("z", "first", time.Time{}), section("w", "first", ago(time.Minute))},
	}}
	r := New(Options{Store: past, Catalogue: Catalogue{CatalogueVersion: "1"}, Process: Process{Now: func() time.Time { return now }}})
	run := Run{OwnerID: "owner", Account: posture.AccountRef{ID: "a"}, TokenAt: ago(2 * time.Hour)}
	b, reason, err := r.earlier(t.Context(), run)
	require.NoError(t, err)
	require.Empty(t, reason)
	require.Equal(t, store.AssessmentFilter{Account: "owner", Since: ago(reuseAtMost)}, past.filter)
	require.Equal(t, baselineRuns, past.page.Limit)
	got := map[string]string{}
	for key, s := range b.sections {
		got[key.source] = string(s.Value)
	}
	require.Equal(t, map[string]string{snapshot.ZoneList.Source(): "[1]", "x": "last", "y": "first", "z": "first", "w": "last"}, got)
	require.Equal(t, ago(2*time.Hour), b.sections[sectionKey{"z", "a"}].ReadAt, "no read was earlier than its run")
	require.Equal(t, now, b.now)

	past.runs = past.runs[:4]
	b, reason, err = r.earlier(t.Context(), run)
	require.NoError(t, err)
	require.Nil(t, b)
	require.Contains(t, reason, "no run of the last 24 hours")
	past.runs = []posture.AssessmentSummary{made("gone", same)}
	_, _, err = r.earlier(t.Context(), run)
	require.ErrorContains(t, err, "no such job")
	past.err = errors.New("the store is away")
	_, _, err = r.earlier(t.Context(), run)
	require.ErrorIs(t, err, past.err)
}

// TestTouched: when something was last changed, whatever the order of the log.
func TestTouched(t *testing.T) {
	at := func(hour int) time.Time { return simNow().Add(time.Duration(hour) * time.Hour) }
	entry := func(hour int, zone, product string) snapshot.AuditedChange {
		return snapshot.AuditedChange{Time: snapshot.At(at(hour)), ZoneID: zone, Product: product}
	}
	got := &touched{zones: map[string]time.Time{}}
	for _, c := range []snapshot.AuditedChange{entry(5, "a", "dns"), entry(3, "a", "dns"), entry(4, "b", "r2"), entry(6, "", "r2"),
		entry(1, "", "rulesets"), entry(2, "", "rulesets")} {
		got.add(c)
	}
	require.Equal(t, &touched{everything: at(2), account: at(6), zones: map[string]time.Time{"a": at(5), "b": at(4)}}, got)

	zones := func(plans ...string) (out []snapshot.Zone) {
		for i, plan := range plans {
			out = append(out, snapshot.Zone{ID: string(rune('a' + i)), Plan: plan})
		}
		return out
	}
	value, err := snapshot.Canonical(zones("free", "pro"))
	require.NoError(t, err)
	b := &baseline{now: at(9), sections: map[sectionKey]snapshot.Section{{snapshot.ZoneList.Source(), "x"}: {
		Source: snapshot.ZoneList.Source(), Scope: "x", Status: snapshot.OK, Value: value}}}
	for name, c := range map[string]struct {
		now  []snapshot.Zone
		want touched
	}{
		"as before":    {zones("free", "pro"), touched{zones: map[string]time.Time{}}},
		"another plan": {zones("free", "business"), touched{account: at(9), zones: map[string]time.Time{"b": at(9)}}},
		"one more":     {zones("free", "pro", "free"), touched{account: at(9), zones: map[string]time.Time{"c": at(9)}}},
		"one less":     {zones("free"), touched{account: at(9), zones: map[string]time.Time{}}},
	} {
		got := &touched{zones: map[string]time.Time{}}
		got.compare(b, "x", c.now)
		require.Equal(t, c.want, *got, name)
	}
	got = &touched{zones: map[string]time.Time{}}
	got.compare(&baseline{now: at(9)}, "x", zones("free"))
	require.Equal(t, at(9), got.everything, "which zones there were is not known")
}

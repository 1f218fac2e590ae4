package drift_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"iter"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

var update = flag.Bool("update", false, "rewrite golden files")

const account = "acc"

func each(all []posture.Finding) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// side makes an assessment of findings; checks that found nothing are named.
func side(id string, zones []string, findings []posture.Finding) drift.Side {
	a := posture.AssessmentSummary{ID: id, Account: posture.AccountRef{ID: account}, Status: posture.Completed, CatalogueVersion: "1",
		Score:     posture.Score{Mark: posture.Mark{Grade: new("C")}},
		StartedAt: time.Date(2026, 1, len(id), 0, 0, 0, 0, time.UTC), CompletedAt: time.Date(2026, 1, len(id), 1, 0, 0, 0, time.UTC)}
	for _, z := range zones {
		a.Zones = append(a.Zones, posture.ZoneRef{ID: z, Name: z + ".example"})
	}
	var order []string
	tallies := map[string]*posture.CheckTally{}
	for _, f := range findings {
		t := tallies[f.CheckID]
		if t == nil {
			t = &posture.CheckTally{CheckID: f.CheckID, Category: f.Category, Severity: f.Severity}
			tallies[f.CheckID] = t
			order = append(order, f.CheckID)
		}
		switch f.Result {
		case posture.Pass:
			t.Pass++
		case posture.Fail:
			t.Fail++
		case posture.Warning:
			t.Warning++
		case posture.Unknown:
			t.Unknown++
		case posture.NotApplicable:
			t.NotApplicable++
		}
	}
	s := drift.Side{Assessment: a, Findings: each(findings)}
	for _, id := range order {
		s.Checks = append(s.Checks, *tallies[id])
	}
	return s
}

func finding(check string, result posture.Result, r posture.Resource) posture.Finding {
	f := posture.Finding{ID: check + "/" + string(r.Type) + "/" + r.ID, CheckID: check, Title: "title of " + check, Category: "dns",
		Severity: posture.High, Result: result, Resource: r, Message: string(result) + " of " + r.ID, Evidence: []posture.Evidence{}}
	if result == posture.Unknown {
		f.Reason = "denied at " + r.ID
	}
	if result == posture.Fail || result == posture.Warning {
		f.Evidence = []posture.Evidence{{Source: "account/members", Pointer: "/0", Observed: "off", Expected: "on"}}
	}
	return f
}

func zone(id string) posture.Resource {
	return posture.Resource{Type: posture.ResourceZone, ID: id, Name: id + ".example", ZoneID: id, Zone: id + ".example"}
}

func record(z, id string) posture.Resource {
	return posture.Resource{Type: posture.ResourceDNSRecord, ID: id, Name: id + "." + z + ".example", ZoneID: z, Zone: z + ".example"}
}

func member(id string) posture.Resource {
	return posture.Resource{Type: posture.ResourceMember, ID: id, Name: id}
}

func whole() posture.Resource { return posture.Resource{Type: posture.ResourceAccount, ID: account} }

func paths(all ...posture.AttackPath) iter.Seq2[posture.AttackPath, error] {
	return func(yield func(posture.AttackPath, error) bool) {
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func compare(t *testing.T, a, b drift.Side, log ...posture.Modification) drift.Drift {
	t.Helper()
	d, err := drift.Compare(a, b, log)
	require.NoError(t, err)
	return d
}

// brief writes the lists as lines: list, id, before, after, reason.
func brief(d drift.Drift) []string {
	out := []string{}
	for _, l := range []struct {
		name    string
		entries []drift.Difference
	}{{"new", d.New}, {"resolved", d.Resolved}, {"regressed", d.Regressed}, {"improved", d.Improved}, {"changed", d.Changed},
		{"unknown", d.Unknown}} {
		for _, e := range l.entries {
			out = append(out, l.name+" "+e.ID+" ["+string(e.Before)+">"+string(e.After)+"] "+e.Reason)
		}
	}
	return out
}

func TestCompare(t *testing.T) {
	const f, w, u, p, n = posture.Fail, posture.Warning, posture.Unknown, posture.Pass, posture.NotApplicable
	z, r, m, acc := zone("z"), record("z", "r"), member("m"), whole()
	zonal := func(x posture.Finding) posture.Finding {
		x.Evidence = []posture.Evidence{{Source: "zone/settings", Observed: "off"}}
		return x
	}
	seen := func(x posture.Finding, observed string) posture.Finding {
		x.Evidence = []posture.Evidence{{Source: "account/members", Pointer: "/9", Observed: observed, Expected: "other words"}}
		return x
	}
	last := func(x posture.Finding, at string) posture.Finding {
		x.Evidence = []posture.Evidence{{Source: "account/logpush_jobs", Pointer: "/7/last_error", Observed: at, Expected: "none"}}
		return x
	}
	type fs = []posture.Finding
	one, two := []string{"z"}, []string{"y", "z"}
	least := finding("C", w, r)
	least.Reason = "denied"
	hides, unread := finding("C", w, acc), finding("C", u, z)
	hides.Reason, unread.Reason = "denied", "zone/list could not be read: denied"
	guessed := finding("C", f, r)
	guessed.Reason, guessed.Severity = "denied", posture.Critical
	for _, tc := range []struct {
		name         string
		zonesA       []string
		a            fs
		zonesB       []string
		b            fs
		want         []string
		same, gained int
	}{
		{"same", one, fs{finding("C", f, r)}, one, fs{finding("C", f, r)}, nil, 1, 0},
		{"an index moved", one, fs{finding("C", f, m)}, one, fs{seen(finding("C", f, m), "off")}, nil, 1, 0},
		{"other evidence", one, fs{finding("C", f, m)}, one, fs{seen(finding("C", f, m), "half")},
			[]string{"changed C/member/m [FAIL>FAIL] other evidence was seen"}, 0, 0},
		{"the last error is later", one, fs{last(finding("C", f, m), "Monday")}, one, fs{last(finding("C", f, m), "Tuesday")}, nil, 1, 0},
		{"the zone passes now", one, fs{finding("C", f, r)}, one, fs{finding("C", p, z)}, []string{"resolved C/dns_record/r [FAIL>] "}, 0, 0},
		{"another record fails now", one, fs{finding("C", f, r)}, one, fs{finding("C", w, record("z", "s"))},
			[]string{"new C/dns_record/s [>WARNING] ", "resolved C/dns_record/r [FAIL>] "}, 0, 0},
		{"the unit passes now", one, fs{finding("C", w, z)}, one, fs{finding("C", p, z)}, []string{"resolved C/zone/z [WARNING>PASS] "}, 0, 0},
		{"nothing to judge now", one, fs{finding("C", f, m)}, one, fs{finding("C", n, acc)}, []string{"resolved C/member/m [FAIL>] "}, 0, 0},
		{"the zone is unread now", one, fs{finding("C", f, r)}, one, fs{finding("C", u, z)},
			[]string{"unknown C/dns_record/r [FAIL>] could not be read: denied at z", "unknown C/zone/z [>UNKNOWN] could not be read: denied at z"},
			0, 0},
		{"the account is unread now", one, fs{finding("C", f, r)}, one, fs{finding("C", u, acc)},
			[]string{"unknown C/dns_record/r [FAIL>] could not be read: denied at acc",
				"unknown C/account/acc [>UNKNOWN] could not be read: denied at acc"}, 0, 0},
		{"another zone is unread now", two, fs{finding("C", f, r), finding("C", u, zone("y"))}, two,
			fs{finding("C", p, z), finding("C", u, zone("y"))}, []string{"resolved C/dns_record/r [FAIL>] "}, 1, 0},
		{"a zone is unread and the resource is of the account", one, fs{finding("C", f, m)}, one,
			fs{finding("C", u, z), finding("C", w, member("o"))}, []string{"new C/member/o [>WARNING] ",
				"unknown C/member/m [FAIL>] could not be read: denied at z", "unknown C/zone/z [>UNKNOWN] could not be read: denied at z"}, 0, 0},
		{"another record is unread now", one, fs{finding("C", f, r)}, one, fs{finding("C", u, record("z", "s")),
			finding("C", w, record("z", "q"))}, []string{"new C/dns_record/q [>WARNING] ", "resolved C/dns_record/r [FAIL>] ",
			"unknown C/dns_record/s [>UNKNOWN] could not be read: denied at s"}, 0, 0},
		{"another kind of thing is unread now", one, fs{finding("C", f, m)}, one,
			fs{finding("C", u, posture.Resource{Type: posture.ResourceTunnel, ID: "t"}), finding("C", w, member("o"))},
			[]string{"new C/member/o [>WARNING] ", "unknown C/member/m [FAIL>] could not be read: denied at t",
				"unknown C/tunnel/t [>UNKNOWN] could not be read: denied at t"}, 0, 0},
		{"all of its kind are unread now", one, fs{finding("C", f, m)}, one, fs{finding("C", u, member("o"))},
			[]string{"unknown C/member/m [FAIL>] could not be read: the check could judge nothing",
				"unknown C/member/o [>UNKNOWN] could not be read: denied at o"}, 0, 0},
		{"the zone is gone now", two, fs{finding("C", f, r)}, []string{"y"}, fs{finding("C", p, zone("y"))},
			[]string{"resolved C/dns_record/r [FAIL>] "}, 0, 0},
		{"the zone is gone now, and the account is unread", two, fs{finding("C", f, r)}, []string{"y"}, fs{finding("C", u, acc)},
			[]string{"resolved C/dns_record/r [FAIL>] ", "unknown C/account/acc [>UNKNOWN] could not be read: denied at acc"}, 0, 0},
		{"the zones are unread now", two, fs{finding("C", f, r)}, nil, fs{finding("C", p, acc)},
			[]string{"unknown C/dns_record/r [FAIL>] not in scope of the current run"}, 0, 0},
		{"the check did not run now", one, fs{finding("C", f, r)}, one, nil,
			[]string{"unknown C/dns_record/r [FAIL>] the check did not run in the current run"}, 0, 0},
		{"the zones are unread and the account passes", two, fs{zonal(finding("C", f, acc))}, nil, fs{finding("C", p, acc)},
			[]string{"unknown C/account/acc [FAIL>PASS] the current run looked at fewer zones"}, 0, 0},
		{"a zone is gone and the account passes", two, fs{zonal(finding("C", f, acc))}, one, fs{finding("C", p, acc)},
			[]string{"resolved C/account/acc [FAIL>PASS] "}, 0, 0},
		{"fewer zones do not matter to members", two, fs{finding("C", f, m)}, one, fs{finding("C", p, acc)},
			[]string{"resolved C/member/m [FAIL>] "}, 0, 0},
		{"it passed and is unread now", one, fs{finding("C", p, z)}, one, fs{finding("C", u, z)},
			[]string{"unknown C/zone/z [PASS>UNKNOWN] could not be read: denied at z"}, 0, 0},
		{"it was unread and fails now", one, fs{finding("C", u, z)}, one, fs{finding("C", f, z)},
			[]string{"new C/zone/z [UNKNOWN>FAIL] could not be read before"}, 0, 0},
		{"its zone was unread", one, fs{finding("C", u, z)}, one, fs{finding("C", f, r)},
			[]string{"new C/dns_record/r [>FAIL] could not be read before: denied at z"}, 0, 0},
		{"it was unread and passes now", one, fs{finding("C", u, z)}, one, fs{finding("C", p, z)}, nil, 0, 1},
		{"it is still unread", one, fs{finding("C", u, z)}, one, fs{finding("C", u, z)}, nil, 1, 0},
		{"its zone passed before", one, fs{finding("C", p, z)}, one, fs{finding("C", f, r)}, []string{"regressed C/dns_record/r [PASS>FAIL] "},
			0, 0},
		{"there was nothing before", one, fs{finding("C", n, acc)}, one, fs{finding("C", f, m)}, []string{"new C/member/m [>FAIL] "}, 0, 0},
		{"it did not apply before", one, fs{finding("C", n, z)}, one, fs{finding("C", f, z)},
			[]string{"regressed C/zone/z [NOT_APPLICABLE>FAIL] "}, 0, 0},
		{"worse", one, fs{finding("C", w, r)}, one, fs{finding("C", f, r)}, []string{"regressed C/dns_record/r [WARNING>FAIL] "}, 0, 0},
		{"better", one, fs{finding("C", f, r)}, one, fs{finding("C", w, r)}, []string{"improved C/dns_record/r [FAIL>WARNING] "}, 0, 0},
		{"not better, what makes it worse is unread", one, fs{finding("C", f, r)}, one, fs{least},
			[]string{"unknown C/dns_record/r [FAIL>WARNING] could not be read: denied"}, 0, 0},
		{"it passed, and may be worse than a warning", one, fs{finding("C", p, r)}, one, fs{least},
			[]string{"unknown C/dns_record/r [PASS>WARNING] could not be read: denied"}, 0, 0},
		{"a part was unread and it fails now", one, fs{least}, one, fs{finding("C", f, r)},
			[]string{"new C/dns_record/r [WARNING>FAIL] could not be read before"}, 0, 0},
		{"a part was unread and it passes now", one, fs{least}, one, fs{finding("C", p, r)}, nil, 0, 1},
		{"a part is unread as before", one, fs{least}, one, fs{least}, nil, 1, 0},
		{"its severity hangs on what is unread", one, fs{finding("C", f, r)}, one, fs{guessed},
			[]string{"changed C/dns_record/r [FAIL>FAIL] the severity was high; could not be read: denied"}, 0, 0},
		{"its severity hung on what was unread", one, fs{guessed}, one, fs{finding("C", f, r)},
			[]string{"changed C/dns_record/r [FAIL>FAIL] the severity was critical; could not be read before"}, 0, 0},
		{"it passed, and fails whatever is unread", one, fs{finding("C", p, r)}, one, fs{guessed},
			[]string{"regressed C/dns_record/r [PASS>FAIL] "}, 0, 0},
		{"its zone is new", []string{"y"}, fs{finding("C", p, zone("y"))}, two, fs{finding("C", p, zone("y")), finding("C", f, r)},
			[]string{"new C/dns_record/r [>FAIL] "}, 1, 0},
		{"the zones were unread", nil, fs{finding("C", p, acc)}, one, fs{finding("C", f, r)},
			[]string{"new C/dns_record/r [>FAIL] not in scope of the baseline run"}, 0, 0},
		{"the check is new", one, nil, one, fs{finding("C", f, r)},
			[]string{"new C/dns_record/r [>FAIL] the check did not run in the baseline run"}, 0, 0},
		{"the account passed without a zone that is new", one, fs{finding("C", p, acc)}, two, fs{zonal(finding("C", f, acc))},
			[]string{"regressed C/account/acc [PASS>FAIL] "}, 0, 0},
		{"the account passed while the zones were unread", nil, fs{finding("C", p, acc)}, two, fs{zonal(finding("C", f, acc))},
			[]string{"new C/account/acc [PASS>FAIL] the baseline run looked at fewer zones"}, 0, 0},
		{"a warning about the account hides what was found in it", one, fs{finding("C", f, m)}, one, fs{hides},
			[]string{"new C/account/acc [>WARNING] ", "unknown C/member/m [FAIL>] could not be read: denied"}, 0, 0},
		{"what a warning about the account hid", one, fs{hides}, one, fs{finding("C", f, m)},
			[]string{"new C/member/m [>FAIL] could not be read before: denied", "resolved C/account/acc [WARNING>] "}, 0, 0},
		{"a reason says itself that it could not be read", one, fs{finding("C", p, z)}, one, fs{unread},
			[]string{"unknown C/zone/z [PASS>UNKNOWN] zone/list could not be read: denied"}, 0, 0},
		{"a reason says itself that it could not be read before", one, fs{unread}, one, fs{finding("C", f, r)},
			[]string{"new C/dns_record/r [>FAIL] zone/list could not be read before: denied"}, 0, 0},
		{"said twice, the worse counts", one, fs{finding("C", u, z), finding("C", f, z)}, one, fs{finding("C", f, z), finding("C", u, z)}, nil,
			1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := compare(t, side("a", tc.zonesA, tc.a), side("bb", tc.zonesB, tc.b))
			if tc.want == nil {
				tc.want = []string{}
				require.Zero(t, d.DriftScore)
			} else {
				require.NotZero(t, d.DriftScore)
			}
			require.Equal(t, tc.want, brief(d))
			require.Equal(t, tc.same, d.Unchanged)
			require.Equal(t, tc.gained, d.Regained)
			require.Len(t, d.RegainedIDs, tc.gained)
		})
	}
}

// TestNarrowedRuns: what a run was not asked to look at is neither new nor unknown nor gone, and no score is compared with that of
// another scope. What both looked at differs as ever.
func TestNarrowedRuns(t *testing.T) {
	const f, w, u, p = posture.Fail, posture.Warning, posture.Unknown, posture.Pass
	y, z, acc := zone("y"), zone("z"), whole()
	risky := func(x posture.Finding, risk float64) posture.Finding {
		x.Risk = risk
		return x
	}
	both, one := []string{"y", "z"}, []string{"z"}
	of := func(id, node string) posture.AttackPath {
		return posture.AttackPath{ID: id, Severity: posture.High, Nodes: []string{node}, WatchedBy: []string{"C"}}
	}
	byCheck, byZone := &posture.Scope{Checks: []string{"C"}}, &posture.Scope{Zones: []string{"z.example"}}
	run := func(id string, scope *posture.Scope, zones []string, paths iter.Seq2[posture.AttackPath, error],
		all ...posture.Finding) drift.Side {
		s := side(id, zones, all)
		s.Assessment.Scope, s.Paths = scope, paths
		return s
	}
	full := run("a", nil, both, paths(of("1", "zone:y"), of("2", "zone:z")), finding("C", f, y), finding("C", w, z), finding("D", f, z),
		risky(finding("E", f, z), 9), finding("C", f, acc), finding("F", u, z))
	fewChecks := run("bb", byCheck, both, nil, finding("C", f, y), finding("C", f, z), finding("C", f, acc))
	fewZones := run("bb", byZone, one, paths(of("2", "zone:z")), finding("C", p, z), finding("D", f, z), risky(finding("E", f, z), 4),
		finding("C", p, acc), finding("F", u, z))
	const apart = "the runs looked at different things"
	for _, tc := range []struct {
		name       string
		a, b       drift.Side
		want       []string
		apart      int
		came, went []string
		note       string
	}{
		{"fewer checks", full, fewChecks, []string{"regressed C/zone/z [WARNING>FAIL] "}, 2, nil, nil, apart},
		{"and back", fewChecks, full, []string{"improved C/zone/z [FAIL>WARNING] "}, 3, nil, nil, apart},
		{"fewer zones", full, fewZones, []string{"resolved C/zone/z [WARNING>PASS] "}, 2, nil, nil, apart},
		{"and back again", fewZones, full, []string{"regressed C/zone/z [PASS>WARNING] "}, 2, nil, nil, apart},
		{"the same checks", fewChecks, run("ccc", byCheck, both, nil, finding("C", f, y), finding("C", f, acc), finding("D", f, z)),
			[]string{"new D/zone/z [>FAIL] the check did not run in the baseline run", "resolved C/zone/z [FAIL>] "}, 0, nil, nil, ""},
		{"the same zones", fewZones, run("ccc", byZone, one, nil, finding("C", p, z), risky(finding("E", f, z), 4), finding("C", p, acc),
			finding("F", u, z)), []string{"unknown D/zone/z [FAIL>] the check did not run in the current run"}, 0, nil, []string{"2"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := compare(t, tc.a, tc.b)
			require.Equal(t, tc.want, brief(d))
			require.Equal(t, tc.apart, d.Apart)
			var came, went []string
			for _, p := range d.Paths.Appeared {
				came = append(came, p.ID)
			}
			for _, p := range d.Paths.Disappeared {
				went = append(went, p.ID)
			}
			require.Equal(t, tc.came, came)
			require.Equal(t, tc.went, went)
			require.Empty(t, d.Paths.Unknown)
			require.Equal(t, tc.note, d.ScoreNote)
			require.Equal(t, tc.note == "", d.ScoreDelta != nil)
		})
	}
}

func TestRetiredCheck(t *testing.T) {
	b := side("bb", []string{"z"}, nil)
	b.Assessment.CatalogueVersion = "2"
	d := compare(t, side("a", []string{"z"}, []posture.Finding{finding("C", posture.Fail, zone("z"))}), b)
	require.Equal(t, []string{"unknown C/zone/z [FAIL>] the check did not run in the current run, whose catalogue is 2 and not 1"}, brief(d))
}

func TestWhatChanged(t *testing.T) {
	before, after := finding("C", posture.Fail, zone("z")), finding("C", posture.Fail, zone("z"))
	before.Risk, after.Risk, after.Severity = 8, 9.5, posture.Critical
	d := compare(t, side("a", []string{"z"}, []posture.Finding{before}), side("bb", []string{"z"}, []posture.Finding{after}))
	require.Equal(t, []string{"changed C/zone/z [FAIL>FAIL] the severity was high; the risk was 8.0 and is 9.5"}, brief(d))
	require.Equal(t, posture.Critical, d.Changed[0].Severity)
}

// TestPartsThatAreMissing: a comparison with a part of an assessment would call
// resolved what was left out.
func TestPartsThatAreMissing(t *testing.T) {
	good := side("a", []string{"z"}, []posture.Finding{finding("C", posture.Fail, zone("z")), finding("C", posture.Unknown, zone("y"))})
	for name, tc := range map[string]struct {
		edit func(*drift.Side)
		says string
	}{
		"broken read": {func(s *drift.Side) {
			s.Findings = func(yield func(posture.Finding, error) bool) { yield(posture.Finding{}, errors.New("disk gone")) }
		}, "read the findings of assessment a: disk gone"},
		"no findings":   {func(s *drift.Side) { s.Findings = nil }, "counts 1 FAIL"},
		"no unknowns":   {func(s *drift.Side) { s.Findings = each([]posture.Finding{finding("C", posture.Fail, zone("z"))}) }, "0 were given"},
		"no tallies":    {func(s *drift.Side) { s.Checks = nil }, "did not count"},
		"other account": {func(s *drift.Side) { s.Assessment.Account.ID = "other" }, "two accounts"},
	} {
		bad := good
		tc.edit(&bad)
		_, err := drift.Compare(bad, good, nil)
		require.ErrorContains(t, err, tc.says, name)
		_, err = drift.Compare(good, bad, nil)
		require.ErrorContains(t, err, tc.says, name)
	}
}

// TestOtherOnSecondReading: what is not there when its text is read is no comparison.
func TestOtherOnSecondReading(t *testing.T) {
	for says, second := range map[string][]posture.Finding{"1 findings of assessment a are not as they were": {finding("C", posture.Warning,
		zone("z"))}, "finding C/zone/y of assessment a was not there before": {finding("C", posture.Fail, zone("y"))}} {
		before, after := side("a", []string{"y", "z"}, []posture.Finding{finding("C", posture.Fail, zone("z"))}),
			side("bb", []string{"y", "z"}, []posture.Finding{finding("C", posture.Pass, zone("z"))})
		first := before.Findings
		before.Findings = func(yield func(posture.Finding, error) bool) {
			read := first
			first = each(second)
			read(yield)
		}
		_, err := drift.Compare(before, after, nil)
		require.ErrorContains(t, err, says)
	}
}

// TestScoresThatDoNotCompare: what could not be read counts as failed, so without a grade the
// difference says what was read, not how the account is.
func TestScoresThatDoNotCompare(t *testing.T) {
	judged, blind := side("a", nil, nil), side("b", nil, nil)
	judged.Assessment.Score.Value, blind.Assessment.Score.Value, blind.Assessment.Score.Grade = 97, 3, nil
	for _, tc := range []struct {
		before, after drift.Side
		want          string
	}{
		{judged, blind, "not compared, because too little could be judged"},
		{blind, judged, "not compared, because too little could be judged before"},
		{blind, blind, "not compared, because too little could be judged"},
		{judged, judged, "unchanged"},
	} {
		d := compare(t, tc.before, tc.after)
		require.Equal(t, tc.want, d.ScoreChange())
	}
}

// TestGolden pins the wire form.
func TestGolden(t *testing.T) {
	a := side("a", []string{"y", "z"}, []posture.Finding{finding("C", posture.Fail, record("z", "gone")),
		finding("C", posture.Fail, record("y", "hidden")), finding("D", posture.Fail, whole()), finding("E", posture.Pass, zone("z")),
		finding("E", posture.Pass, zone("y")), finding("F", posture.Fail, member("same"))})
	b := side("bb", []string{"y", "z"}, []posture.Finding{finding("C", posture.Warning, record("z", "<b>new</b>")),
		finding("C", posture.Unknown, zone("y")), finding("D", posture.Warning, whole()), finding("E", posture.Fail, zone("z")),
		finding("E", posture.Pass, zone("y")), finding("F", posture.Fail, member("same"))})
	a.Assessment.Score.Value, b.Assessment.Score.Value = 60, 55
	a.Paths = paths(posture.AttackPath{ID: "ap:exposed-origin:dns:y:hidden", Severity: posture.High,
		Nodes: []string{"internet", "dns:y:hidden"}, RelatedCheckIDs: []string{"C"}, WatchedBy: []string{"C"}},
		posture.AttackPath{ID: "ap:exposed-origin:dns:z:gone", Severity: posture.High, Nodes: []string{"internet", "dns:z:gone"},
			RelatedCheckIDs: []string{"C"}, WatchedBy: []string{"C"}})
	b.Paths = paths(posture.AttackPath{ID: "ap:weak-transport:zone:z", Severity: posture.Critical, Nodes: []string{"internet", "zone:z"},
		RelatedCheckIDs: []string{"E"}})
	d := compare(t, a, b, posture.Modification{At: "2026-01-01T12:00:00Z", Action: "update", Actor: "a***@acme.example", Via: "dash",
		Product: "dns_records", ZoneID: "z"})
	raw, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	const file = "testdata/drift.json"
	if *update {
		require.NoError(t, os.WriteFile(file, append(raw, '\n'), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(bytes.TrimSpace(want)), string(raw))
}

package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func latestCases() []testCase {
	return []testCase{
		{"newest findings are filtered, ordered and paged", latestFiltered},
		{"newest findings are ordered and paged as Go would", latestOrdered},
		{"newest findings are searched", latestSearched},
		{"newest finding is as its last run held it", latestHeld},
		{"a cursor of newest findings belongs to its filter", latestCursor},
		{"closed findings are resolved", statesClosed},
		{"a run that ends late does not turn time back", statesLate},
		{"history of a finding", sightingsListed},
		{"lists of many accounts are the whole ones without the others", manyAccounts},
	}
}

// otherAccount moves the findings of a report to another account, so that their ids differ.
func otherAccount(account string, from int) func(*store.SaveAssessment) {
	return func(in *store.SaveAssessment) {
		in.Assessment.Account.ID = account
		for i := range in.Assessment.Findings {
			f := &in.Assessment.Findings[i]
			f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, f.Resource.ID)
			// Some findings of a run were first seen in an earlier one.
			f.FirstSeen = kept(noon().AddDate(0, 0, -(i+from)%3))
		}
		in.States = states(in.Assessment)
		for i := range in.States {
			if in.States[i].Result == posture.Pass || in.States[i].Result == posture.NotApplicable {
				in.States[i].Status = posture.StatusResolved
				in.States[i].Opened = i%2 == 0
				in.Assessment.Findings[i].Status = posture.StatusResolved
			}
		}
	}
}

// now returns a finding as the lists of latest findings do: without the exception its run recorded.
func now(f posture.Finding, account, assessment string) store.LatestFinding {
	f.Exception, f.ExceptionNote = nil, ""
	return store.LatestFinding{Finding: f, AccountID: account, AssessmentID: assessment}
}

func latest(t testing.TB, s store.Store, f store.LatestFilter) []store.LatestFinding {
	t.Helper()
	rows, next, err := s.LatestFindings(t.Context(), f, store.Page{})
	require.NoError(t, err)
	require.Empty(t, next)
	return append([]store.LatestFinding{}, rows...)
}

// inOrder sorts as the contract requires.
func inOrder(all []store.LatestFinding) []store.LatestFinding {
	slices.SortFunc(all, func(a, b store.LatestFinding) int {
		return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), b.FirstSeen.Compare(a.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	return all
}

func latestFiltered(t *testing.T, s store.Store) {
	var all []store.LatestFinding
	opened := map[string]bool{}
	for i, account := range []string{"one", "two", "three"} {
		report := saved(t, s, 150, func(in *store.SaveAssessment) {
			otherAccount(account, i)(in)
			for _, st := range in.States {
				opened[st.FindingID] = st.Opened
			}
		})
		for _, f := range report.Findings {
			l := now(f, account, report.ID)
			all = append(all, l)
		}
	}
	all = inOrder(all)
	fwu := []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
	open := []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}
	base := store.FindingFilter{Results: fwu}
	with := func(change func(*store.FindingFilter)) store.FindingFilter {
		f := base
		change(&f)
		return f
	}
	for name, f := range map[string]store.LatestFilter{
		"none":      {},
		"open":      {FindingFilter: base, Statuses: open},
		"reopened":  {FindingFilter: base, Statuses: open[1:]},
		"resolved":  {Statuses: []posture.FindingStatus{posture.StatusResolved}},
		"once open": {Statuses: []posture.FindingStatus{posture.StatusResolved}, Opened: true},
		"passes":    {FindingFilter: store.FindingFilter{Results: []posture.Result{posture.Pass}}},
		"account":   {FindingFilter: base, Statuses: open, Accounts: []string{"two"}},
		"accounts":  {FindingFilter: base, Statuses: open, Accounts: []string{"two", "three", "two", "none"}},
		"severity":  {FindingFilter: with(func(f *store.FindingFilter) { f.Severities = []posture.Severity{posture.High} }), Statuses: open},
		"severities": {FindingFilter: with(func(f *store.FindingFilter) {
			f.Severities = []posture.Severity{posture.Low, posture.Critical, posture.High}
		}), Statuses: open},
		"check":        {FindingFilter: with(func(f *store.FindingFilter) { f.Checks = []string{"check-007"} }), Statuses: open},
		"category":     {FindingFilter: with(func(f *store.FindingFilter) { f.Categories = []posture.Category{"dns", "waf"} }), Statuses: open},
		"zone by name": {FindingFilter: with(func(f *store.FindingFilter) { f.Zones = []string{"zone01.example"} }), Statuses: open},
		"zone by id":   {FindingFilter: with(func(f *store.FindingFilter) { f.Zones = []string{"zone-01", "nowhere"} }), Statuses: open},
		"resource":     {FindingFilter: with(func(f *store.FindingFilter) { f.Resources = []string{"resource-000011"} }), Statuses: open},
		"result":       {FindingFilter: store.FindingFilter{Results: fwu[2:]}, Statuses: open, Accounts: []string{"one"}},
		"text":         {FindingFilter: with(func(f *store.FindingFilter) { f.Text = "HOST-1" }), Statuses: open},
		"short text":   {FindingFilter: with(func(f *store.FindingFilter) { f.Text = "-1" }), Statuses: open, Accounts: []string{"one"}},
		"text and others": {FindingFilter: with(func(f *store.FindingFilter) {
			f.Text, f.Severities, f.Categories = "Record", []posture.Severity{posture.High}, []posture.Category{"dns"}
		})},
		"all at once": {FindingFilter: store.FindingFilter{Results: fwu, Severities: []posture.Severity{posture.Critical},
			Categories: []posture.Category{"dns"}, Checks: []string{"check-000"}, Zones: []string{"zone-00"},
			Resources: []string{"resource-000000"}, Text: "record 0 "}, Accounts: []string{"one", "two"}, Statuses: open},
		"nothing": {FindingFilter: store.FindingFilter{Checks: []string{"no-such"}}},
	} {
		want := []store.LatestFinding{}
		for _, l := range all {
			if fits(l.Finding, f.FindingFilter) && in(len(f.Accounts), slices.Contains(f.Accounts, l.AccountID)) &&
				in(len(f.Statuses), slices.Contains(f.Statuses, l.Status)) &&
				(!f.Opened || l.Status != posture.StatusResolved || opened[l.ID]) {
				want = append(want, l)
			}
		}
		require.Equal(t, name != "nothing" && name != "reopened", len(want) > 0, name)
		require.Equal(t, want, latest(t, s, f), name)
		paged := pages(t, 7, func(p store.Page) ([]store.LatestFinding, string, error) { return s.LatestFindings(t.Context(), f, p) }, func() {})
		require.Equal(t, want, append([]store.LatestFinding{}, paged...), name)
	}
}

// in combines one filter of n values: an empty filter accepts everything.
func in(n int, fits bool) bool { return n == 0 || fits }

func latestSearched(t *testing.T, s store.Store) {
	messages := []string{"100% open", "100 percent", "a_b", "axb", `back\slash`, "it's", "ÄRGER im Netz", "Straße", "*", "ΣΊΣΥΦΟΣ", "q?",
		`say "no" now`}
	saved(t, s, len(messages), func(in *store.SaveAssessment) {
		for i, m := range messages {
			in.Assessment.Findings[i].Message = m
			in.Assessment.Findings[i].Resource.Name = "n"
			in.Assessment.Findings[i] = in.Assessment.Findings[i].Worded()
		}
	})
	for text, want := range map[string][]string{"100%": {"100% open"}, "%": {"100% open"}, "_": {"a_b"}, "A_B": {"a_b"}, `\`: {`back\slash`},
		`k\s`: {`back\slash`}, "IT'S": {"it's"}, "ärger": {"ÄRGER im Netz"}, "STRAßE": {"Straße"}, "*": {"*"}, "?": {"q?"}, "\x00": nil,
		"opennow": nil, "openn": nil, `"no"`: {`say "no" now`},
		"no OR axb": nil, "σίσυφοσ": {"ΣΊΣΥΦΟΣ"}} {
		var got []string
		for _, f := range latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Text: text}}) {
			got = append(got, f.Message)
		}
		require.Equal(t, want, got, "%q", text)
	}
	later := saved(t, s, 1, func(in *store.SaveAssessment) { in.Assessment.Findings[0].Message = "other words" })
	require.Empty(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Text: "100% open"}}), "the newest text counts")
	got := latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Text: "other words"}})
	require.Len(t, got, 1)
	require.Equal(t, later.ID, got[0].AssessmentID)
}

func latestHeld(t *testing.T, s store.Store) {
	first := saved(t, s, 10, nil)
	second := saved(t, s, 5, func(in *store.SaveAssessment) {
		in.Assessment.StartedAt = noon().Add(time.Hour)
		for i := range in.Assessment.Findings {
			in.Assessment.Findings[i].Message = "seen again"
			in.Assessment.Findings[i].Severity = posture.Low
		}
	})
	for i, f := range first.Findings {
		got, err := s.LatestFinding(t.Context(), f.ID, noon())
		require.NoError(t, err)
		want := now(f, providerAccount, first.ID)
		if i < 5 {
			want = now(second.Findings[i], providerAccount, second.ID)
		}
		require.Equal(t, want, got)
	}
	require.Len(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Severities: []posture.Severity{posture.Low},
		Text: "seen again"}}), 5)
	_, err := s.LatestFinding(t.Context(), strings.Repeat("0", 32), noon())
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Sightings(t.Context(), "\x00", 1)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func latestCursor(t *testing.T, s store.Store) {
	saved(t, s, 20, nil)
	_, next, err := s.LatestFindings(t.Context(), store.LatestFilter{}, store.Page{Limit: 3})
	require.NoError(t, err)
	require.NotEmpty(t, next)
	other := store.LatestFilter{FindingFilter: store.FindingFilter{Severities: []posture.Severity{posture.Low}}}
	_, _, err = s.LatestFindings(t.Context(), other, store.Page{Limit: 3, Cursor: next})
	var problem *posture.Problem
	require.ErrorAs(t, err, &problem)
	require.Equal(t, "query.cursor", problem.Errors[0].Location)
	_, _, err = s.LatestFindings(t.Context(), store.LatestFilter{Order: store.OrderOldest}, store.Page{Limit: 3, Cursor: next})
	require.ErrorAs(t, err, &problem)
}

func latestOrdered(t *testing.T, s store.Store) {
	var all []store.LatestFinding
	for i, account := range []string{"two", "one", "three"} {
		report := saved(t, s, 120, func(in *store.SaveAssessment) {
			otherAccount(account, i)(in)
			for k := range in.Assessment.Findings {
				if r := &in.Assessment.Findings[k].Resource; k%5 == 0 {
					r.Name = "Größe " + r.Name
					in.Assessment.Findings[k] = in.Assessment.Findings[k].Worded()
				}
			}
		})
		for _, f := range report.Findings {
			all = append(all, now(f, account, report.ID))
		}
	}
	all = inOrder(all)
	compares := map[store.FindingOrder]func(a, b store.LatestFinding) int{
		store.OrderAccount: func(a, b store.LatestFinding) int { return strings.Compare(a.AccountID, b.AccountID) }}
	for order, compare := range orders() {
		compares[order] = func(a, b store.LatestFinding) int { return compare(a.Finding, b.Finding) }
	}
	open := []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}
	for order, compare := range compares {
		for name, f := range map[string]store.LatestFilter{
			"all":      {},
			"open":     {Statuses: open},
			"accounts": {Statuses: open, Accounts: []string{"one", "three"}},
			"filtered": {Statuses: open, FindingFilter: store.FindingFilter{Severities: []posture.Severity{posture.Critical, posture.Low},
				Categories: []posture.Category{"dns", "waf"}}},
			"text": {FindingFilter: store.FindingFilter{Text: "host-1"}},
			"zone": {Statuses: open, FindingFilter: store.FindingFilter{Zones: []string{"zone-01", "zone-02"}}},
		} {
			f.Order = order
			want := []store.LatestFinding{}
			for _, l := range all {
				if fits(l.Finding, f.FindingFilter) && in(len(f.Accounts), slices.Contains(f.Accounts, l.AccountID)) &&
					in(len(f.Statuses), slices.Contains(f.Statuses, l.Status)) {
					want = append(want, l)
				}
			}
			require.NotEmpty(t, want, name)
			slices.SortStableFunc(want, compare)
			require.Equal(t, want, latest(t, s, f), "%s by %s", name, order)
			paged := pages(t, 7, func(p store.Page) ([]store.LatestFinding, string, error) { return s.LatestFindings(t.Context(), f, p) }, func() {})
			require.Equal(t, want, paged, "%s by %s", name, order)
		}
	}
}

func statesClosed(t *testing.T, s store.Store) {
	first := saved(t, s, 10, nil)
	fixed, deleted, unknown := first.Findings[0].ID, first.Findings[1].ID, first.Findings[2].ID
	saved(t, s, 0, func(in *store.SaveAssessment) {
		in.Assessment.StartedAt = noon().Add(time.Hour)
		in.Closed = []posture.ClosedFinding{{FindingID: fixed, Resolution: posture.ResolutionFixed},
			{FindingID: deleted, Resolution: posture.ResolutionDeleted},
			{FindingID: unknown, Resolution: posture.ResolutionDeleted}, {FindingID: "no such", Resolution: posture.ResolutionFixed}}
	})
	for id, want := range map[string]posture.Resolution{fixed: posture.ResolutionFixed, deleted: posture.ResolutionDeleted,
		unknown: posture.ResolutionDeleted} {
		got, err := s.LatestFinding(t.Context(), id, noon())
		require.NoError(t, err)
		require.Equal(t, posture.StatusResolved, got.Status)
		require.Equal(t, want, got.Resolution)
		require.Equal(t, first.ID, got.AssessmentID)
		require.Equal(t, kept(noon().Add(time.Hour)), got.LastSeen)
	}
	open := latest(t, s, store.LatestFilter{Statuses: []posture.FindingStatus{posture.StatusOpen}})
	require.Len(t, open, 7)
	require.Len(t, latest(t, s, store.LatestFilter{Statuses: []posture.FindingStatus{posture.StatusResolved}, Opened: true}), 2,
		"the UNKNOWN was never open as a failure")
	for hour, want := range []int{0, 3} {
		require.Len(t, latest(t, s, store.LatestFilter{Statuses: []posture.FindingStatus{posture.StatusResolved},
			JudgedAt: noon().Add(time.Duration(hour) * time.Hour)}), want, "closed by the run of that hour")
	}
}

// statesLate saves the run that started at noon after the one that started at one o'clock.
func statesLate(t *testing.T, s store.Store) {
	at := func(hour int, result posture.Result, status posture.FindingStatus, opened bool) func(*store.SaveAssessment) {
		return func(in *store.SaveAssessment) {
			when := kept(noon().Add(time.Duration(hour) * time.Hour))
			in.Assessment.StartedAt = when
			f := &in.Assessment.Findings[0]
			f.Result, f.Status, f.FirstSeen, f.LastSeen = result, status, when, when
			in.States = []posture.FindingState{{FindingID: f.ID, Result: result, Status: status, FirstSeen: when, LastSeen: when, Opened: opened}}
		}
	}
	one := saved(t, s, 1, at(1, posture.Pass, posture.StatusResolved, false))
	saved(t, s, 1, at(0, posture.Fail, posture.StatusOpen, true))
	id := one.Findings[0].ID
	got, err := s.LatestFinding(t.Context(), id, noon())
	require.NoError(t, err)
	require.Equal(t, one.ID, got.AssessmentID)
	require.Equal(t, posture.Pass, got.Result)
	require.Equal(t, posture.StatusResolved, got.Status)
	require.Equal(t, posture.ResolutionFixed, got.Resolution, "it was open, as the late run tells")
	require.Equal(t, kept(noon()), got.FirstSeen)
	require.Equal(t, kept(noon()), got.LastSeen)

	two := saved(t, s, 1, at(2, posture.Fail, posture.StatusReopened, true))
	saved(t, s, 0, func(in *store.SaveAssessment) {
		in.Assessment.StartedAt = noon().Add(90 * time.Minute)
		in.Closed = []posture.ClosedFinding{{FindingID: id, Resolution: posture.ResolutionFixed}}
	})
	got, err = s.LatestFinding(t.Context(), id, noon())
	require.NoError(t, err)
	require.Equal(t, two.ID, got.AssessmentID)
	require.Equal(t, posture.StatusReopened, got.Status, "a run that began earlier closes nothing")
	require.Equal(t, kept(noon()), got.FirstSeen)
}

func sightingsListed(t *testing.T, s store.Store) {
	var want []store.Sighting
	var id string
	for i := range 5 {
		report := saved(t, s, 3, func(in *store.SaveAssessment) {
			in.Assessment.CompletedAt = noon().Add(time.Duration(i) * time.Hour)
			in.Assessment.Findings[1].Result = posture.Results()[i]
			in.Assessment.Note = fmt.Sprint(i)
		})
		id = report.Findings[1].ID
		want = append(want, store.Sighting{AssessmentID: report.ID, At: kept(noon().Add(time.Duration(i) * time.Hour)),
			Result: posture.Results()[i]})
	}
	saved(t, s, 3, otherAccount("elsewhere", 0))
	slices.Reverse(want)
	got, err := s.Sightings(t.Context(), id, 3)
	require.NoError(t, err)
	require.Equal(t, want[:3], got)
	got, err = s.Sightings(t.Context(), id, 100)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func assessmentCases() []testCase {
	cases := []testCase{
		{"save ends the job with its assessment", saveEndsJob},
		{"assessment comes back with every field, without findings", assessmentFields},
		{"assessment that is unknown is not found", assessmentUnknown},
		{"graph, paths and modifications come back as they were", assessmentGraph},
		{"assessment without a graph has an empty one", assessmentNoGraph},
		{"assessment whose findings are not spelled out", assessmentVerdicts},
		{"latest assessment by either account id", assessmentLatest},
		{"newest whole assessment", assessmentNewestWhole},
		{"assessments are filtered by each field and by all", assessmentsFiltered},
		{"finding states are kept over assessments", findingStates},
	}
	for _, n := range listSizes() {
		cases = append(cases, testCase{fmt.Sprintf("assessments in pages of 100 of %d while new ones come", n),
			func(t *testing.T, s store.Store) { assessmentPages(t, s, n) }})
	}
	return cases
}

func serviceCases() []testCase {
	return []testCase{
		{"ping and the name of the engine", servicePing},
		{"every method obeys a cancelled context", serviceCancelled},
		{"closed store gives errors, not panics", serviceClosed},
	}
}

func saveEndsJob(t *testing.T, s store.Store) {
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, 3))
	require.NoError(t, s.Save(t.Context(), in))
	got := job(t, s, row.ID)
	wantEnded(t, got, posture.JobSucceeded, in.Now)
	require.Equal(t, in.Assessment.ID, got.AssessmentID)
	fencedOut(t, s, row)
}

// stored returns an assessment as the store gives it back, without its findings.
func stored(a posture.Assessment) posture.Assessment {
	a.StartedAt, a.CompletedAt = kept(a.StartedAt), kept(a.CompletedAt)
	a.Findings = nil
	return a
}

func assessmentFields(t *testing.T, s store.Store) {
	want := saved(t, s, 3, func(in *store.SaveAssessment) { in.Assessment.Demo = true })
	got, err := s.Assessment(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, stored(want), got)
	rows, _, err := s.Assessments(t.Context(), store.AssessmentFilter{}, store.Page{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []posture.AssessmentSummary{stored(want).AssessmentSummary}, rows)
	latest, err := s.LatestAssessment(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, got, latest)
	for _, id := range []string{want.ID, ""} {
		ref, err := s.Pick(t.Context(), id, "")
		require.NoError(t, err)
		require.Equal(t, store.AssessmentRef{ID: want.ID, Account: want.Account.ID, CompletedAt: got.CompletedAt}, ref)
	}
}

func assessmentUnknown(t *testing.T, s store.Store) {
	saved(t, s, 1, nil)
	for _, id := range []string{"", newID(t), "\x00", "'"} {
		_, err := s.Assessment(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.Pick(t.Context(), id, "nobody")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, _, err = s.Findings(t.Context(), id, store.FindingFilter{}, store.Page{})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.CountFindings(t.Context(), id, store.FindingFilter{})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = store.Collect(s.Outcomes(t.Context(), id))
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.Graph(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.Paths(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.Modifications(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	_, err := s.LatestAssessment(t.Context(), "nobody")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Empty(t, knownStates(t, s, "nobody"))
}

// drawn makes a graph of n zones with a path and a modification for each.
func drawn(n int) (graph.Graph, []posture.AttackPath, []posture.Modification) {
	g := graph.Graph{Nodes: []graph.Node{{ID: "internet", Type: graph.Internet, Label: "Internet", Severity: graph.Clean,
		FindingIDs: []string{}, Properties: graph.Properties{}}}, Edges: []graph.Edge{}, Stats: graph.Stats{Nodes: n + 1, Edges: n,
		ByNodeType: map[string]int{graph.Zone: n}, ByEdgeType: map[string]int{graph.InternetTo: n},
		BySeverity: map[posture.Severity]int{posture.High: 1}}}
	paths, log := []posture.AttackPath{}, []posture.Modification{}
	for i := range n {
		id := fmt.Sprintf("zone:%d", i)
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Type: graph.Zone, Label: "\"é\x00.example", Severity: "high", FindingIDs: []string{"f"},
			Properties: graph.Properties{{Name: "paused", Value: false}, {Name: "plan", Value: "free"}, {Name: "weight", Value: 1.5}}})
		edge := posture.PathEdge{From: "internet", To: id, Type: graph.InternetTo}
		g.Edges = append(g.Edges, graph.Edge{From: edge.From, To: edge.To, Type: edge.Type})
		paths = append(paths, posture.AttackPath{ID: "ap:open:" + id, Kind: "open", Severity: posture.High, HopCount: 1,
			Nodes: []string{"internet", id}, Edges: []posture.PathEdge{edge}, RelatedCheckIDs: []string{"c"}, RemediableCheckIDs: []string{},
			FindingIDs: []string{"f"}, Breaks: []posture.Break{{Change: "Close it.", NodeID: id, CheckIDs: []string{"c"}, Remediable: true}}})
		log = append(log, posture.Modification{At: "2026-01-01T00:00:00Z", Action: "update", Actor: "a***@acme.example", Via: "dash",
			Product: "zones", ResourceID: "r", ZoneID: "z"})
	}
	return g, paths, log
}

func assessmentGraph(t *testing.T, s store.Store) {
	for _, n := range []int{0, 1, 500} { // the last is stored compressed
		g, paths, log := drawn(n)
		id := saved(t, s, 1, func(in *store.SaveAssessment) { in.Graph, in.Paths, in.Modifications = g, paths, log }).ID
		source, err := s.Graph(t.Context(), id)
		require.NoError(t, err)
		for range 2 {
			gotGraph, err := graph.Collect(source)
			require.NoError(t, err)
			require.Equal(t, g, gotGraph)
		}
		seq, err := s.Paths(t.Context(), id)
		require.NoError(t, err)
		for _, err := range seq {
			require.NoError(t, err)
			break // stopping early must work
		}
		gotPaths, err := store.Collect(seq)
		require.NoError(t, err)
		require.Equal(t, paths, gotPaths)
		gotLog, err := s.Modifications(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, log, gotLog)
	}
}

func assessmentNoGraph(t *testing.T, s store.Store) {
	id := saved(t, s, 1, nil).ID
	source, err := s.Graph(t.Context(), id)
	require.NoError(t, err)
	g, err := graph.Collect(source)
	require.NoError(t, err)
	require.Equal(t, graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{},
		Stats: graph.Stats{ByNodeType: map[string]int{}, ByEdgeType: map[string]int{}, BySeverity: map[posture.Severity]int{}}}, g)
	seq, err := s.Paths(t.Context(), id)
	require.NoError(t, err)
	paths, err := store.Collect(seq)
	require.NoError(t, err)
	require.Empty(t, paths)
}

// at saves an empty report of an account, completed some time after noon.
func at(t testing.TB, s store.Store, ours, provider string, after time.Duration, status posture.AssessmentStatus) string {
	t.Helper()
	return saved(t, s, 0, func(in *store.SaveAssessment) {
		in.AccountID, in.Assessment.Account.ID = ours, provider
		in.Assessment.CompletedAt, in.Assessment.Status = noon().Add(after), status
	}).ID
}

func assessmentLatest(t *testing.T, s store.Store) {
	_, err := s.LatestAssessment(t.Context(), "")
	require.ErrorIs(t, err, store.ErrNotFound)
	newest := at(t, s, "our-1", "provider-1", 3*time.Hour, posture.Completed)
	at(t, s, "our-1", "provider-1", time.Hour, posture.Completed) // saved later, completed earlier
	other := at(t, s, "", "provider-2", 2*time.Hour, posture.CompletedWithGaps)
	for account, want := range map[string]string{"": newest, "our-1": newest, "provider-1": newest, "provider-2": other} {
		got, err := s.LatestAssessment(t.Context(), account)
		require.NoError(t, err)
		require.Equal(t, want, got.ID, account)
		ref, err := s.Pick(t.Context(), "", account)
		require.NoError(t, err)
		require.Equal(t, store.AssessmentRef{ID: want, Account: got.Account.ID, CompletedAt: got.CompletedAt}, ref, account)
	}
	for _, id := range []string{"our-1", "our-2"} {
		a := anAccount(t, id)
		a.ID = id
		put(t, s, a, nil)
	}
	latest, err := s.LatestSummaries(t.Context(), []string{"our-1", "our-2", "our-3", ""})
	require.NoError(t, err)
	none, err := s.LatestSummaries(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	want, err := s.Assessment(t.Context(), newest)
	require.NoError(t, err)
	require.Equal(t, map[string]posture.AssessmentSummary{"our-1": want.AssessmentSummary}, latest)
}

func assessmentNewestWhole(t *testing.T, s store.Store) {
	_, err := s.NewestWhole(t.Context(), "")
	require.ErrorIs(t, err, store.ErrNotFound)
	run := func(account string, age int, whole bool) string {
		return saved(t, s, 1, func(in *store.SaveAssessment) {
			in.Assessment.Account.ID, in.Assessment.CompletedAt, in.Tally.Whole = account, noon().Add(-time.Duration(age)*time.Hour), whole
		}).ID
	}
	run("provider-1", 1, false)
	newest := run("provider-1", 2, true)
	run("provider-1", 3, true)
	other := run("provider-2", 4, true)
	for account, want := range map[string]string{"": newest, "provider-1": newest, "provider-2": other} {
		got, err := s.NewestWhole(t.Context(), account)
		require.NoError(t, err)
		require.Equal(t, want, got, account)
	}
	_, err = s.NewestWhole(t.Context(), "nobody")
	require.ErrorIs(t, err, store.ErrNotFound)
}

func assessmentsFiltered(t *testing.T, s store.Store) {
	a := at(t, s, "our-1", "provider-1", 1*time.Hour, posture.Completed)
	b := at(t, s, "our-1", "provider-1", 2*time.Hour, posture.CompletedWithGaps)
	c := at(t, s, "", "provider-2", 3*time.Hour, posture.Completed)
	after := func(h int) time.Time { return kept(noon().Add(time.Duration(h) * time.Hour)) }
	gaps := []posture.AssessmentStatus{posture.CompletedWithGaps}
	cases := []struct {
		name   string
		filter store.AssessmentFilter
		want   []string
	}{
		{"none", store.AssessmentFilter{}, []string{c, b, a}},
		{"our account", store.AssessmentFilter{Account: "our-1"}, []string{b, a}},
		{"provider account", store.AssessmentFilter{Account: "provider-2"}, []string{c}},
		{"status", store.AssessmentFilter{Status: gaps}, []string{b}},
		{"both status", store.AssessmentFilter{Status: append(gaps, posture.Completed)}, []string{c, b, a}},
		{"since is inclusive", store.AssessmentFilter{Since: after(2)}, []string{c, b}},
		{"until is exclusive", store.AssessmentFilter{Until: after(2)}, []string{a}},
		{"all", store.AssessmentFilter{Account: "provider-1", Status: gaps, Since: after(1), Until: after(3)}, []string{b}},
		{"nothing", store.AssessmentFilter{Account: "provider-2", Until: after(3)}, nil},
		{"newest of each", store.AssessmentFilter{Newest: true}, []string{c, b}},
		{"newest, of one account", store.AssessmentFilter{Newest: true, Account: "our-1"}, []string{b}},
		{"newest, narrowed", store.AssessmentFilter{Newest: true, Status: []posture.AssessmentStatus{posture.Completed}}, []string{c}},
	}
	for _, c := range cases {
		rows, next, err := s.Assessments(t.Context(), c.filter, store.Page{Limit: 10})
		require.NoError(t, err, c.name)
		require.Empty(t, next, c.name)
		var got []string
		for _, r := range rows {
			got = append(got, r.ID)
		}
		require.Equal(t, c.want, got, c.name)
	}
}

func assessmentPages(t *testing.T, s store.Store, n int) {
	want := make([]string, n)
	for i := range n {
		want[n-1-i] = at(t, s, "", providerAccount, time.Duration(i/10)*time.Second, posture.Completed)
	}
	got := pages(t, 100, func(p store.Page) ([]posture.AssessmentSummary, string, error) {
		return s.Assessments(t.Context(), store.AssessmentFilter{}, p)
	}, func() { at(t, s, "", providerAccount, time.Hour, posture.Completed) })
	require.Len(t, got, n)
	for i := range got {
		require.Equal(t, want[i], got[i].ID)
	}
}

func findingStates(t *testing.T, s store.Store) {
	first := saved(t, s, 5, nil)
	got := knownStates(t, s, providerAccount)
	require.Len(t, got, 5)
	for i, want := range states(first) {
		require.Equal(t, described(want, first.Findings[i]), got[want.FindingID])
	}
	later := posture.FindingState{FindingID: first.Findings[0].ID, Result: posture.Pass, Status: posture.StatusResolved,
		Resolution: posture.ResolutionFixed, Opened: true, FirstSeen: kept(noon()), LastSeen: kept(noon().Add(time.Hour))}
	saved(t, s, 1, func(in *store.SaveAssessment) {
		in.States = []posture.FindingState{{FindingID: later.FindingID, Result: posture.Fail}, later}
	})
	saved(t, s, 5, func(in *store.SaveAssessment) { in.Assessment.Account.ID = "another account" })
	got = knownStates(t, s, providerAccount)
	require.Len(t, got, 5, "what a later run did not see is still known")
	require.Equal(t, described(later, first.Findings[0]), got[later.FindingID])
}

// described is a state with what the store adds from its finding.
func described(s posture.FindingState, f posture.Finding) posture.KnownState {
	return posture.KnownState{FindingState: s, CheckID: f.CheckID, Severity: f.Severity,
		Resource: posture.Resource{Type: f.Resource.Type, ID: f.Resource.ID, ZoneID: f.Resource.ZoneID}}
}

func servicePing(t *testing.T, s store.Store) {
	require.NoError(t, s.Ping(t.Context()))
	require.Contains(t, []string{"sqlite", "postgres"}, s.Engine())
}

// everyCall calls each method of a store once and returns the error of each.
func everyCall(t testing.TB, ctx context.Context, s store.Store, row store.JobRow, report posture.Assessment) map[string]error {
	t.Helper()
	out := map[string]error{"Ping": s.Ping(ctx), "PutAccount": s.PutAccount(ctx, anAccount(t, "x"), nil),
		"DeleteAccount": s.DeleteAccount(ctx, ourAccount, noon()), "SetProgress": s.SetProgress(ctx, row.ID, row.Attempt, posture.Progress{}),
		"Release":     s.Release(ctx, row.ID, row.Attempt, noon()),
		"Finish":      s.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, nil, noon()),
		"PutSections": s.PutSections(ctx, row.ID, row.Attempt, sectionsOf(1)), "DropSections": s.DropSections(ctx, row.ID, row.Attempt),
		"Save": s.Save(ctx, saveOf(row, assessment(t, row.ID, 10)))}
	_, out["Account"] = s.Account(ctx, "x")
	_, out["DefaultAccount"] = s.DefaultAccount(ctx)
	_, out["Accounts"] = s.Accounts(ctx)
	_, out["SealedToken"] = s.SealedToken(ctx, "x")
	_, out["Enqueue"] = s.Enqueue(ctx, newJob(t))
	_, out["ObjectOf"] = s.ObjectOf(ctx, store.Idempotency{Key: "k"}, "x", noon())
	_, out["Claim"] = s.Claim(ctx, row.ID, "w", noon().Add(time.Hour), lease)
	_, out["Renew"] = s.Renew(ctx, row.ID, row.Attempt, noon(), lease)
	_, out["RequestCancel"] = s.RequestCancel(ctx, row.ID, noon())
	out["Recover"] = s.Recover(ctx, noon().Add(time.Hour))
	_, out["Due"] = s.Due(ctx, "interactive", noon(), 1)
	out["Retry"] = s.Retry(ctx, row.ID, row.Attempt, noon())
	_, out["Orphans"] = s.Orphans(ctx, noon())
	_, out["Job"] = s.Job(ctx, row.ID)
	_, _, out["Jobs"] = s.Jobs(ctx, store.JobFilter{}, store.Page{Limit: 1})
	_, out["Waiting"] = s.Waiting(ctx, noon())
	_, out["CountKinds"] = s.CountKinds(ctx)
	_, out["Sections"] = s.Sections(ctx, row.ID)
	_, out["EachSection"] = store.Collect(s.EachSection(ctx, row.ID))
	_, out["Assessment"] = s.Assessment(ctx, report.ID)
	_, out["LatestAssessment"] = s.LatestAssessment(ctx, "")
	_, out["LatestSummaries"] = s.LatestSummaries(ctx, []string{"a"})
	_, out["Pick"] = s.Pick(ctx, report.ID, "")
	_, _, out["Assessments"] = s.Assessments(ctx, store.AssessmentFilter{}, store.Page{Limit: 1})
	_, _, out["Findings"] = s.Findings(ctx, report.ID, store.FindingFilter{}, store.Page{Limit: 1})
	_, _, out["OpenDelivery"] = s.OpenDelivery(ctx, deliveryOf(row, "search"), row.Attempt)
	out["MarkDelivery"] = s.MarkDelivery(ctx, deliveryOf(row, "search"), row.Attempt, nil)
	_, _, out["AdoptDelivery"] = s.AdoptDelivery(ctx, "d", row.ID, row.Attempt)
	_, out["Delivery"] = s.Delivery(ctx, "d")
	_, _, out["Deliveries"] = s.Deliveries(ctx, store.DeliveryFilter{}, store.Page{Limit: 1})
	out["KeepPlan"] = s.KeepPlan(ctx, planOf(t, 0))
	_, out["Plan"] = s.Plan(ctx, "p")
	out["KeepBundle"] = s.KeepBundle(ctx, bundleOf(t, row.ID, providerAccount, 0), row.ID, row.Attempt)
	_, out["Bundle"] = s.Bundle(ctx, "b")
	_, out["BundleOfJob"] = s.BundleOfJob(ctx, row.ID)
	_, _, out["Bundles"] = s.Bundles(ctx, nil, store.Page{Limit: 1})
	_, out["ChangeAccount"] = s.ChangeAccount(ctx, "a", store.AccountChange{}, noon())
	_, out["Graph"] = s.Graph(ctx, report.ID)
	_, out["Paths"] = s.Paths(ctx, report.ID)
	_, out["Modifications"] = s.Modifications(ctx, report.ID)
	_, out["Outcomes"] = store.Collect(s.Outcomes(ctx, report.ID))
	_, out["CountFindings"] = s.CountFindings(ctx, report.ID, store.FindingFilter{})
	out["FindingStates"] = s.FindingStates(ctx, providerAccount, func(posture.KnownState) {})
	_, _, out["LatestFindings"] = s.LatestFindings(ctx, store.LatestFilter{}, store.Page{Limit: 1})
	_, out["LatestFinding"] = s.LatestFinding(ctx, report.Findings[0].ID, noon())
	_, out["CountLatest"] = s.CountLatest(ctx, store.LatestFilter{})
	_, _, out["AddException"] = s.AddException(ctx, anException(t, posture.ExceptionMatch{Pattern: "x"}, 0), "", "")
	_, _, out["AddExceptions"] = s.AddExceptions(ctx, []posture.Exception{anException(t, posture.ExceptionMatch{Pattern: "x"}, 0)}, "", "",
		noon())
	out["RevokeException"] = s.RevokeException(ctx, "e", noon())
	_, _, out["Exceptions"] = s.Exceptions(ctx, noon(), store.Page{})
	_, out["ActiveExceptions"] = s.ActiveExceptions(ctx, noon())
	out["AddSession"] = s.AddSession(ctx, aSession(t, noon()), nil, 100)
	out["AddSessionBeside"] = s.AddSessionBeside(ctx, aSession(t, noon()), "s", 100)
	_, out["SessionBySecret"] = s.SessionBySecret(ctx, []byte("hash"))
	out["UseSession"] = s.UseSession(ctx, aSession(t, noon()), noon(), noon())
	_, out["Sessions"] = s.Sessions(ctx)
	out["EndSession"] = s.EndSession(ctx, "s")
	out["EndSessionsOf"] = s.EndSessionsOf(ctx, "u")
	_, _, out["CountUsers"] = s.CountUsers(ctx)
	_, out["AddView"] = s.AddView(ctx, aView(t, "issues", "v", ""), 200)
	_, out["Views"] = s.Views(ctx)
	out["DeleteView"] = s.DeleteView(ctx, "v")
	_, out["Sightings"] = s.Sightings(ctx, report.Findings[0].ID, 1)
	return out
}

func serviceCancelled(t *testing.T, s store.Store) {
	row, report := running(t, s), saved(t, s, 3, nil)
	require.NoError(t, s.PutSections(t.Context(), row.ID, row.Attempt, sectionsOf(1)))
	want, before := job(t, s, row.ID), sections(t, s, row.ID)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range everyCall(t, ctx, s, row, report) {
		require.ErrorIs(t, err, context.Canceled, name)
	}
	require.Equal(t, want, job(t, s, row.ID))
	require.Equal(t, before, sections(t, s, row.ID))
}

func serviceClosed(t *testing.T, s store.Store) {
	row, report := running(t, s), saved(t, s, 3, nil)
	require.NoError(t, s.Close())
	for name, err := range everyCall(t, t.Context(), s, row, report) {
		require.Error(t, err, name)
	}
}

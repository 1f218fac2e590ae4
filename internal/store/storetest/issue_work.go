package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func issueWorkCases() []testCase {
	return []testCase{
		{"what is decided about an issue is kept until somebody changes it", decisionsKept},
		{"of two who decide at once one is told", decisionsAtOnce},
		{"comments are kept, also of an issue of which nothing else is", commentsKept},
		{"a run resolves an issue and finds it again, and notes it once", issuesSettled},
		{"what cannot be read resolves nothing", issuesUnknown},
		{"what lies outside of a run stays as it is", issuesElsewhere},
		{"rules of ownership are replaced by who has read them", ownershipKept},
	}
}

func anIssue(account, check string) issue.Issue {
	return issue.Issue{ID: issue.ID(account, check), AccountID: account, CheckID: check, Title: "Öffentlich's \"title\"",
		Severity: posture.High, Category: posture.Categories()[0], FirstSeen: kept(noon().AddDate(0, 0, -3))}
}

func decideOn(t testing.TB, s store.Store, w store.IssueWork, happened ...store.IssueEvent) store.IssueWork {
	t.Helper()
	got, err := s.ChangeIssue(t.Context(), w, happened)
	require.NoError(t, err)
	return got
}

func workOf(t testing.TB, s store.Store, id string) store.IssueWork {
	t.Helper()
	w, err := s.IssueWork(t.Context(), id)
	require.NoError(t, err)
	return w
}

func eventsOf(t testing.TB, s store.Store, id string) []store.IssueEvent {
	t.Helper()
	all, err := s.IssueEvents(t.Context(), id, 200)
	require.NoError(t, err)
	for i := range all {
		require.NotEmpty(t, all[i].ID)
		all[i].ID = ""
	}
	return all
}

func decisionsKept(t *testing.T, s store.Store) {
	w := store.IssueWork{Issue: anIssue("acc", "A"), UpdatedAt: kept(noon()), Decision: issue.Decision{State: issue.Acknowledged,
		Owner: strings.Repeat("Ж", 200), Assignee: "ann's", Due: "2026-11-01"}}
	for _, id := range []string{w.Issue.ID, "", "\x00", "'"} {
		_, err := s.IssueWork(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Empty(t, eventsOf(t, s, id))
	}
	e := store.IssueEvent{At: kept(noon()), Actor: "key:12345678", Kind: store.IssueOwner, To: w.Owner}
	got := decideOn(t, s, w, e)
	w.Revision = 1
	require.Equal(t, w, got)
	require.Equal(t, w, workOf(t, s, w.Issue.ID))
	_, err := s.ChangeIssue(t.Context(), store.IssueWork{Issue: w.Issue}, []store.IssueEvent{e})
	require.ErrorIs(t, err, store.ErrChanged)
	w.Owner, w.Due, w.State = "", "", issue.InProgress
	then := store.IssueEvent{At: kept(noon().Add(time.Hour)), Actor: "local", Kind: store.IssueState, From: "acknowledged", To: "in_progress"}
	require.EqualValues(t, 2, decideOn(t, s, w, then).Revision)
	_, err = s.ChangeIssue(t.Context(), w, []store.IssueEvent{e})
	require.ErrorIs(t, err, store.ErrChanged)
	require.Equal(t, []store.IssueEvent{then, e}, eventsOf(t, s, w.Issue.ID), "what was refused did not happen")
	one, err := s.IssueEvents(t.Context(), w.Issue.ID, 1)
	require.NoError(t, err)
	require.Len(t, one, 1)
}

func decisionsAtOnce(t *testing.T, s store.Store) {
	w := store.IssueWork{Issue: anIssue("acc", "A"), Decision: issue.Decision{State: issue.Open}}
	for n := range 3 {
		w.Revision = int64(n)
		_, errs := together(8, func(i int) (store.IssueWork, error) {
			mine := w
			mine.Owner = fmt.Sprint(i)
			return s.ChangeIssue(t.Context(), mine, []store.IssueEvent{{Kind: store.IssueOwner, To: mine.Owner}})
		})
		require.Equal(t, 1, tally(t, errs, store.ErrChanged))
		require.Equal(t, workOf(t, s, w.Issue.ID).Owner, eventsOf(t, s, w.Issue.ID)[0].To)
	}
}

func commentsKept(t *testing.T, s store.Store) {
	w := store.IssueWork{Issue: anIssue("acc", "A"), Decision: issue.Decision{State: issue.Open}}
	e := store.IssueEvent{At: kept(noon()), Actor: "local", Kind: store.IssueCommented, Text: strings.Repeat("Ж\n", 5000)}
	_, errs := together(4, func(int) (store.IssueEvent, error) { return s.Comment(t.Context(), w, e, store.Idempotency{}) })
	require.Equal(t, 4, tally(t, errs, nil))
	require.Equal(t, []store.IssueEvent{e, e, e, e}, eventsOf(t, s, w.Issue.ID))
	there := workOf(t, s, w.Issue.ID)
	require.EqualValues(t, 1, there.Revision)
	there.Owner = "ann"
	there = decideOn(t, s, there)
	_, err := s.Comment(t.Context(), w, e, store.Idempotency{})
	require.NoError(t, err)
	require.Equal(t, there, workOf(t, s, w.Issue.ID), "a comment decides nothing")

	// Twins with a key add one event, whichever API they came to.
	key := store.Idempotency{Key: "k", Route: "POST /comments", BodyHash: "hash"}
	before := len(eventsOf(t, s, w.Issue.ID))
	made, errs := together(16, func(int) (store.IssueEvent, error) { return s.Comment(t.Context(), w, e, key) })
	require.Equal(t, 16, tally(t, errs, nil))
	for _, got := range made {
		require.Equal(t, made[0], got)
	}
	require.Len(t, eventsOf(t, s, w.Issue.ID), before+1)
	key.BodyHash = "other"
	_, err = s.Comment(t.Context(), w, e, key)
	require.ErrorIs(t, err, store.ErrIdempotencyConflict)
}

// runOf saves a run of an account in which one check has the given results, each on its own resource,
// with matching states.
func runOf(t testing.TB, s store.Store, account string, at time.Time, results ...posture.Result) posture.Assessment {
	t.Helper()
	return saved(t, s, len(results), func(in *store.SaveAssessment) {
		in.Assessment.Account.ID, in.Assessment.StartedAt, in.Assessment.CompletedAt, in.Now = account, at, at, at
		for i := range in.Assessment.Findings {
			f := &in.Assessment.Findings[i]
			f.CheckID, f.Result, f.Status, f.Exception = "A", results[i], posture.StatusOpen, nil
			if results[i] == posture.Pass {
				f.Status = posture.StatusResolved
			}
			f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, f.Resource.ID)
		}
		in.States = states(in.Assessment)
		for i := range in.States {
			in.States[i].Opened = true
		}
	})
}

func issuesSettled(t *testing.T, s store.Store) {
	at := kept(noon())
	runOf(t, s, "acc", at, posture.Fail, posture.Pass)
	w := decideOn(t, s, store.IssueWork{Issue: anIssue("acc", "A"), Decision: issue.Decision{State: issue.InProgress, Owner: "ann"}})
	other := decideOn(t, s, store.IssueWork{Issue: anIssue("another", "A"), Decision: issue.Decision{State: issue.InProgress}})
	runOf(t, s, "acc", at.Add(time.Hour), posture.Warning, posture.Pass)
	require.Equal(t, w, workOf(t, s, w.Issue.ID))

	last := runOf(t, s, "acc", at.Add(2*time.Hour), posture.Pass, posture.Pass)
	resolved := store.IssueEvent{At: at.Add(2 * time.Hour), Actor: store.ByRun, Kind: store.IssueState, From: "in_progress", To: "resolved",
		AssessmentID: last.ID}
	for _, then := range []time.Duration{3 * time.Hour, 4 * time.Hour} {
		require.Equal(t, []store.IssueEvent{resolved}, eventsOf(t, s, w.Issue.ID))
		got := workOf(t, s, w.Issue.ID)
		require.Equal(t, issue.Decision{State: issue.Resolved, Owner: "ann"}, got.Decision)
		require.EqualValues(t, 2, got.Revision)
		all, err := s.LatestIssues(t.Context(), store.IssueScope{Accounts: []string{"acc"}}, at)
		require.NoError(t, err)
		require.Equal(t, []issue.Issue{got.Gone(1)}, all)
		runOf(t, s, "acc", at.Add(then), posture.Pass, posture.Pass)
	}

	var runs []string
	for _, then := range []time.Duration{5 * time.Hour, 6 * time.Hour} {
		runs = append(runs, runOf(t, s, "acc", at.Add(then), posture.Pass, posture.Fail).ID)
	}
	require.Equal(t, []store.IssueEvent{{At: at.Add(5 * time.Hour), Actor: store.ByRun, Kind: store.IssueState, From: "resolved", To: "open",
		AssessmentID: runs[0]}, resolved}, eventsOf(t, s, w.Issue.ID))
	require.Equal(t, issue.Open, workOf(t, s, w.Issue.ID).State)
	_, err := s.ChangeIssue(t.Context(), w, nil)
	require.ErrorIs(t, err, store.ErrChanged, "a run changed it")
	require.Equal(t, other, workOf(t, s, other.Issue.ID))

	// A run that began earlier does not affect what a later one decided.
	runOf(t, s, "acc", at, posture.Pass, posture.Pass)
	require.Equal(t, issue.Open, workOf(t, s, w.Issue.ID).State)
	require.Empty(t, eventsOf(t, s, issue.ID("acc", "B")))
}

func issuesUnknown(t *testing.T, s store.Store) {
	runOf(t, s, "acc", noon(), posture.Fail)
	w := decideOn(t, s, store.IssueWork{Issue: anIssue("acc", "A"), Decision: issue.Decision{State: issue.Acknowledged}})
	runOf(t, s, "acc", noon().Add(time.Hour), posture.Unknown)
	require.Equal(t, w, workOf(t, s, w.Issue.ID))
	runOf(t, s, "acc", noon().Add(2*time.Hour), posture.Pass)
	runOf(t, s, "acc", noon().Add(3*time.Hour), posture.Unknown)
	require.Equal(t, issue.Resolved, workOf(t, s, w.Issue.ID).State)
}

func issuesElsewhere(t *testing.T, s store.Store) {
	runOf(t, s, "acc", noon(), posture.Pass, posture.Fail)
	w := decideOn(t, s, store.IssueWork{Issue: anIssue("acc", "A"), Decision: issue.Decision{State: issue.Acknowledged}})
	runOf(t, s, "acc", noon().Add(time.Hour), posture.Pass)
	require.Equal(t, w, workOf(t, s, w.Issue.ID))
}

func ownershipKept(t *testing.T, s store.Store) {
	o, revision, err := s.Ownership(t.Context())
	require.NoError(t, err)
	require.Equal(t, issue.DefaultOwnership(), o)
	require.Zero(t, revision)
	o = issue.Ownership{Rules: []issue.Rule{{Owner: "Öffentlich", Zone: "*.example"}, {Owner: "b", Severity: posture.Low}},
		SLA: issue.SLA{Low: 1}}
	_, errs := together(4, func(int) (int, error) { return 0, s.SetOwnership(t.Context(), o, 0) })
	require.Equal(t, 1, tally(t, errs, store.ErrChanged))
	got, revision, err := s.Ownership(t.Context())
	require.NoError(t, err)
	require.Equal(t, o, got)
	require.EqualValues(t, 1, revision)
}

// decide makes a random decision about one issue or about all of them.
func decide(t *testing.T, s store.Store, r *rand.Rand, at time.Time, decided map[string]bool) {
	t.Helper()
	if r.IntN(4) == 0 {
		registered := anAccount(t, "one")
		registered.ProviderID = "one"
		all, err := s.Accounts(t.Context())
		require.NoError(t, err)
		if len(all) == 0 {
			require.NoError(t, s.PutAccount(t.Context(), registered, nil))
			return
		}
		labels := [][]string{{}, {"production"}, {"staging", "production"}}[r.IntN(3)]
		_, err = s.ChangeAccount(t.Context(), all[0].ID, store.AccountChange{Labels: &labels}, at)
		require.NoError(t, err)
		return
	}
	if r.IntN(3) == 0 {
		_, revision, err := s.Ownership(t.Context())
		require.NoError(t, err)
		o := issue.Ownership{SLA: issue.SLA{High: r.IntN(40), Low: r.IntN(40)}, Rules: []issue.Rule{
			{Owner: "zone", Zone: fmt.Sprintf("zone%02d*", r.IntN(20))},
			{Owner: "live", Label: "production"}, {Owner: "two", Account: "two", Severity: posture.Severities()[r.IntN(5)]}}}
		require.NoError(t, s.SetOwnership(t.Context(), o, revision))
		return
	}
	check, _, _, _ := checkTexts(r.IntN(12))
	one := anIssue([]string{"one", "two", "three"}[r.IntN(3)], check)
	w := store.IssueWork{Issue: one}
	if decided[one.ID] {
		w = workOf(t, s, one.ID)
	}
	w.Decision = issue.Decision{State: issue.States()[r.IntN(3)], Owner: []string{"", "ann"}[r.IntN(2)],
		Due: []string{"", kept(at).AddDate(0, 0, r.IntN(5)-2).Format(time.DateOnly)}[r.IntN(2)]}
	decideOn(t, s, w)
	decided[one.ID] = true
}

// decisions reads the decisions issue by issue, and which of them are resolved.
func decisions(t *testing.T, s store.Store, at time.Time, decided map[string]bool) (d issue.Decisions, gone []store.IssueWork) {
	t.Helper()
	d = issue.Decisions{Of: map[string]issue.Decision{}, Today: at.UTC().Format(time.DateOnly)}
	d.Ownership, _, _ = s.Ownership(t.Context())
	d.Labels = map[string][]string{}
	registered, err := s.Accounts(t.Context())
	require.NoError(t, err)
	for _, a := range registered {
		d.Labels[a.ProviderID] = a.Labels
	}
	for id := range decided {
		w := workOf(t, s, id)
		if d.Of[id] = w.Decision; w.State == issue.Resolved {
			gone = append(gone, w)
		}
	}
	slices.SortFunc(gone, func(a, b store.IssueWork) int { return strings.Compare(a.Issue.ID, b.Issue.ID) })
	return d, gone
}

func behind(all []issue.Issue, gone []store.IssueWork, accounts []string) []issue.Issue {
	for _, w := range gone {
		if (len(accounts) == 0 || slices.Contains(accounts, w.Issue.AccountID)) &&
			!slices.ContainsFunc(all, func(i issue.Issue) bool { return i.ID == w.Issue.ID }) {
			all = append(all, w.Gone(len(all)+1))
		}
	}
	return all
}

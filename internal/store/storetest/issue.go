package storetest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Issues checks that the issues always match the sums of their findings, whatever changes the findings
// and in whichever process. Two stores on one database take turns.
func Issues(t *testing.T, o Opener) {
	place := o.Place(t)
	session(t, o, place, func(a store.Store) {
		session(t, o, place, func(b store.Store) {
			random := rand.New(rand.NewPCG(7, 7))
			stores := [2]store.Store{a, b}
			var runs []string
			var exceptions []posture.Exception
			clock, decided := noon(), map[string]bool{}
			for step := range 40 {
				s := stores[random.IntN(2)]
				switch kind := random.IntN(8); {
				case kind == 0 && len(exceptions) > 0:
					require.NoError(t, s.RevokeException(t.Context(), exceptions[random.IntN(len(exceptions))].ID, clock))
				case kind == 1:
					clock = clock.AddDate(0, 0, 1) // exceptions expire
				case kind < 4 && step > 3:
					e := anException(t, anyMatch(random), 1+random.IntN(4))
					e.CreatedAt = kept(clock)
					exceptions = append(exceptions, add(t, s, e))
				case kind >= 6 && step > 3:
					decide(t, s, random, clock, decided)
				default:
					runs = append(runs, anyRun(t, s, random, clock).ID)
				}
				for _, s := range stores {
					sameIssues(t, s, random, runs, clock, decided)
				}
			}
			require.NotEmpty(t, exceptions)
			_, err := a.RunIssues(t.Context(), "no such", store.IssueScope{}, clock)
			require.ErrorIs(t, err, store.ErrNotFound)
		})
	})
}

func anyMatch(r *rand.Rand) posture.ExceptionMatch {
	if r.IntN(2) == 0 {
		return posture.ExceptionMatch{Severities: []posture.Severity{posture.Severities()[r.IntN(5)]}}
	}
	id, _, _, _ := checkTexts(r.IntN(12))
	return posture.ExceptionMatch{CheckIDs: []string{id}}
}

// anyRun saves a run of one of three accounts whose findings vary in every field that issues use.
func anyRun(t *testing.T, s store.Store, r *rand.Rand, at time.Time) posture.Assessment {
	t.Helper()
	account := []string{"one", "two", "three"}[r.IntN(3)]
	return saved(t, s, 60, func(in *store.SaveAssessment) {
		in.Assessment.Account.ID, in.Assessment.StartedAt, in.Assessment.CompletedAt, in.Now = account, at, at.Add(time.Minute), at
		for i := range in.Assessment.Findings {
			f := &in.Assessment.Findings[i]
			check := r.IntN(12)
			f.CheckID, f.CheckTitle, f.Why, f.Fix = checkTexts(check)
			f.Words, f.Category, f.Severity = checkWords(check), posture.Categories()[check%4], posture.Severities()[(check+r.IntN(2))%5]
			f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, f.Resource.ID)
			f.Result, f.Remediable, f.Risk, f.Exception = posture.Results()[r.IntN(5)], r.IntN(3) > 0, float64(r.IntN(4)), nil
			f.FirstSeen, f.AttackPathIDs = kept(at.AddDate(0, 0, -r.IntN(30))), nil
			for range r.IntN(3) {
				f.AttackPathIDs = append(f.AttackPathIDs, fmt.Sprint("path-", r.IntN(5)))
			}
			if by := "exception"; r.IntN(4) == 0 {
				f.Exception = &by
			}
			*f = f.Worded()
		}
		in.States = states(in.Assessment)
	})
}

// sameIssues compares the issues with sums computed from the lists of findings.
func sameIssues(t *testing.T, s store.Store, r *rand.Rand, runs []string, at time.Time, decided map[string]bool) {
	t.Helper()
	d, gone := decisions(t, s, at, decided)
	zone := fmt.Sprintf("zone-%02d", r.IntN(20))
	for _, of := range []store.IssueScope{{}, {Accounts: []string{"two"}}, {Accounts: []string{"one", "three", "none"}},
		{Zones: []string{zone}},
		{Zones: []string{"zone03.example", zone}, Accounts: []string{"one"}}, {Zones: []string{"nowhere"}}} {
		bad := store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning}, Zones: of.Zones}
		f := store.LatestFilter{FindingFilter: bad, Accounts: of.Accounts, Now: at,
			Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}}
		ofLatest := func(f store.LatestFinding) (string, posture.Finding) { return f.AccountID, f.Finding }
		want := sumOf(t, store.EachLatest(t.Context(), s, f), ofLatest)
		if f.Zones = nil; len(of.Zones) > 0 {
			want = issue.Share(want, d.Over(sumOf(t, store.EachLatest(t.Context(), s, f), ofLatest)))
		} else {
			want = behind(d.Over(want), gone, of.Accounts)
		}
		got, err := s.LatestIssues(t.Context(), of, at)
		require.NoError(t, err)
		require.Equal(t, want, got, "%+v", of)
		if len(runs) == 0 {
			continue
		}
		id := runs[r.IntN(len(runs))]
		a, err := s.Assessment(t.Context(), id)
		require.NoError(t, err)
		ofRun := func(f posture.Finding) (string, posture.Finding) { return a.Account.ID, f }
		want = sumOf(t, store.Each(t.Context(), s, id, bad), ofRun)
		if bad.Zones = nil; len(of.Zones) > 0 {
			want = issue.Share(want, d.Over(sumOf(t, store.Each(t.Context(), s, id, bad), ofRun)))
		} else {
			want = d.Over(want)
		}
		got, err = s.RunIssues(t.Context(), id, of, at)
		require.NoError(t, err)
		require.Equal(t, want, got, "run %+v", of)
	}
}

func sumOf[T any](t *testing.T, all iter.Seq2[T, error], of func(T) (string, posture.Finding)) []issue.Issue {
	t.Helper()
	var sum issue.Sum
	for one, err := range all {
		require.NoError(t, err)
		sum.Add(of(one))
	}
	return sum.Issues()
}

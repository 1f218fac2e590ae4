package storetest

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func ids(rows []store.JobRow) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func listCases() []testCase {
	cases := []testCase{
		{"operations are told with how they ended", observed},
		{"jobs are filtered by each field and by all", jobsFiltered},
		{"jobs of one instant are ordered by id", jobsSameInstant},
		{"jobs unknown is not found", jobUnknown},
		{"jobs are counted by state", jobsCounted},
		{"cursor that no list gave is a problem of the query", cursorRefused},
	}
	for _, n := range listSizes() {
		cases = append(cases,
			testCase{fmt.Sprintf("jobs in pages of 100 of %d while new ones come", n), func(t *testing.T, s store.Store) { jobPages(t, s, n) }})
	}
	return cases
}

// listSizes are the lengths of lists that are read in pages of 100.
func listSizes() []int {
	if testing.Short() {
		return []int{0, 1, 100, 101}
	}
	return []int{0, 1, 100, 101, 1000}
}

// pages reads a list to its end, calling between after each page.
func pages[T any](t testing.TB, limit int, list func(store.Page) ([]T, string, error), between func()) []T {
	t.Helper()
	var all []T
	cursor := ""
	for {
		rows, next, err := list(store.Page{Limit: limit, Cursor: cursor})
		require.NoError(t, err)
		if limit > 0 {
			require.LessOrEqual(t, len(rows), limit)
		}
		all = append(all, rows...)
		if next == "" {
			return all
		}
		require.Len(t, rows, limit, "only the last page is short")
		cursor = next
		between()
	}
}

func jobPages(t *testing.T, s store.Store, n int) {
	var want []string
	for i := range n {
		// Ten jobs share each instant.
		row := enqueue(t, s, with(newJob(t), func(j *store.NewJob) { j.CreatedAt = noon().Add(time.Duration(i/10) * time.Second) }))
		want = append(want, row.ID)
	}
	slices.Reverse(want) // ids of version 7 rise with time
	list := func(p store.Page) ([]store.JobRow, string, error) { return s.Jobs(t.Context(), store.JobFilter{}, p) }
	got := pages(t, 100, list, func() {
		enqueue(t, s, with(newJob(t), func(j *store.NewJob) { j.CreatedAt = noon().Add(time.Hour) }))
	})
	require.Equal(t, want, append([]string(nil), ids(got)...))
	all := pages(t, 0, list, func() { t.Error("a limit of 0 gives all at once") })
	require.GreaterOrEqual(t, len(all), n)
}

func jobsFiltered(t *testing.T, s store.Store) {
	add := func(account string, kind posture.JobKind) string {
		return enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.Account, n.Kind = account, kind })).ID
	}
	a, b, c, d := add("x", posture.JobAssess), add("x", posture.JobShip), add("y", posture.JobAssess), add("y", posture.JobNotify)
	claim(t, s, a, noon())
	claim(t, s, d, noon())
	require.NoError(t, s.Finish(t.Context(), d, 1, posture.JobFailed, nil, nil, noon()))
	cases := []struct {
		name   string
		filter store.JobFilter
		want   []string
	}{
		{"none", store.JobFilter{}, []string{d, c, b, a}},
		{"account", store.JobFilter{Account: "x"}, []string{b, a}},
		{"kind", store.JobFilter{Kinds: []posture.JobKind{posture.JobAssess}}, []string{c, a}},
		{"kinds", store.JobFilter{Kinds: []posture.JobKind{posture.JobNotify, posture.JobShip}}, []string{d, b}},
		{"state", store.JobFilter{States: []posture.JobState{posture.JobQueued}}, []string{c, b}},
		{"states", store.JobFilter{States: []posture.JobState{posture.JobRunning, posture.JobFailed}}, []string{d, a}},
		{"all", store.JobFilter{Account: "y", Kinds: []posture.JobKind{posture.JobAssess}, States: []posture.JobState{posture.JobQueued}},
			[]string{c}},
		{"nothing", store.JobFilter{Account: "x", States: []posture.JobState{posture.JobFailed}}, []string{}},
		{"hostile", store.JobFilter{Account: "x' OR '1'='1", Kinds: []posture.JobKind{"\x00", "')--"}}, []string{}},
	}
	for _, c := range cases {
		rows, next, err := s.Jobs(t.Context(), c.filter, store.Page{Limit: 10})
		require.NoError(t, err, c.name)
		require.Empty(t, next, c.name)
		require.Equal(t, c.want, ids(rows), c.name)
	}
}

func jobsSameInstant(t *testing.T, s store.Store) {
	var want []string
	for range 25 {
		want = append(want, enqueue(t, s, newJob(t)).ID)
	}
	slices.Reverse(want)
	got := pages(t, 4, func(p store.Page) ([]store.JobRow, string, error) {
		return s.Jobs(t.Context(), store.JobFilter{}, p)
	}, func() {})
	require.Equal(t, want, ids(got))
}

func jobUnknown(t *testing.T, s store.Store) {
	for _, id := range []string{"", newID(t), "\x00", "\xff\xfe", "'"} {
		_, err := s.Job(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
}

// jobStates counts the jobs in each state.
func jobStates(t testing.TB, s store.Store) map[posture.JobState]int {
	t.Helper()
	kinds, err := s.CountKinds(t.Context())
	require.NoError(t, err)
	out := map[posture.JobState]int{}
	for _, states := range kinds {
		for state, n := range states {
			out[state] += n
		}
	}
	return out
}

func jobsCounted(t *testing.T, s store.Store) {
	counts := jobStates(t, s)
	require.Empty(t, counts)
	enqueue(t, s, newJob(t))
	enqueue(t, s, newJob(t))
	running(t, s)
	row := running(t, s)
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobSucceeded, nil, nil, noon()))
	counts = jobStates(t, s)
	require.Equal(t, map[posture.JobState]int{posture.JobQueued: 2, posture.JobRunning: 1, posture.JobSucceeded: 1}, counts)
	enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.Kind = posture.JobShip }))
	kinds, err := s.CountKinds(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[posture.JobKind]map[posture.JobState]int{posture.JobAssess: counts, posture.JobShip: {posture.JobQueued: 1}}, kinds)
}

func observed(t *testing.T, s store.Store) {
	var began []string
	var ended []error
	s.Observe(func(_ context.Context, operation string) func(error) {
		began = append(began, operation)
		return func(err error) { ended = append(ended, err) }
	})
	_, err := s.Job(t.Context(), "nobody")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Recover(t.Context(), noon()), "no lease has ended")
	require.NoError(t, s.Ping(t.Context()))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	err = s.Ping(gone)
	require.Error(t, err)
	require.Len(t, began, 4)
	require.Equal(t, []error{nil, nil, nil, err}, ended)
	require.NotEmpty(t, s.Stats()["writer"].OpenConnections)
}

func cursorRefused(t *testing.T, s store.Store) {
	enqueue(t, s, newJob(t))
	enqueue(t, s, newJob(t))
	report := saved(t, s, 3, nil)
	_, ofJobs, err := s.Jobs(t.Context(), store.JobFilter{}, store.Page{Limit: 1})
	require.NoError(t, err)
	_, ofFindings, err := s.Findings(t.Context(), report.ID, store.FindingFilter{}, store.Page{Limit: 1})
	require.NoError(t, err)
	lists := map[string]func(store.Page) error{
		"jobs": func(p store.Page) error { _, _, err := s.Jobs(t.Context(), store.JobFilter{}, p); return err },
		"assessments": func(p store.Page) error {
			_, _, err := s.Assessments(t.Context(), store.AssessmentFilter{}, p)
			return err
		},
		"findings": func(p store.Page) error {
			_, _, err := s.Findings(t.Context(), report.ID, store.FindingFilter{}, p)
			return err
		},
	}
	code := base64.RawURLEncoding.EncodeToString
	bad := []string{"x", "%", "====", " ", "\x00", code([]byte("j")), code([]byte("j.1")), code([]byte("j.x.id")), code([]byte("f.01.")),
		code([]byte("f.+1.")), code([]byte("a.99999999999999999999.x")), code([]byte("j.1.\x00")), strings.Repeat("A", 10000)}
	for name, list := range lists {
		wrong := bad
		if name != "jobs" {
			wrong = append(slices.Clone(bad), ofJobs, ofJobs+"=")
		}
		if name != "findings" {
			wrong = append(slices.Clone(wrong), ofFindings)
		}
		for _, cursor := range wrong {
			var problem *posture.Problem
			require.ErrorAs(t, list(store.Page{Limit: 1, Cursor: cursor}), &problem, "%s %q", name, cursor)
			require.Equal(t, posture.CodeInvalid, problem.Code)
			require.Equal(t, "query.cursor", problem.Errors[0].Location)
		}
	}
}

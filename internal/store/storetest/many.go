package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// manyAccounts compares lists restricted to some of 100 accounts with the complete list reduced to
// those accounts.
func manyAccounts(t *testing.T, s store.Store) {
	const accounts = 100
	names := make([]string, accounts)
	for i := range names {
		names[i] = fmt.Sprintf("account %02d", i)
		a := anAccount(t, names[i])
		a.ProviderID = names[i]
		require.NoError(t, s.PutAccount(t.Context(), a, nil))
		saved(t, s, 10+i%7, otherAccount(names[i], i))
		enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.Account = names[i] }))
	}
	saved(t, s, 400, otherAccount(names[0], 0)) // far more than any other account has
	findings := map[string][]store.LatestFinding{}
	filter := func(text string, order store.FindingOrder, accounts []string) store.LatestFilter {
		return store.LatestFilter{FindingFilter: store.FindingFilter{Text: text}, Accounts: accounts, Order: order,
			Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}}
	}
	orders := []store.FindingOrder{store.OrderSeverity, store.OrderNewest, store.OrderResource}
	texts := []string{"", "host"}
	for _, text := range texts {
		for _, order := range orders {
			findings[text+" "+string(order)] = latest(t, s, filter(text, order, nil))
		}
	}
	require.NotEmpty(t, findings[" "+string(store.OrderSeverity)])
	runs, _, err := s.Assessments(t.Context(), store.AssessmentFilter{}, store.Page{})
	require.NoError(t, err)
	jobs, _, err := s.Jobs(t.Context(), store.JobFilter{}, store.Page{})
	require.NoError(t, err)

	r := rand.New(rand.NewPCG(1, 2))
	unknown := make([]string, 200) // so many names that the query does not list them
	for i := range unknown {
		unknown[i] = fmt.Sprintf("unknown %d", i)
	}
	for i, n := range []int{1, 5, 5, 30, 60, 61, 90, accounts, accounts, 1, 2, 30, 30, 90, 90} {
		if i == 9 { // from here on the store knows the number of accounts
			known, err := s.Accounts(t.Context())
			require.NoError(t, err)
			require.Len(t, known, accounts)
		}
		chosen := slices.Clone(names)
		r.Shuffle(accounts, func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen[slices.Index(chosen, names[0])], chosen[0] = chosen[0], names[0]
		if chosen = chosen[:n]; i%2 == 0 {
			chosen = append(chosen, unknown...)
		}
		limit := 40 + r.IntN(120)
		for _, text := range texts {
			for _, order := range orders {
				sameWithin(t, chosen, findings[text+" "+string(order)], func(f store.LatestFinding) string { return f.AccountID },
					pages(t, limit, func(p store.Page) ([]store.LatestFinding, string, error) {
						return s.LatestFindings(t.Context(), filter(text, order, chosen), p)
					}, func() {}))
			}
		}
		sameWithin(t, chosen, runs, func(a posture.AssessmentSummary) string { return a.Account.ID },
			pages(t, limit, func(p store.Page) ([]posture.AssessmentSummary, string, error) {
				return s.Assessments(t.Context(), store.AssessmentFilter{Accounts: chosen}, p)
			}, func() {}))
		sameWithin(t, chosen, jobs, func(j store.JobRow) string { return j.Account },
			pages(t, limit, func(p store.Page) ([]store.JobRow, string, error) {
				return s.Jobs(t.Context(), store.JobFilter{Accounts: chosen}, p)
			}, func() {}))
	}
}

// sameWithin checks that a restricted list equals the complete list reduced to the given accounts.
func sameWithin[T any](t *testing.T, accounts []string, all []T, account func(T) string, got []T) {
	t.Helper()
	want := []T{}
	for _, v := range all {
		if slices.Contains(accounts, account(v)) {
			want = append(want, v)
		}
	}
	require.NotEmpty(t, want)
	require.Equal(t, want, append([]T{}, got...))
}

package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
)

// The team has 500 people and 300 accounts with 1,500,000 findings in total. EDGEPOSTURE_BENCH_FINDINGS
// sets another number of findings per account.
const (
	teamPeople   = 500
	teamAccounts = 300
	teamFindings = 5000 // per account
)

// BenchTeam compares lists of a caller who may see all accounts with those of callers who may see some:
// all by label, half, a tenth, and one. All make the same queries; accounts named in a query are ones
// the caller may see.
func BenchTeam(b *testing.B, open func(t testing.TB) store.Store, settle func(context.Context) error) {
	l := &large{s: scoped.New(open(b)), random: rand.New(rand.NewPCG(1, 2)), perAccount: teamFindings}
	if n, err := strconv.Atoi(os.Getenv("EDGEPOSTURE_BENCH_FINDINGS")); err == nil {
		l.perAccount = n
	}
	if !l.there(b, teamAccounts) {
		begun := time.Now()
		for i := range teamAccounts {
			l.add(b, i, l.perAccount)
			a := anAccount(b, fmt.Sprintf("account %03d", i))
			a.ProviderID, a.Labels = accountNo(i), []string{"all", fmt.Sprint("half", i%2), fmt.Sprint("tenth", i%10), fmt.Sprint("one", i)}
			require.NoError(b, l.s.PutAccount(b.Context(), a, nil))
		}
		for i := range teamPeople {
			require.NoError(b, l.s.AddUser(b.Context(), store.UserRow{ID: newID(b), Name: fmt.Sprint("person ", i),
				Email: fmt.Sprintf("p%d@example.com", i), Grants: []access.Grant{{Role: access.Viewer, Labels: []string{fmt.Sprint("half", i%2)}}}}))
		}
		require.NoError(b, settle(b.Context()))
		b.Logf("built in %s", time.Since(begun).Round(time.Second))
	}
	accounts, reports := l.accounts, l.reports
	for _, of := range []struct {
		name  string
		step  int
		scope access.Scope
	}{{"no grants", 1, access.Scope{All: true}}, {"all by label", 1, access.Scope{Labels: []string{"all"}}},
		{"half", 2, access.Scope{Labels: []string{"half0"}}}, {"a tenth", 10, access.Scope{Labels: []string{"tenth0"}}},
		{"one", teamAccounts, access.Scope{Labels: []string{"one0"}}}} {
		l.accounts, l.reports = nil, nil
		for i := 0; i < teamAccounts; i += of.step {
			l.accounts, l.reports = append(l.accounts, accounts[i]), append(l.reports, reports[i])
		}
		asked := l.teamQueries()
		for i := range asked {
			ask := asked[i].ask
			asked[i].ask = func(ctx context.Context) error { return ask(scoped.With(ctx, of.scope, "user:bench")) }
		}
		begun := time.Now()
		// The store keeps the sums from here on.
		_, err := l.s.LatestIssues(scoped.With(b.Context(), of.scope, "user:bench"), store.IssueScope{}, noon())
		require.NoError(b, err)
		b.Logf("%s: issues summed up in %s", of.name, time.Since(begun).Round(time.Millisecond))
		b.Run(of.name, func(b *testing.B) { l.rounds(b, asked, 40) })
	}
}

// teamQueries are the lists of the dashboard.
func (l *large) teamQueries() []query {
	out := l.latestQueries()
	out = out[:len(out)-2] // the deep page caches the cursors of one caller
	return append(append(out, l.listQueries()[0]), query{"issues", func(ctx context.Context) error {
		_, err := l.s.LatestIssues(ctx, store.IssueScope{}, noon())
		return err
	}}, query{"count of accepted findings", func(ctx context.Context) error {
		_, err := l.s.CountLatest(ctx, store.LatestFilter{Now: noon(), Excepted: store.ExceptedOnly,
			Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}})
		return err
	}}, query{"jobs", func(ctx context.Context) error {
		_, _, err := l.s.Jobs(ctx, store.JobFilter{}, store.Page{Limit: 100})
		return err
	}}, query{"accounts", func(ctx context.Context) error {
		_, err := l.s.Accounts(ctx)
		return err
	}})
}

package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepManyAccountsBudget runs 20 accounts of 30 zones, each with a token and a
// budget of its own, at once on two workers. All of them together need several
// times the budget of one token, so a shared budget would make them wait for
// minutes; and accounts of the same size end at about the same time.
func TestSweepManyAccountsBudget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its two minutes of work are for the whole sweep")
	}
	const accounts, zones, budget = 20, 30, 600
	o := simcloud.Options{Seed: 77, Limit: simcloud.Limit{Requests: budget}, Latency: 20 * time.Millisecond}
	for n := range accounts {
		id := fmt.Sprintf("%032x", 0xacc0+n)
		o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Zones: zones, RecordsPerZone: 3, Clean: true})
		o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
			Accounts: []string{id}})
	}
	cloud, url := simulate(t, o)
	environ := slices.DeleteFunc(shared(t, cloud, url, redistest.Start(t)),
		func(v string) bool { return v == "CLOUDFLARE_REQUESTS_PER_5M=1000000" })
	environ = append(environ, "CLOUDFLARE_REQUESTS_PER_5M="+number(budget), "SERVICE_WORKER_CONCURRENCY="+number(accounts/2))
	s := &system{t: t, cloud: cloud}
	s.url = spawn(t, "serve", environ...).says(t, "listening on ")
	for range 2 {
		spawn(t, "worker", environ...).says(t, "worker ready")
	}
	ids := []string{s.account("default").ID}
	for n := 1; n < accounts; n++ {
		got := s.call("POST", "/api/accounts", map[string]any{"name": fmt.Sprint("account ", n), "token": o.Tokens[n].Secret})
		require.Equal(t, 201, got.status, string(got.body))
		var made httpapi.AccountInfo
		got.into(t, &made)
		ids = append(ids, made.ID)
	}
	start := time.Now()
	for _, id := range ids {
		got := s.call("POST", "/api/assess", map[string]any{"account": id, "categories": []string{"dns", "email", "ssl"}}, "Prefer",
			"respond-async")
		require.Equal(t, 202, got.status, string(got.body))
	}
	var list struct{ Items []posture.Job }
	eventually(t, 75*time.Second, "every run ends", func() bool {
		s.get("/api/jobs", &list)
		return !slices.ContainsFunc(list.Items, func(j posture.Job) bool { return !j.State.Terminal() })
	})
	whole := time.Since(start)
	require.Len(t, list.Items, accounts)
	var took []time.Duration
	total := 0
	for _, j := range list.Items {
		require.Equal(t, posture.JobSucceeded, j.State, "%+v", j.Error)
		var a posture.Assessment
		s.get("/api/assessments/"+j.AssessmentID, &a)
		require.Len(t, a.Zones, zones)
		require.LessOrEqual(t, a.Requests, budget)
		total += a.Requests
		took = append(took, j.FinishedAt.Sub(j.CreatedAt))
	}
	slices.Sort(took)
	spread := float64(took[len(took)-1]) / float64(took[0])
	t.Logf("%d accounts of %d zones in %s: first after %s, last after %s, spread %.2f; %d requests, %d refused", accounts, zones,
		whole.Round(time.Millisecond), took[0].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), spread, total,
		cloud.Requests().RateLimited)
	require.Zero(t, cloud.Requests().RateLimited)
	require.Greater(t, total, 4*budget, "too little work to tell whether a budget is shared")
	require.LessOrEqual(t, spread, 2.0)
}

// TestRunsThatWaitHoldNoSlot has three runs for each slot wait for their budgets: one of
// an account whose budget is untouched begins all the same.
func TestRunsThatWaitHoldNoSlot(t *testing.T) {
	t.Parallel()
	const waiting, budget = 24, 20
	o := simcloud.Options{Seed: 78, Limit: simcloud.Limit{Disabled: true}}
	for n := range waiting + 1 {
		id := fmt.Sprintf("%032x", 0xbacc0+n)
		o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Zones: 2, RecordsPerZone: 3, Clean: true})
		o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
			Accounts: []string{id}})
	}
	s := embedded(t, o, "CLOUDFLARE_REQUESTS_PER_5M="+number(budget), "SERVICE_WORKER_CONCURRENCY=8")
	begin := func(n int) (id string) {
		got := s.call("POST", "/api/assess", map[string]any{"token": o.Tokens[n].Secret}, "Prefer", "respond-async")
		require.Equal(t, 202, got.status, string(got.body))
		var j posture.Job
		got.into(t, &j)
		return j.ID
	}
	var ids []string
	for n := range waiting {
		ids = append(ids, begin(n+1))
	}
	look := func(id string) (j posture.Job) { s.get("/api/jobs/"+id, &j); return j }
	eventually(t, 90*time.Second, "all wait for their budget", func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool {
			j := look(id)
			return j.State != posture.JobQueued || j.Progress.Requests < budget*9/10
		})
	})
	began := time.Now()
	id := begin(0)
	eventually(t, 60*time.Second, "the run with a budget reads", func() bool { return look(id).Progress.Requests > 0 })
	t.Logf("with %d runs waiting on 8 slots, one with a budget read after %s", waiting, time.Since(began).Round(time.Millisecond))
	require.Contains(t, look(ids[0]).Progress.Detail, "waiting for Cloudflare's request budget")
}

package assess_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestAccountOfARun: a run without an account assesses the one that its token sees, tells which it is, and
// says what to do where there is not exactly one.
func TestAccountOfARun(t *testing.T) {
	t.Parallel()
	owned := simcloud.Token{Secret: "token-owned-00000000000000000000000000", Kind: simcloud.AccountToken, Accounts: []string{third}}
	const nobodys = "token-of-nobody-0000000000000000000000"
	for name, c := range map[string]struct {
		given, secret, account string
		code                   posture.Code
		says                   string
	}{
		"one": {secret: token("one", one).Secret, account: one},
		"two": {secret: token("two", one, other).Secret, code: posture.CodeInvalid,
			says: "The token sees 2 accounts; give the id of one: " + one + " ("},
		"none":                          {secret: token("none", third).Secret, code: posture.CodeProvider, says: "The token sees no account"},
		"nobody's token":                {secret: nobodys, code: posture.CodeProvider, says: "Cloudflare refuses the token"},
		"nobody's token for an account": {given: one, secret: nobodys, code: posture.CodeProvider, says: "Cloudflare refuses the token"},
		"of another account":            {given: third, secret: token("one", one).Secret, code: posture.CodeInvalid, says: "does not see"},
		"of an account":                 {secret: owned.Secret, code: posture.CodeProvider, says: "give the account id"},
		"of the only one":               {secret: token("only", other).Secret, account: other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := twoAccounts(t, token("one", one), token("two", one, other), token("none", third), token("only", other), owned)
			a, _, err := b.runWith(c.given, func(run *assess.Run) {
				run.Token = secret.New(c.secret)
				run.Found = func(context.Context, posture.AccountRef) error { return nil }
			})
			if c.code == "" {
				require.NoError(t, err)
				require.NotEmpty(t, a.Account.Name)
				require.Equal(t, c.account, a.Account.ID)
				return
			}
			p := problemOf(t, err)
			require.Equal(t, c.code, p.Code)
			require.Contains(t, p.Detail, c.says)
		})
	}
}

// TestIncrementalRuns: what is carried forward comes from runs of the same account, catalogue and token, of
// the last day; why nothing is, is said.
func TestIncrementalRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, shop(), 100_000)
	owner := newID()
	require.NoError(t, b.store.PutAccount(t.Context(), posture.Account{ID: owner, Name: "shop", CreatedAt: b.clock.Now()}, nil))
	run := func(change func(*assess.Run)) (posture.Assessment, int) {
		t.Helper()
		before := b.cloud.Requests().Total
		r := under(b, nil)
		r.OwnerID, r.Request.Incremental = owner, true
		change(&r)
		a, err := b.runner.Do(t.Context(), r)
		require.NoError(t, err)
		return a, b.cloud.Requests().Total - before
	}
	none := func(a posture.Assessment, reason string) {
		t.Helper()
		require.NotNil(t, a.Carried)
		require.Zero(t, a.Carried.Sections)
		require.Contains(t, a.Carried.Reason, reason)
	}
	begin := b.clock.Now()
	first, whole := run(func(*assess.Run) {})
	none(first, "no run of the last 24 hours with this token and catalogue")
	oneOff, _ := run(func(r *assess.Run) { r.OwnerID = "" })
	none(oneOff, "a one-off token has no earlier run")
	renewed, _ := run(func(r *assess.Run) { r.TokenAt = b.clock.Now().Add(time.Minute) })
	none(renewed, "no run of the last 24 hours with this token and catalogue")

	again, few := run(func(r *assess.Run) { r.TokenAt = begin.Add(-time.Minute) })
	require.NotNil(t, again.Carried)
	require.Positive(t, again.Carried.Sections)
	require.Less(t, again.Carried.Sections, again.Carried.Of)
	require.Empty(t, again.Carried.Reason)
	require.Less(t, few, whole/2)
	require.Equal(t, first.SnapshotDigest, again.SnapshotDigest)

	full, all := run(func(r *assess.Run) { r.Request.Incremental = false })
	require.Nil(t, full.Carried)
	require.Equal(t, whole, all, "nothing to carry forward costs nothing more")
}

// observed is what a run told while it was at work.
type observed struct {
	progress []posture.Progress
	granted  int
	requests map[int]int // by status
	saved    []posture.AssessmentStatus
	failed   map[string]int // spans that ended with an error
	spans    map[string]int
}

// watch makes runs of the bench tell.
func (b *bench) watch() *observed {
	o := &observed{requests: map[int]int{}, failed: map[string]int{}, spans: map[string]int{}}
	b.options.Observer = assess.Observer{
		Request: func(family string, status int) {
			b.mu.Lock()
			defer b.mu.Unlock()
			require.NotEmpty(b.t, family)
			o.requests[status]++
		},
		Granted: func(class string, waited time.Duration) {
			b.mu.Lock()
			defer b.mu.Unlock()
			require.Equal(b.t, string(budget.Interactive), class)
			require.GreaterOrEqual(b.t, waited, time.Duration(0))
			o.granted++
		},
		Saved: func(status posture.AssessmentStatus) { o.saved = append(o.saved, status) },
		Span: func(ctx context.Context, name string, _ ...slog.Attr) (context.Context, span.End) {
			return ctx, func(about ...slog.Attr) {
				b.mu.Lock()
				defer b.mu.Unlock()
				o.spans[name]++
				if slices.ContainsFunc(about, func(a slog.Attr) bool { return a.Key == span.ErrorKey }) {
					o.failed[name]++
				}
			}
		},
	}
	b.runner = assess.New(b.options)
	return o
}

// TestWhatARunTells: progress that reaches its end phase by phase, every request and grant, and how it was saved.
func TestWhatARunTells(t *testing.T) {
	t.Parallel()
	b := newBench(t, shop(), 100_000)
	told := b.watch()
	run := under(b, nil)
	run.Progress = func(p posture.Progress) { told.progress = append(told.progress, p) }
	a, err := b.runner.Do(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []posture.AssessmentStatus{a.Status}, told.saved)
	total := b.cloud.Requests().Total
	require.Equal(t, total, told.granted)
	require.Equal(t, total, a.Requests)
	answers := 0
	for status, n := range told.requests {
		require.GreaterOrEqual(t, status, 200)
		answers += n
	}
	require.Equal(t, total, answers)
	require.Greater(t, told.requests[200], total/2)

	last, order := ends(t, told.progress)
	require.Equal(t, []string{"collect", "evaluate", "save"}, slices.DeleteFunc(order, func(p string) bool { return p == "resolve" }))
	require.Greater(t, last["collect"].Total, 100)
	require.Equal(t, last["collect"].Total, last["collect"].Done)
	require.Equal(t, total, last["save"].Requests)
	require.Positive(t, last["evaluate"].Total)
	require.Positive(t, last["save"].Total)
	for _, phase := range []string{"collect", "look up", "evaluate", "save"} {
		require.Equal(t, 1, told.spans["assess "+phase], phase)
		require.Zero(t, told.failed["assess "+phase], phase)
	}

	// Taken up when half was read, it counts that half.
	read, err := b.store.Sections(t.Context(), a.JobID)
	require.NoError(t, err)
	again := under(b, read[:len(read)/2])
	told.progress = nil
	again.Progress = run.Progress
	_, err = b.runner.Do(t.Context(), again)
	require.NoError(t, err)
	last, _ = ends(t, told.progress)
	require.Equal(t, last["collect"].Total, last["collect"].Done)
	require.Less(t, last["collect"].Requests, 3*total/4)
}

// ends are the last reports of each phase, and the phases in their order.
func ends(t *testing.T, reports []posture.Progress) (last map[string]posture.Progress, order []string) {
	t.Helper()
	last = map[string]posture.Progress{}
	for _, p := range reports {
		before, known := last[p.Phase]
		require.GreaterOrEqual(t, p.Done, before.Done)
		if !known {
			order = append(order, p.Phase)
		}
		last[p.Phase] = p
	}
	return last, order
}

// TestWhatIsSaved: scope and profile as they were asked for, the jobs that follow, and nothing where they cannot be made.
func TestWhatIsSaved(t *testing.T) {
	t.Parallel()
	b := newBench(t, shop(), 100_000)
	told := b.watch()
	do := func(change func(*assess.Run)) (posture.Assessment, error) {
		t.Helper()
		run := under(b, nil)
		run.Request.Checks = []string{"CFL-SSL-001"}
		change(&run)
		return b.runner.Do(t.Context(), run)
	}
	part, err := do(func(*assess.Run) {})
	require.NoError(t, err)
	require.Equal(t, posture.ScopeOf(posture.AssessRequest{Checks: []string{"CFL-SSL-001"}}, false), part.Scope)
	require.Equal(t, posture.ProfileFull, part.Profile)
	whole, err := do(func(r *assess.Run) { r.Whole, r.Request.Profile = true, posture.ProfileCore })
	require.NoError(t, err)
	require.Nil(t, whole.Scope)
	require.Equal(t, posture.ProfileCore, whole.Profile)

	follows := newID()
	_, err = do(func(r *assess.Run) {
		r.Then = func(assessment string) ([]store.NewJob, error) {
			return []store.NewJob{{ID: follows, Kind: posture.JobShip, Queue: "interactive", Arguments: []byte(`"` + assessment + `"`),
				CreatedAt: b.clock.Now()}}, nil
		}
	})
	require.NoError(t, err)
	job, err := b.store.Job(t.Context(), follows)
	require.NoError(t, err)
	require.Equal(t, posture.JobQueued, job.State)

	saved := len(told.saved)
	broken := errors.New("what follows cannot be made")
	_, err = do(func(r *assess.Run) { r.Then = func(string) ([]store.NewJob, error) { return nil, broken } })
	require.ErrorIs(t, err, broken)
	require.Len(t, told.saved, saved)
	require.Equal(t, 1, told.failed["assess save"])
	_, err = do(func(r *assess.Run) {
		r.Account = posture.AccountRef{}
		r.Found = func(_ context.Context, found posture.AccountRef) error {
			require.Equal(t, b.cloud.Accounts()[0], found.ID)
			return broken
		}
	})
	require.ErrorIs(t, err, broken)
	_, err = do(func(r *assess.Run) { r.Policy = []byte(`{"noSuchThreshold":1}`) })
	require.Equal(t, posture.CodeInvalid, problemOf(t, err).Code)
	b.options.BaseURL = func(bool) string { return "::" }
	_, err = assess.New(b.options).Do(t.Context(), under(b, nil))
	require.Equal(t, posture.CodeProvider, problemOf(t, err).Code)
}

// TestAccountOfARunDuringAnOutage: who the token is of is asked again later, and not where waiting is no help.
func TestAccountOfARunDuringAnOutage(t *testing.T) {
	t.Parallel()
	b := twoAccounts(t, token("one", one))
	b.cloud.Outage(true)
	run := under(b, nil)
	run.Account = posture.AccountRef{}
	_, err := b.runner.Do(t.Context(), run)
	var later *posture.LaterError
	require.ErrorAs(t, err, &later)
	require.Greater(t, later.At, b.clock.Now())

	b.options.BaseURL = func(bool) string { return "http://127.0.0.1:1" } // nobody listens there
	_, err = assess.New(b.options).Do(t.Context(), run)
	require.Contains(t, problemOf(t, err).Detail, "check the network")
}

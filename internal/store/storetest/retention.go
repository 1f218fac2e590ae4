package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

const day = 24 * time.Hour

// past is an assessment in the history of a retention test.
type past struct {
	id, job, account string
	at               time.Time
	findings         int
}

// history is a history of runs, and what must survive retention.
type history struct {
	t    *testing.T
	s    store.Store
	now  time.Time
	runs []past
	held map[string]string // assessment id: why it is kept
}

func retentionCases() []testCase {
	return []testCase{
		{"a turn is taken by one", turnTakenOnce},
		{"a large assessment is gone at once though its rows go in steps", forgottenAtOnce},
		{"nobody forgets what is not known", func(t *testing.T, s store.Store) {
			_, err := s.Forget(t.Context(), "everything", noon(), noon())
			require.Error(t, err)
			_, err = s.Forgotten(t.Context(), newID(t))
			require.ErrorIs(t, err, store.ErrNotFound)
		}},
		{"old keys of idempotency go, and their jobs after them", keysForgotten},
	}
}

func turnTakenOnce(t *testing.T, s store.Store) {
	take := func(now time.Time) int {
		won, errs := together(16, func(int) (bool, error) { return s.TakeTurn(t.Context(), "x", now, time.Hour) })
		n := 0
		for i := range won {
			require.NoError(t, errs[i])
			if won[i] {
				n++
			}
		}
		return n
	}
	at := noon()
	require.Equal(t, 1, take(at))
	require.Zero(t, take(at.Add(59*time.Minute)))
	require.Equal(t, 1, take(at.Add(time.Hour)))
	require.Equal(t, 1, take(at.Add(-24*time.Hour)), "a clock that was set back does not stop it")
	other, err := s.TakeTurn(t.Context(), "y", at, time.Hour)
	require.NoError(t, err)
	require.True(t, other)
}

// run saves an assessment of an account that was completed at a given time.
func (h *history) run(account string, at time.Time, n int) past {
	h.t.Helper()
	row := running(h.t, h.s)
	require.NoError(h.t, h.s.PutSections(h.t.Context(), row.ID, row.Attempt, []snapshot.Section{
		section("zone/list", account, snapshot.OK, "[]"),
		section("zone/settings", "z", snapshot.Denied, "")}))
	a := assessment(h.t, row.ID, n)
	a.Account.ID, a.CompletedAt = account, at
	in := saveOf(row, a)
	in.Now, in.Evidence = at, record()
	require.NoError(h.t, h.s.Save(h.t.Context(), in))
	p := past{id: a.ID, job: row.ID, account: account, at: at, findings: n}
	h.runs = append(h.runs, p)
	return p
}

// keep creates everything that refers to an assessment and so must keep it.
func (h *history) keep() {
	t, ctx := h.t, h.t.Context()
	next := 0
	free := func() past { // one that no other rule keeps
		for h.stays(h.runs[next]) {
			next++
		}
		next++
		return h.runs[next-1]
	}
	hold := func(why string) past {
		p := free()
		h.held[p.id] = why
		return p
	}
	queued := hold("a queued job names it")
	raw, err := json.Marshal(map[string]string{"assessmentId": queued.id})
	require.NoError(t, err)
	enqueue(t, h.s, with(newJob(t), func(n *store.NewJob) { n.Kind, n.Arguments = posture.JobShip, raw }))
	planned := hold("a plan names it")
	require.NoError(t, h.s.KeepPlan(ctx, store.PlanRow{ID: newID(t), AssessmentID: planned.id, AccountID: planned.account, CreatedAt: h.now,
		ExpiresAt: h.now.Add(time.Hour), Sealed: []byte{1}}))
	unread := hold("a bundle with a change nobody read back names it")
	h.bundle(unread, change.StateApplied, 2, 1)
	pending := hold("a delivery under way names it")
	row := running(t, h.s)
	d := deliveryOf(row, "search")
	d.AssessmentID = pending.id
	_, _, err = h.s.OpenDelivery(ctx, d, row.Attempt)
	require.NoError(t, err)
	h.bundle(free(), change.StateApplied, 2, 2)
	h.bundle(free(), change.StateRolledBack, 2, 0)
	h.bundle(hold("an open bundle names it"), change.StateOpen, 0, 0)
}

func (h *history) bundle(of past, state change.State, applied, verified int) {
	h.t.Helper()
	row := running(h.t, h.s)
	b := store.BundleRow{JobID: row.ID, Sealed: []byte{1}, Mac: []byte{2}, Backup: change.Backup{ID: newID(h.t), CreatedAt: of.at,
		AssessmentID: of.id, Account: posture.AccountRef{ID: of.account}, State: state, Entries: 2, Applied: applied, Verified: verified}}
	require.NoError(h.t, h.s.KeepBundle(h.t.Context(), b, row.ID, row.Attempt))
	require.NoError(h.t, h.s.Finish(h.t.Context(), row.ID, row.Attempt, posture.JobSucceeded, nil, nil, of.at))
}

// stays is an independent implementation of the retention rule: keep the newest ten, the newest of each
// month, recent ones and those something refers to.
func (h *history) stays(p past) bool {
	newer, inMonth := 0, true
	for _, o := range h.runs {
		if o.account == p.account && o.at.After(p.at) {
			newer++
			inMonth = inMonth && o.at.UTC().Format("2006-01") != p.at.UTC().Format("2006-01")
		}
	}
	return newer < store.KeptPerAccount || inMonth || !p.at.Before(h.now.Add(-400*day)) || h.held[p.id] != ""
}

// whole checks that every assessment is complete or gone.
func (h *history) whole(after string) (visible int) {
	h.t.Helper()
	for _, p := range h.runs {
		_, err := h.s.Assessment(h.t.Context(), p.id)
		if errors.Is(err, store.ErrNotFound) {
			require.False(h.t, h.stays(p), "%s: %s of %s is gone (%s)", after, p.id, p.at, h.held[p.id])
			_, _, err = h.s.Findings(h.t.Context(), p.id, store.FindingFilter{}, store.Page{})
			require.ErrorIs(h.t, err, store.ErrNotFound)
			continue
		}
		require.NoError(h.t, err)
		visible++
		_, err = h.s.Evidence(h.t.Context(), p.id)
		require.NoError(h.t, err, "%s: a part of %s is gone", after, p.id)
	}
	rows, _, err := h.s.Assessments(h.t.Context(), store.AssessmentFilter{}, store.Page{})
	require.NoError(h.t, err)
	require.Len(h.t, rows, visible)
	return visible
}

func (h *history) before(what store.Forgettable) time.Time {
	days := map[store.Forgettable]int{store.Keys: 1, store.Plans: 1, store.SignedIn: 1, store.Delivered: 90, store.BundlesMade: 400,
		store.Read: 90, store.Assessed: 400, store.Finished: 30}[what]
	return h.now.Add(-time.Duration(days) * day)
}

// sweep forgets everything that can be forgotten and counts the rows.
func (h *history) sweep() (rows int) {
	h.t.Helper()
	for _, what := range store.Forgettables() {
		for {
			n, err := h.s.Forget(h.t.Context(), what, h.before(what), h.now)
			require.NoError(h.t, err)
			require.LessOrEqual(h.t, n, store.ForgetRows)
			if rows += n; n == 0 {
				break
			}
		}
	}
	return rows
}

// Retention makes a run every given number of days over a period and then forgets: first with the
// process ending at every step, then to the end. What something refers to stays, and everything visible
// is complete at every moment.
func Retention(t *testing.T, open func(t testing.TB) store.Store, days, every int) {
	s := open(t)
	h := &history{t: t, s: s, now: noon().Add(time.Duration(days) * day), held: map[string]string{}}
	for d := 0; d < days; d += every {
		h.run(providerAccount, noon().Add(time.Duration(d)*day), 2)
	}
	for d := range 12 {
		h.run("another-account", noon().Add(time.Duration(d)*day), 1)
	}
	h.keep()
	rounds, ended := 0, 0
	for i, after := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 500, 5000} {
		for _, what := range store.Forgettables() {
			ctx, cancel := context.WithCancel(t.Context())
			if _, err := s.Forget(newTrigger(ctx, cancel, after), what, h.before(what), h.now); err != nil {
				ended++
			}
			cancel()
			rounds++
		}
		if i == 6 {
			h.whole("ended in between")
		}
	}
	require.Positive(t, ended)
	require.Less(t, ended, rounds)
	require.Positive(t, h.sweep())
	require.Zero(t, h.sweep(), "all that could go is gone")
	h.whole("at the end")
	h.gone()
	require.NoError(t, s.Ping(t.Context()))
}

// gone checks that everything that may be forgotten is gone.
func (h *history) gone() {
	t, ctx := h.t, h.t.Context()
	for _, p := range h.runs {
		_, err := h.s.Assessment(ctx, p.id)
		if h.stays(p) {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, store.ErrNotFound)
			at, err := h.s.Forgotten(ctx, p.id)
			require.NoError(t, err)
			require.Equal(t, kept(h.now), at)
		}
		sections, err := h.s.Sections(ctx, p.job)
		require.NoError(t, err)
		_, err = h.s.Job(ctx, p.job)
		named := h.held[p.id] == "a queued job names it"
		if p.at.Before(h.now.Add(-90*day)) && !named {
			require.Empty(t, sections)
			require.ErrorIs(t, err, store.ErrNotFound)
		} else {
			require.Len(t, sections, 2)
			require.NoError(t, err)
		}
	}
	bundles, _, err := h.s.Bundles(ctx, nil, store.Page{})
	require.NoError(t, err)
	require.Len(t, bundles, 2, "the open one, and the one nobody read back")
}

// forgottenAtOnce reads an assessment with many rows while it is being forgotten.
func forgottenAtOnce(t *testing.T, s store.Store) {
	h := &history{t: t, s: s, now: noon().Add(3 * 365 * day), held: map[string]string{}}
	large := h.run(providerAccount, noon(), 1001)
	for d := range store.KeptPerAccount {
		n := 1
		if d == 0 {
			n = 1001 // now has the open findings, so that they no longer keep the large run
		}
		h.run(providerAccount, noon().Add(time.Duration(d+1)*time.Hour), n)
	}
	require.Len(t, findings(t, s, large.id, store.FindingFilter{}), 1001) // its catalogue is now cached
	calls := 0
	for {
		n, err := s.Forget(t.Context(), store.Assessed, h.before(store.Assessed), h.now)
		require.NoError(t, err)
		if n == 0 {
			break
		}
		calls++
		_, _, err = s.Findings(t.Context(), large.id, store.FindingFilter{}, store.Page{})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = s.CountFindings(t.Context(), large.id, store.FindingFilter{})
		require.ErrorIs(t, err, store.ErrNotFound)
		for _, read := range []func() error{
			func() error { _, err := s.Pick(t.Context(), large.id, ""); return err },
			func() error { _, err := s.Graph(t.Context(), large.id); return err },
			func() error { _, err := store.Collect(s.Outcomes(t.Context(), large.id)); return err },
			func() error { _, err := s.Paths(t.Context(), large.id); return err },
			func() error { _, err := s.Evidence(t.Context(), large.id); return err },
			func() error { _, err := s.Assessment(t.Context(), large.id); return err },
		} {
			require.ErrorIs(t, read(), store.ErrNotFound)
		}
	}
	require.Equal(t, 3, calls, "out of sight, twice findings, the rest with the last")
	require.Len(t, h.runs, 1+store.KeptPerAccount)
	h.whole("at the end")
}

func keysForgotten(t *testing.T, s store.Store) {
	n := newJob(t)
	n.Idempotency = &store.Idempotency{Key: "k", Route: "POST /api/assess", BodyHash: "h"}
	row := claim(t, s, enqueue(t, s, n).ID, noon())
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobSucceeded, nil, nil, noon()))
	later := noon().Add(100 * day)
	count := func(what store.Forgettable, before time.Time) int {
		n, err := s.Forget(t.Context(), what, before, later)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, count(store.Finished, later), "its key is still there")
	require.Zero(t, count(store.Keys, noon()))
	require.Equal(t, 1, count(store.Keys, later))
	require.Equal(t, 1, count(store.Finished, later))
	_, err := s.Job(t.Context(), row.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

type jobStore = store.Jobs

// ledger is a store that writes down what it is told.
type ledger struct {
	jobStore
	mu       sync.Mutex
	told     []string
	progress []posture.Progress
	due      map[string][]string
	claims   map[string]error // by job id
	once     bool             // a job is claimed once
	renew    func(n int) error
	renewals int
	job      store.JobRow
	rows     []store.JobRow
	err      error
}

func (l *ledger) tell(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, fmt.Sprintf(format, args...))
	return l.err
}

func (l *ledger) Finish(_ context.Context, id string, attempt int, state posture.JobState, result json.RawMessage, p *posture.Problem,
	_ time.Time, then ...store.NewJob) error {
	code := posture.Code("")
	if p != nil {
		code = p.Code
	}
	after := ""
	for _, n := range then {
		after += ", then " + n.ID
	}
	return l.tell("finish %s/%d %s %s%s%s", id, attempt, state, result, code, after)
}

func (l *ledger) Release(_ context.Context, id string, attempt int, due time.Time) error {
	return l.tell("release %s/%d +%s", id, attempt, due.Sub(morning()))
}

func (l *ledger) Retry(_ context.Context, id string, attempt int, due time.Time) error {
	return l.tell("retry %s/%d +%s", id, attempt, due.Sub(morning()))
}

func (l *ledger) SetProgress(_ context.Context, _ string, _ int, p posture.Progress) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress = append(l.progress, p)
	return l.err
}

func (l *ledger) Renew(context.Context, string, int, time.Time, time.Duration) (bool, error) {
	l.renewals++
	return false, l.renew(l.renewals)
}

func (l *ledger) Job(context.Context, string) (store.JobRow, error) {
	if errors.Is(l.err, store.ErrFenced) { // of a write
		return l.job, nil
	}
	return l.job, l.err
}

func (l *ledger) JobsByID(context.Context, []string) ([]store.JobRow, error) { return l.rows, l.err }

func (l *ledger) Due(_ context.Context, queue string, _ time.Time, _ int) ([]string, error) {
	return l.due[queue], l.tell("due %s", queue)
}

func (l *ledger) Claim(_ context.Context, id, _ string, _ time.Time, _ time.Duration) (store.JobRow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, "claim "+id)
	err := l.claims[id]
	if l.once && err == nil {
		l.claims[id] = store.ErrNotClaimable
	}
	return row(id, 1), err
}

func row(id string, attempt int) (r store.JobRow) {
	r.ID, r.Attempt, r.Kind = id, attempt, posture.JobAssess
	return r
}

func morning() time.Time { return time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC) }

// idle is a worker on a ledger, without Redis, that was not started.
func idle(t *testing.T, l *ledger, kinds ...work.Kind) *Worker {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	return NewWorker(Options{Redis: rdb, Store: l, Kinds: kinds, Concurrency: 2, Now: morning, Log: slog.New(slog.DiscardHandler)})
}

// follower is a kind with a job that follows a failure.
type follower struct{ err error }

func (follower) Kind() posture.JobKind                                   { return posture.JobAssess }
func (follower) Work(context.Context, work.Attempt) (work.Result, error) { return work.Result{}, nil }
func (f follower) AfterFailure(context.Context, store.JobRow) ([]store.NewJob, error) {
	if f.err != nil {
		return nil, f.err
	}
	return []store.NewJob{{ID: "next"}}, nil
}

// TestWhatFollowsAFailure: a job follows one that fails for good, however it came to that, and no other end; what keeps it
// from being made keeps no job from ending.
func TestWhatFollowsAFailure(t *testing.T) {
	t.Parallel()
	ill, trouble := posture.Problemf(posture.CodeProvider, "no"), errors.New("no disk")
	for _, tc := range []struct {
		name       string
		err, cause error
		tries      int
		kind       error
		told       string
	}{
		{"a problem", ill, nil, 0, nil, "finish j/3 failed provider_error, then next"},
		{"a panic", &panicError{"x"}, nil, 2, nil, "finish j/3 failed internal, then next"},
		{"trouble that stays", trouble, nil, 9, nil, "finish j/3 failed internal, then next"},
		{"trouble", trouble, nil, 0, nil, "retry j/3 +1s"},
		{"cancelled", context.Canceled, errCancelled, 0, nil, "finish j/3 cancelled cancelled"},
		{"a result", nil, nil, 0, nil, "finish j/3 succeeded "},
		{"nothing can be made", ill, nil, 0, trouble, "finish j/3 failed provider_error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{}
			w, r := idle(t, l, follower{err: tc.kind}), row("j", 3)
			r.Tries = tc.tries
			w.finish(t.Context(), r, work.Result{}, tc.err, tc.cause, slog.New(slog.DiscardHandler))
			require.Equal(t, []string{tc.told}, l.told)
		})
	}
}

// TestAJobThatLostItsWorkersIsGivenUp: it is not run again, and what follows a failure follows.
func TestAJobThatLostItsWorkersIsGivenUp(t *testing.T) {
	t.Parallel()
	for lost, told := range map[int]string{
		posture.MaxLost - 1: "finish j/3 succeeded ", posture.MaxLost: "finish j/3 failed internal, then next",
	} {
		l := &ledger{}
		w, r := idle(t, l, follower{}), row("j", 3)
		r.Kind, r.Lost = posture.JobAssess, lost
		w.attempt(t.Context(), r)
		require.Equal(t, []string{told}, l.told)
		if _, err := w.work(t.Context(), r, nil); lost == posture.MaxLost {
			require.ErrorContains(t, err, "The job lost its worker 5 times and was given up")
		}
	}
}

// TestHowAnAttemptEnds: what the store is told of each end, and what is said of it.
func TestHowAnAttemptEnds(t *testing.T) {
	t.Parallel()
	trouble, ill := errors.New("no disk"), posture.Problemf(posture.CodeProvider, "no")
	for _, tc := range []struct {
		name  string
		saved bool
		err   error
		cause error
		tries int
		how   string
		told  []string
	}{
		{"with a result", false, nil, nil, 0, "succeeded", []string{"finish j/3 succeeded {}"}},
		{"saved by itself", true, nil, nil, 0, "succeeded", nil},
		{"done while the worker stops", false, nil, errDraining, 0, "succeeded", []string{"finish j/3 succeeded {}"}},
		{"cancelled", false, context.Canceled, errCancelled, 0, "cancelled", []string{"finish j/3 cancelled cancelled"}},
		{"the lease is lost", false, context.Canceled, errLeaseLost, 0, "lease_lost", nil},
		{"fenced off", false, fmt.Errorf("save: %w", store.ErrFenced), nil, 0, "lease_lost", nil},
		{"the worker stops", false, context.Canceled, errDraining, 0, "handed_back", []string{"release j/3 +0s"}},
		{"later", false, &posture.LaterError{At: morning().Add(time.Hour), Err: trouble}, nil, 0, "waits", []string{"release j/3 +1h0m0s"}},
		{"a problem", false, ill, nil, 0, "failed", []string{"finish j/3 failed " + string(posture.CodeProvider)}},
		{"trouble", false, trouble, nil, 0, "again", []string{"retry j/3 +1s"}},
		{"more trouble", false, trouble, nil, 2, "again", []string{"retry j/3 +9s"}},
		{"trouble for long", false, trouble, nil, 5, "again", []string{"retry j/3 +4m3s"}},
		{"trouble, the ninth time", false, trouble, nil, 8, "again", []string{"retry j/3 +5m0s"}},
		{"trouble, the tenth time", false, trouble, nil, 9, "failed", []string{"finish j/3 failed " + string(posture.CodeInternal)}},
		{"a panic, the second time", false, &panicError{"x"}, nil, 1, "again", []string{"retry j/3 +3s"}},
		{"a panic, the third time", false, &panicError{"x"}, nil, 2, "failed", []string{"finish j/3 failed " + string(posture.CodeInternal)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{}
			w := idle(t, l)
			row, out := row("j", 3), work.Result{Saved: tc.saved, Result: []byte(`{}`)}
			row.Tries = tc.tries
			finish := func() (how, logged string) {
				var b bytes.Buffer
				how = w.finish(t.Context(), row, out, tc.err, tc.cause, slog.New(slog.NewTextHandler(&b, nil)))
				return how, b.String()
			}
			how, logged := finish()
			require.Equal(t, tc.how, how)
			require.Equal(t, tc.told, l.told)
			require.Equal(t, tc.how == "handed_back", strings.Contains(logged, "other workers could not be told"), "there is no Redis: %s", logged)
			if tc.told == nil {
				return
			}
			for _, err := range []error{trouble, store.ErrFenced} {
				l.err = err
				how, logged := finish()
				require.Equal(t, map[error]string{trouble: "not_stored", store.ErrFenced: "lease_lost"}[err], how)
				require.Equal(t, 1, strings.Count(logged, "\n"), "what is not stored is not told: %s", logged)
			}
			l.job, l.err = row, store.ErrFenced
			l.job.State = posture.JobSucceeded
			how, logged = finish()
			require.Equal(t, "succeeded", how, "the answer to its save was lost")
			require.NotContains(t, logged, "another worker")
		})
	}
}

// TestAnUnknownKindIsLeftToOthers: while some workers are older than the API, they fail no job that newer ones know.
func TestAnUnknownKindIsLeftToOthers(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	w := idle(t, l)
	w.attempt(t.Context(), row("j", 1))
	require.Equal(t, []string{"release j/1 +10s"}, l.told)
}

// TestWhatACancelledJobLeaves: a run leaves what it read, an apply what it changed.
func TestWhatACancelledJobLeaves(t *testing.T) {
	t.Parallel()
	for kind, want := range map[posture.JobKind]string{posture.JobAssess: "a retry within an hour goes on", posture.JobApply: "stay in force",
		posture.JobRollback: "stay in force", posture.JobShip: "sent or stored"} {
		require.Contains(t, kind.Remains(), want)
	}
}

// TestKeepingTheLease: it is renewed every 3 seconds while the attempt works; an attempt that may not hold its lease of 10
// seconds any more stops, and one that has just saved its job does not.
func TestKeepingTheLease(t *testing.T) {
	t.Parallel()
	away := errors.New("the store is away")
	always := func(err error) func(int) error { return func(int) error { return err } }
	mine := row("j", 3)
	mine.State = posture.JobSucceeded
	other, running := mine, mine
	other.Attempt, running.State = 4, posture.JobRunning
	for name, tc := range map[string]struct {
		renew    func(n int) error
		job      store.JobRow
		drain    bool
		want     error
		after    time.Duration
		renewals int
	}{
		"all is well":                 {renew: always(nil), renewals: 20},
		"somebody else has it":        {renew: always(store.ErrFenced), job: other, want: errLeaseLost, after: 3 * time.Second, renewals: 1},
		"somebody handed it back":     {renew: always(store.ErrFenced), job: running, want: errLeaseLost, after: 3 * time.Second, renewals: 1},
		"it has just saved":           {renew: always(store.ErrFenced), job: mine, renewals: 1},
		"the store is away for good":  {renew: always(away), want: errLeaseLost, after: 12 * time.Second, renewals: 4},
		"the store is away for 9 s":   {renew: func(n int) error { return map[bool]error{true: away}[n%4 != 0] }, renewals: 20},
		"the worker stops in between": {renew: always(nil), drain: true, want: errDraining, after: 31 * time.Second, renewals: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{renew: tc.renew, job: tc.job}
			w := idle(t, l)
			synctest.Test(t, func(t *testing.T) {
				w.draining, w.drain = context.WithCancelCause(context.Background())
				w.o.Now = time.Now
				began := time.Now()
				ctx, stop := context.WithCancelCause(t.Context())
				stopped := time.Duration(0)
				context.AfterFunc(ctx, func() { stopped = time.Since(began) })
				ended := make(chan struct{})
				told := &progress{store: l, now: time.Now, log: w.o.Log}
				go func() { defer close(ended); w.keep(ctx, mine, told, stop) }()
				if tc.drain {
					time.AfterFunc(31*time.Second, func() { w.drain(errDraining) })
				}
				told.set(ctx, posture.Progress{Phase: "read", Done: 1})
				told.set(ctx, posture.Progress{Phase: "read", Done: 2})
				<-time.After(61 * time.Second)
				synctest.Wait()
				if tc.want == nil {
					require.NoError(t, ctx.Err())
				} else {
					require.ErrorIs(t, context.Cause(ctx), tc.want)
				}
				require.Equal(t, tc.after, stopped)
				require.Equal(t, tc.renewals, l.renewals)
				require.Equal(t, 2, l.progress[len(l.progress)-1].Done, "the last count is stored")
				require.Len(t, l.progress, 2)
				stop(nil)
				<-ended
				w.drain(nil)
				synctest.Wait()
			})
		})
	}
}

// TestWhichProgressIsStored: a new phase and a new reason to wait at once, counts once a second, and what could not be
// stored with the next flush.
func TestWhichProgressIsStored(t *testing.T) {
	t.Parallel()
	now, l := morning(), &ledger{}
	p := &progress{store: l, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}
	for _, tc := range []struct {
		after  time.Duration
		tell   posture.Progress
		stored bool
	}{
		{0, posture.Progress{Phase: "a", Done: 1}, true},
		{0, posture.Progress{Phase: "a", Done: 2}, false},
		{time.Second, posture.Progress{Phase: "a", Done: 3}, true},
		{0, posture.Progress{Phase: "a", Done: 3, Detail: "waits"}, true},
		{0, posture.Progress{Phase: "a", Done: 4, Detail: "waits"}, false},
		{0, posture.Progress{Phase: "a", Done: 5}, false},
		{0, posture.Progress{Phase: "b", Done: 5}, true},
	} {
		now = now.Add(tc.after)
		before := len(l.progress)
		p.set(t.Context(), tc.tell)
		require.Equal(t, tc.stored, len(l.progress) > before, "%+v", tc.tell)
	}
	n := len(l.progress)
	p.flush(t.Context(), 0)
	require.Len(t, l.progress, n, "it is stored")
	l.err = errors.New("away")
	p.set(t.Context(), posture.Progress{Phase: "c"})
	p.flush(t.Context(), time.Second)
	require.Len(t, l.progress, n+1, "too early")
	now = now.Add(time.Second)
	l.err = nil
	p.flush(t.Context(), time.Second)
	p.flush(t.Context(), 0)
	require.Len(t, l.progress, n+2)
}

// TestWhichJobIsClaimed: one of the queue the task came from, else of the others by priority; of a queue the first that
// nobody else took.
func TestWhichJobIsClaimed(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, tc := range map[string]struct {
		first  string
		due    map[string][]string
		claims map[string]error
		err    error
		id     string
		told   []string
	}{
		"its own queue": {first: Scheduled, due: map[string][]string{Scheduled: {"s"}, Interactive: {"i"}}, id: "s",
			told: []string{"due scheduled", "claim s"}},
		"nothing there": {first: Scheduled, due: map[string][]string{Delivery: {"d"}}, id: "d", told: []string{"due scheduled",
			"due interactive", "due delivery", "claim d"}},
		"taken by another": {first: Delivery, due: map[string][]string{Delivery: {"d", "e"}},
			claims: map[string]error{"d": store.ErrNotClaimable}, id: "e", told: []string{"due delivery", "claim d", "claim e"}},
		"no jobs": {first: Delivery, told: []string{"due delivery", "due interactive", "due scheduled"}},
		"no claim": {first: Delivery, due: map[string][]string{Delivery: {"d"}}, claims: map[string]error{"d": away},
			told: []string{"due delivery", "claim d"}},
		"no store": {first: Delivery, err: away, told: []string{"due delivery"}},
	} {
		l := &ledger{due: tc.due, claims: tc.claims, err: tc.err}
		row, found, err := idle(t, l).claim(t.Context(), tc.first)
		require.Equal(t, tc.told, l.told, name)
		require.Equal(t, tc.id != "", found, name)
		require.Equal(t, tc.err != nil || errors.Is(tc.claims["d"], away), err != nil, name)
		if found {
			require.Equal(t, tc.id, row.ID, name)
		}
	}
}

type working func(ctx context.Context, a work.Attempt) (work.Result, error)

func (working) Kind() posture.JobKind { return posture.JobAssess }
func (w working) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	return w(ctx, a)
}

// TestASlotForEachJob: a task takes a slot or goes, a job that was found has the store looked into again, while it works
// only if another slot is free, and the slot is free again afterwards.
func TestASlotForEachJob(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		taken        int
		due          map[string][]string
		worked       bool
		during, then bool
	}{
		"a free slot more": {0, map[string][]string{Delivery: {"d"}}, true, true, true},
		"the last slot":    {1, map[string][]string{Delivery: {"d"}}, true, false, true},
		"no slot":          {2, map[string][]string{Delivery: {"d"}}, false, false, false},
		"no job":           {0, nil, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{due: tc.due}
			var w *Worker
			worked := false
			w = idle(t, l, working(func(context.Context, work.Attempt) (work.Result, error) {
				worked = true
				require.Equal(t, tc.during, len(w.again) == 1)
				require.Equal(t, []string{"d"}, w.held.ids())
				select {
				case <-w.again:
				default:
				}
				panic("on the way")
			}))
			var ends []string
			w.o.Begin = func(ctx context.Context, _ store.JobRow) (context.Context, func(string)) {
				return ctx, func(how string) { ends = append(ends, how) }
			}
			for range tc.taken {
				w.slots <- struct{}{}
			}
			w.handle(t.Context(), Delivery)
			require.Equal(t, tc.worked, worked)
			require.Equal(t, tc.then, len(w.again) == 1)
			require.Len(t, w.slots, tc.taken)
			require.Empty(t, w.held.ids())
			if tc.worked {
				require.Equal(t, []string{"again"}, ends, "a panic is tried again")
				require.Contains(t, l.told, "retry d/1 +1s")
			}
		})
	}
	_, err := idle(t, &ledger{}).work(t.Context(), row("j", 1), nil)
	require.Equal(t, posture.CodeInternal, posture.AsProblem(err).Code, "a kind of another version")
}

// TestOneAttemptIsCancelled: of a job that was lost and claimed again only the attempt the row tells of.
func TestOneAttemptIsCancelled(t *testing.T) {
	t.Parallel()
	var h held
	ended := map[int]error{}
	note := func(attempt int) context.CancelCauseFunc { return func(err error) { ended[attempt] = err } }
	forget := h.add(row("j", 1), note(1))
	h.add(row("j", 2), note(2))
	h.add(row("k", 1), note(9))
	h.cancel(row("j", 2))
	h.cancel(row("j", 3))
	require.Equal(t, map[int]error{2: errCancelled}, ended)
	forget()
	ids := h.ids()
	slices.Sort(ids)
	require.Equal(t, []string{"j", "k"}, ids)
	h.cancel(row("j", 1))
	require.Len(t, ended, 1)
}

// TestWhatIsToBeCancelled: the watch stops the attempts whose row says so, and asks nothing while nothing runs.
func TestWhatIsToBeCancelled(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		requested bool
		err       error
		want      error
	}{
		"requested": {true, nil, errCancelled}, "not requested": {false, nil, nil}, "no answer": {true, errors.New("away"), nil},
	} {
		l := &ledger{rows: []store.JobRow{row("j", 1)}, err: tc.err}
		l.rows[0].CancelRequested = tc.requested
		w := idle(t, l)
		w.drain(errDraining) // one look
		var ended error
		w.watch()
		w.held.add(l.rows[0], func(err error) { ended = err })
		w.watch()
		require.Equal(t, tc.want, ended, name)
	}
}

package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Options configures a Worker. Zero durations take the defaults named.
type Options struct {
	Redis       redis.UniversalClient
	Store       store.Jobs
	Kinds       []work.Kind
	Owner       string // identifies this process in the job rows
	Concurrency int    // concurrent jobs; 8
	// Now is the clock that leases are kept by. All workers on a store must use that of the store; see
	// package clock.
	Now func() time.Time
	Log *slog.Logger
	// Schedules fires repeated runs; nil: this worker fires none.
	Schedules Schedules
	// Begin is called for each attempt. It returns the context of its work and a function that is
	// called with how it ended (succeeded, failed, cancelled, lease_lost, handed_back, waits, again, not_stored).
	// It may be nil.
	Begin     func(ctx context.Context, row store.JobRow) (_ context.Context, ended func(how string))
	Retention Retention // nil: this worker deletes nothing
	Timing    Timing
}

// Timing holds the intervals and durations of a worker.
type Timing struct {
	Lease          time.Duration // 10 s
	Renew          time.Duration // 3 s
	Watch          time.Duration // how often cancel requests are polled; 500 ms
	Reconcile      time.Duration // how often the store is polled for due jobs; 1 s
	Sweep          time.Duration // how often due schedules are polled; 1 s
	RetentionEvery time.Duration // how often the retention checks for its turn; 5 min
	DrainAfter     time.Duration // how long a stop waits for jobs to be handed back; 20 s
}

// Schedules fires repeated runs; jobs.Scheduler implements it.
type Schedules interface {
	// Sweep fires whatever is due.
	Sweep(ctx context.Context) error
}

// Worker runs jobs until it is stopped.
type Worker struct {
	o        Options
	kinds    map[posture.JobKind]work.Kind
	server   *asynq.Server
	notifier *Notifier
	drain    context.CancelCauseFunc
	draining context.Context //nolint:containedctx // ends when the worker stops
	loops    sync.WaitGroup
	// slots holds one entry for each running job. asynq's own count is not enough: after a long outage
	// of Redis it gives up a task whose handler is still running.
	slots   chan struct{}
	running sync.WaitGroup
	// again requests another poll of the store.
	again chan struct{}
	held  held
}

// The causes with which an attempt's context ends.
var (
	errCancelled = errors.New("the job was cancelled")
	errDraining  = errors.New("the worker is stopping")
	errLeaseLost = errors.New("the lease of the job was lost")
)

// NewWorker makes a worker that is not running yet.
func NewWorker(o Options) *Worker {
	t := &o.Timing
	t.Lease = cmp.Or(t.Lease, 10*time.Second)
	t.Renew = cmp.Or(t.Renew, 3*time.Second)
	t.Watch = cmp.Or(t.Watch, 500*time.Millisecond)
	t.Reconcile = cmp.Or(t.Reconcile, time.Second)
	t.Sweep = cmp.Or(t.Sweep, time.Second)
	t.RetentionEvery = cmp.Or(t.RetentionEvery, 5*time.Minute)
	t.DrainAfter = cmp.Or(t.DrainAfter, 20*time.Second)
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	w := &Worker{o: o, kinds: map[posture.JobKind]work.Kind{}, notifier: NewNotifier(o.Redis), slots: make(chan struct{}, o.Concurrency),
		again: make(chan struct{}, 1)}
	for _, k := range o.Kinds {
		w.kinds[k.Kind()] = k
	}
	w.draining, w.drain = context.WithCancelCause(context.Background())
	w.server = asynq.NewServerFromRedisClient(o.Redis, asynq.Config{
		Concurrency: o.Concurrency, Queues: map[string]int{Interactive: 6, Delivery: 3, Scheduled: 2},
		TaskCheckInterval: 50 * time.Millisecond, ShutdownTimeout: t.DrainAfter,
		Logger: quiet{o.Log}, LogLevel: asynq.WarnLevel,
	})
	return w
}

// Start begins to take jobs.
func (w *Worker) Start() error {
	mux := asynq.NewServeMux()
	mux.HandleFunc(taskType, func(ctx context.Context, _ *asynq.Task) error {
		queue, _ := asynq.GetQueueName(ctx)
		w.handle(ctx, queue)
		return nil // the store knows how it ended; asynq has nothing to retry
	})
	if err := w.server.Start(mux); err != nil {
		return fmt.Errorf("start taking jobs from Redis: %w", err)
	}
	w.loops.Go(w.reconcile)
	w.loops.Go(w.tidy)
	w.loops.Go(w.watch)
	if w.o.Schedules != nil {
		w.loops.Go(w.sweep)
	}
	if w.o.Retention != nil {
		w.loops.Go(w.forgetPast)
	}
	return nil
}

// Stop takes no more jobs, releases the running ones and returns when that is done.
func (w *Worker) Stop() {
	w.server.Stop()
	w.drain(errDraining)
	w.server.Shutdown()
	w.running.Wait()
	w.loops.Wait()
}

// sweep fires due schedules until the worker stops.
func (w *Worker) sweep() {
	w.every(w.o.Timing.Sweep, nil, func() {
		if err := w.o.Schedules.Sweep(w.draining); err != nil && w.draining.Err() == nil {
			w.o.Log.Warn("schedules could not be fired; trying again", "error", err)
		}
	})
}

// every calls do now, after each interval and on each wake-up, until the worker stops.
func (w *Worker) every(interval time.Duration, wake <-chan struct{}, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		do()
		select {
		case <-w.draining.Done():
			return
		case <-tick.C:
		case <-wake:
		}
	}
}

// handle runs one attempt at the job that has been due longest, preferring the queue the task came
// from.
func (w *Worker) handle(ctx context.Context, queue string) {
	select {
	case w.slots <- struct{}{}:
	default:
		return // whoever holds the slots looks for more afterwards
	}
	w.running.Add(1)
	defer w.running.Done()
	ctx = context.WithoutCancel(ctx)
	row, found, err := w.claim(ctx, queue)
	if err != nil {
		w.o.Log.Warn("no job could be claimed; trying again", "error", err)
	}
	if found {
		if len(w.slots) < cap(w.slots) {
			w.lookAgain()
		}
		w.attempt(ctx, row)
	}
	<-w.slots
	if found {
		w.lookAgain()
	}
}

// lookAgain triggers a poll of the store: a slot is free, and a job may be due.
func (w *Worker) lookAgain() {
	select {
	case w.again <- struct{}{}:
	default:
	}
}

// candidates is how many due jobs of a queue are tried until one can be claimed.
const candidates = 16

func (w *Worker) claim(ctx context.Context, first string) (row store.JobRow, found bool, err error) {
	order := slices.DeleteFunc(queues(), func(q string) bool { return q == first })
	for _, queue := range append([]string{first}, order...) {
		ids, err := w.o.Store.Due(ctx, queue, w.o.Now(), candidates)
		if err != nil {
			return row, false, err
		}
		for _, id := range ids {
			row, err := w.o.Store.Claim(ctx, id, w.o.Owner, w.o.Now(), w.o.Timing.Lease)
			if !errors.Is(err, store.ErrNotClaimable) {
				return row, err == nil, err
			}
		}
	}
	return row, false, nil
}

// attempt runs one attempt at a claimed job.
func (w *Worker) attempt(ctx context.Context, row store.JobRow) {
	log := w.o.Log.With("jobId", row.ID, "attempt", row.Attempt, "kind", row.Kind, "account", row.Account)
	ctx, ended := w.begin(ctx, row)
	log.InfoContext(ctx, "job started")
	attempt, stop := context.WithCancelCause(ctx)
	defer w.held.add(row, stop)()
	kept := make(chan struct{})
	reported := &progress{store: w.o.Store, row: row, now: w.o.Now, log: log}
	go func() { defer close(kept); w.keep(attempt, row, reported, stop) }()
	out, workErr := w.work(attempt, row, reported)
	cause := context.Cause(attempt)
	stop(nil)
	<-kept
	reported.flush(ctx, 0)
	ended(w.finish(ctx, row, out, workErr, cause, log))
}

func (w *Worker) begin(ctx context.Context, row store.JobRow) (context.Context, func(how string)) {
	if w.o.Begin == nil {
		return ctx, func(string) {}
	}
	return w.o.Begin(ctx, row)
}

// elsewhereAfter is how long a job rests that this worker does not know, so that others get it first.
const elsewhereAfter = 10 * time.Second

// work runs the kind's Work and turns a panic into an error.
func (w *Worker) work(ctx context.Context, row store.JobRow, reported *progress) (out work.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.o.Log.ErrorContext(ctx, "a job panicked", "jobId", row.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &panicError{p}
		}
	}()
	if row.Lost >= posture.MaxLost {
		return out, posture.Problemf(posture.CodeInternal,
			"The job lost its worker %d times and was given up; the logs of the workers say why they stopped.", row.Lost)
	}
	kind := w.kinds[row.Kind]
	if kind == nil { // an API that was upgraded before this worker knows it
		return out, &posture.LaterError{At: w.o.Now().Add(elsewhereAfter),
			Err: fmt.Errorf("this worker does not know jobs of kind %q; run the same version everywhere", row.Kind)}
	}
	return kind.Work(ctx, work.Attempt{Row: row, Progress: func(p posture.Progress) { reported.set(ctx, p) }})
}

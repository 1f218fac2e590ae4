package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// Options configures a Worker. Zero durations take the defaults named.
type Options struct {
	Redis       redis.UniversalClient
	Store       store.Jobs
	Kinds       []jobs.Kind
	Owner       string // names this process in the job rows
	Concurrency int    // jobs at once; 8
	Now         func() time.Time
	Log         *slog.Logger
	Schedules   Schedules // nil: this worker fires none
	// Begin is told of each attempt, gives the context of its work, and is told how it
	// ended (succeeded, failed, cancelled, lease_lost, handed_back, waits, again); nil:
	// nobody is.
	Begin     func(ctx context.Context, row store.JobRow) (_ context.Context, ended func(how string))
	Retention Retention // nil: this worker forgets nothing

	Lease      time.Duration // 10 s
	Renew      time.Duration // 3 s
	Watch      time.Duration // how often a cancel is looked for; 500 ms
	Reconcile  time.Duration // 1 s
	RingAfter  time.Duration // a queued job is rung for again after this; 10 s
	Sweep      time.Duration // how often due schedules are looked for; 2 s
	Wind       time.Duration // how often the bells of schedules are set anew; 5 s
	Tend       time.Duration // how often the retention looks for its turn; 5 min
	DrainAfter time.Duration // how long a stop waits for jobs to hand back; 20 s
}

// Worker runs jobs until it is stopped.
type Worker struct {
	o        Options
	kinds    map[posture.JobKind]jobs.Kind
	server   *asynq.Server
	doorbell *Doorbell
	drain    context.CancelCauseFunc
	draining context.Context //nolint:containedctx // ends when the worker stops
	bells    *asynq.PeriodicTaskManager
	loops    sync.WaitGroup
}

// The causes an attempt's context ends with.
var (
	errCancelled = errors.New("the job was cancelled")
	errDraining  = errors.New("the worker is stopping")
	errLeaseLost = errors.New("the lease of the job was lost")
)

// NewWorker makes a worker that is not yet running.
func NewWorker(o Options) *Worker {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.Lease, 10*time.Second)
	def(&o.Renew, 3*time.Second)
	def(&o.Watch, 500*time.Millisecond)
	def(&o.Reconcile, time.Second)
	def(&o.RingAfter, 10*time.Second)
	def(&o.Sweep, 2*time.Second)
	def(&o.Wind, 5*time.Second)
	def(&o.Tend, 5*time.Minute)
	def(&o.DrainAfter, 20*time.Second)
	if o.Concurrency == 0 {
		o.Concurrency = 8
	}
	w := &Worker{o: o, kinds: map[posture.JobKind]jobs.Kind{}, doorbell: NewDoorbell(o.Redis)}
	for _, k := range o.Kinds {
		w.kinds[k.Kind()] = k
	}
	w.draining, w.drain = context.WithCancelCause(context.Background())
	w.server = asynq.NewServerFromRedisClient(o.Redis, asynq.Config{
		Concurrency: o.Concurrency, Queues: map[string]int{Interactive: 6, Delivery: 3, Scheduled: 2},
		TaskCheckInterval: 50 * time.Millisecond, ShutdownTimeout: o.DrainAfter,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 0 },
		Logger:         quiet{o.Log}, LogLevel: asynq.WarnLevel,
	})
	return w
}

// Start begins to take jobs.
func (w *Worker) Start() error {
	mux := asynq.NewServeMux()
	mux.HandleFunc(taskType, func(ctx context.Context, t *asynq.Task) error {
		w.handle(ctx, string(t.Payload()))
		return nil // the store knows how it ended; asynq has nothing to retry
	})
	if w.o.Schedules != nil {
		mux.HandleFunc(bellType, w.ringSchedule)
		if err := w.wind(); err != nil {
			return err
		}
	}
	if err := w.server.Start(mux); err != nil {
		return fmt.Errorf("start taking jobs from Redis: %w", err)
	}
	w.loops.Go(w.reconcile)
	if w.o.Schedules != nil {
		w.loops.Go(w.sweep)
	}
	if w.o.Retention != nil {
		w.loops.Go(w.tend)
	}
	return nil
}

// Stop takes no more jobs, hands running ones back and returns when they are.
func (w *Worker) Stop() {
	w.server.Stop()
	w.drain(errDraining)
	if w.bells != nil {
		w.loops.Go(w.bells.Shutdown)
	}
	w.server.Shutdown()
	w.loops.Wait()
}

// reconcile rings for jobs that nobody is at until the worker stops.
func (w *Worker) reconcile() {
	tick := time.NewTicker(w.o.Reconcile)
	defer tick.Stop()
	for {
		if err := w.Reconcile(w.draining); err != nil && w.draining.Err() == nil {
			w.o.Log.Warn("jobs could not be reconciled; trying again", "error", err)
		}
		select {
		case <-w.draining.Done():
			return
		case <-tick.C:
		}
	}
}

// Reconcile hands back jobs whose lease ended and rings for every queued job
// that was not rung for lately.
func (w *Worker) Reconcile(ctx context.Context) error {
	now := w.o.Now()
	return w.ring(ctx, now, now.Add(-w.o.RingAfter))
}

// RingQueued rings for every queued job, however lately it was rung for: the
// doorbells of an in-process queue are gone with the process that had it.
func (w *Worker) RingQueued(ctx context.Context) error {
	now := w.o.Now()
	return w.ring(ctx, now, now.Add(time.Microsecond))
}

func (w *Worker) ring(ctx context.Context, now, rungBefore time.Time) error {
	rows, err := w.o.Store.Overdue(ctx, now, rungBefore, 1000)
	if err != nil {
		return fmt.Errorf("look for overdue jobs: %w", err)
	}
	for _, j := range rows {
		if err := w.doorbell.RingAgain(ctx, j, now); err != nil {
			return err
		}
	}
	return nil
}

// handle runs one attempt, if the job can be claimed.
func (w *Worker) handle(ctx context.Context, jobID string) {
	row, err := w.o.Store.Claim(ctx, jobID, w.o.Owner, w.o.Now(), w.o.Lease)
	if errors.Is(err, store.ErrNotClaimable) || errors.Is(err, store.ErrNotFound) {
		return
	}
	log := w.o.Log.With("jobId", jobID)
	if err != nil {
		log.Warn("a job could not be claimed; the reconciler will ring again", "error", err)
		return
	}
	log = log.With("attempt", row.Attempt, "kind", row.Kind, "account", row.Account)
	ctx, ended := w.begin(context.WithoutCancel(ctx), row)
	log.InfoContext(ctx, "job started")
	attempt, stop := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() { defer close(kept); w.keep(attempt, row, stop) }()
	out, workErr := w.work(attempt, row)
	cause := context.Cause(attempt)
	stop(nil)
	<-kept
	how, err := w.finish(ctx, row, out, workErr, cause, log)
	ended(how)
	if err != nil {
		log.WarnContext(ctx, "the end of the job could not be stored; its lease will run out and it will be taken up again", "error", err)
	}
}

func (w *Worker) begin(ctx context.Context, row store.JobRow) (context.Context, func(how string)) {
	if w.o.Begin == nil {
		return ctx, func(string) {}
	}
	return w.o.Begin(ctx, row)
}

// keep renews the lease and watches for a cancel until the attempt ends.
func (w *Worker) keep(ctx context.Context, row store.JobRow, stop context.CancelCauseFunc) {
	renew, watch := time.NewTicker(w.o.Renew), time.NewTicker(w.o.Watch)
	defer renew.Stop()
	defer watch.Stop()
	held := w.o.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.draining.Done():
			stop(errDraining)
			return
		case <-watch.C:
			if j, err := w.o.Store.Job(ctx, row.ID); err == nil && j.CancelRequested {
				stop(errCancelled)
				return
			}
		case <-renew.C:
			now := w.o.Now()
			_, err := w.o.Store.Renew(ctx, row.ID, row.Attempt, now, w.o.Lease)
			switch {
			case err == nil:
				held = now
			case errors.Is(err, store.ErrFenced), now.Sub(held) > w.o.Lease:
				// Either somebody else has the job or may have it by now.
				stop(errLeaseLost)
				return
			}
		}
	}
}

// work runs the kind and turns a panic into an error.
func (w *Worker) work(ctx context.Context, row store.JobRow) (out jobs.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.o.Log.ErrorContext(ctx, "a job panicked", "jobId", row.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("the job panicked: %v", p)
		}
	}()
	kind := w.kinds[row.Kind]
	if kind == nil {
		return out, posture.Problemf(posture.CodeInternal, "This worker does not know jobs of kind %q; run the same version everywhere.", row.Kind)
	}
	return kind.Work(ctx, jobs.Attempt{Row: row, Progress: func(p posture.Progress) {
		if err := w.o.Store.SetProgress(ctx, row.ID, row.Attempt, p); err != nil && ctx.Err() == nil {
			w.o.Log.DebugContext(ctx, "progress could not be stored", "jobId", row.ID, "error", err)
		}
	}})
}

// finish ends the attempt in the store, and says how it ended.
func (w *Worker) finish(ctx context.Context, row store.JobRow, out jobs.Outcome, workErr, cause error, log *slog.Logger) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	now := w.o.Now()
	var problem *posture.Problem
	var later *posture.LaterError
	switch {
	case workErr == nil && out.Saved:
		log.InfoContext(ctx, "job succeeded")
		return "succeeded", nil
	case workErr == nil:
		log.InfoContext(ctx, "job succeeded")
		return "succeeded", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobSucceeded, out.Result, nil, now)
	case errors.Is(cause, errCancelled):
		log.InfoContext(ctx, "job cancelled")
		return "cancelled", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobCancelled, nil,
			posture.Problemf(posture.CodeCancelled, "The job was cancelled; what it had read is kept, and a retry goes on from there."), now)
	case errors.Is(cause, errLeaseLost), errors.Is(workErr, store.ErrFenced):
		log.WarnContext(ctx, "the lease was lost; another worker has the job")
		return "lease_lost", nil
	case errors.Is(cause, errDraining):
		log.InfoContext(ctx, "job handed back")
		return "handed_back", w.handBack(ctx, row, now)
	case errors.As(workErr, &later):
		log.InfoContext(ctx, "job waits", "until", later.At, "reason", later.Err)
		// The reconciler rings when the last ring is RingAfter ago.
		return "waits", w.o.Store.Release(ctx, row.ID, row.Attempt, later.At.Add(-w.o.RingAfter))
	case errors.As(workErr, &problem):
		log.WarnContext(ctx, "job failed", "code", problem.Code, "detail", problem.Detail)
		return "failed", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, problem, now)
	case row.Attempt < posture.MaxAttempts:
		log.ErrorContext(ctx, "the job hit trouble of the service; it will be tried again", "error", workErr)
		return "again", w.o.Store.Release(ctx, row.ID, row.Attempt, now)
	default:
		log.ErrorContext(ctx, "the job failed for good", "error", workErr)
		return "failed", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, posture.AsProblem(workErr), now)
	}
}

// handBack queues the job and rings at once, so that another worker need not
// wait for the reconciler.
func (w *Worker) handBack(ctx context.Context, row store.JobRow, now time.Time) error {
	if err := w.o.Store.Release(ctx, row.ID, row.Attempt, now); err != nil {
		return err
	}
	return w.doorbell.Ring(ctx, row)
}

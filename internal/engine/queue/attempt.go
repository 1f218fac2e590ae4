package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// keep renews the lease and stores progress until the attempt ends.
func (w *Worker) keep(ctx context.Context, row store.JobRow, reported *progress, stop context.CancelCauseFunc) {
	renew, flush := time.NewTicker(w.o.Timing.Renew), time.NewTicker(w.o.Timing.Watch)
	defer renew.Stop()
	defer flush.Stop()
	held := w.o.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.draining.Done():
			stop(errDraining)
			return
		case <-flush.C:
			reported.flush(ctx, progressEvery)
		case <-renew.C:
			now := w.o.Now()
			_, err := w.o.Store.Renew(ctx, row.ID, row.Attempt, now, w.o.Timing.Lease)
			switch {
			case err == nil:
				held = now
			case errors.Is(err, store.ErrFenced) && w.saved(ctx, row):
				return // the attempt has just ended the job itself
			case errors.Is(err, store.ErrFenced), now.Sub(held) > w.o.Timing.Lease:
				// Another worker has the job, or may have it by now.
				stop(errLeaseLost)
				return
			}
		}
	}
}

// saved reports whether the attempt has ended its job with an assessment.
func (w *Worker) saved(ctx context.Context, row store.JobRow) bool {
	j, err := w.o.Store.Job(ctx, row.ID)
	return err == nil && j.Attempt == row.Attempt && j.State == posture.JobSucceeded
}

// end is how an attempt ended: the word for it, what stores it, and what the log says once that is stored.
type end struct {
	how   string
	keep  func(ctx context.Context) error // nil: nothing is left to store
	level slog.Level
	said  string
	attrs []any
}

// finish ends the attempt in the store, and returns how it ended. Whatever it ended with, it lost its lease if
// the store says so: a worker that was frozen in a transaction wakes up to a closed connection.
func (w *Worker) finish(ctx context.Context, row store.JobRow, out work.Result, workErr, cause error, log *slog.Logger) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	e, err := w.endOf(row, out, workErr, cause, log), error(nil)
	if e.keep != nil {
		err = e.keep(ctx)
	}
	switch {
	case errors.Is(err, store.ErrFenced) && w.saved(ctx, row): // the answer to its save was lost
		e = end{how: "succeeded", level: slog.LevelInfo, said: "job succeeded"}
	case errors.Is(err, store.ErrFenced):
		log.WarnContext(ctx, "the lease was lost; another worker has the job")
		return "lease_lost"
	case err != nil:
		log.WarnContext(ctx, "the end of the job may not be stored; if it is not, its lease will run out and it will be taken up again",
			"error", err, "end", e.how)
		return "not_stored"
	}
	log.Log(ctx, e.level, e.said, e.attrs...)
	if e.how == "handed_back" {
		if err := w.notifier.Notify(ctx, row); err != nil {
			log.WarnContext(ctx, "the other workers could not be told of a job that was handed back; they will look for it", "error", err)
		}
	}
	return e.how
}

// endOf decides how an attempt ended.
func (w *Worker) endOf(row store.JobRow, out work.Result, workErr, cause error, log *slog.Logger) end {
	now := w.o.Now()
	finish := func(state posture.JobState, result json.RawMessage, p *posture.Problem) func(context.Context) error {
		return func(ctx context.Context) error {
			var then []store.NewJob
			if state == posture.JobFailed {
				then = w.afterFailure(ctx, row, log)
			}
			return w.o.Store.Finish(ctx, row.ID, row.Attempt, state, result, p, now, then...)
		}
	}
	release := func(at time.Time) func(context.Context) error {
		return func(ctx context.Context) error { return w.o.Store.Release(ctx, row.ID, row.Attempt, at) }
	}
	var problem *posture.Problem
	var later *posture.LaterError
	switch {
	case workErr == nil && out.Saved:
		return end{"succeeded", nil, slog.LevelInfo, "job succeeded", nil}
	case workErr == nil:
		return end{"succeeded", finish(posture.JobSucceeded, out.Result, nil), slog.LevelInfo, "job succeeded", nil}
	case errors.Is(cause, errCancelled):
		return end{"cancelled", finish(posture.JobCancelled, nil, posture.Problemf(posture.CodeCancelled, "The job was cancelled; %s.",
			row.Kind.Remains())), slog.LevelInfo, "job cancelled", nil}
	case errors.Is(cause, errLeaseLost), errors.Is(workErr, store.ErrFenced):
		return end{keep: func(context.Context) error { return store.ErrFenced }}
	case errors.Is(cause, errDraining):
		return end{"handed_back", release(now), slog.LevelInfo, "job handed back", nil}
	case errors.As(workErr, &later):
		return end{"waits", release(later.At), slog.LevelInfo, "job waits", []any{"until", later.At, "reason", later.Err}}
	case errors.As(workErr, &problem):
		return end{"failed", finish(posture.JobFailed, nil, problem), slog.LevelWarn, "job failed",
			[]any{"code", problem.Code, "detail", problem.Detail}}
	case row.Tries+1 < mostTries(workErr):
		again := now.Add(backoff(row.Tries))
		return end{"again", func(ctx context.Context) error { return w.o.Store.Retry(ctx, row.ID, row.Attempt, again) }, slog.LevelError,
			"the job hit trouble of the service; it will be tried again", []any{"error", workErr, "at", again}}
	default:
		return end{"failed", finish(posture.JobFailed, nil, posture.Problemf(posture.CodeInternal,
			"The service failed unexpectedly; the id of the job finds the cause in its log.")), slog.LevelError, "the job failed for good",
			[]any{"error", workErr}}
	}
}

// afterFailure returns what follows a job that failed. What keeps it from being made does not keep the job from ending.
func (w *Worker) afterFailure(ctx context.Context, row store.JobRow, log *slog.Logger) []store.NewJob {
	kind, is := w.kinds[row.Kind].(work.Follower)
	if !is {
		return nil
	}
	then, err := kind.AfterFailure(ctx, row)
	if err != nil {
		log.ErrorContext(ctx, "the job failed, and what should follow could not be made", "error", err)
	}
	return then
}

// mostTries is how many attempts may end with an error of the service before the job fails: ten, which
// take 25 minutes, and three if the job panics.
func mostTries(err error) int {
	if _, ok := errors.AsType[*panicError](err); ok {
		return 3
	}
	return 10
}

// backoff is how long a job rests after an error of the service: 1 s, 3 s, 9 s, … at most 5 minutes.
func backoff(tries int) time.Duration {
	d := time.Second
	for range min(tries, 6) {
		d *= 3
	}
	return min(d, 5*time.Minute)
}

// panicError is the value that a job panicked with.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the job panicked: %v", e.value) }

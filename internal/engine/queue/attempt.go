package queue

import (
	"context"
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

// finish ends the attempt in the store, and returns how it ended. Whatever it ended with, it lost its lease if
// the store says so: a worker that was frozen in a transaction wakes up to a closed connection.
func (w *Worker) finish(ctx context.Context, row store.JobRow, out work.Result, workErr, cause error,
	log *slog.Logger) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	defer func() {
		if errors.Is(err, store.ErrFenced) {
			log.WarnContext(ctx, "the lease was lost; another worker has the job")
			how, err = "lease_lost", nil
		}
	}()
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
			posture.Problemf(posture.CodeCancelled, "The job was cancelled; %s.", row.Kind.Remains()), now)
	case errors.Is(cause, errLeaseLost), errors.Is(workErr, store.ErrFenced):
		return "", store.ErrFenced
	case errors.Is(cause, errDraining):
		log.InfoContext(ctx, "job handed back")
		return "handed_back", w.handBack(ctx, row, now)
	case errors.As(workErr, &later):
		log.InfoContext(ctx, "job waits", "until", later.At, "reason", later.Err)
		return "waits", w.o.Store.Release(ctx, row.ID, row.Attempt, later.At)
	case errors.As(workErr, &problem):
		log.WarnContext(ctx, "job failed", "code", problem.Code, "detail", problem.Detail)
		return "failed", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, problem, now)
	case row.Tries+1 < mostTries(workErr):
		again := now.Add(backoff(row.Tries))
		log.ErrorContext(ctx, "the job hit trouble of the service; it will be tried again", "error", workErr, "at", again)
		return "again", w.o.Store.Retry(ctx, row.ID, row.Attempt, again)
	default:
		log.ErrorContext(ctx, "the job failed for good", "error", workErr)
		return "failed", w.o.Store.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, posture.AsProblem(workErr), now)
	}
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

// handBack requeues the job and notifies the other workers at once.
func (w *Worker) handBack(ctx context.Context, row store.JobRow, now time.Time) error {
	if err := w.o.Store.Release(ctx, row.ID, row.Attempt, now); err != nil {
		return err
	}
	return w.notifier.Notify(ctx, row)
}

package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
)

// reconcile looks for due jobs until the worker stops: at each interval, and when a slot becomes free.
func (w *Worker) reconcile() {
	w.every(w.o.Timing.Reconcile, w.again, func() {
		if err := w.Reconcile(w.draining); err != nil && w.draining.Err() == nil {
			w.o.Log.Warn("jobs could not be reconciled; trying again", "error", err)
		}
	})
}

// Reconcile releases jobs whose lease ended, and keeps as many tasks pending in Redis as jobs are due,
// up to the slots of this worker, so that a slot that becomes free finds a task there. Redis therefore
// holds no more than the workers can take, however many jobs wait.
func (w *Worker) Reconcile(ctx context.Context) error {
	now := w.o.Now()
	if err := w.o.Store.Recover(ctx, now); err != nil {
		return fmt.Errorf("hand back jobs that nobody works on: %w", err)
	}
	for _, queue := range queues() {
		ids, err := w.o.Store.Due(ctx, queue, now, w.o.Concurrency)
		if err != nil {
			return fmt.Errorf("look for jobs that are due: %w", err)
		}
		if err := w.notifier.fill(ctx, queue, ids, len(ids)); err != nil {
			return err
		}
	}
	return nil
}

// tidyEvery is how often tasks of killed workers are removed.
const tidyEvery = time.Minute

// tidy removes the tasks of killed workers, which asynq would archive for months.
func (w *Worker) tidy() {
	inspector := asynq.NewInspectorFromRedisClient(w.o.Redis)
	w.every(tidyEvery, nil, func() {
		for _, queue := range queues() {
			if _, err := inspector.DeleteAllArchivedTasks(queue); err != nil {
				w.o.Log.Debug("archived tasks could not be removed", "queue", queue, "error", err)
			}
		}
	})
}

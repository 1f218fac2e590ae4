package queue

import "context"

// Retention deletes what is past its retention when it is this process's turn.
type Retention interface {
	Sweep(ctx context.Context) (rows int, err error)
}

// forgetPast runs the retention at each interval until the worker stops.
func (w *Worker) forgetPast() {
	w.every(w.o.Timing.RetentionEvery, nil, func() {
		rows, err := w.o.Retention.Sweep(w.draining)
		switch {
		case w.draining.Err() != nil:
		case err != nil:
			w.o.Log.Warn("what is past its time could not be forgotten; trying again within the hour", "error", err)
		case rows > 0:
			w.o.Log.Info("what was past its time was forgotten", "rows", rows)
		}
	})
}

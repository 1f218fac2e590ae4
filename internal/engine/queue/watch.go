package queue

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/edgeposture/edgeposture/internal/store"
)

// held are the running attempts of this process, by job id. A job that was lost and claimed again may
// have two.
type held struct {
	mu sync.Mutex
	of map[string]map[int]context.CancelCauseFunc
}

// add registers an attempt with the function that stops it, and returns the function that removes it.
func (h *held) add(row store.JobRow, stop context.CancelCauseFunc) (forget func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]map[int]context.CancelCauseFunc{}
	}
	if h.of[row.ID] == nil {
		h.of[row.ID] = map[int]context.CancelCauseFunc{}
	}
	h.of[row.ID][row.Attempt] = stop
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.of[row.ID], row.Attempt); len(h.of[row.ID]) == 0 {
			delete(h.of, row.ID)
		}
	}
}

func (h *held) ids() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.of))
}

// cancel stops the attempt of a row.
func (h *held) cancel(row store.JobRow) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stop := h.of[row.ID][row.Attempt]; stop != nil {
		stop(errCancelled)
	}
}

// watch polls for cancel requests of all jobs of this process with one query, until the worker stops.
func (w *Worker) watch() {
	w.every(w.o.Timing.Watch, nil, func() {
		ids := w.held.ids()
		if len(ids) == 0 {
			return
		}
		rows, err := w.o.Store.JobsByID(w.draining, ids)
		if err != nil {
			return // the next poll comes soon, and the lease ends what cannot be polled
		}
		for _, row := range rows {
			if row.CancelRequested {
				w.held.cancel(row)
			}
		}
	})
}

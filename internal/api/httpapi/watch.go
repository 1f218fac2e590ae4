package httpapi

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	// watchEvery is how often the watched jobs are read.
	watchEvery = 40 * time.Millisecond
	// watchTimeout bounds one read, so that a database that hangs is tried again.
	watchTimeout = 10 * time.Second
	// lookEvery is how often a watcher checks whether its caller is still connected.
	lookEvery = time.Second
)

// watch reads the watched jobs for all watchers: with one query per tick however many they are, and
// with none while nobody watches.
type watch struct {
	ctx   context.Context //nolint:containedctx // that of the server: watching ends with it
	store store.Jobs
	mu    sync.Mutex
	jobs  map[string]*watched
	busy  bool // a goroutine is reading
}

// watched is a job and its watchers.
type watched struct {
	last  posture.Job
	seats map[chan store.JobRow]struct{}
}

// sit returns a channel that holds the newest row of a job whenever it has changed, including
// changes since the caller read it. A failed read is made up for by the next one.
func (w *watch) sit(id string) (seat <-chan store.JobRow, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.jobs[id]
	if of == nil {
		of = &watched{seats: map[chan store.JobRow]struct{}{}}
		w.jobs[id] = of
	}
	own := make(chan store.JobRow, 1)
	of.seats[own], of.last = struct{}{}, posture.Job{} // the next read is sent to every watcher
	if !w.busy {
		w.busy = true
		go w.run()
	}
	return own, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(of.seats, own); len(of.seats) == 0 {
			delete(w.jobs, id)
		}
	}
}

// run reads until no watcher is left or the server stops.
func (w *watch) run() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
		ids := w.wanted()
		if len(ids) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(w.ctx, watchTimeout)
		rows, err := w.store.JobsByID(ctx, ids)
		cancel()
		if err == nil {
			w.tell(rows)
		}
	}
}

// wanted returns the ids of the watched jobs. When there are none, the reading goroutine must end.
func (w *watch) wanted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = len(w.jobs) > 0
	return slices.Collect(maps.Keys(w.jobs))
}

func (w *watch) tell(rows []store.JobRow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		of := w.jobs[row.ID]
		if of == nil || reflect.DeepEqual(of.last, row.Job) {
			continue
		}
		of.last = row.Job
		for seat := range of.seats {
			select {
			case <-seat: // drop an outdated row that was not received
			default:
			}
			seat <- row
		}
	}
}

// gone reports whether the caller has disconnected, which fasthttp does not report.
func (n *called) gone() bool {
	if own, is := n.conn.(*ownConn); is {
		return own.ctx.Err() != nil
	}
	return n.conn != nil && hungUp(n.conn)
}

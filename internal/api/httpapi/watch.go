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
	// watchEvery is how often the jobs somebody watches are read.
	watchEvery = 40 * time.Millisecond
	// watchTimeout bounds one reading, so that a database that hangs is asked again.
	watchTimeout = 10 * time.Second
	// lookEvery is how often a watcher looks whether its caller is still there.
	lookEvery = time.Second
)

// watch reads the jobs of all who watch one: one query at each tick, however many they
// are, and none while nobody does.
type watch struct {
	ctx   context.Context //nolint:containedctx // that of the server: watching ends with it
	store store.Jobs
	mu    sync.Mutex
	jobs  map[string]*watched
	busy  bool // a goroutine reads
}

// watched is a job with those who watch it.
type watched struct {
	last  posture.Job
	seats map[chan store.JobRow]struct{}
}

// sit gives a channel that has the newest row of a job whenever it changed, also since
// the caller read it. A reading that fails is made up for by the next.
func (w *watch) sit(id string) (seat <-chan store.JobRow, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.jobs[id]
	if of == nil {
		of = &watched{seats: map[chan store.JobRow]struct{}{}}
		w.jobs[id] = of
	}
	own := make(chan store.JobRow, 1)
	of.seats[own], of.last = struct{}{}, posture.Job{} // the next reading is told to all
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

// wanted lists the jobs that are watched; without any the reader must end.
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
			case <-seat: // what nobody took is out of date
			default:
			}
			seat <- row
		}
	}
}

// gone reports whether the caller has hung up, which fasthttp does not report.
func (n *called) gone() bool {
	if own, is := n.conn.(*ownConn); is {
		return own.ctx.Err() != nil
	}
	return n.conn != nil && hungUp(n.conn)
}

package relational

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// togetherAtOnce bounds the calls that share one transaction.
	togetherAtOnce = 500
	// togetherWithin bounds a shared transaction, which no single caller's context ends.
	togetherWithin = 10 * time.Second
)

// together batches writes: what arrives while one write runs goes into the next, in one transaction.
type together[T any] struct {
	mu      sync.Mutex
	waiting []*joining[T]
	writing bool
}

// joining is the pending write of one caller.
type joining[T any] struct {
	ctx  context.Context //nolint:containedctx // of the caller who waits
	item T
	err  error
	done chan struct{} // closed when item and err are final
}

// do writes an item and returns it as it was written. write writes all items or none, and may change
// them. A caller whose context ends first does not learn whether its item was written.
func (g *together[T]) do(ctx context.Context, attempted string, item T, write func(ctx context.Context, items []T) error) (T, error) {
	j := &joining[T]{ctx: ctx, item: item, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, j)
	first := !g.writing
	g.writing = true
	g.mu.Unlock()
	if first {
		go g.drain(write) //nolint:contextcheck // each item brings the context of its caller
	}
	select {
	case <-j.done:
		return j.item, j.err
	case <-ctx.Done():
		g.leave(j)
		return item, fmt.Errorf("%s: %w", attempted, context.Cause(ctx))
	}
}

// leave withdraws an item, unless it is already being written.
func (g *together[T]) leave(j *joining[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(w *joining[T]) bool { return w == j })
}

// drain writes until no caller waits.
func (g *together[T]) drain(write func(ctx context.Context, items []T) error) {
	for group := g.take(); len(group) > 0; group = g.take() {
		if len(group) > 1 && writeAll(group, write) == nil {
			continue
		}
		// One item may have failed the batch, so each is now written on its own.
		for _, j := range group {
			one := []T{j.item}
			j.err = write(j.ctx, one)
			j.item = one[0]
			close(j.done)
		}
	}
}

// take removes the next items, in order of arrival.
func (g *together[T]) take() []*joining[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), togetherAtOnce)
	group := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	g.writing = n > 0
	return group
}

// writeAll writes several items or none; it does not depend on any caller's context.
func writeAll[T any](group []*joining[T], write func(ctx context.Context, items []T) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), togetherWithin)
	defer cancel()
	items := make([]T, len(group))
	for i, j := range group {
		items[i] = j.item
	}
	if err := write(ctx, items); err != nil {
		return err
	}
	for i, j := range group {
		j.item = items[i]
		close(j.done)
	}
	return nil
}

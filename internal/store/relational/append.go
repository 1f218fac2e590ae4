package relational

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/audit"
)

const (
	// appendsAtOnce bounds the entries of one transaction.
	appendsAtOnce = 500
	// appendWithin bounds a transaction that no caller's context ends.
	appendWithin = 10 * time.Second
)

// appending is an entry of the audit log on its way into it.
type appending struct {
	ctx   context.Context //nolint:containedctx // of the caller who waits
	entry audit.Entry
	err   error
	done  chan struct{} // closed when entry and err are final
}

// appender puts entries that arrive while others are being written into one transaction:
// they then take the row of the head once.
type appender struct {
	mu      sync.Mutex
	waiting []*appending
	writing bool
}

// AppendAudit implements store.Audits. A caller whose context ends first is not told
// whether its entry was still written.
func (s *Store) AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	a := &appending{ctx: ctx, entry: e, done: make(chan struct{})}
	s.appends.mu.Lock()
	s.appends.waiting = append(s.appends.waiting, a)
	first := !s.appends.writing
	s.appends.writing = true
	s.appends.mu.Unlock()
	if first {
		go s.appendWaiting() //nolint:contextcheck // each entry brings the context of its caller
	}
	select {
	case <-a.done:
		return a.entry, a.err
	case <-ctx.Done():
		s.appends.leave(a)
		return e, fmt.Errorf("write to the audit log: %w", context.Cause(ctx))
	}
}

// leave takes an entry back, unless it is being written.
func (g *appender) leave(a *appending) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(w *appending) bool { return w == a })
}

// appendWaiting writes until nobody waits.
func (s *Store) appendWaiting() {
	for group := s.appends.take(); len(group) > 0; group = s.appends.take() {
		if len(group) > 1 && s.appendGroup(group) == nil {
			continue
		}
		// What fails in company may be the fault of one; nobody else pays for it.
		for _, a := range group {
			entries, err := s.appendEntries(a.ctx, a.entry)
			a.entry, a.err = entries[0], err
			close(a.done)
		}
	}
}

// take gives the next entries in the order they came.
func (g *appender) take() []*appending {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), appendsAtOnce)
	group := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	g.writing = n > 0
	return group
}

// appendGroup writes several entries or none, whoever of the callers still waits.
func (s *Store) appendGroup(group []*appending) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), appendWithin)
	defer cancel()
	entries := make([]audit.Entry, len(group))
	for i, a := range group {
		entries[i] = a.entry
	}
	entries, err := s.appendEntries(ctx, entries...)
	if err != nil {
		return err
	}
	for i, a := range group {
		a.entry = entries[i]
		close(a.done)
	}
	return nil
}

func (s *Store) appendEntries(ctx context.Context, entries ...audit.Entry) (out []audit.Entry, err error) {
	err = s.inTx(ctx, "write to the audit log", func(tx bun.Tx) (err error) {
		out, err = chainLink(ctx, tx, entries...)
		return err
	})
	if err != nil {
		return entries, err
	}
	return out, nil
}

// chainLink appends within a transaction. Counting the head up takes its row until
// the commit, so that nobody else links to the same entry.
func chainLink(ctx context.Context, tx bun.Tx, entries ...audit.Entry) ([]audit.Entry, error) {
	var head audit.Head
	if err := tx.NewRaw("UPDATE audit_head SET seq = seq + ? WHERE id = 1 RETURNING seq, hash", len(entries)).Scan(ctx, &head.Seq, &head.Hash); err != nil {
		return nil, err
	}
	head.Seq -= int64(len(entries))
	out, rows := make([]audit.Entry, len(entries)), make([]auditRow, len(entries))
	for i, e := range entries {
		out[i] = audit.Chained(head, e)
		rows[i] = newAuditRow(out[i])
		head = audit.Head{Seq: out[i].Seq, Hash: out[i].Hash}
	}
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return nil, err
	}
	_, err := tx.NewRaw("UPDATE audit_head SET hash = ? WHERE id = 1", head.Hash).Exec(ctx)
	return out, err
}

// Package auditlog writes the audit log of one process: entries that must be written before an act,
// entries written after one, and refusals, which may come in floods. It also keeps the log small and
// verifiable over time.
package auditlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Limits.
const (
	// Keep is how long entries are kept.
	Keep = 400 * 24 * time.Hour
	// within bounds one write of Note, so that a store that hangs does not delay an answer for long.
	within = 3 * time.Second
	// anchorEvery is after how many entries the head is written to the process log, where it can later
	// prove that nothing before it was changed.
	anchorEvery = 1000
	tidyEvery   = time.Hour
)

// Options configures a Log. All fields are required unless noted.
type Options struct {
	Store store.Audits
	Now   func() time.Time
	Log   *slog.Logger
	// Process names this process: api:<host>:<pid> or worker:<host>:<pid>.
	Process string
	// Failed is called for each entry that could not be written; optional.
	Failed func()
}

// Log writes audit entries. It is safe for concurrent use. Close must be called.
type Log struct {
	o     Options
	flood *flood
	done  chan struct{}
	ended chan struct{}
}

// New starts the audit log of a process. If tidies is set, it also cuts the log and records its head
// every hour.
func New(o Options, tidies bool) *Log {
	t := &Log{o: o, flood: newFlood(), done: make(chan struct{}), ended: make(chan struct{})}
	go t.run(tidies)
	return t
}

// Process returns the name of the process the log belongs to.
func (t *Log) Process() string { return t.o.Process }

// Must writes an entry before the act it describes. When it returns an error, the act must not happen. The error is no
// problem: a worker tries its job again when the store is back.
func (t *Log) Must(ctx context.Context, e audit.Entry) error {
	if err := t.write(ctx, e); err != nil {
		if ctx.Err() == nil { // whoever gives up needs no entry
			t.failed(e, err)
		}
		return fmt.Errorf("nothing is done, because the audit log cannot be written: %w", err)
	}
	return nil
}

// Note writes an entry about something that has happened. A failure is logged and counted, and has no
// other effect.
func (t *Log) Note(ctx context.Context, e audit.Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if err := t.write(ctx, e); err != nil {
		t.failed(e, err)
	}
}

// Once is Must, unless the log has an entry of the same job, action and outcome.
func (t *Log) Once(ctx context.Context, e audit.Entry) error {
	rows, _, err := t.o.Store.Audit(ctx, store.AuditFilter{Job: e.JobID, Actions: []string{string(e.Action)},
		Outcomes: []audit.Ending{e.Outcome}}, store.Page{Limit: 1})
	if err == nil && len(rows) > 0 {
		return nil
	}
	return t.Must(ctx, e)
}

func (t *Log) write(ctx context.Context, e audit.Entry) error {
	if e.At.IsZero() {
		e.At = t.o.Now()
	}
	if e.Actor == "" {
		e.Actor = t.o.Process
	}
	wrote, err := t.o.Store.AppendAudit(ctx, e)
	if err == nil && wrote.Seq%anchorEvery == 0 {
		t.anchor(audit.Head{Seq: wrote.Seq, Hash: wrote.Hash})
	}
	return err
}

func (t *Log) failed(e audit.Entry, err error) {
	t.o.Log.Error("an entry of the audit log could not be written", "action", e.Action, "outcome", e.Outcome, "requestId", e.RequestID,
		"jobId", e.JobID, "error", err)
	if t.o.Failed != nil {
		t.o.Failed()
	}
}

func (t *Log) anchor(h audit.Head) {
	t.o.Log.Info("head of the audit log", "seq", h.Seq, "hash", h.Hash)
}

// run flushes collected refusals every minute until Close, and tidies the log if asked to.
func (t *Log) run(tidies bool) {
	defer close(t.ended)
	minute, hour := time.NewTicker(window), time.NewTicker(tidyEvery)
	defer minute.Stop()
	defer hour.Stop()
	for {
		select {
		case <-t.done:
			t.Flush(context.Background())
			return
		case <-minute.C:
			t.Flush(context.Background())
		case <-hour.C:
			if tidies {
				t.Tidy(context.Background())
			}
		}
	}
}

// Tidy removes entries older than Keep and records the head.
func (t *Log) Tidy(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	now := t.o.Now()
	n, err := t.o.Store.CutAudit(ctx, now.Add(-Keep), audit.Entry{At: now, Actor: t.o.Process})
	if n > 0 {
		t.o.Log.Info("old entries of the audit log were removed", "entries", n)
	}
	head, headErr := t.o.Store.AuditHead(ctx)
	if err := errors.Join(err, headErr); err != nil {
		t.o.Log.Warn("the audit log could not be tidied; trying again in an hour", "error", err)
		return
	}
	t.anchor(head)
}

// Close writes what was collected and ends the goroutine.
func (t *Log) Close() {
	close(t.done)
	<-t.ended
}

package app

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/audit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/trail"
)

// openTrail begins the audit log of this process. It ends right before the store
// is closed.
func (a *App) openTrail(role Role) {
	name := "worker:"
	if role.API {
		name = "api:"
	}
	a.trail = trail.New(trail.Options{Store: a.backend.store, Now: a.o.Now, Log: a.o.Log, Process: name + owner(), Failed: a.metrics.AuditFailed}, role.Worker)
	a.closers = append(a.closers, func() error { a.trail.Close(); return nil })
}

// fired records a run that a due time started.
func (a *App) fired(ctx context.Context, j store.JobRow) {
	a.trail.Note(ctx, audit.Entry{Actor: "schedule:" + j.ScheduleID, Action: audit.Fired, Outcome: audit.Admitted, JobID: j.ID, Target: audit.Target{Type: "accounts", ID: j.Account}})
}

package app

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
)

// openAuditLog opens the audit log of this process. It is closed right before the store.
func (a *App) openAuditLog(role Role) {
	name := "worker:"
	if role.API {
		name = "api:"
	}
	a.auditLog = auditlog.New(auditlog.Options{Store: a.backend.store, Now: a.o.Now, Log: a.o.Log, Process: name + owner(),
		Failed: a.telemetry.metrics.AuditFailed}, role.Worker)
	a.closers = append(a.closers, func() error { a.auditLog.Close(); return nil })
}

// fired records a run that a schedule started.
func (a *App) fired(ctx context.Context, j store.JobRow) {
	a.auditLog.Note(ctx, audit.Entry{Actor: "schedule:" + j.ScheduleID, Action: audit.Fired, Outcome: audit.Admitted, JobID: j.ID,
		Target: audit.Target{Type: "accounts", ID: j.Account}})
}

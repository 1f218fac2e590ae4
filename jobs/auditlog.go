package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
)

// guard is the gate of one job that records its decisions in the audit log: once per job and outcome,
// before the first write.
type guard struct {
	gate     *gate.Gate
	auditLog *auditlog.Log
	token    secret.Text
	entry    audit.Entry

	mu       sync.Mutex
	recorded map[audit.Ending]bool
}

func (r Remedy) newGuard(a work.Attempt, token secret.Text) *guard {
	action := audit.GateApply
	if a.Row.Kind == posture.JobRollback {
		action = audit.GateRollback
	}
	return &guard{gate: r.Gate, auditLog: r.AuditLog, token: token, recorded: map[audit.Ending]bool{},
		entry: audit.Entry{Action: action, JobID: a.Row.ID, Target: audit.Target{Type: "accounts", ID: a.Row.Account}}}
}

// admit asks the gate and records the decision in the audit log.
func (g *guard) admit(ctx context.Context) (gate.Grant, error) {
	grant, err := g.gate.Admit(ctx, g.token)
	e := g.entry
	e.Outcome = audit.Admitted
	if err != nil {
		e.Outcome, e.Code = audit.Refused, string(posture.AsProblem(err).Code)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.recorded[e.Outcome] {
		return grant, err
	}
	if wrote := g.auditLog.Once(ctx, e); wrote != nil && err == nil {
		return gate.Grant{}, &remedy.UnsentError{Err: wrote}
	}
	g.recorded[e.Outcome] = true
	return grant, err
}

// recorded is a provider that records every write in the audit log before it is sent, and again with
// its outcome. Neither entry has the body.
type recorded struct {
	remedy.Provider
	auditLog *auditlog.Log
	jobID    string
	span     span.Begin
}

// Write implements remedy.Provider.
func (p recorded) Write(ctx context.Context, grant gate.Grant, call change.Call) (json.RawMessage, error) {
	path, _, _ := strings.Cut(call.Path, "?")
	e := audit.Entry{Action: audit.Write, Method: call.Method, JobID: p.jobID, Target: audit.Target{Type: product(path), ID: path},
		Outcome: audit.Admitted}
	if err := p.auditLog.Must(ctx, e); err != nil {
		return nil, &remedy.UnsentError{Err: err}
	}
	within, end := p.span.Start(ctx, "provider write")
	out, err := p.Provider.Write(within, grant, call)
	e.Outcome = audit.Succeeded
	if err != nil {
		e.Outcome = audit.Failed
		if api, ok := errors.AsType[*cloudflare.APIError](err); ok {
			e.Status = api.Status
		}
	}
	end(slog.String("write.method", e.Method), slog.String("write.product", e.Target.Type), slog.String("write.outcome", string(e.Outcome)),
		span.Failed(err))
	p.auditLog.Note(ctx, e)
	return out, err
}

// product is the part of the provider that a path belongs to: the segment after the zone or account.
func product(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) > 2 && (parts[0] == "zones" || parts[0] == "accounts") {
		return parts[2]
	}
	return parts[0]
}

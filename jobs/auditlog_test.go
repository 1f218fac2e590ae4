package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
)

// ledger keeps entries, or refuses them.
type ledger struct {
	store.Audits
	entries []audit.Entry
	full    bool
}

func (l *ledger) AppendAudit(_ context.Context, e audit.Entry) (audit.Entry, error) {
	if l.full {
		return e, errors.New("no room")
	}
	l.entries = append(l.entries, e)
	return e, nil
}

func (l *ledger) Audit(context.Context, store.AuditFilter, store.Page) ([]audit.Entry, string, error) {
	return nil, "", nil
}

type provider struct {
	remedy.Provider
	writes int
	err    error
}

func (p *provider) Write(context.Context, gate.Grant, change.Call) (json.RawMessage, error) {
	p.writes++
	return nil, p.err
}

func newRemedy(t *testing.T, l *ledger) Remedy {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }
	g, err := gate.New(gate.Options{Allowed: true, Secret: secret.New("a secret of the tests"), Now: now})
	require.NoError(t, err)
	tr := auditlog.New(auditlog.Options{Store: l, Now: now, Log: slog.New(slog.DiscardHandler), Process: "worker:h:1"}, false)
	t.Cleanup(tr.Close)
	return Remedy{Gate: g, AuditLog: tr}
}

func attempt(kind posture.JobKind) work.Attempt {
	var a work.Attempt
	a.Row.ID, a.Row.Kind, a.Row.Account = "job", kind, "account"
	return a
}

// waits holds that an entry that cannot be written neither ends a job nor makes its change doubtful.
func waits(t *testing.T, err error) {
	t.Helper()
	require.ErrorContains(t, err, "audit log cannot be written")
	require.ErrorAs(t, err, new(*remedy.UnsentError))
	_, ends := errors.AsType[*posture.Problem](err)
	require.False(t, ends)
}

// TestNoGrantWithoutAnEntry: who cannot be recorded is not admitted.
func TestNoGrantWithoutAnEntry(t *testing.T) {
	l := &ledger{full: true}
	r := newRemedy(t, l)
	g := r.newGuard(attempt(posture.JobRollback), secret.New("a secret of the tests"))
	grant, err := g.admit(t.Context())
	waits(t, err)
	require.Error(t, grant.Valid())
	l.full = false
	for range 3 {
		grant, err = g.admit(t.Context())
		require.NoError(t, err)
		require.NoError(t, grant.Valid())
	}
	require.Len(t, l.entries, 1, "one entry for the job, not for each write")
	require.Equal(t, audit.GateRollback, l.entries[0].Action)
	other := r.newGuard(attempt(posture.JobApply), secret.New("another"))
	for range 3 {
		_, err = other.admit(t.Context())
		require.Error(t, err)
	}
	require.Len(t, l.entries, 2)
	require.Equal(t, audit.Entry{Action: audit.GateApply, JobID: "job", Outcome: audit.Refused, Code: "edit_scope_denied",
		Target: audit.Target{Type: "accounts", ID: "account"}, At: l.entries[1].At, Actor: "worker:h:1"}, l.entries[1])
}

// TestNoWriteWithoutAnEntry: each write is there before it leaves, without its body.
func TestNoWriteWithoutAnEntry(t *testing.T) {
	l, p := &ledger{full: true}, &provider{}
	r := newRemedy(t, l)
	w := recorded{Provider: p, auditLog: r.AuditLog, jobID: "job"}
	call := change.Call{Method: "PUT", Path: "/zones/z1/rulesets/r1?x=canary", Body: json.RawMessage(`"canary"`)}
	_, err := w.Write(t.Context(), gate.Grant{}, call)
	waits(t, err)
	require.Zero(t, p.writes)
	l.full = false
	_, err = w.Write(t.Context(), gate.Grant{}, call)
	require.NoError(t, err)
	p.err = &cloudflare.APIError{Status: 403}
	_, err = w.Write(t.Context(), gate.Grant{}, call)
	require.Error(t, err)
	var got []string
	for _, e := range l.entries {
		require.Equal(t, audit.Target{Type: "rulesets", ID: "/zones/z1/rulesets/r1"}, e.Target)
		got = append(got, string(e.Outcome))
	}
	require.Equal(t, []string{"admitted", "succeeded", "admitted", "failed"}, got)
	require.Equal(t, 403, l.entries[3].Status)
}

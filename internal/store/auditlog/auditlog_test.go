package auditlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// buffer is a log that may be written from several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

type world struct {
	*auditlog.Log
	store  store.Store
	log    *buffer
	now    time.Time
	failed int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	require.NoError(t, err)
	w := &world{store: s, log: &buffer{}, now: noon}
	w.Log = auditlog.New(auditlog.Options{Store: s, Now: func() time.Time { return w.now }, Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Process: "worker:h:1", Failed: func() { w.failed++ }}, true)
	t.Cleanup(func() { w.Close(); require.NoError(t, s.Close()) })
	return w
}

func (w *world) entries(t *testing.T) []audit.Entry {
	t.Helper()
	rows, _, err := w.store.Audit(t.Context(), store.AuditFilter{}, store.Page{})
	require.NoError(t, err)
	return rows
}

func TestFloodIsCollected(t *testing.T) {
	w := newWorld(t)
	for range 100 {
		w.Refused(t.Context(), audit.Entry{Actor: "anonymous", Address: "192.0.2.1", Action: audit.Read, Code: "unauthorized"})
	}
	require.Empty(t, w.entries(t))
	for range 50 {
		w.Refused(t.Context(), audit.Entry{Actor: "anonymous", Address: "192.0.2.1", Action: "assess", Code: "unauthorized"})
	}
	require.Len(t, w.entries(t), 1, "the first that was no read is written at once")
	w.Flush(t.Context())
	counts := map[audit.Action]int{}
	for _, e := range w.entries(t) {
		require.Equal(t, audit.Refused, e.Outcome)
		counts[e.Action] += e.Count
	}
	require.Len(t, w.entries(t), 3)
	require.Equal(t, map[audit.Action]int{audit.Read: 100, "assess": 50}, counts, "nothing is lost")
	for i := range 2_000 {
		w.Refused(t.Context(), audit.Entry{Actor: "anonymous", Address: fmt.Sprintf("2001:db8::%x", i), Action: audit.Read, Code: "unauthorized"})
	}
	w.Flush(t.Context())
	all, total := w.entries(t), 0
	require.Len(t, all, 3+257, "a flood from everywhere stays bounded")
	for _, e := range all {
		total += e.Count
	}
	require.Equal(t, 150+2_000, total)
	w.Flush(t.Context())
	require.Len(t, w.entries(t), 3+257)
}

func TestTidyCutsAndNotesTheHead(t *testing.T) {
	w := newWorld(t)
	w.Note(t.Context(), audit.Entry{Action: audit.Start, Outcome: audit.Succeeded})
	w.now = noon.Add(auditlog.Keep - time.Hour)
	w.Note(t.Context(), audit.Entry{Action: audit.Stop, Outcome: audit.Succeeded})
	w.Tidy(t.Context())
	require.Len(t, w.entries(t), 2)
	w.now = noon.Add(auditlog.Keep + time.Hour)
	w.Tidy(t.Context())
	all := w.entries(t)
	require.Len(t, all, 2)
	require.Equal(t, audit.Cut, all[0].Action)
	require.Equal(t, "worker:h:1", all[0].Actor)
	head, err := store.VerifyAudit(t.Context(), w.store, audit.Head{})
	require.NoError(t, err)
	require.Contains(t, w.log.String(), head.Hash)
}

// counter is a store that only numbers.
type counter struct {
	store.Store
	seq int64
}

func (c *counter) AppendAudit(_ context.Context, e audit.Entry) (audit.Entry, error) {
	c.seq++
	return audit.Chained(audit.Head{Seq: c.seq - 1}, e), nil
}

func TestHeadIsNotedAfterThousandEntries(t *testing.T) {
	w := newWorld(t)
	tr := auditlog.New(auditlog.Options{Store: &counter{}, Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Process: "p"}, false)
	defer tr.Close()
	for range 999 {
		tr.Note(t.Context(), audit.Entry{Action: "assess"})
	}
	require.NotContains(t, w.log.String(), "head of the audit log")
	tr.Note(t.Context(), audit.Entry{Action: "assess"})
	require.Contains(t, w.log.String(), "seq=1000")
}

// broken is a store that cannot write.
type broken struct{ store.Store }

func (broken) AppendAudit(context.Context, audit.Entry) (audit.Entry, error) {
	return audit.Entry{}, errors.New("the disk is full of canary")
}

func TestWhatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	failed := 0
	tr := auditlog.New(auditlog.Options{Store: broken{w.store}, Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Process: "p", Failed: func() { failed++ }}, false)
	defer tr.Close()
	tr.Note(t.Context(), audit.Entry{Action: "assess"})
	p := posture.AsProblem(tr.Must(t.Context(), audit.Entry{Action: "remediate.apply"}))
	require.Equal(t, posture.CodeInternal, p.Code)
	require.NotContains(t, p.Detail, "canary")
	require.Error(t, tr.Once(t.Context(), audit.Entry{Action: audit.GateApply, JobID: "j", Outcome: audit.Admitted}))
	require.Equal(t, 3, failed)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, tr.Must(gone, audit.Entry{Action: "remediate.apply"}))
	require.Equal(t, 3, failed, "no entry is missing of what was given up")
	require.Contains(t, w.log.String(), "could not be written")
}

func TestOnce(t *testing.T) {
	w := newWorld(t)
	e := audit.Entry{Action: audit.GateApply, JobID: "job", Outcome: audit.Admitted}
	for range 3 {
		require.NoError(t, w.Once(t.Context(), e))
	}
	e.Outcome = audit.Refused
	require.NoError(t, w.Once(t.Context(), e))
	require.Len(t, w.entries(t), 2)
}

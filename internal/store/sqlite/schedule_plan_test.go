package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/relational"
)

// statements notes what a store says to its database.
type statements struct {
	mu   sync.Mutex
	said []string
}

func (s *statements) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (s *statements) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, e.Query)
}

// heard gives a store of a new file, what it says from then on, and the file.
func heard(t *testing.T) (store.Store, *statements, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	said, db := &statements{}, raw(t, path)
	onBun := bun.NewDB(db, sqlitedialect.New(), bun.WithDiscardUnknownColumns()).WithQueryHook(said)
	return relational.New(relational.Engine{Name: "sqlite", Find: "instr", Match: match, Again: again, Explain: explain}, onBun, onBun), said,
		raw(t, path)
}

// TestSchedulesReadNoHistory: whatever is asked or decided about a schedule finds its latest
// fire at the end of an index, and those that wait in an index of their own. The key of fires
// begins with the schedule, so a plan that stops there reads 90 days of them.
func TestSchedulesReadNoHistory(t *testing.T) {
	s, said, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	now := time.Unix(1_700_000_000, 0).UTC()
	require.NoError(t, s.PutAccount(t.Context(), posture.Account{ID: "a", Name: "a"}, []byte("x")))
	row := store.ScheduleRow{Schedule: posture.Schedule{ID: "s", Account: "a", Overlap: posture.OverlapQueue}, Due: now, Wake: now,
		Revision: 1}
	require.NoError(t, s.PutSchedule(t.Context(), row))
	for i, id := range []string{"first", "second"} {
		at := now.Add(time.Duration(i) * time.Minute)
		_, _, err := s.Fire(t.Context(), store.FireSchedule{ID: "s", Revision: 1, Due: at, At: at, NextDue: at.Add(time.Minute), NextWake: at,
			Now: at, Then: &store.NewJob{ID: id, Kind: posture.JobAssess, Account: "a", ScheduleID: "s", ActiveKey: "assess:a", CreatedAt: at}})
		require.NoError(t, err)
	}
	rows, _, err := s.Schedules(t.Context(), store.ScheduleFilter{}, store.Page{})
	require.NoError(t, err)
	_, err = s.DueSchedules(t.Context(), now.Add(time.Hour), 10)
	require.NoError(t, err)
	waiting, err := s.WaitingFires(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	_, err = s.StartWaiting(t.Context(), waiting[0], store.NewJob{ID: "third", CreatedAt: now}, now)
	require.NoError(t, err)
	rows[0].Paused = true
	require.NoError(t, s.ChangeSchedule(t.Context(), rows[0]))
	asked := 0
	for _, q := range said.said {
		if !strings.Contains(q, "schedule_fire") {
			continue
		}
		asked++
		for step := range strings.Lines(explained(t, db, q)) {
			if strings.Contains(step, "sqlite_autoindex_schedule_fire_1 (schedule_id=?)") {
				require.Contains(t, q, "ORDER BY f.due_at DESC LIMIT 1)", "every fire of a schedule is read")
			}
			if strings.Contains(step, "SCAN fire_row") || strings.Contains(step, "SCAN f ") || strings.Contains(step, "SCAN schedule_fire") {
				require.Contains(t, step, "schedule_fire_waiting", q)
			}
		}
	}
	require.Greater(t, asked, 8)
}

func explained(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		plan.WriteString(detail + "\n")
	}
	require.NoError(t, rows.Err())
	return plan.String()
}

package postgres

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

// TestSchedulesReadNoHistory counts the rows the server reads of what was decided about due
// times, of which there are many.
func TestSchedulesReadNoHistory(t *testing.T) {
	const schedules, fires = 20, 2000
	place := pgtest.Start(t)
	s, err := Open(t.Context(), place)
	require.NoError(t, err)
	db := engine{}.Raw(t, place)
	_, err = db.ExecContext(t.Context(), `INSERT INTO account (id, name, provider_id, demo, created_at, updated_at) VALUES ('a', 'a', '',
		FALSE, 1, 1);
		INSERT INTO schedule (id, account_id, overlap, paused, due_at, wake_at, revision, created_at, updated_at, body)
			SELECT 's' || n, 'a', 'queue', FALSE, 1, 1, 1, n, 0, '{}' FROM generate_series(1, $1) AS n;
		INSERT INTO schedule_fire (schedule_id, due_at, outcome, job_id, decided_at)
			SELECT 's' || n, m, CASE WHEN m > $2 - 2 THEN 'waiting' ELSE 'started' END, 'j' || m, m FROM generate_series(1, $1) AS n,
			generate_series(1, $2) AS m;
		ANALYZE`, schedules, fires)
	require.NoError(t, err)
	read := func() (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'schedule_fire')
			+ (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'schedule_fire')`).Scan(&n))
		return n
	}
	before := read()
	rows, _, err := s.Schedules(t.Context(), store.ScheduleFilter{}, store.Page{})
	require.NoError(t, err)
	require.Len(t, rows, schedules)
	for _, r := range rows {
		require.Equal(t, time.UnixMicro(fires).UTC(), r.Last.At)
	}
	_, err = s.DueSchedules(t.Context(), time.Unix(1, 0), 1000)
	require.NoError(t, err)
	waiting, err := s.WaitingFires(t.Context(), 1000)
	require.NoError(t, err)
	require.Len(t, waiting, schedules)
	require.NoError(t, s.Close()) // a session tells what it read when it ends at the latest
	require.Eventually(t, func() bool { return read() > before }, 10*time.Second, 10*time.Millisecond)
	require.Less(t, read()-before, 20*schedules)
}

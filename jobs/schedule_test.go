//go:build unix

package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/schedule"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/jobs"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// clock is moved by the test alone.
type clock struct{ micros atomic.Int64 }

func (c *clock) set(t time.Time) { c.micros.Store(t.UnixMicro()) }

// skewed is the clock of a machine that is ahead or behind.
func (c *clock) skewed(by time.Duration) func() time.Time {
	return func() time.Time { return time.UnixMicro(c.micros.Load()).UTC().Add(by) }
}

// quick is an assess job that has nothing to read.
type quick struct{}

func (quick) Kind() posture.JobKind { return posture.JobAssess }
func (quick) Work(context.Context, work.Attempt) (work.Result, error) {
	return work.Result{Result: []byte(`{}`)}, nil
}

// replica is one process of a distributed deployment.
type replica struct {
	worker *queue.Worker
	close  func()
}

func startReplica(t *testing.T, n int, redisURL, database string, now func() time.Time) *replica {
	t.Helper()
	db, err := postgres.Open(t.Context(), database)
	require.NoError(t, err)
	rdb, err := queue.Connect(t.Context(), redisURL)
	require.NoError(t, err)
	w := queue.NewWorker(queue.Options{Redis: rdb, Store: db, Kinds: []work.Kind{quick{}}, Owner: fmt.Sprint("replica-", n), Concurrency: 2,
		Now: now, Log: slog.New(slog.DiscardHandler),
		Timing:    queue.Timing{Lease: time.Hour, Reconcile: 20 * time.Millisecond, Sweep: 10 * time.Millisecond},
		Schedules: jobs.Scheduler{Accounts: db, Schedules: db, Alerts: db, Now: now, NewID: newID, Notify: queue.NewNotifier(rdb).Notify}})
	require.NoError(t, w.Start())
	return &replica{w, func() { w.Stop(); require.NoError(t, rdb.Close()); require.NoError(t, db.Close()) }}
}

func putSchedule(t *testing.T, db store.Store, now time.Time, change func(*posture.Schedule)) store.ScheduleRow {
	t.Helper()
	account := posture.Account{ID: newID(), Name: newID(), ProviderID: newID(), CreatedAt: now, UpdatedAt: now}
	require.NoError(t, db.PutAccount(t.Context(), account, []byte("sealed")))
	row := store.ScheduleRow{Schedule: posture.Schedule{ID: newID(), Account: account.ID, Cron: "* * * * *", TimeZone: "Europe/Berlin",
		Overlap: posture.OverlapQueue, Missed: posture.MissedSkip, CreatedAt: now, UpdatedAt: now}, Revision: 1}
	if change != nil {
		change(&row.Schedule)
	}
	p, err := schedule.Parse(row.Cron, row.TimeZone)
	require.NoError(t, err)
	row.Due, row.Wake = jobs.Timing(row.Schedule, p, now)
	require.NoError(t, db.PutSchedule(t.Context(), row))
	return row
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 5*time.Millisecond, what)
}

// TestEveryMinuteHasOneJob runs a schedule of every minute for thirty minutes on
// three replicas whose clocks differ, two of which are started anew on the way.
// In the second case Redis is flushed, then killed and away for three minutes.
func TestEveryMinuteHasOneJob(t *testing.T) {
	for _, lossy := range []bool{false, true} {
		t.Run(fmt.Sprintf("redis is lost=%v", lossy), func(t *testing.T) { everyMinute(t, lossy) })
	}
}

func everyMinute(t *testing.T, lossy bool) {
	const minutes = 30
	start := time.Date(2026, 3, 29, 0, 45, 0, 0, time.UTC) // clocks in Berlin are put forward on the way
	c := &clock{}
	c.set(start)
	server, database := redistest.Run(t), pgtest.Start(t)
	db, err := postgres.Open(t.Context(), database)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	row := putSchedule(t, db, start, nil)
	skews := []time.Duration{-2 * time.Second, 0, 2 * time.Second}
	replicas := make([]*replica, len(skews))
	boot := func(n int) { replicas[n] = startReplica(t, n, server.URL, database, c.skewed(skews[n])) }
	for n := range replicas {
		boot(n)
	}
	fires := func() []posture.Fire {
		list, err := db.Fires(t.Context(), row.ID, 0)
		require.NoError(t, err)
		return list
	}
	for minute := 1; minute <= minutes; minute++ {
		switch {
		case minute == 9 || minute == 19:
			replicas[minute/10].close()
			boot(minute / 10)
		case lossy && minute == 5:
			flush(t, server.URL)
		case lossy && minute == 12:
			server.Down()
		case lossy && minute == 15:
			server.Up()
		}
		c.set(start.Add(time.Duration(minute) * time.Minute))
		eventually(t, fmt.Sprintf("minute %d is decided about", minute), func() bool { return len(fires()) >= minute })
	}
	// No more due times; what waits and what was lost in Redis comes to its end.
	stop, err := db.Schedule(t.Context(), row.ID)
	require.NoError(t, err)
	moved := 0
	eventually(t, "every job ends", func() bool {
		moved++
		c.set(start.Add(minutes*time.Minute + min(time.Duration(moved)*time.Second, 50*time.Second)))
		kinds, err := db.CountKinds(t.Context())
		require.NoError(t, err)
		return kinds[posture.JobAssess][posture.JobSucceeded] == minutes
	})
	for _, r := range replicas {
		r.close()
	}
	require.Equal(t, start.Add((minutes+1)*time.Minute), stop.Due)
	seen := map[string]bool{}
	for i, f := range fires() {
		require.Equal(t, start.Add(time.Duration(minutes-i)*time.Minute), f.At)
		require.Equal(t, posture.FireStarted, f.Outcome)
		seen[f.JobID] = true
	}
	require.Len(t, seen, minutes)
	all, _, err := db.Jobs(t.Context(), store.JobFilter{}, store.Page{})
	require.NoError(t, err)
	require.Len(t, all, minutes)
	for _, j := range all {
		require.Equal(t, row.ID, j.ScheduleID)
		require.Equal(t, queue.Scheduled, j.Queue)
		require.True(t, seen[j.ID])
	}
}

func flush(t *testing.T, address string) {
	t.Helper()
	rdb, err := queue.Connect(t.Context(), address)
	require.NoError(t, err)
	require.NoError(t, rdb.FlushAll(t.Context()).Err())
	require.NoError(t, rdb.Close())
}

// together lets three processes find the same due schedule before one of them
// acts, which is what skewed clocks and a slow network do.
type together struct {
	store.Store
	all *sync.WaitGroup
	// unguarded queues the job whatever the store says of the due time.
	unguarded bool
}

func (s together) DueSchedules(ctx context.Context, now time.Time, limit int) ([]store.ScheduleRow, error) {
	rows, err := s.Store.DueSchedules(ctx, now, limit)
	s.all.Done()
	s.all.Wait()
	return rows, err
}

func (s together) Fire(ctx context.Context, f store.FireSchedule) (posture.FireOutcome, *store.JobRow, error) {
	if s.unguarded {
		f.Then.ActiveKey = ""
		e, err := s.Enqueue(ctx, *f.Then)
		return posture.FireStarted, &e.Job, err
	}
	return s.Store.Fire(ctx, f)
}

// TestTheStoreDecides shows that the test above could fail: without the store's
// word three processes make three jobs.
func TestTheStoreDecides(t *testing.T) {
	for unguarded, want := range map[bool]int{true: 3, false: 1} {
		db, err := postgres.Open(t.Context(), pgtest.Start(t))
		require.NoError(t, err)
		now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
		row := putSchedule(t, db, now, nil)
		all := &sync.WaitGroup{}
		all.Add(3)
		s := together{db, all, unguarded}
		k := jobs.Scheduler{Accounts: s, Schedules: s, Alerts: s, Now: func() time.Time { return row.Due }, NewID: newID,
			Notify: func(context.Context, store.JobRow) error { return nil }}
		var g sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			g.Go(func() { errs[i] = k.Sweep(t.Context()) })
		}
		g.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		list, _, err := db.Jobs(t.Context(), store.JobFilter{}, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, want, "unguarded=%v", unguarded)
		require.NoError(t, db.Close())
	}
}

// TestMissedTimes holds what follows a time away against what the schedule says.
func TestMissedTimes(t *testing.T) {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		missed posture.Missed
		cron   string
		away   time.Duration // from noon, at which the schedule was made
		want   []posture.FireOutcome
		at     time.Duration
	}{
		{"on time", posture.MissedSkip, "@hourly", time.Hour, []posture.FireOutcome{posture.FireStarted}, time.Hour},
		{"late, but within the grace", posture.MissedSkip, "@hourly", time.Hour + jobs.Grace, []posture.FireOutcome{posture.FireStarted},
			time.Hour},
		{"too late, left out", posture.MissedSkip, "@hourly", time.Hour + jobs.Grace + time.Second, []posture.FireOutcome{posture.FireMissed},
			time.Hour},
		{"too late, made up for", posture.MissedOnce, "@hourly", time.Hour + 30*time.Minute, []posture.FireOutcome{posture.FireStarted},
			time.Hour},
		{"many, left out", posture.MissedSkip, "@hourly", 100*time.Hour + 30*time.Minute, []posture.FireOutcome{posture.FireMissed},
			100 * time.Hour},
		{"many, one stands for all", posture.MissedOnce, "@hourly", 100*time.Hour + 30*time.Minute, []posture.FireOutcome{posture.FireStarted},
			100 * time.Hour},
		{"a year of minutes", posture.MissedOnce, "* * * * *", 365 * 24 * time.Hour, []posture.FireOutcome{posture.FireStarted},
			365 * 24 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := postgres.Open(t.Context(), pgtest.Start(t))
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			row := putSchedule(t, db, noon, func(s *posture.Schedule) { s.Cron, s.Missed = c.cron, c.missed })
			k := jobs.Scheduler{Accounts: db, Schedules: db, Alerts: db, Now: func() time.Time { return noon.Add(c.away) }, NewID: newID,
				Notify: func(context.Context, store.JobRow) error { return nil }}
			for range 3 { // the second and third find nothing to do
				require.NoError(t, k.Sweep(t.Context()))
			}
			fires, err := db.Fires(t.Context(), row.ID, 0)
			require.NoError(t, err)
			require.Len(t, fires, len(c.want))
			for i, want := range c.want {
				require.Equal(t, want, fires[i].Outcome)
				require.Equal(t, noon.Add(c.at), fires[i].At)
			}
			after, err := db.Schedule(t.Context(), row.ID)
			require.NoError(t, err)
			require.True(t, after.Due.After(noon.Add(c.away)))
		})
	}
}

// TestJitterDelays fires at the delayed instant and not before.
func TestJitterDelays(t *testing.T) {
	db, err := postgres.Open(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	row := putSchedule(t, db, noon, func(s *posture.Schedule) { s.Cron, s.JitterSeconds = "@hourly", 3600 })
	require.True(t, row.Wake.Before(row.Due.Add(time.Hour)))
	c := &clock{}
	k := jobs.Scheduler{Accounts: db, Schedules: db, Alerts: db, Now: c.skewed(0), NewID: newID,
		Notify: func(context.Context, store.JobRow) error { return nil }}
	c.set(row.Wake.Add(-time.Second))
	require.NoError(t, k.Sweep(t.Context()))
	early, err := db.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Empty(t, early)
	c.set(row.Wake)
	require.NoError(t, k.Sweep(t.Context()))
	fires, err := db.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Len(t, fires, 1)
	require.Equal(t, row.Due, fires[0].At)
}

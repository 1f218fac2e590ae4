package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func scheduleCases() []testCase {
	return []testCase{
		{"schedule comes back as it was put, and changes at its revision only", scheduleChange},
		{"schedules are listed newest first, by account", scheduleList},
		{"schedule of an account that is gone is not kept", scheduleNeedsAccount},
		{"schedule is due when it wakes and not while it is paused", scheduleDue},
		{"fire queues the job, notes it and moves on", fireStarts},
		{"fire of a due time that was decided before makes no job", fireOnce},
		{"fire needs the schedule as it was read", fireFenced},
		{"fire that was missed makes no job", fireMissed},
		{"fire is skipped while a run of the account is unfinished", fireSkips},
		{"fire waits for the run before and starts after it", fireWaits},
		{"fires wait up to a bound and one after the other", fireBound},
		{"pause skips what waits, delete forgets it", firePause},
		{"what was decided is forgotten after 90 days", fireForgets},
		{"account is changed field by field", accountChange},
		{"run of an account keeps others away when its id at the provider is learned", accountRekey},
		{"account change that expects another provider account changes nothing", accountExpect},
		{"a run of an account that waits reads anew with another token", accountReadsAnew},
		{"account that is deleted takes its jobs and schedules along", accountDeleteJobs},
	}
}

// scheduled saves our account and a schedule for it that is due at noon.
func scheduled(t testing.TB, s store.Store, change func(*store.ScheduleRow)) store.ScheduleRow {
	t.Helper()
	if _, err := s.Account(t.Context(), ourAccount); err != nil {
		put(t, s, posture.Account{ID: ourAccount, Name: "main", CreatedAt: kept(noon()), UpdatedAt: kept(noon())}, []byte("sealed"))
	}
	row := store.ScheduleRow{Schedule: posture.Schedule{ID: newID(t), Account: ourAccount, Cron: "* * * * *", TimeZone: "Europe/Berlin",
		JitterSeconds: 3, Overlap: posture.OverlapSkip, Missed: posture.MissedOnce, Request: posture.AssessRequest{Zones: []string{"*.example"},
			Note: "nightly \x00"}, AfterRun: &posture.AfterRun{Ship: "all"},
		CreatedAt: kept(noon()), UpdatedAt: kept(noon())}, Due: kept(noon()), Wake: kept(noon().Add(time.Second)), Revision: 1}
	if change != nil {
		change(&row)
	}
	require.NoError(t, s.PutSchedule(t.Context(), row))
	return row
}

// fireOf returns the fire of the next due time, with a new job.
func fireOf(t testing.TB, row store.ScheduleRow) store.FireSchedule {
	t.Helper()
	n := newJob(t)
	n.Queue, n.ScheduleID, n.ActiveKey = "scheduled", row.ID, "assess:"+row.Account
	return store.FireSchedule{ID: row.ID, Revision: row.Revision, Due: row.Due, At: row.Due, NextDue: row.Due.Add(time.Minute),
		NextWake: row.Wake.Add(time.Minute), Then: &n, Now: noon()}
}

// fire fires the next due time of a schedule and returns the outcome.
func fire(t testing.TB, s store.Store, id string) (posture.FireOutcome, *store.JobRow) {
	t.Helper()
	row, err := s.Schedule(t.Context(), id)
	require.NoError(t, err)
	outcome, job, err := s.Fire(t.Context(), fireOf(t, row))
	require.NoError(t, err)
	return outcome, job
}

func scheduleChange(t *testing.T, s store.Store) {
	want := scheduled(t, s, nil)
	got, err := s.Schedule(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	want.Paused, want.Overlap, want.Cron, want.Due, want.Wake, want.UpdatedAt = true, posture.OverlapQueue, "@daily", time.Time{},
		time.Time{}, kept(noon().Add(time.Hour))
	require.NoError(t, s.ChangeSchedule(t.Context(), want))
	require.ErrorIs(t, s.ChangeSchedule(t.Context(), want), store.ErrChanged)
	want.Revision++
	got, err = s.Schedule(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, s.DeleteSchedule(t.Context(), want.ID))
	require.ErrorIs(t, s.DeleteSchedule(t.Context(), want.ID), store.ErrNotFound)
	require.ErrorIs(t, s.ChangeSchedule(t.Context(), want), store.ErrNotFound)
	for _, word := range []string{"", want.ID, "a\x00b", "' OR 1=1 --"} {
		_, err = s.Schedule(t.Context(), word)
		require.ErrorIs(t, err, store.ErrNotFound, "%q", word)
	}
}

func scheduleList(t *testing.T, s store.Store) {
	other := anAccount(t, "other")
	put(t, s, other, nil)
	var want []string
	for i := range 25 {
		row := scheduled(t, s, func(r *store.ScheduleRow) {
			r.CreatedAt = kept(noon().Add(time.Duration(i/4) * time.Second))
			if i%5 == 0 {
				r.Account = other.ID
			}
		})
		want = append([]string{row.ID}, want...)
	}
	got := pages(t, 10, func(p store.Page) ([]store.ScheduleRow, string, error) {
		return s.Schedules(t.Context(), store.ScheduleFilter{}, p)
	}, func() {})
	ids := make([]string, 0, len(got))
	for _, r := range got {
		ids = append(ids, r.ID)
	}
	require.Equal(t, want, ids)
	rows, next, err := s.Schedules(t.Context(), store.ScheduleFilter{Account: other.ID}, store.Page{Limit: 5})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, rows, 5)
}

func scheduleNeedsAccount(t *testing.T, s store.Store) {
	require.ErrorIs(t, s.PutSchedule(t.Context(), store.ScheduleRow{Schedule: posture.Schedule{ID: newID(t), Account: "nobody",
		Overlap: "skip"}}), store.ErrNotFound)

	for n := range 20 { // and of one that somebody deletes meanwhile
		a := anAccount(t, fmt.Sprint(n))
		put(t, s, a, nil)
		_, errs := together(5, func(i int) (int, error) {
			if i == 4 {
				return 0, s.DeleteAccount(t.Context(), a.ID, noon())
			}
			return 0, s.PutSchedule(t.Context(), store.ScheduleRow{Schedule: posture.Schedule{ID: newID(t), Account: a.ID, Overlap: "skip"}})
		})
		require.NoError(t, errs[4])
		tally(t, errs, store.ErrNotFound)
	}
}

func scheduleDue(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	later := scheduled(t, s, func(r *store.ScheduleRow) { r.Due, r.Wake = r.Due.Add(time.Hour), r.Wake.Add(time.Hour) })
	scheduled(t, s, func(r *store.ScheduleRow) { r.Due, r.Wake = time.Time{}, time.Time{} })
	due := func(now time.Time, limit int) (ids []string) {
		rows, err := s.DueSchedules(t.Context(), now, limit)
		require.NoError(t, err)
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Empty(t, due(row.Wake.Add(-time.Microsecond), 10))
	require.Equal(t, []string{row.ID}, due(row.Wake, 10))
	require.Equal(t, []string{row.ID, later.ID}, due(later.Wake, 10))
	require.Equal(t, []string{row.ID}, due(later.Wake, 1))
	row.Paused = true
	require.NoError(t, s.ChangeSchedule(t.Context(), row))
	require.Equal(t, []string{later.ID}, due(later.Wake, 10))
}

func fireStarts(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	f := fireOf(t, row)
	outcome, queued, err := s.Fire(t.Context(), f)
	require.NoError(t, err)
	require.Equal(t, posture.FireStarted, outcome)
	require.Equal(t, f.Then.ID, queued.ID)
	stored := job(t, s, f.Then.ID)
	require.Equal(t, *queued, stored)
	require.Equal(t, row.ID, stored.ScheduleID)
	require.Equal(t, "scheduled", stored.Queue)
	got, err := s.Schedule(t.Context(), row.ID)
	require.NoError(t, err)
	row.Due, row.Wake = f.NextDue, f.NextWake
	row.Last = &posture.Fire{At: f.At, JobID: f.Then.ID, Outcome: posture.FireStarted}
	require.Equal(t, row, got)
}

// fireOnce sets a due time back, as a change made with a slow clock does.
func fireOnce(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	first := fireOf(t, row)
	_, _, err := s.Fire(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, s.ChangeSchedule(t.Context(), row))
	row.Revision++
	second := fireOf(t, row)
	second.Then.ActiveKey, second.Then.Account, second.Then.ScheduleID = "", "", ""
	outcome, queued, err := s.Fire(t.Context(), second)
	require.NoError(t, err)
	require.Nil(t, queued)
	require.Equal(t, posture.FireStarted, outcome)
	_, err = s.Job(t.Context(), second.Then.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	got, err := s.Schedule(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, second.NextDue, got.Due, "the schedule goes on")
	require.Equal(t, first.Then.ID, got.Last.JobID)
}

func fireFenced(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	good := fireOf(t, row)
	for name, bad := range map[string]func(f *store.FireSchedule){
		"another due time": func(f *store.FireSchedule) { f.Due = f.Due.Add(time.Minute) },
		"another revision": func(f *store.FireSchedule) { f.Revision++ },
		"another schedule": func(f *store.FireSchedule) { f.ID = newID(t) },
	} {
		f := good
		bad(&f)
		_, _, err := s.Fire(t.Context(), f)
		require.ErrorIs(t, err, store.ErrChanged, name)
	}
	row.Paused = true
	require.NoError(t, s.ChangeSchedule(t.Context(), row))
	good.Revision++
	_, _, err := s.Fire(t.Context(), good)
	require.ErrorIs(t, err, store.ErrChanged, "paused")
	_, err = s.Job(t.Context(), good.Then.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	fires, err := s.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Empty(t, fires)
}

func fireMissed(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	f := fireOf(t, row)
	f.Then, f.At = nil, f.Due.Add(time.Hour)
	outcome, queued, err := s.Fire(t.Context(), f)
	require.NoError(t, err)
	require.Nil(t, queued)
	require.Equal(t, posture.FireMissed, outcome)
	got, err := s.Schedule(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, &posture.Fire{At: f.At, Outcome: posture.FireMissed}, got.Last)
}

func fireSkips(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.ActiveKey = "assess:somewhere else" }))
	outcome, queued := fire(t, s, row.ID)
	require.Equal(t, posture.FireSkipped, outcome)
	require.Nil(t, queued)
	rows, _, err := s.Jobs(t.Context(), store.JobFilter{}, store.Page{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func fireWaits(t *testing.T, s store.Store) {
	row := scheduled(t, s, func(r *store.ScheduleRow) { r.Overlap = posture.OverlapQueue })
	_, first := fire(t, s, row.ID)
	outcome, queued := fire(t, s, row.ID)
	require.Equal(t, posture.FireWaiting, outcome)
	require.Nil(t, queued)
	waiting, err := s.WaitingFires(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, row.Due.Add(time.Minute), waiting[0].At)
	next := *fireOf(t, waiting[0].Schedule).Then
	_, err = s.StartWaiting(t.Context(), waiting[0], next, noon())
	require.ErrorIs(t, err, store.ErrChanged, "the first is unfinished")
	_, err = s.RequestCancel(t.Context(), first.ID, noon())
	require.NoError(t, err)
	started, err := s.StartWaiting(t.Context(), waiting[0], next, noon())
	require.NoError(t, err)
	require.Equal(t, next.ID, started.ID)
	_, err = s.StartWaiting(t.Context(), waiting[0], *fireOf(t, waiting[0].Schedule).Then, noon())
	require.ErrorIs(t, err, store.ErrChanged, "it waits no longer")
	fires, err := s.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Equal(t, []posture.Fire{{At: row.Due.Add(time.Minute), JobID: next.ID, Outcome: posture.FireStarted},
		{At: row.Due, JobID: first.ID, Outcome: posture.FireStarted}}, fires)
}

func fireBound(t *testing.T, s store.Store) {
	row := scheduled(t, s, func(r *store.ScheduleRow) { r.Overlap = posture.OverlapQueue })
	_, first := fire(t, s, row.ID)
	for range store.MaxWaiting {
		outcome, _ := fire(t, s, row.ID)
		require.Equal(t, posture.FireWaiting, outcome)
	}
	outcome, _ := fire(t, s, row.ID)
	require.Equal(t, posture.FireSkipped, outcome)
	_, err := s.RequestCancel(t.Context(), first.ID, noon())
	require.NoError(t, err)
	outcome, _ = fire(t, s, row.ID)
	require.Equal(t, posture.FireSkipped, outcome, "those that wait come first")
	waiting, err := s.WaitingFires(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, waiting, 1, "one of each schedule")
	require.Equal(t, row.Due.Add(time.Minute), waiting[0].At)
}

func firePause(t *testing.T, s store.Store) {
	row := scheduled(t, s, func(r *store.ScheduleRow) { r.Overlap = posture.OverlapQueue })
	_, first := fire(t, s, row.ID)
	fire(t, s, row.ID)
	waiting, err := s.WaitingFires(t.Context(), 10)
	require.NoError(t, err)
	paused := waiting[0].Schedule
	paused.Paused = true
	require.NoError(t, s.ChangeSchedule(t.Context(), paused))
	_, err = s.RequestCancel(t.Context(), first.ID, noon())
	require.NoError(t, err)
	_, err = s.StartWaiting(t.Context(), waiting[0], *fireOf(t, waiting[0].Schedule).Then, noon())
	require.ErrorIs(t, err, store.ErrChanged)
	fires, err := s.Fires(t.Context(), row.ID, 1)
	require.NoError(t, err)
	require.Equal(t, posture.FireSkipped, fires[0].Outcome)
	require.NoError(t, s.DeleteSchedule(t.Context(), row.ID))
	fires, err = s.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Empty(t, fires)
	require.Equal(t, posture.JobCancelled, job(t, s, first.ID).State, "jobs stay")
}

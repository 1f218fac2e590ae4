package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

func accountChange(t *testing.T, s store.Store) {
	want := anAccount(t, "main")
	put(t, s, want, []byte("first"))
	other := anAccount(t, "other")
	other.Default = true
	put(t, s, other, nil)
	name, provider, yes, zones, exclude := "renamed", "provider-2", true, []string{"a.example"}, []string{"*.test"}
	policy, after, none := json.RawMessage(`{"tokenFailDays":7}`), json.RawMessage(`{"ship":"all"}`), json.RawMessage(nil)
	later, before := noon().Add(time.Hour), want.UpdatedAt
	for _, step := range []struct {
		c      store.AccountChange
		expect func()
	}{
		{store.AccountChange{}, func() {}},
		{store.AccountChange{Name: &name}, func() { want.Name = name }},
		{store.AccountChange{ProviderID: &provider}, func() { want.ProviderID = provider }},
		{store.AccountChange{Zones: &zones}, func() { want.Zones = zones }},
		{store.AccountChange{ExcludeZones: &exclude}, func() { want.ExcludeZones = exclude }},
		{store.AccountChange{Zones: &[]string{}}, func() { want.Zones = nil }},
		{store.AccountChange{Policy: &policy, AfterRun: &after}, func() { want.Policy, want.AfterRun = policy, after }},
		{store.AccountChange{Policy: &none, AfterRun: &none}, func() { want.Policy, want.AfterRun = nil, nil }},
		{store.AccountChange{Default: &yes}, func() { want.Default = true }},
		{store.AccountChange{SealedToken: []byte("second"), ExpectProviderID: &provider}, func() { want.TokenAt = kept(later) }},
	} {
		step.expect()
		if want.UpdatedAt = want.UpdatedAt.Add(time.Microsecond); want.UpdatedAt.Before(kept(later)) {
			want.UpdatedAt = kept(later) // the clock may stand still, the time of the last change never does
		}
		step.c.ExpectUpdatedAt = &before
		got, err := s.ChangeAccount(t.Context(), want.ID, step.c, later)
		require.NoError(t, err)
		require.Equal(t, want, got)
		_, err = s.ChangeAccount(t.Context(), want.ID, step.c, later)
		require.ErrorIs(t, err, store.ErrChanged)
		before = got.UpdatedAt
	}
	token, err := s.SealedToken(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, "second", string(token))
	unchanged, err := s.Account(t.Context(), other.ID)
	require.NoError(t, err)
	require.False(t, unchanged.Default)
	taken := "other"
	_, err = s.ChangeAccount(t.Context(), want.ID, store.AccountChange{Name: &taken, Zones: &exclude}, later)
	require.ErrorIs(t, err, store.ErrNameTaken)
	got, err := s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got, "all or nothing")
	_, err = s.ChangeAccount(t.Context(), other.ID, store.AccountChange{ProviderID: &provider}, later)
	require.ErrorIs(t, err, store.ErrRegistered)
	_, err = s.ChangeAccount(t.Context(), newID(t), store.AccountChange{ProviderID: &provider}, later)
	require.ErrorIs(t, err, store.ErrNotFound)
	put(t, s, posture.Account{ID: want.ID, Name: name, ProviderID: provider, Default: true, CreatedAt: want.CreatedAt,
		UpdatedAt: want.UpdatedAt}, nil)
	got, err = s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got, "putting an account again leaves its scope alone")
}

func accountExpect(t *testing.T, s store.Store) {
	want := anAccount(t, "main")
	put(t, s, want, []byte("first"))
	another, name := "another", "x"
	_, err := s.ChangeAccount(t.Context(), want.ID, store.AccountChange{SealedToken: []byte("second"), Name: &name,
		ExpectProviderID: &another}, noon())
	require.ErrorIs(t, err, store.ErrChanged)
	policy, other := json.RawMessage(`{"tokenFailDays":3}`), json.RawMessage(`{"tokenFailDays":4}`)
	_, err = s.ChangeAccount(t.Context(), want.ID, store.AccountChange{Policy: &policy, ExpectPolicy: &other}, noon())
	require.ErrorIs(t, err, store.ErrChanged)
	got, err := s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	token, err := s.SealedToken(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, "first", string(token))
}

// accountReadsAnew: a run that waits does not go on, with another token, from what it read with the one of before.
func accountReadsAnew(t *testing.T, s store.Store) {
	account := anAccount(t, "main")
	put(t, s, account, []byte("first"))
	read := []snapshot.Section{section("a", "1", snapshot.OK, "1")}
	run := func(kind posture.JobKind) store.JobRow {
		j := claim(t, s, enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.Kind, n.Account = kind, account.ID })).ID, noon())
		require.NoError(t, s.PutSections(t.Context(), j.ID, j.Attempt, read))
		return j
	}
	waits, other, runs := run(posture.JobAssess), run(posture.JobPlan), run(posture.JobAssess)
	for _, j := range []store.JobRow{waits, other} {
		require.NoError(t, s.Release(t.Context(), j.ID, j.Attempt, noon()))
	}
	left := func() (n []int) {
		for _, j := range []store.JobRow{waits, other, runs} {
			n = append(n, len(sections(t, s, j.ID)))
		}
		return n
	}
	put(t, s, account, nil)
	name := "renamed"
	_, err := s.ChangeAccount(t.Context(), account.ID, store.AccountChange{Name: &name}, noon())
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 1}, left(), "the token is the same")
	_, err = s.ChangeAccount(t.Context(), account.ID, store.AccountChange{SealedToken: []byte("second")}, noon())
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 1}, left(), "one that runs has its token in memory")
	waits = claim(t, s, waits.ID, noon())
	require.NoError(t, s.PutSections(t.Context(), waits.ID, waits.Attempt, read))
	require.NoError(t, s.Release(t.Context(), waits.ID, waits.Attempt, noon()))
	put(t, s, account, []byte("third"))
	require.Equal(t, []int{0, 1, 1}, left())
}

// accountRekey: the run of an account keeps others from starting while its id at the provider is learned.
func accountRekey(t *testing.T, s store.Store) {
	account := anAccount(t, "main")
	account.ProviderID = ""
	put(t, s, account, nil)
	run := func(a posture.Account) (store.Enqueued, error) {
		return s.Enqueue(t.Context(), with(newJob(t), func(n *store.NewJob) { n.Account, n.ActiveKey = a.ID, a.AssessKey() }))
	}
	first, err := run(account)
	require.NoError(t, err)
	provider := "provider-1"
	account, err = s.ChangeAccount(t.Context(), account.ID, store.AccountChange{ProviderID: &provider}, noon())
	require.NoError(t, err)
	second, err := run(account)
	require.NoError(t, err)
	require.True(t, second.Joined)
	require.Equal(t, first.Job.ID, second.Job.ID)
}

func accountDeleteJobs(t *testing.T, s store.Store) {
	row := scheduled(t, s, func(r *store.ScheduleRow) { r.Overlap = posture.OverlapQueue })
	of := func(kind posture.JobKind, account string) store.NewJob {
		return with(newJob(t), func(n *store.NewJob) { n.Kind, n.Account, n.SealedToken = kind, account, []byte("sealed") })
	}
	queued, runs := enqueue(t, s, of(posture.JobAssess, ourAccount)), enqueue(t, s, of(posture.JobApply, ourAccount))
	claim(t, s, runs.ID, noon())
	ships, foreign := enqueue(t, s, of(posture.JobShip, ourAccount)), enqueue(t, s, of(posture.JobAssess, "another"))
	outcome, _ := fire(t, s, row.ID)
	require.Equal(t, posture.FireWaiting, outcome)
	require.NoError(t, s.DeleteAccount(t.Context(), ourAccount, noon()))

	got := job(t, s, queued.ID)
	require.Equal(t, posture.JobCancelled, got.State)
	require.Empty(t, got.SealedToken)
	require.Equal(t, keptPtr(noon()), got.FinishedAt)
	got = job(t, s, runs.ID)
	require.Equal(t, posture.JobRunning, got.State)
	require.True(t, got.CancelRequested)
	require.Empty(t, got.SealedToken)
	for _, id := range []string{ships.ID, foreign.ID} {
		got = job(t, s, id)
		require.Equal(t, posture.JobQueued, got.State)
		require.Equal(t, []byte("sealed"), got.SealedToken)
	}
	_, err := s.Schedule(t.Context(), row.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	waiting, err := s.WaitingFires(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, waiting)
}

func fireForgets(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	old := fireOf(t, row)
	old.Then, old.NextDue = nil, old.Due.Add(91*24*time.Hour)
	_, _, err := s.Fire(t.Context(), old)
	require.NoError(t, err)
	row.Due = old.NextDue
	recent := fireOf(t, row)
	recent.Now = row.Due
	_, _, err = s.Fire(t.Context(), recent)
	require.NoError(t, err)
	fires, err := s.Fires(t.Context(), row.ID, 0)
	require.NoError(t, err)
	require.Len(t, fires, 1)
	require.Equal(t, recent.At, fires[0].At)
}

package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func deliveryCases() []testCase {
	return []testCase{
		{"delivery is opened once for each target of a job", deliveryOnce},
		{"delivery keeps state, counts and progress", deliveryMark},
		{"delivery is written by the holder of its job only", deliveryFenced},
		{"delivery is taken over by the job that replays it", deliveryAdopt},
		{"delivery of a job that has ended is no longer under way", deliveryEnded},
		{"deliveries are filtered by each field and paged", deliveryList},
		{"jobs that follow are queued with the assessment or not at all", savedThen},
	}
}

func deliveryOf(row store.JobRow, target string) posture.Delivery {
	return posture.Delivery{ID: row.ID[:len(row.ID)-1] + target[:1], JobID: row.ID, AssessmentID: "assessment",
		Account: posture.AccountRef{ID: providerAccount, Name: "Main"},
		Kind:    posture.JobShip, Target: target, Destination: "https://siem.example:443", State: posture.DeliveryPending, Documents: 3,
		CreatedAt: kept(noon()), UpdatedAt: kept(noon())}
}

func deliveryOnce(t *testing.T, s store.Store) {
	row := running(t, s)
	want := deliveryOf(row, "search")
	got, progress, err := s.OpenDelivery(t.Context(), want, row.Attempt)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Nil(t, progress)
	second := want
	second.ID, second.Documents = newID(t), 99
	again, _, err := s.OpenDelivery(t.Context(), second, row.Attempt)
	require.NoError(t, err)
	require.Equal(t, want, again, "the first stays")
	other, _, err := s.OpenDelivery(t.Context(), deliveryOf(row, "collector"), row.Attempt)
	require.NoError(t, err)
	require.NotEqual(t, want.ID, other.ID)
}

func deliveryMark(t *testing.T, s store.Store) {
	row := running(t, s)
	d, _, err := s.OpenDelivery(t.Context(), deliveryOf(row, "search"), row.Attempt)
	require.NoError(t, err)
	next := kept(noon().Add(time.Hour))
	d.State, d.Attempts, d.Sent, d.Failed, d.Reason, d.NextAt, d.UpdatedAt = posture.DeliveryRetrying, 2, 1, 1, "busy\x00", &next,
		kept(noon().Add(time.Second))
	require.NoError(t, s.MarkDelivery(t.Context(), d, row.Attempt, []byte("\x00bits")))
	d.Reason = "busy\uFFFD" // no database stores a NUL in a text
	got, err := s.Delivery(t.Context(), d.ID)
	require.NoError(t, err)
	require.Equal(t, d, got)
	_, progress, err := s.OpenDelivery(t.Context(), deliveryOf(row, "search"), row.Attempt)
	require.NoError(t, err)
	require.Equal(t, []byte("\x00bits"), progress)
	_, err = s.Delivery(t.Context(), newID(t))
	require.ErrorIs(t, err, store.ErrNotFound)
}

func deliveryFenced(t *testing.T, s store.Store) {
	row := running(t, s)
	d, _, err := s.OpenDelivery(t.Context(), deliveryOf(row, "search"), row.Attempt)
	require.NoError(t, err)
	for _, attempt := range []int{row.Attempt - 1, row.Attempt + 1} {
		_, _, err = s.OpenDelivery(t.Context(), deliveryOf(row, "file"), attempt)
		require.ErrorIs(t, err, store.ErrFenced)
		require.ErrorIs(t, s.MarkDelivery(t.Context(), d, attempt, nil), store.ErrFenced)
	}
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.ErrorIs(t, s.MarkDelivery(t.Context(), d, row.Attempt, nil), store.ErrFenced)
	got, err := s.Delivery(t.Context(), d.ID)
	require.NoError(t, err)
	require.Equal(t, d, got)
}

func deliveryAdopt(t *testing.T, s store.Store) {
	first, second := running(t, s), running(t, s)
	d, _, err := s.OpenDelivery(t.Context(), deliveryOf(first, "search"), first.Attempt)
	require.NoError(t, err)
	d.State, d.Sent, d.Reason = posture.DeliveryFailed, 2, "gone"
	require.NoError(t, s.MarkDelivery(t.Context(), d, first.Attempt, []byte("b")))
	_, _, err = s.AdoptDelivery(t.Context(), d.ID, second.ID, second.Attempt+1)
	require.ErrorIs(t, err, store.ErrFenced)
	got, progress, err := s.AdoptDelivery(t.Context(), d.ID, second.ID, second.Attempt)
	require.NoError(t, err)
	d.JobID, d.State = second.ID, posture.DeliveryPending
	require.Equal(t, d, got)
	require.Equal(t, []byte("b"), progress)
	require.ErrorIs(t, s.MarkDelivery(t.Context(), posture.Delivery{ID: d.ID, JobID: first.ID, State: posture.DeliveryFailed}, first.Attempt,
		nil), store.ErrFenced)
	_, _, err = s.AdoptDelivery(t.Context(), newID(t), second.ID, second.Attempt)
	require.ErrorIs(t, err, store.ErrFenced)
}

func deliveryEnded(t *testing.T, s store.Store) {
	row := running(t, s)
	d, _, err := s.OpenDelivery(t.Context(), deliveryOf(row, "search"), row.Attempt)
	require.NoError(t, err)
	d.State = posture.DeliveryRetrying
	require.NoError(t, s.MarkDelivery(t.Context(), d, row.Attempt, nil))
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	got, err := s.Delivery(t.Context(), d.ID)
	require.NoError(t, err)
	require.Equal(t, posture.DeliveryRetrying, got.State)
	_, err = s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	got, err = s.Delivery(t.Context(), d.ID)
	require.NoError(t, err)
	require.Equal(t, posture.DeliveryFailed, got.State)
	for state, want := range map[posture.DeliveryState]int{posture.DeliveryRetrying: 0, posture.DeliveryFailed: 1} {
		list, _, err := s.Deliveries(t.Context(), store.DeliveryFilter{States: []posture.DeliveryState{state}}, store.Page{Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, want)
	}
}

func deliveryList(t *testing.T, s store.Store) {
	var ids []string
	for i := range 25 {
		row := running(t, s)
		d := deliveryOf(row, []string{"search", "webhook"}[i%2])
		d.ID, d.AssessmentID, d.CreatedAt = newID(t), fmt.Sprint("a", i%5), kept(noon().Add(time.Duration(i/3)*time.Second))
		_, _, err := s.OpenDelivery(t.Context(), d, row.Attempt)
		require.NoError(t, err)
		ids = append(ids, d.ID)
	}
	got := pages(t, 10, func(p store.Page) ([]posture.Delivery, string, error) {
		return s.Deliveries(t.Context(), store.DeliveryFilter{}, p)
	}, func() {})
	require.Len(t, got, len(ids))
	for i, d := range got {
		require.Contains(t, ids, d.ID)
		require.True(t, i == 0 || !d.CreatedAt.After(got[i-1].CreatedAt))
	}
	for _, c := range []struct {
		f    store.DeliveryFilter
		want int
	}{
		{store.DeliveryFilter{Targets: []string{"search"}}, 13}, {store.DeliveryFilter{Assessments: []string{"a1", "a2"}}, 10},
		{store.DeliveryFilter{Accounts: []string{"nobody"}}, 0}, {store.DeliveryFilter{States: []posture.DeliveryState{posture.DeliveryPending}},
			25},
		{store.DeliveryFilter{Jobs: []string{got[0].JobID}}, 1},
		{store.DeliveryFilter{Targets: []string{"webhook"}, Assessments: []string{"a1"}}, 3},
	} {
		rows, next, err := s.Deliveries(t.Context(), c.f, store.Page{Limit: 100})
		require.NoError(t, err)
		require.Empty(t, next)
		require.Len(t, rows, c.want, "%+v", c.f)
	}
	_, _, err := s.Deliveries(t.Context(), store.DeliveryFilter{}, store.Page{Limit: 1, Cursor: "zzz"})
	require.Error(t, err)
}

func savedThen(t *testing.T, s store.Store) {
	follow := store.NewJob{ID: newID(t), Kind: posture.JobShip, Queue: "delivery", Arguments: []byte(`{}`), CreatedAt: noon()}
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, 1))
	in.Then = []store.NewJob{follow}
	late := in
	late.Attempt++
	require.ErrorIs(t, s.Save(t.Context(), late), store.ErrFenced)
	_, err := s.Job(t.Context(), follow.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Save(t.Context(), in))
	got := job(t, s, follow.ID)
	require.Equal(t, posture.JobQueued, got.State)
	require.Equal(t, posture.JobShip, got.Kind)
	ids, err := s.Due(t.Context(), got.Queue, noon().Add(time.Minute), 10)
	require.NoError(t, err)
	require.Equal(t, []string{follow.ID}, ids)
}

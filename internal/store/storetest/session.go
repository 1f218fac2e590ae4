package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

func sessionCases() []testCase {
	return []testCase{
		{"session is found by the hash of its secret and ends once", sessionOfSecret},
		{"session that is added ends the one it replaces", sessionReplaces},
		{"sessions used last stay when there are too many", sessionsBounded},
		{"use of a session is noted by one of all who saw it unused", sessionUsed},
		{"sessions are forgotten by their end", sessionsForgotten},
		{"sessions that replace one at once", sessionsAtOnce},
		{"nothing is added from a session that has ended", sessionsBeside},
	}
}

func aSession(t testing.TB, usedAt time.Time) store.SessionRow {
	t.Helper()
	id := newID(t)
	return store.SessionRow{ID: id, SecretHash: []byte("hash\x00of " + id), Actor: "key:01234567", Credential: "fingerprint",
		CreatedAt: kept(usedAt), UsedAt: kept(usedAt), EndsAt: kept(usedAt.Add(12 * time.Hour)), Address: "192.0.2.1", UserAgent: "browser/1 (☃)"}
}

func addSession(t testing.TB, s store.Store, usedAt time.Time) store.SessionRow {
	t.Helper()
	row := aSession(t, usedAt)
	require.NoError(t, s.AddSession(t.Context(), row, nil, 100))
	return row
}

func sessionIDs(t testing.TB, s store.Store) []string {
	t.Helper()
	rows, err := s.Sessions(t.Context())
	require.NoError(t, err)
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

func sessionOfSecret(t *testing.T, s store.Store) {
	row, other := addSession(t, s, noon()), addSession(t, s, noon().Add(time.Second))
	got, err := s.SessionBySecret(t.Context(), row.SecretHash)
	require.NoError(t, err)
	require.Equal(t, row, got)
	all, err := s.Sessions(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.SessionRow{other, row}, all)
	for _, hash := range [][]byte{nil, {}, []byte("hash"), []byte(row.ID)} {
		_, err := s.SessionBySecret(t.Context(), hash)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	require.NoError(t, s.EndSessionsOf(t.Context(), ""), "nobody's are not those without a person")
	require.NoError(t, s.EndSession(t.Context(), row.ID))
	require.ErrorIs(t, s.EndSession(t.Context(), row.ID), store.ErrNotFound)
	require.ErrorIs(t, s.EndSession(t.Context(), "\x00"), store.ErrNotFound)
	_, err = s.SessionBySecret(t.Context(), row.SecretHash)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, []string{other.ID}, sessionIDs(t, s))
}

func sessionReplaces(t *testing.T, s store.Store) {
	first, other := addSession(t, s, noon()), addSession(t, s, noon())
	next := aSession(t, noon().Add(time.Minute))
	require.NoError(t, s.AddSession(t.Context(), next, first.SecretHash, 100))
	require.Equal(t, []string{next.ID, other.ID}, sessionIDs(t, s))
	again := aSession(t, noon().Add(time.Hour))
	require.NoError(t, s.AddSession(t.Context(), again, first.SecretHash, 100), "what it replaces has ended")
	require.Equal(t, []string{again.ID, next.ID, other.ID}, sessionIDs(t, s))
}

func sessionsBounded(t *testing.T, s store.Store) {
	var want []string
	for i := range 8 {
		row := aSession(t, noon().Add(time.Duration(i)*time.Second))
		require.NoError(t, s.AddSession(t.Context(), row, nil, 5))
		want = append([]string{row.ID}, want...)
	}
	require.Equal(t, want[:5], sessionIDs(t, s))
	slow := aSession(t, noon().Add(-time.Hour))
	require.NoError(t, s.AddSession(t.Context(), slow, nil, 5))
	require.Equal(t, append(want[:4:4], slow.ID), sessionIDs(t, s), "what is added stays, whatever its clock says")
}

func sessionUsed(t *testing.T, s store.Store) {
	row := addSession(t, s, noon())
	later := kept(noon().Add(time.Hour))
	require.NoError(t, s.UseSession(t.Context(), row, later, later.Add(time.Hour)))
	require.NoError(t, s.UseSession(t.Context(), row, later.Add(time.Minute), later), "somebody was faster")
	want := row
	want.UsedAt, want.EndsAt = later, later.Add(time.Hour)
	got, err := s.SessionBySecret(t.Context(), row.SecretHash)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, s.EndSession(t.Context(), row.ID))
	require.NoError(t, s.UseSession(t.Context(), want, later.Add(time.Hour), later.Add(2*time.Hour)))
	require.Empty(t, sessionIDs(t, s), "what has ended does not come back")
}

func sessionsForgotten(t *testing.T, s store.Store) {
	first, second := addSession(t, s, noon()), addSession(t, s, noon().Add(time.Hour))
	for _, c := range []struct {
		before time.Time
		want   int
		left   []string
	}{{first.EndsAt, 0, []string{second.ID, first.ID}}, {first.EndsAt.Add(time.Microsecond), 1, []string{second.ID}},
		{second.EndsAt.Add(time.Hour), 1, []string{}}} {
		n, err := s.Forget(t.Context(), store.SignedIn, c.before, c.before)
		require.NoError(t, err)
		require.Equal(t, c.want, n)
		require.Equal(t, c.left, sessionIDs(t, s))
	}
}

func sessionsAtOnce(t *testing.T, s store.Store) {
	first := addSession(t, s, noon())
	for range 4 {
		addSession(t, s, noon())
	}
	_, errs := together(8, func(i int) (struct{}, error) {
		row := aSession(t, noon().Add(time.Duration(i+1)*time.Second))
		return struct{}{}, s.AddSession(t.Context(), row, first.SecretHash, 5)
	})
	require.Equal(t, 8, tally(t, errs, nil))
	require.NotContains(t, sessionIDs(t, s), first.ID)
	last := aSession(t, noon().Add(time.Hour))
	require.NoError(t, s.AddSession(t.Context(), last, nil, 5))
	require.Len(t, sessionIDs(t, s), 5)
}

// sessionOf adds a session of a person.
func sessionOf(t testing.TB, s store.Store, u store.UserRow) store.SessionRow {
	t.Helper()
	row := aSession(t, noon())
	row.UserID, row.Credential = u.ID, ""
	require.NoError(t, s.AddSession(t.Context(), row, nil, 100))
	return row
}

// sessionsBeside has somebody with a stolen session, who adds sessions and passkeys while its owner is shut out.
func sessionsBeside(t *testing.T, s store.Store) {
	ann, bob := aUser(t, "ann"), aUser(t, "bob")
	require.NoError(t, errors.Join(s.AddUser(t.Context(), ann), s.AddUser(t.Context(), bob)))
	bobs := sessionOf(t, s, bob)
	add := func(from store.SessionRow) error {
		row := aSession(t, noon())
		row.UserID, row.Credential = ann.ID, ""
		return s.AddSessionBeside(t.Context(), row, from.ID, 100)
	}
	require.ErrorIs(t, add(bobs), store.ErrNotFound, "it is not hers")
	require.ErrorIs(t, add(store.SessionRow{}), store.ErrNotFound)
	for range 5 {
		stolen := sessionOf(t, s, ann)
		require.NoError(t, add(stolen))
		_, errs := together(9, func(i int) (struct{}, error) {
			switch {
			case i == 4:
				return struct{}{}, errors.Join(s.EndSessionsOf(t.Context(), ann.ID), s.DeletePasskeysOf(t.Context(), ann.ID))
			case i%2 == 0:
				return struct{}{}, s.AddPasskey(t.Context(), aPasskey(t, ann, "phone"), stolen.ID, ceremony(t), 100)
			default:
				return struct{}{}, add(stolen)
			}
		})
		tally(t, errs, store.ErrNotFound)
		require.Equal(t, []string{bobs.ID}, sessionIDs(t, s))
		require.Empty(t, passkeyIDs(t, s, ann.ID))
		require.ErrorIs(t, add(stolen), store.ErrNotFound)
		require.ErrorIs(t, s.AddPasskey(t.Context(), aPasskey(t, ann, "phone"), stolen.ID, ceremony(t), 100), store.ErrNotFound)
	}
}

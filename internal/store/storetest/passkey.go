package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

func passkeyCases() []testCase {
	return []testCase{
		{"passkeys are kept, found by their credential, and removed by who has them", passkeysKept},
		{"a ceremony counts once, and a counter only goes on", passkeysUsed},
		{"the last way to sign in stays", passkeysLast},
		{"who is forgotten or invited again has no passkey", passkeysForgotten},
		{"passkeys that are added and removed at once", passkeysAtOnce},
	}
}

func aPasskey(t testing.TB, of store.UserRow, name string) store.PasskeyRow {
	t.Helper()
	id := newID(t)
	return store.PasskeyRow{ID: id, UserID: of.ID, Name: name, CredentialID: []byte("credential\x00" + id), PublicKey: []byte("key\x00"),
		SignCount: 1<<32 - 2, BackupEligible: true, CreatedAt: kept(noon())}
}

func ceremony(t testing.TB) store.Once {
	t.Helper()
	return store.Once{Key: "passkey " + newID(t), Until: noon().Add(time.Minute)}
}

// addPasskey adds a passkey from a session that its owner has for the time.
func addPasskey(t testing.TB, s store.Store, p store.PasskeyRow, once store.Once, most int) error {
	t.Helper()
	in := sessionOf(t, s, store.UserRow{ID: p.UserID})
	defer func() { require.NoError(t, s.EndSession(t.Context(), in.ID)) }()
	return s.AddPasskey(t.Context(), p, in.ID, once, most)
}

// withPasskey adds a user with a passkey and no password.
func withPasskey(t *testing.T, s store.Store, name string) (store.UserRow, store.PasskeyRow) {
	t.Helper()
	u := aUser(t, name)
	u.PasswordHash = ""
	require.NoError(t, s.AddUser(t.Context(), u))
	p := aPasskey(t, u, "laptop")
	require.NoError(t, addPasskey(t, s, p, ceremony(t), 5))
	return u, p
}

func passkeyIDs(t testing.TB, s store.Store, userID string) []string {
	t.Helper()
	rows, err := s.Passkeys(t.Context(), userID)
	require.NoError(t, err)
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

func passkeysKept(t *testing.T, s store.Store) {
	ann, first := withPasskey(t, s, "ann")
	bob, bobs := withPasskey(t, s, "bob")
	second := aPasskey(t, ann, "phone \x00")
	second.CreatedAt = second.CreatedAt.Add(time.Second)
	require.NoError(t, addPasskey(t, s, second, ceremony(t), 2))
	second.Name = "phone \uFFFD"
	all, err := s.Passkeys(t.Context(), ann.ID)
	require.NoError(t, err)
	require.Equal(t, []store.PasskeyRow{first, second}, all)
	require.ErrorIs(t, addPasskey(t, s, aPasskey(t, ann, "third"), ceremony(t), 2), store.ErrTooMany)
	again := aPasskey(t, bob, "copy")
	again.CredentialID = first.CredentialID
	require.ErrorIs(t, addPasskey(t, s, again, ceremony(t), 5), store.ErrNameTaken)
	require.ErrorIs(t, addPasskey(t, s, aPasskey(t, aUser(t, "nobody"), "x"), ceremony(t), 5), store.ErrNotFound)
	got, err := s.PasskeyByCredential(t.Context(), bobs.CredentialID)
	require.NoError(t, err)
	require.Equal(t, bobs, got)
	for _, credential := range [][]byte{nil, {}, []byte("credential"), []byte(first.ID)} {
		_, err := s.PasskeyByCredential(t.Context(), credential)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	require.ErrorIs(t, s.DeletePasskey(t.Context(), bob.ID, first.ID), store.ErrNotFound, "it is not his")
	require.NoError(t, s.DeletePasskey(t.Context(), ann.ID, first.ID))
	require.ErrorIs(t, s.DeletePasskey(t.Context(), ann.ID, first.ID), store.ErrNotFound)
	require.Equal(t, []string{second.ID}, passkeyIDs(t, s, ann.ID))
	require.Equal(t, []string{bobs.ID}, passkeyIDs(t, s, bob.ID))
}

func passkeysUsed(t *testing.T, s store.Store) {
	ann, p := withPasskey(t, s, "ann")
	once := ceremony(t)
	p.SignCount, p.BackedUp, p.UsedAt = 1<<32-1, true, kept(noon().Add(time.Second))
	require.NoError(t, s.UsePasskey(t.Context(), p, once))
	got, err := s.PasskeyByCredential(t.Context(), p.CredentialID)
	require.NoError(t, err)
	require.Equal(t, p, got)
	require.ErrorIs(t, s.UsePasskey(t.Context(), p, once), store.ErrUsed)
	require.ErrorIs(t, s.UsePasskey(t.Context(), p, ceremony(t)), store.ErrNotFound, "the counter stands still")
	require.ErrorIs(t, addPasskey(t, s, aPasskey(t, ann, "phone"), once, 5), store.ErrUsed)
	without := aPasskey(t, ann, "without a counter")
	without.SignCount = 0
	require.NoError(t, addPasskey(t, s, without, ceremony(t), 5))
	for range 2 {
		require.NoError(t, s.UsePasskey(t.Context(), without, ceremony(t)))
	}
	failed := ceremony(t)
	require.ErrorIs(t, addPasskey(t, s, without, failed, 5), store.ErrNameTaken)
	require.NoError(t, s.UsePasskey(t.Context(), without, failed), "what was not done was not used")
	require.NoError(t, s.DeletePasskey(t.Context(), ann.ID, without.ID))
	require.ErrorIs(t, s.UsePasskey(t.Context(), without, ceremony(t)), store.ErrNotFound)
}

func passkeysLast(t *testing.T, s store.Store) {
	ann, p := withPasskey(t, s, "ann")
	require.ErrorIs(t, s.DeletePasskey(t.Context(), ann.ID, p.ID), store.ErrLastWay)
	require.ErrorIs(t, s.DeletePasskey(t.Context(), ann.ID, newID(t)), store.ErrNotFound)
	require.Equal(t, []string{p.ID}, passkeyIDs(t, s, ann.ID))
	was := ann
	ann.PasswordHash = "$argon2id$…"
	require.NoError(t, s.ChangeUser(t.Context(), was, ann, nil))
	require.NoError(t, s.DeletePasskey(t.Context(), ann.ID, p.ID), "there is the password")
}

func passkeysForgotten(t *testing.T, s store.Store) {
	ann, p := withPasskey(t, s, "ann")
	bob, bobs := withPasskey(t, s, "bob")
	require.NoError(t, s.DeletePasskeysOf(t.Context(), ""))
	require.NoError(t, s.DeleteUser(t.Context(), ann.ID, nil))
	_, err := s.PasskeyByCredential(t.Context(), p.CredentialID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, []string{bobs.ID}, passkeyIDs(t, s, bob.ID))
	require.NoError(t, s.DeletePasskeysOf(t.Context(), bob.ID))
	require.Empty(t, passkeyIDs(t, s, bob.ID))
}

func passkeysAtOnce(t *testing.T, s store.Store) {
	ann, _ := withPasskey(t, s, "ann")
	once := ceremony(t)
	in := sessionOf(t, s, ann)
	_, errs := together(8, func(int) (struct{}, error) {
		return struct{}{}, s.AddPasskey(t.Context(), aPasskey(t, ann, "phone"), in.ID, once, 100)
	})
	require.Equal(t, 1, tally(t, errs, store.ErrUsed))
	_, errs = together(8, func(int) (struct{}, error) {
		return struct{}{}, s.AddPasskey(t.Context(), aPasskey(t, ann, "key"), in.ID, ceremony(t), 5)
	})
	require.Equal(t, 3, tally(t, errs, store.ErrTooMany))
	ids := passkeyIDs(t, s, ann.ID)
	_, errs = together(5, func(i int) (struct{}, error) { return struct{}{}, s.DeletePasskey(t.Context(), ann.ID, ids[i]) })
	require.Equal(t, 4, tally(t, errs, store.ErrLastWay))
}

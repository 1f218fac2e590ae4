package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func accountCases() []testCase {
	return []testCase{
		{"account is read by id and by name", accountRead},
		{"account keeps instants in UTC to the microsecond", accountInstants},
		{"account put again keeps the token when none is given", accountKeepsToken},
		{"account put again replaces the token when one is given", accountReplacesToken},
		{"account name of another is taken", accountNameTaken},
		{"account may be renamed and its old name used again", accountRename},
		{"account default moves", accountDefault},
		{"what follows the runs of an account and its thresholds stay when it is put again", accountSettingsStay},
		{"account id wins over an equal name", accountIDWins},
		{"accounts are listed by name, byte by byte", accountOrder},
		{"account without a token has none to give", accountWithoutToken},
		{"account is forgotten with its token, its assessments stay", accountDelete},
		{"account that is unknown is not found", accountUnknown},
		{"account text comes back as it was", accountHostileText},
	}
}

func anAccount(t testing.TB, name string) posture.Account {
	t.Helper()
	provider := providerAccount
	if name != "main" {
		provider = "of " + name
	}
	return posture.Account{ID: newID(t), Name: name, ProviderID: provider, CreatedAt: kept(noon()), UpdatedAt: kept(noon())}
}

func put(t testing.TB, s store.Store, a posture.Account, token []byte) {
	t.Helper()
	require.NoError(t, s.PutAccount(t.Context(), a, token))
}

func accountRead(t *testing.T, s store.Store) {
	want := anAccount(t, "main")
	want.Demo, want.Default = true, true
	want.Zones, want.ExcludeZones, want.TokenAt = []string{"*.example"}, []string{"old.example"}, kept(noon())
	want.Policy, want.AfterRun = json.RawMessage(`{"tokenFailDays":7}`), json.RawMessage(`{"ship":"all"}`)
	put(t, s, want, []byte{0, 1, 255})
	put(t, s, anAccount(t, "other"), nil)
	for _, word := range []string{want.ID, "main"} {
		got, err := s.Account(t.Context(), word)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	token, err := s.SealedToken(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1, 255}, token)
}

func accountSettingsStay(t *testing.T, s store.Store) {
	want := anAccount(t, "main")
	put(t, s, want, nil)
	policy, afterRun := json.RawMessage(`{"tokenFailDays":7}`), json.RawMessage(`{"ship":"all"}`)
	set := func(policy, afterRun json.RawMessage) {
		_, err := s.ChangeAccount(t.Context(), want.ID, store.AccountChange{Policy: &policy, AfterRun: &afterRun}, noon())
		require.NoError(t, err)
	}
	set(policy, afterRun)
	put(t, s, want, nil)
	got, err := s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	want.Policy, want.AfterRun = policy, afterRun
	require.Equal(t, want, got)
	set(nil, nil)
	got, err = s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	require.Nil(t, got.Policy)
	require.Nil(t, got.AfterRun)
}

func accountInstants(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	a.CreatedAt, a.UpdatedAt = noon(), noon().Add(time.Hour)
	put(t, s, a, nil)
	got, err := s.Account(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, kept(noon()), got.CreatedAt)
	require.Equal(t, kept(noon().Add(time.Hour)), got.UpdatedAt)
	require.Equal(t, time.UTC, got.CreatedAt.Location())
}

func accountKeepsToken(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	put(t, s, a, []byte("first"))
	a.Demo = true
	put(t, s, a, nil)
	token, err := s.SealedToken(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, "first", string(token))
	got, err := s.Account(t.Context(), a.ID)
	require.NoError(t, err)
	require.True(t, got.Demo)
}

func accountReplacesToken(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	put(t, s, a, []byte("first"))
	put(t, s, a, []byte("second"))
	token, err := s.SealedToken(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, "second", string(token))
}

func accountNameTaken(t *testing.T, s store.Store) {
	put(t, s, anAccount(t, "main"), nil)
	require.ErrorIs(t, s.PutAccount(t.Context(), anAccount(t, "main"), nil), store.ErrNameTaken)
	other := anAccount(t, "other")
	put(t, s, other, nil)
	other.Name = "main"
	require.ErrorIs(t, s.PutAccount(t.Context(), other, nil), store.ErrNameTaken)
}

func accountRename(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	put(t, s, a, nil)
	a.Name = "renamed"
	put(t, s, a, nil)
	again := anAccount(t, "main")
	again.ProviderID = "another"
	put(t, s, again, nil)
	all, err := s.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
}

func accountDefault(t *testing.T, s store.Store) {
	_, err := s.DefaultAccount(t.Context())
	require.ErrorIs(t, err, store.ErrNotFound)
	a, b := anAccount(t, "a"), anAccount(t, "b")
	a.Default, b.Default = true, true
	put(t, s, a, nil)
	put(t, s, b, nil)
	got, err := s.DefaultAccount(t.Context())
	require.NoError(t, err)
	require.Equal(t, b, got)
	first, err := s.Account(t.Context(), a.ID)
	require.NoError(t, err)
	require.False(t, first.Default)
	b.Default = false
	put(t, s, b, nil)
	_, err = s.DefaultAccount(t.Context())
	require.ErrorIs(t, err, store.ErrNotFound)
}

func accountIDWins(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	put(t, s, a, nil)
	put(t, s, anAccount(t, a.ID), nil)
	got, err := s.Account(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)
}

func accountOrder(t *testing.T, s store.Store) {
	for _, name := range []string{"b", "a b", "ä", "B", "a-b", "ab", "_"} {
		put(t, s, anAccount(t, name), nil)
	}
	all, err := s.Accounts(t.Context())
	require.NoError(t, err)
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	require.Equal(t, []string{"B", "_", "a b", "a-b", "ab", "b", "ä"}, names)
}

func accountWithoutToken(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	put(t, s, a, nil)
	_, err := s.SealedToken(t.Context(), a.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func accountDelete(t *testing.T, s store.Store) {
	a := anAccount(t, "main")
	a.ID = ourAccount
	put(t, s, a, []byte("token"))
	report := saved(t, s, 3, nil)
	require.NoError(t, s.DeleteAccount(t.Context(), a.ID, noon()))
	_, err := s.Account(t.Context(), "main")
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.SealedToken(t.Context(), a.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, s.DeleteAccount(t.Context(), a.ID, noon()), store.ErrNotFound)
	got, err := s.LatestAssessment(t.Context(), ourAccount)
	require.NoError(t, err)
	require.Equal(t, report.ID, got.ID)
	// The same account registered again has no token of its former life.
	put(t, s, a, nil)
	_, err = s.SealedToken(t.Context(), a.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func accountUnknown(t *testing.T, s store.Store) {
	for _, word := range []string{"", "x", newID(t), "a\x00b", "\xff", "' OR 1=1 --"} {
		_, err := s.Account(t.Context(), word)
		require.ErrorIs(t, err, store.ErrNotFound, "%q", word)
		_, err = s.SealedToken(t.Context(), word)
		require.ErrorIs(t, err, store.ErrNotFound, "%q", word)
		require.ErrorIs(t, s.DeleteAccount(t.Context(), word, noon()), store.ErrNotFound, "%q", word)
	}
}

// hostileTexts are texts that careless SQL quoting would change.
func hostileTexts() []string {
	return []string{"O'Brien", `back\slash\'`, "'); DROP TABLE job; --", "? ?0 ?name", "$1 %s %%", "tab\tline\r\nend",
		"日本 ✓ 𝕏", `{"json": "\u0000"}`, "/* */", "E'\\x'", "\u2028\u202e"}
}

func accountHostileText(t *testing.T, s store.Store) {
	for _, text := range hostileTexts() {
		a := anAccount(t, text)
		put(t, s, a, []byte(text))
		got, err := s.Account(t.Context(), text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, a, got)
		token, err := s.SealedToken(t.Context(), a.ID)
		require.NoError(t, err)
		require.Equal(t, text, string(token))
	}
}

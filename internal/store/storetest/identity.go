package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/store"
)

func identityCases() []testCase {
	return []testCase{
		{"people are kept, found by what they sign in with, and forgotten", peopleKept},
		{"who is forgotten has no session and is in no team", peopleForgotten},
		{"tokens of programs are kept by their hash", tokensKept},
		{"teams are kept by a name of their own", teamsKept},
		{"one of many who take a name at once gets it", namesAtOnce},
		{"of a kind of people the last who can sign in stays", oneStays},
		{"of people who take the role from each other at once one keeps it", oneStaysAtOnce},
	}
}

func aUser(t testing.TB, name string) store.UserRow {
	t.Helper()
	return store.UserRow{ID: newID(t), Name: name, Email: name + "@example.com", PasswordHash: "$argon2id$…", CreatedAt: kept(noon()),
		Grants: []access.Grant{{Role: access.Analyst, Accounts: []string{"a"}}, {Role: access.Viewer, Labels: []string{"ä"}}}}
}

func peopleKept(t *testing.T, s store.Store) {
	ann, bob := aUser(t, "ann"), aUser(t, "bob")
	bob.PasswordHash, bob.Issuer, bob.Subject = "", "https://id.example.com", "sub\x00"
	require.NoError(t, s.AddUser(t.Context(), bob))
	require.NoError(t, s.AddUser(t.Context(), ann))
	same := bob
	same.Email = ann.Email
	require.ErrorIs(t, s.ChangeUser(t.Context(), bob, same, nil), store.ErrNameTaken, "a provider tells the email address of somebody else")
	bob.Subject = "sub\uFFFD"
	all, err := s.Users(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.UserRow{ann, bob}, all)
	require.Equal(t, []int{2, 1}, counted(t, s))
	got, err := s.UserByEmail(t.Context(), ann.Email)
	require.NoError(t, err)
	require.Equal(t, ann, got)
	got, err = s.UserBySubject(t.Context(), bob.Issuer, bob.Subject)
	require.NoError(t, err)
	require.Equal(t, bob, got)
	for _, find := range []func() (store.UserRow, error){
		func() (store.UserRow, error) { return s.User(t.Context(), "none") },
		func() (store.UserRow, error) { return s.UserByEmail(t.Context(), "") },
		func() (store.UserRow, error) { return s.UserBySubject(t.Context(), "", "") },
		func() (store.UserRow, error) { return s.UserBySubject(t.Context(), bob.Issuer, "other") }} {
		_, err := find()
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	other := aUser(t, "cecil")
	other.Email = ann.Email
	require.ErrorIs(t, s.AddUser(t.Context(), other), store.ErrNameTaken)
	other.Issuer, other.Subject = bob.Issuer, "other"
	require.ErrorIs(t, s.AddUser(t.Context(), other), store.ErrNameTaken, "the audit log names people by it")
	other = aUser(t, "cecil")
	other.Email = bob.Email
	require.ErrorIs(t, s.AddUser(t.Context(), other), store.ErrNameTaken, "of somebody of a provider")
	other = bob
	other.ID, other.Email = newID(t), ""
	require.ErrorIs(t, s.AddUser(t.Context(), other), store.ErrNameTaken)
	was, seen := ann, ann
	seen.SeenAt = kept(noon().Add(time.Minute))
	require.NoError(t, s.ChangeUser(t.Context(), was, seen, nil))
	ann.Disabled, ann.Grants, ann.SeenAt = true, nil, kept(noon().Add(time.Hour))
	require.NoError(t, s.ChangeUser(t.Context(), was, ann, nil), "she signed in since, which changes nothing of her")
	require.ErrorIs(t, s.ChangeUser(t.Context(), was, seen, nil), store.ErrChanged, "a slow sign-in must not bring back what was taken")
	got, err = s.User(t.Context(), ann.ID)
	require.NoError(t, err)
	require.Equal(t, ann, got)
	require.Equal(t, []int{2, 0}, counted(t, s), "who is disabled signs in with nothing")
	other = aUser(t, "nobody")
	require.ErrorIs(t, s.ChangeUser(t.Context(), other, other, nil), store.ErrNotFound)
}

func counted(t *testing.T, s store.Store) []int {
	t.Helper()
	all, withPassword, err := s.CountUsers(t.Context())
	require.NoError(t, err)
	return []int{all, withPassword}
}

func peopleForgotten(t *testing.T, s store.Store) {
	ann, bob := aUser(t, "ann"), aUser(t, "bob")
	require.NoError(t, s.AddUser(t.Context(), ann))
	require.NoError(t, s.AddUser(t.Context(), bob))
	session := aSession(t, noon())
	session.UserID, session.Credential = ann.ID, ""
	require.NoError(t, s.AddSession(t.Context(), session, nil, 100))
	other := addSession(t, s, noon())
	bobs := aSession(t, noon())
	bobs.UserID, bobs.Credential = bob.ID, ""
	require.NoError(t, s.AddSession(t.Context(), bobs, nil, 100))
	require.NoError(t, s.EndSessionsOf(t.Context(), bob.ID))
	require.ElementsMatch(t, []string{session.ID, other.ID}, sessionIDs(t, s))
	team := store.TeamRow{ID: newID(t), Name: "edge", Members: []string{ann.ID, bob.ID}, CreatedAt: kept(noon())}
	require.NoError(t, s.AddTeam(t.Context(), team))
	got, err := s.SessionBySecret(t.Context(), session.SecretHash)
	require.NoError(t, err)
	require.Equal(t, session, got)
	require.NoError(t, s.DeleteUser(t.Context(), ann.ID, nil))
	require.ErrorIs(t, s.DeleteUser(t.Context(), ann.ID, nil), store.ErrNotFound)
	require.Equal(t, []string{other.ID}, sessionIDs(t, s))
	team.Members = []string{bob.ID}
	now, err := s.Team(t.Context(), team.ID)
	require.NoError(t, err)
	require.Equal(t, team, now)
}

func tokensKept(t *testing.T, s store.Store) {
	token := store.ServiceTokenRow{ID: newID(t), Name: "pipeline", Hash: []byte("hash\x00"), Grant: access.Grant{Role: access.Operator},
		CreatedBy: "key:01234567", CreatedAt: kept(noon()), ExpiresAt: kept(noon().Add(time.Hour))}
	require.NoError(t, s.AddServiceToken(t.Context(), token))
	for _, find := range []func() (store.ServiceTokenRow, error){
		func() (store.ServiceTokenRow, error) { return s.ServiceToken(t.Context(), token.ID) },
		func() (store.ServiceTokenRow, error) { return s.ServiceTokenByHash(t.Context(), token.Hash) }} {
		got, err := find()
		require.NoError(t, err)
		require.Equal(t, token, got)
	}
	_, err := s.ServiceTokenByHash(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrNotFound)
	other := token
	other.ID, other.Hash = newID(t), []byte("other")
	require.ErrorIs(t, s.AddServiceToken(t.Context(), other), store.ErrNameTaken)
	token.UsedAt = kept(noon().Add(time.Minute))
	require.NoError(t, s.UseServiceToken(t.Context(), token.ID, token.UsedAt))
	require.NoError(t, s.UseServiceToken(t.Context(), token.ID, noon()), "it was used later")
	all, err := s.ServiceTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.ServiceTokenRow{token}, all)
	require.NoError(t, s.DeleteServiceToken(t.Context(), token.ID))
	require.ErrorIs(t, s.DeleteServiceToken(t.Context(), token.ID), store.ErrNotFound)
	_, err = s.ServiceToken(t.Context(), token.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func teamsKept(t *testing.T, s store.Store) {
	edge := store.TeamRow{ID: newID(t), Name: "edge", CreatedAt: kept(noon())}
	require.NoError(t, s.AddTeam(t.Context(), edge))
	other := store.TeamRow{ID: newID(t), Name: "edge", CreatedAt: kept(noon())}
	require.ErrorIs(t, s.AddTeam(t.Context(), other), store.ErrNameTaken)
	other.Name = "dns"
	require.NoError(t, s.AddTeam(t.Context(), other))
	was := edge
	edge.Name = "dns"
	require.ErrorIs(t, s.ChangeTeam(t.Context(), was, edge), store.ErrNameTaken)
	edge.Name, edge.Members = "edge platform", []string{"ann"}
	require.NoError(t, s.ChangeTeam(t.Context(), was, edge))
	require.ErrorIs(t, s.ChangeTeam(t.Context(), was, was), store.ErrChanged, "somebody else was faster")
	all, err := s.Teams(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.TeamRow{other, edge}, all)
	require.NoError(t, s.DeleteTeam(t.Context(), edge.ID))
	require.ErrorIs(t, s.DeleteTeam(t.Context(), edge.ID), store.ErrNotFound)
	require.ErrorIs(t, s.ChangeTeam(t.Context(), edge, edge), store.ErrNotFound)
	_, err = s.Team(t.Context(), edge.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

// anAdministrator tells who is one; the first is added with a password, the others as changed.
func anAdministrator(u store.UserRow) bool { return len(u.Grants) == 1 && !u.Disabled }

func administrators(t *testing.T, s store.Store, change ...func(*store.UserRow)) (all []store.UserRow) {
	t.Helper()
	for i, f := range append([]func(*store.UserRow){func(*store.UserRow) {}}, change...) {
		u := aUser(t, fmt.Sprint("person ", i))
		u.Grants = u.Grants[:1]
		f(&u)
		require.NoError(t, s.AddUser(t.Context(), u))
		all = append(all, u)
	}
	return all
}

func oneStays(t *testing.T, s store.Store) {
	all := administrators(t, s, func(u *store.UserRow) { u.PasswordHash, u.InvitedUntil = "", kept(noon()) },
		func(u *store.UserRow) { u.Disabled = true }, func(u *store.UserRow) { u.Grants = nil })
	first, invited, viewer := all[0], all[1], all[3]
	for _, take := range []func(*store.UserRow){func(u *store.UserRow) { u.Disabled = true }, func(u *store.UserRow) { u.Grants = nil }} {
		less := first
		take(&less)
		require.ErrorIs(t, s.ChangeUser(t.Context(), first, less, anAdministrator), store.ErrLast)
	}
	require.ErrorIs(t, s.DeleteUser(t.Context(), first.ID, anAdministrator), store.ErrLast)
	got, err := s.User(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)
	named := first
	named.Name = "another name"
	require.NoError(t, s.ChangeUser(t.Context(), first, named, anAdministrator))
	require.NoError(t, s.DeleteUser(t.Context(), viewer.ID, anAdministrator))
	require.NoError(t, s.DeleteUser(t.Context(), first.ID, nil), "whom nothing keeps")
	require.NoError(t, addPasskey(t, s, aPasskey(t, invited, "laptop"), ceremony(t), 5))
	other := administrators(t, s)[0]
	require.NoError(t, s.DeleteUser(t.Context(), other.ID, anAdministrator), "the passkey lets the other one in")
	require.ErrorIs(t, s.DeleteUser(t.Context(), invited.ID, anAdministrator), store.ErrLast)
}

func oneStaysAtOnce(t *testing.T, s store.Store) {
	stays := func(*store.UserRow) {}
	for range 5 {
		all := administrators(t, s, stays, stays, stays)
		_, errs := together(len(all), func(i int) (struct{}, error) {
			if i%2 == 0 {
				return struct{}{}, s.DeleteUser(t.Context(), all[i].ID, anAdministrator)
			}
			less := all[i]
			less.Grants = nil
			return struct{}{}, s.ChangeUser(t.Context(), all[i], less, anAdministrator)
		})
		require.Equal(t, len(all)-1, tally(t, errs, store.ErrLast))
		for _, u := range all {
			if err := s.DeleteUser(t.Context(), u.ID, nil); err != nil {
				require.ErrorIs(t, err, store.ErrNotFound)
			}
		}
	}
}

func namesAtOnce(t *testing.T, s store.Store) {
	_, errs := together(8, func(int) (struct{}, error) {
		u := aUser(t, "ann")
		return struct{}{}, s.AddUser(t.Context(), u)
	})
	require.Equal(t, 1, tally(t, errs, store.ErrNameTaken))
}

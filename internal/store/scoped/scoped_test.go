package scoped_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

// open are the methods that every caller reaches, by why they tell nothing of a foreign account.
func open() map[string][]string {
	return map[string][]string{
		"only workers and the clock call it": {"Claim", "Due", "Renew", "SetProgress", "Release", "Retry", "Finish", "Recover", "Orphans",
			"Waiting", "PutSections", "DropSections", "Save", "OpenDelivery", "MarkDelivery", "AdoptDelivery", "KeepPlan", "KeepBundle",
			"DueSchedules", "Fire", "WaitingFires", "StartWaiting", "TakeTurn", "Forget", "Unpacked", "Pack", "KeptKey", "KeepKey",
			"SettingsNumber", "NoteSettingsNumber", "TakeTicket", "KeepTicket", "DueAlertRules", "WakeAlertRule", "AlertNow", "BeginAlert",
			"EndAlert", "FailAlert", "MovedIssues", "ReturnedIssues"},
		"it counts all jobs, for health and metrics":        {"CountKinds"},
		"its rows ask for an administrator of all accounts": {"AppendAudit", "Audit", "AuditHead", "CutAudit"},
		"it is about the service": {"EvidenceKeys", "KeepEvidenceKey", "Ping", "Now", "Engine", "Observe", "Carry", "Stats",
			"Close"},
		"its rows ask for the role for all accounts": {"Ownership", "SetOwnership", "AddAlertRule", "ChangeAlertRule", "AlertRule", "AlertRules",
			"DeleteAlertRule"},
		"it takes the numbers that Line gave": {"Points"},
		"it finds out who calls, or its rows ask for an administrator": {"AddSession", "AddSessionBeside", "SessionBySecret", "UseSession",
			"Sessions", "EndSession", "EndSessionsOf", "AddUser", "ChangeUser", "User", "UserBySubject", "UserByEmail", "Users", "CountUsers",
			"DeleteUser", "AddServiceToken", "ServiceToken", "ServiceTokenByHash", "UseServiceToken", "ServiceTokens", "DeleteServiceToken",
			"AddTeam", "ChangeTeam",
			"Team", "Teams", "DeleteTeam", "AddPasskey", "UsePasskey", "Passkeys", "PasskeyByCredential", "DeletePasskey", "DeletePasskeysOf"},
		"it tells what the caller has read, by ids":                     {"ReadMarks", "MarkRead"},
		"it writes what the caller says, under the name of who says it": {"AddView"},
	}
}

// TestEveryMethodIsNarrowedOrOpen: a method that is new in store.Store cannot be forgotten here.
func TestEveryMethodIsNarrowedOrOpen(t *testing.T) {
	narrowed := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "method.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv != nil && f.Name.IsExported() {
			narrowed[f.Name.Name] = true
		}
	}
	reasons := map[string]string{}
	for why, names := range open() {
		for _, n := range names {
			require.False(t, narrowed[n], "%s is narrowed and need not be listed", n)
			reasons[n] = why
		}
	}
	for m := range reflect.TypeFor[store.Store]().Methods() {
		require.True(t, narrowed[m.Name] || reasons[m.Name] != "", "%s shows every caller all accounts; narrow it, or say why it may", m.Name)
		delete(reasons, m.Name)
	}
	require.Empty(t, reasons, "these are no methods of the store")
}

// TestKeysAreOfTheirCallers: two callers whose keys and names read the same when put together.
func TestKeysAreOfTheirCallers(t *testing.T) {
	base, err := sqlite.Open(t.Context(), t.TempDir()+"/db")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, base.Close()) })
	s := scoped.New(base)
	for _, c := range []struct{ key, by, id string }{{"k", "token:a by user:b", "1"}, {"k by token:a", "user:b", "2"},
		{"k  by token:a", "user:b", "3"}, {"k ", "by user:b", "4"}} {
		got, err := s.ObjectOf(scoped.With(t.Context(), access.Scope{All: true}, c.by), store.Idempotency{Key: c.key}, c.id, time.Unix(1e9, 0))
		require.NoError(t, err)
		require.Equal(t, c.id, got)
	}
}

// TestLabelsDecideAtEachCall: who has a role by a label sees an account from when it has the label until it has it no more.
func TestLabelsDecideAtEachCall(t *testing.T) {
	base, err := sqlite.Open(t.Context(), t.TempDir()+"/db")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, base.Close()) })
	s := scoped.New(base)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, s.PutAccount(t.Context(), posture.Account{ID: name, Name: name, ProviderID: "p" + name, Labels: []string{name}}, nil))
	}
	seen := func() (names []string) {
		all, err := s.Accounts(scoped.With(t.Context(), access.Scope{Labels: []string{"a"}}, "user:x"))
		require.NoError(t, err)
		for _, a := range all {
			names = append(names, a.Name)
		}
		return names
	}
	require.Equal(t, []string{"a"}, seen())
	_, err = s.ChangeAccount(t.Context(), "b", store.AccountChange{Labels: &[]string{"a", "c"}}, posture.Account{}.CreatedAt)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, seen())
	nobody := scoped.With(t.Context(), access.Scope{}, "user:y")
	all, err := s.Accounts(nobody)
	require.NoError(t, err)
	require.Empty(t, all)
	_, err = s.Account(nobody, "a")
	require.ErrorIs(t, err, store.ErrNotFound)
	rows, _, err := s.Assessments(nobody, store.AssessmentFilter{}, store.Page{})
	require.NoError(t, err)
	require.Empty(t, rows)
	require.False(t, scoped.Narrowed(scoped.With(t.Context(), access.Scope{All: true}, "")))
}

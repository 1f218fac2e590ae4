package app_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestTeamsChangedAtOnce: two changes of one team at the same moment are both made, and a team that was deleted
// stays deleted.
func TestTeamsChangedAtOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	var ann httpapi.Person
	s.post(201, "/api/users", object{"name": "Ann", "email": "ann@example.com", "grants": []any{object{"role": "viewer"}}}).into(t, &ann)
	for i := range 30 {
		var team httpapi.Team
		s.post(201, "/api/teams", object{"name": "before " + number(i)}).into(t, &team)
		at := "/api/teams/" + team.ID
		var all sync.WaitGroup
		for _, change := range []object{{"name": "after " + number(i)}, {"members": []string{ann.ID}}} {
			all.Go(func() { s.call("PATCH", at, change) })
		}
		all.Wait()
		s.get(at, &team)
		require.Equal(t, "after "+number(i), team.Name)
		require.Equal(t, []string{ann.ID}, team.Members)
		all.Go(func() { s.call("PATCH", at, object{"name": "again " + number(i)}) })
		all.Go(func() { s.call("DELETE", at, nil) })
		all.Wait()
		var left struct{ Items []httpapi.Team }
		s.get("/api/teams", &left)
		require.False(t, slices.ContainsFunc(left.Items, func(x httpapi.Team) bool { return x.ID == team.ID }))
	}
}

// TestLastAdministrator: two administrators who take the role from each other at once do not both succeed, nobody takes
// their own as the last one, and who has the API key may.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	const password = "a sentence nobody guesses"
	type admin struct{ at, cookie string }
	add := func(name string) admin {
		s.key = apiKey
		var p httpapi.Person
		s.post(201, "/api/users", object{"name": name, "email": name + "@example.com", "password": password,
			"grants": []any{object{"role": "administrator"}}}).into(t, &p)
		s.key = ""
		got := s.call("POST", "/api/session", object{"email": name + "@example.com", "password": password})
		return admin{"/api/users/" + p.ID, sessionCookie + "=" + cookies(t, got)[sessionCookie].Value}
	}
	as := func(a admin, method, at string, body any) answer {
		return s.call(method, at, body, "Cookie", a.cookie, "Origin", s.url)
	}
	less := object{"grants": []any{object{"role": "viewer"}}}
	ann, bob := add("ann"), add("bob")
	var all sync.WaitGroup
	all.Go(func() { as(ann, "PATCH", bob.at, less) })
	all.Go(func() { as(bob, "PATCH", ann.at, less) })
	all.Wait()
	if as(ann, "GET", "/api/users", nil).status != 200 {
		ann, bob = bob, ann
	}
	require.Equal(t, 200, as(ann, "GET", "/api/users", nil).status, "one of them is left")
	require.Equal(t, 403, as(bob, "GET", "/api/users", nil).status)
	var token httpapi.ServiceToken
	as(ann, "POST", "/api/service-tokens", object{"name": "program", "role": "administrator"}).into(t, &token)
	for _, body := range []any{less, object{"disabled": true}, object{"grants": []any{object{"role": "administrator",
		"labels": []string{"production"}}}}} {
		got := as(ann, "PATCH", ann.at, body)
		require.Equal(t, 409, got.status, string(got.body))
		require.Contains(t, string(got.body), "last administrator")
	}
	require.Equal(t, 409, as(ann, "DELETE", ann.at, nil).status)
	require.Equal(t, 409, s.call("DELETE", ann.at, nil, "X-API-Key", token.Token).status)
	require.Equal(t, 200, as(ann, "PATCH", ann.at, object{"name": "Ann"}).status)
	require.Equal(t, 204, s.call("DELETE", ann.at, nil, "X-API-Key", apiKey).status)
}

// TestOvertakenChanges: who changes a person or a team as they were read takes nothing back that somebody else
// changed since, such as a role that was withdrawn.
func TestOvertakenChanges(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	admin, viewer := []any{object{"role": "administrator"}}, []any{object{"role": "viewer"}}
	var ann httpapi.Person
	s.post(201, "/api/users", object{"name": "Ann", "email": "ann@example.com", "grants": admin}).into(t, &ann)
	at := "/api/users/" + ann.ID
	require.Equal(t, 200, s.call("PATCH", at, object{"grants": viewer, "revision": ann.Revision}).status)
	got := s.call("PATCH", at, object{"name": "Ann B.", "grants": admin, "revision": ann.Revision})
	require.Equal(t, 409, got.status, string(got.body))
	s.get(at, &ann)
	require.Equal(t, "Ann", ann.Name)
	require.EqualValues(t, "viewer", ann.Grants[0].Role)
	require.Equal(t, 200, s.call("PATCH", at, object{"name": "Ann B.", "revision": ann.Revision}).status)
	require.Equal(t, 422, s.call("PATCH", at, object{"grants": admin, "revision": ""}).status, "an empty one guards nothing")

	var team httpapi.Team
	s.post(201, "/api/teams", object{"name": "edge"}).into(t, &team)
	at = "/api/teams/" + team.ID
	require.Equal(t, 200, s.call("PATCH", at, object{"members": []string{ann.ID}, "revision": team.Revision}).status)
	got = s.call("PATCH", at, object{"members": []string{}, "revision": team.Revision})
	require.Equal(t, 409, got.status, string(got.body))
	s.get(at, &team)
	require.Equal(t, []string{ann.ID}, team.Members)
}

// TestIfMatch: nothing is changed when only one version was to be changed, because nothing has versions.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	var team httpapi.Team
	s.post(201, "/api/teams", object{"name": "edge"}).into(t, &team)
	at := "/api/teams/" + team.ID
	for _, method := range []string{"PATCH", "DELETE"} {
		got := s.call(method, at, object{"name": "other"}, "If-Match", `"1"`)
		require.Equal(t, 412, got.status, string(got.body))
		require.Equal(t, posture.CodePrecondition, problem(t, got).Code)
	}
	s.get(at, &team)
	require.Equal(t, "edge", team.Name)
	require.Equal(t, 200, s.call("PATCH", at, object{"name": "other"}, "If-Match", "*").status)
	require.Equal(t, 200, s.call("GET", at, nil, "If-Match", `"1"`).status)
}

// TestWrongPasswordsAtOnce: of many wrong passwords in flight, no more are compared than one after the other.
func TestWrongPasswordsAtOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	s.someone("ann", "viewer")
	var all sync.WaitGroup
	var compared atomic.Int64
	for range 60 {
		all.Go(func() {
			if s.call("POST", "/api/session", object{"email": "ann@example.com", "password": "a guess"}, "X-API-Key", "").status == 401 {
				compared.Add(1)
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, compared.Load(), int64(20))
	require.Positive(t, compared.Load())
}

// TestRightPasswordsAtOnce: who shares an address with many that sign in at the same moment is not told that passwords were wrong.
func TestRightPasswordsAtOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	s.someone("ann", "viewer")
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			got := s.call("POST", "/api/session", object{"email": "ann@example.com", "password": "a sentence nobody guesses"}, "X-API-Key", "")
			if got.status != 200 && strings.Contains(string(got.body), "wrong") {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	all.Wait()
}

// TestChangedAsRead: who says what they have read changes nothing that somebody else has changed since.
func TestChangedAsRead(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	var schedule, rule object
	s.post(201, "/api/schedules", object{"cron": "0 3 * * *"}).into(t, &schedule)
	s.post(201, "/api/alert-rules", object{"name": "edge", "channel": "webhook", "url": "https://hooks.example.com/x",
		"secret": "a secret to sign with"}).into(t, &rule)
	one := object{"ship": "file"}
	two := object{"ship": "file", "onlyChanges": true}
	for path, change := range map[string][2]object{
		"/api/accounts/default":                     {{"afterRun": one}, {"afterRun": two}},
		"/api/schedules/" + schedule["id"].(string): {{"afterRun": one}, {"afterRun": two}},
		"/api/alert-rules/" + rule["id"].(string):   {{"owners": []string{"a"}}, {"owners": []string{"b"}}},
	} {
		var read, now object
		s.get(path, &read)
		made := 0
		var all sync.WaitGroup
		var mu sync.Mutex
		for i := range 8 { // at once, and all from the same reading
			all.Go(func() {
				body := maps.Clone(change[i%2])
				body["updatedAt"] = read["updatedAt"]
				got := s.call("PATCH", path, body)
				mu.Lock()
				defer mu.Unlock()
				if got.status == 200 {
					made++
					return
				}
				require.Equal(t, posture.CodeConflict, problem(t, got).Code, "%s %s", path, got.body)
			})
		}
		all.Wait()
		require.Equal(t, 1, made, path)
		s.get(path, &now)
		body := maps.Clone(change[0])
		body["updatedAt"] = now["updatedAt"]
		require.Equal(t, 200, s.call("PATCH", path, body).status, path)
	}
}

package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestIdempotencyWithoutAJob repeats calls that make accounts, schedules and keys of
// the evidence: twins at once and later ones make one thing.
func TestIdempotencyWithoutAJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, small(), "DATA_DIR="+dir)
	keys := func() int {
		var got struct{ Keys []any }
		s.get("/api/evidence/key", &got)
		return len(got.Keys)
	}
	count := func(path string) int {
		var got struct{ Items []any }
		s.get(path, &got)
		return len(got.Items)
	}
	accounts, signers := count("/api/accounts"), keys()
	for path, bodies := range map[string]struct{ refused, good, other map[string]any }{
		"/api/accounts": {map[string]any{"name": "a/b", "token": "secret-one", "verify": false},
			map[string]any{"name": "second", "token": "secret-one", "verify": false},
			map[string]any{"name": "second", "token": "secret-two", "verify": false}},
		"/api/schedules": {map[string]any{"cron": "never"}, map[string]any{"cron": "0 3 * * *"}, map[string]any{"cron": "0 4 * * *"}},
	} {
		require.Equal(t, 422, s.call("POST", path, bodies.refused, "Idempotency-Key", "k").status, "what is refused binds nothing")
		ids := make(chan string, 8)
		var g sync.WaitGroup
		for range cap(ids) {
			g.Go(func() {
				if got := s.call("POST", path, bodies.good, "Idempotency-Key", "k"); got.status == 201 {
					ids <- got.header.Get("Location")
				}
			})
		}
		g.Wait()
		require.Len(t, ids, cap(ids))
		first := <-ids
		for range cap(ids) - 1 {
			require.Equal(t, first, <-ids)
		}
		conflict := s.call("POST", path, bodies.other, "Idempotency-Key", "k")
		require.Equal(t, 409, conflict.status)
		require.Equal(t, posture.CodeIdempotencyConflict, problem(t, conflict).Code)

		require.Equal(t, 204, s.call("DELETE", first, nil).status)
		again := maps.Clone(bodies.good)
		require.Equal(t, 201, s.call("POST", path, again, "Idempotency-Key", "another").status)
	}
	require.Equal(t, accounts+1, count("/api/accounts"))
	require.Equal(t, 1, count("/api/schedules"))

	s.assessed()
	var issues struct{ Items []struct{ ID string } }
	s.get("/api/issues", &issues)
	person := map[string]any{"name": "Ann", "email": "ann@example.com", "grants": []any{map[string]any{"role": "viewer"}}}
	for path, body := range map[string]map[string]any{
		"/api/issues/" + issues.Items[0].ID + "/comments": {"text": "once"},
		"/api/views":          {"name": "mine", "page": "issues", "query": "severity=high"},
		"/api/teams":          {"name": "edge", "members": []string{}},
		"/api/users":          person,
		"/api/service-tokens": {"name": "pipeline", "role": "viewer"},
		"/api/alert-rules": {"name": "edge", "channel": "webhook", "events": []string{"opened"}, "url": "https://hooks.example.com/x",
			"secret": "a secret to sign with"},
	} {
		first := s.call("POST", path, body, "Idempotency-Key", "k")
		require.Equal(t, 201, first.status, "%s %s", path, first.body)
		again := s.call("POST", path, body, "Idempotency-Key", "k")
		require.Equal(t, []any{201, string(first.body), first.header.Get("Location")},
			[]any{again.status, string(again.body), again.header.Get("Location")}, path)
		other := maps.Clone(body)
		other["name"], other["text"] = "another", "another"
		if _, comment := body["text"]; comment {
			delete(other, "name")
		} else {
			delete(other, "text")
		}
		refused := s.call("POST", path, other, "Idempotency-Key", "k")
		require.Equal(t, 409, refused.status, "%s %s", path, refused.body)
		require.Equal(t, posture.CodeIdempotencyConflict, problem(t, refused).Code, path)
	}

	db := openFile(t, dir)
	password := `{"email":"bob@example.com","grants":[{"role":"viewer"}],"name":"Bob","password":"a sentence nobody guesses"}`
	require.Equal(t, 201, s.call("POST", "/api/users", password, "Idempotency-Key", "with a password").status)
	sum := sha256.Sum256([]byte(password))
	var guessable int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM made_object WHERE body_hash = ?", hex.EncodeToString(sum[:])).
		Scan(&guessable))
	require.Zero(t, guessable, "whoever reads the database must not try passwords against a fast hash of the body")

	// Two callers with one key get each their own, whatever they may see.
	kept := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	kept.key = apiKey
	hours := map[string]bool{}
	for i, accounts := range [][]string{nil, nil, {"default"}, {"default"}} {
		var token httpapi.ServiceToken
		body := map[string]any{"name": "caller " + number(i), "role": "operator", "accounts": accounts}
		kept.post(201, "/api/service-tokens", body).into(t, &token)
		got := kept.post(201, "/api/schedules", map[string]any{"cron": "0 " + number(i+1) + " * * *"}, "X-API-Key", token.Token,
			"Idempotency-Key", "nightly")
		hours[got.header.Get("Location")] = true
	}
	require.Len(t, hours, 4)

	for range 2 {
		require.Equal(t, 200, s.call("POST", "/api/evidence/key/rotate", nil, "Idempotency-Key", "k").status)
	}
	require.Equal(t, signers+1, keys())
}

// TestTwinsAtOnce: calls that come at once with one key make one thing and get one answer.
func TestTwinsAtOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	s.assessed()
	var issues struct{ Items []struct{ ID string } }
	s.get("/api/issues", &issues)
	for path, body := range map[string]map[string]any{
		"/api/issues/" + issues.Items[0].ID + "/comments": {"text": "once"},
		"/api/teams":          {"name": "edge", "members": []string{}},
		"/api/users":          {"name": "Ann", "email": "ann@example.com", "grants": []any{map[string]any{"role": "viewer"}}},
		"/api/service-tokens": {"name": "pipeline", "role": "viewer"},
	} {
		answers := make([]answer, 8)
		var g sync.WaitGroup
		for i := range answers {
			g.Go(func() { answers[i] = s.call("POST", path, body, "Idempotency-Key", "k") })
		}
		g.Wait()
		for _, got := range answers {
			require.Equal(t, 201, got.status, "%s %s", path, got.body)
			require.Equal(t, string(answers[0].body), string(got.body), path)
		}
	}
}

// TestARollbackThatIsRepeated gives the first answer again, and another key is told that all is taken back already.
func TestARollbackThatIsRepeated(t *testing.T) {
	t.Parallel()
	s := opened(t)
	apply := map[string]any{"assessmentId": s.assessed().ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret}
	body := map[string]any{"bundleId": s.changes("apply", apply).BundleID, "token": editSecret}
	first := s.call("POST", "/api/remediate/rollback", body, "Idempotency-Key", "k")
	require.Equal(t, 200, first.status, string(first.body))
	again := s.call("POST", "/api/remediate/rollback", body, "Idempotency-Key", "k")
	require.Equal(t, []any{200, string(first.body)}, []any{again.status, string(again.body)})
	for _, key := range []string{"", "another"} {
		got := s.call("POST", "/api/remediate/rollback", body, "Idempotency-Key", key)
		require.Equal(t, 409, got.status, key)
		require.Equal(t, posture.CodeAlreadyRolledBack, problem(t, got).Code, key)
	}
}

package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

func TestWaitOfPrefer(t *testing.T) {
	for prefer, want := range map[string]time.Duration{
		"": time.Minute, "respond-async": 0, "wait=5": 5 * time.Second, `wait="7"`: 7 * time.Second, "wait=9999": 300 * time.Second,
		"wait=9223372036854775807": 300 * time.Second,
		"wait=-1":                  time.Minute, "wait=soon": time.Minute, "handling=lenient, wait=3": 3 * time.Second,
		"wait=10; respond-async": 0, "WAIT=2": 2 * time.Second,
	} {
		wait, async := waitOf(prefer)
		require.Equal(t, want, wait, prefer)
		require.Equal(t, wait == 0, async, prefer)
	}
}

func TestAttemptsSlideAndStayBounded(t *testing.T) {
	a := newAttempts(3, time.Minute)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 3 {
		require.Zero(t, a.wait("x", now))
		a.add("x", now)
	}
	require.Equal(t, time.Minute, a.wait("x", now))
	require.Zero(t, a.wait("y", now))
	require.Zero(t, a.wait("x", now.Add(time.Minute+time.Second)))
	for i := range 50_000 {
		a.add(strings.Repeat("k", i%97)+itoa(i), now)
	}
	require.Equal(t, 10_000, a.byKey.Len())
	for range 3 {
		a.add("x", now)
	}
	for i := range 9_999 {
		a.add("other "+itoa(i), now)
	}
	require.Positive(t, a.wait("x", now), "others free nobody who tried as lately as they did")
}

// TestGuessesInFlight: no more secrets are compared at once than may be wrong, right ones wait instead of being refused, and a wrong
// one counts for all of its keys.
func TestGuessesInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(3, time.Minute)
		both := []string{"person", "address"}
		guess := func(keys []string, wrong bool) error {
			return a.guess(t.Context(), keys, time.Now, "wait", func() bool { time.Sleep(time.Second); return wrong })
		}
		atOnce := func(n int, wrong bool) (refused int64) {
			var all sync.WaitGroup
			var count atomic.Int64
			for range n {
				all.Go(func() {
					if guess(both, wrong) != nil {
						count.Add(1)
					}
				})
			}
			all.Wait()
			return count.Load()
		}
		require.Zero(t, atOnce(20, false), "right ones are refused for their number")
		require.NoError(t, guess([]string{"address"}, true))
		require.Equal(t, int64(8), atOnce(10, true), "one of three wrong ones was there")
		require.Error(t, guess([]string{"address"}, false))
		require.NoError(t, guess([]string{"person"}, true))
		require.Equal(t, &posture.Problem{Code: posture.CodeRateLimited, RetryAfterSeconds: 60, Detail: "wait"},
			guess([]string{"person"}, false))
		require.Empty(t, a.open)

		time.Sleep(2 * time.Minute)
		var slow sync.WaitGroup
		for range 3 {
			slow.Go(func() {
				defer func() { _ = recover() }()
				_ = a.guess(t.Context(), both, time.Now, "wait", func() bool { time.Sleep(time.Hour); panic("x") })
			})
		}
		synctest.Wait()
		require.ErrorContains(t, guess(both, false), "still being checked")
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, a.guess(gone, both, time.Now, "wait", nil), context.Canceled)
		slow.Wait()
		require.NoError(t, guess(both, false), "what panicked is over")
	})
}

// TestBodiesThatTwoReadersUnderstandDifferently: the place of what is wrong is told.
func TestBodiesThatTwoReadersUnderstandDifferently(t *testing.T) {
	for body, fault := range map[string]string{
		`{"a":1,"b":{"a":1}}`: "", `[{"a":1},{"a":1}]`: "", " 1 ": "", `{"a":"\u00e9"}`: "",
		`{"a":1,"a":1}`: "twice", `{"a":1,"\u0061":2}`: "twice", `[{"x":{"b":1,"b":{}}}]`: "twice",
		"{": "JSON", "{}{}": "JSON", "{\"a\":\"\xff\"}": "UTF-8", "1e": "JSON",
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000): "JSON",
	} {
		p := ambiguous([]byte(body))
		require.Equal(t, fault != "", p != nil, body)
		if p != nil {
			require.Contains(t, p.Detail, fault, body)
		}
	}
	require.Equal(t, "/0/x/b", ambiguous([]byte(`[{"x":{"b":1,"b":{}}}]`)).Errors[0].Value)
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, r := range Routes() {
		require.NotEmpty(t, r.Summary, r.Path)
		require.NotEmpty(t, r.Tag, r.Path)
		for _, c := range r.Errors {
			require.NotEqual(t, 500, c.Status(), "%s %s: %s", r.Method, r.Path, c)
		}
	}
	require.Equal(t, 500, posture.CodeInternal.Status())
}

func TestSecretsAreNotEchoed(t *testing.T) {
	require.False(t, echoable("body.token", "abc"))
	require.False(t, echoable("body.hecToken", "abc"))
	require.False(t, echoable("body", map[string]any{"token": "abc"}))
	require.False(t, echoable("body", `{"token":"abc"}`))
	require.False(t, echoable("body.note", strings.Repeat("x", 300)))
	require.True(t, echoable("query.limit", "0"))
}

func FuzzRequestParts(f *testing.F) {
	f.Add("wait=9223372036854775807", "", "", "")
	f.Add("respond-async, wait=5", `W/"abc", "def"`, "01a1fe8f-3b4e-7922-9dea-0e37d87a0c1b", "FAIL,pass")
	f.Fuzz(func(t *testing.T, prefer, match, id, results string) {
		defer fuzztest.Bound(t)()
		if w, _ := waitOf(prefer); w < 0 || w > longestWait {
			t.Fatalf("waits %s", w)
		}
		matchesETag(match, `"x"`)
		if got, err := parseID("path.id", id); err == nil && len(got) != 36 {
			t.Fatal("an id of another length")
		}
		if got, err := parseResults(results); err == nil && len(got) == 0 && strings.Trim(results, ", \t\n\v\f\r") != "" {
			t.Fatal("results were dropped")
		}
	})
}

// TestActionsAreKnown holds the vocabulary of the audit log, which people search for.
func TestActionsAreKnown(t *testing.T) {
	var got []string
	for _, a := range Actions() {
		got = append(got, string(a))
	}
	for _, want := range []string{"accounts.change", "accounts.create", "accounts.delete", "accounts.rotate", "assess", "deliveries.replay",
		"diff", "download", "gate.apply", "integrations.files.download", "integrations.ship", "jobs.cancel", "jobs.retry", "mcp.call", "notify",
		"process.start", "provider.write", "remediate.apply", "remediate.plan", "remediate.rollback", "replay", "report.download",
		"schedules.change", "schedules.create", "schedules.delete", "schedules.fire", "schedules.run", "settings.change"} {
		require.Contains(t, got, want)
	}
}

// TestRowsSayEverything: what changes something has a name in the audit log and an object, and
// every request, also one that is refused, finds the row that takes it.
func TestRowsSayEverything(t *testing.T) {
	s := &Server{private: map[string]bool{}, app: fiber.New()}
	s.markRows()
	s.app.Use(func(c *fiber.Ctx) error {
		method, route := callIn(c).labels()
		return c.SendString(method + " " + route)
	})
	found := func(method, path string) string {
		resp, err := s.app.Test(httptest.NewRequest(method, path, nil))
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		row, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(row)
	}
	for _, r := range Routes() {
		row := r.Method + " " + r.Path
		require.True(t, r.Method == http.MethodGet || r.Action != "", "%s has no action", row)
		require.Equal(t, r.Action != "", r.Object != "", row)
		path := strings.NewReplacer("{", "", "}", "").Replace(r.Path)
		for _, spelled := range []string{path, path + "/", strings.ToUpper(path)} {
			require.Equal(t, row, found(r.Method, spelled))
		}
	}
	require.Equal(t, "other other", found("POST", "/api/none"))
	require.Equal(t, "other other", found("POST", "/api/jobs//cancel"))
}

// TestSharesAreThoseOfTheRow: a handler takes no limit that its row does not name.
func TestSharesAreThoseOfTheRow(t *testing.T) {
	n := &called{row: &Route{Method: "GET", Path: "/x", Limits: []limit.Kind{limit.Reads}}}
	release, err := n.take(limit.New(nil, nil), limit.Reads)
	require.NoError(t, err)
	release()
	_, err = n.take(limit.New(nil, nil), limit.Jobs)
	require.EqualError(t, err, `the row of GET /x does not name the limit "jobs"`)
}

func FuzzRecordedParts(f *testing.F) {
	f.Add("x", `{"method":"tools/call","params":{"name":"assess"}}`)
	f.Add("%2", `[{}]`)
	f.Fuzz(func(t *testing.T, object, body string) {
		defer fuzztest.Bound(t)()
		for _, name := range toolsOf([]byte(body)) {
			if len(name) > 40 {
				t.Fatal("a long name")
			}
		}
		n := called{row: &Route{Object: "jobs"}, object: object}
		if id := n.target(false).ID; id != "" && !objectID.MatchString(id) {
			t.Fatal("what is no id is told")
		}
	})
}

// TestEveryRowSaysWhoMayCall: a row that is new cannot be open by forgetting its role. Those without one tell nothing of accounts.
func TestEveryRowSaysWhoMayCall(t *testing.T) {
	open := []string{"GET /api/session", "POST /api/session", "DELETE /api/session", "POST /api/sessions"}
	for _, r := range append(Routes(), toolRoute()) {
		name := r.Method + " " + r.Path
		switch {
		case r.Caller == Anyone:
			require.Empty(t, r.Role, name)
			require.False(t, r.Whole, name)
		case slices.Contains(open, name):
		default:
			require.Contains(t, access.Roles(), r.Role, name)
		}
		if r.Method != http.MethodGet && r.Role == access.Viewer {
			require.Contains(t, []string{"POST /api/diff", "POST /api/replay", "POST /api/what-if", "DELETE /api/sessions/{id}", "POST /mcp",
				"POST /api/inbox/read", "POST /api/passkeys", "DELETE /api/passkeys/{id}"}, name,
				"who may only read changes nothing but what is their own")
		}
	}
}

// TestPagesHaveTheSchemeOfTheService: a page that was loaded over plain http, which anybody on the way can write, is not the https one.
func TestPagesHaveTheSchemeOfTheService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		public, page string
		own          bool
	}{
		{"https://e.example", "https://e.example", true}, {"https://e.example", "http://e.example", false},
		{"http://e.example", "https://e.example", false}, {"https://e.example", "http://127.0.0.1:8080", true},
		{"", "https://e.example", true}, {"", "http://e.example", true}, {"", "ftp://e.example", false}, {"", "//e.example", false},
	} {
		page, err := url.Parse(c.page)
		require.NoError(t, err)
		public, err := url.Parse(c.public)
		require.NoError(t, err)
		require.Equal(t, c.own, (&Server{public: public}).ownScheme(page), "%s %s", c.public, c.page)
	}
}

package simcloud

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSweepIgnoredWritesChangeNothing replays the writes of the remedies with a
// provider that answers them and changes nothing.
func TestSweepIgnoredWritesChangeNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	seen := map[string]bool{}
	for _, tc := range remedyCases() {
		done := newPatient(t, tc)
		done.treat(tc)
		first := done.sent[0]
		pattern := done.pattern(first)
		if seen[pattern] {
			continue
		}
		seen[pattern] = true
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t, tc)
			before, log := p.state(), len(p.cl.accounts[0].audit)
			want := sendAs(t, newPatient(t, tc).cl, first.method, first.path, first.body)
			for _, fault := range []struct {
				faults Faults
				status int
			}{{Faults{RateIgnore: 1}, 200}, {Faults{RateRefuse: 1}, 400}, {Faults{Rate500: 1}, 500}, {Faults{Rate429: 1}, 429}} {
				p.cl.SetFaults(fault.faults)
				got := sendAs(t, p.cl, first.method, first.path, first.body)
				require.Equal(t, fault.status, got.Status, string(got.Raw))
				if fault.status == 200 {
					require.Equal(t, want.Success, got.Success)
				}
				p.cl.SetFaults(Faults{})
				p.same(before, p.state())
				require.Len(t, p.cl.accounts[0].audit, log)
			}
			got := sendAs(t, p.cl, first.method, first.path, first.body)
			require.Equal(t, string(want.Raw), string(got.Raw), "nothing of what was taken back is left, not even a number used up")
			p.differs(before, p.state(), "without the fault the same write works")
		})
	}
	require.Greater(t, len(seen), 35)
}

// treat runs a case on the patient.
func (p *patient) treat(tc remedyCase) { tc.treat(p) }

// pattern finds the route of a request.
func (p *patient) pattern(r request) string {
	req, err := http.NewRequest(r.method, "http://sim"+BasePath+r.path, nil)
	require.NoError(p.t, err)
	_, pattern := p.cl.mux.Handler(req)
	return pattern
}

func TestLostAnswers(t *testing.T) {
	var asked, answered []string
	var cl *Cloud
	cl = New(Options{Now: fixedNow, Tokens: []Token{{CanWrite: true}},
		OnRequest: func(method, path string) { asked = append(asked, method+" "+path) },
		OnAnswer: func(method, path string) {
			answered = append(answered, method+" "+path)
			if method == http.MethodPatch {
				// The change is there before the answer is, and no lock is held.
				require.Contains(t, string(cl.State(cl.Accounts()[0])), `"value": "flexible"`)
			}
		},
	})
	server, err := cl.Start("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	path := "/zones/" + cl.ZoneIDs(cl.Accounts()[0])[0] + "/settings/ssl"
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	send := func(method, body string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+cl.Tokens()[0].Secret)
		return client.Do(r)
	}
	cl.SetFaults(Faults{RateLose: 1, Only: func(method, _ string) bool { return method == http.MethodPatch }})
	lost, err := send(http.MethodPatch, `{"value":"flexible"}`)
	if err == nil {
		_ = lost.Body.Close()
	}
	require.Error(t, err, "the answer is lost")
	got, err := send(http.MethodGet, "")
	require.NoError(t, err)
	raw, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
	require.Contains(t, string(raw), `"value":"flexible"`, "the change is not")
	full := BasePath + path
	require.Equal(t, []Write{{"PATCH", full, 200}}, cl.Writes())
	require.Equal(t, []string{"PATCH " + full, "GET " + full}, asked)
	require.Equal(t, asked, answered)
	// The server counts it after the client has seen the end of the connection.
	require.Eventually(t, func() bool { return cl.Requests().Statuses[0] == 1 }, 10*time.Second, time.Millisecond,
		"a lost answer counts as a dropped connection")
}

func TestReadsAreNeitherRefusedNorIgnored(t *testing.T) {
	cl := unlimited(AccountSpec{})
	want := fetch[[]obj](t, cl, "/zones")
	cl.SetFaults(Faults{RateRefuse: 0.5, RateIgnore: 0.5})
	for range 8 {
		require.Equal(t, want, fetch[[]obj](t, cl, "/zones"))
	}
}

func TestWritesAreListed(t *testing.T) {
	cl := New(Options{Now: fixedNow, Limit: Limit{Requests: 5}, Tokens: []Token{{Secret: "w", CanWrite: true}, {Secret: "r", User: "reader"}}})
	z := "/zones/" + cl.ZoneIDs(cl.Accounts()[0])[0]
	level, full := z+"/settings/security_level", BasePath+z+"/settings/security_level"
	for _, try := range []struct{ secret, method, path, body string }{
		{"w", "PATCH", level, `{"value":"high"}`}, {"w", "PATCH", level, `{"value":"best"}`}, {"w", "GET", level, ""},
		{"r", "PATCH", level, `{"value":"low"}`}, {"nobody", "PATCH", level, `{"value":"low"}`}, {"w", "PATCH", "/nothing", "{}"},
		{"w", "POST", "/zones/unknown/hold", ""}, {"w", "PATCH", level, `{"value":"low"}`},
	} {
		ask(t, cl, try.secret, try.method, try.path, try.body)
	}
	require.Equal(t, []Write{
		{"PATCH", full, 200}, {"PATCH", full, 400}, {"PATCH", full, 403}, {"POST", BasePath + "/zones/unknown/hold", 404}, {"PATCH", full, 429},
	}, cl.Writes(), "with a valid token, to operations that exist")
	cl.ResetWrites()
	require.Empty(t, cl.Writes())
}

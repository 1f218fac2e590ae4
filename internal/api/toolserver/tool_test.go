package toolserver_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/api/toolserver"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps these for the life of the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp/stackless.funcWorker"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// Idle connections of the tests' own client.
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

const apiKey = "canary-key-of-the-tool-tests"

// service starts the embedded system with the demo account and gives its address.
func service(t *testing.T, environ ...string) string {
	t.Helper()
	cfg, err := config.Load(append(environ, "DATA_DIR="+t.TempDir(), "SERVICE_API_KEY="+apiKey))
	require.NoError(t, err)
	a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler), NoFirstLook: true})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, a.Close(context.Background()))
		require.NoError(t, <-served)
	})
	return "http://" + a.Addr()
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func api(t *testing.T, url, key string) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{URL: url, Key: secret.New(key), HTTP: client.NewDoer(nil), Pause: pause})
	require.NoError(t, err)
	return c
}

// overStdio connects a client of the official library through two pipes.
func overStdio(t *testing.T, url string, key ...string) *mcp.ClientSession {
	t.Helper()
	return overStdioWith(t, url, toolserver.Tokens{}, key...)
}

func overStdioWith(t *testing.T, url string, tokens toolserver.Tokens, key ...string) *mcp.ClientSession {
	t.Helper()
	c := api(t, url, append(key, apiKey)[0])
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- toolserver.ServeStdio(ctx, toolserver.Options{Version: "test", Client: func(http.Header) *client.Client { return c },
			Tokens: func(http.Header) toolserver.Tokens { return tokens }},
			fromClient, toClient)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromServer,
		Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		require.NoError(t, <-ended)
	})
	return session
}

type keyed struct{ key, edit, provider string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	r.Header.Set("X-Edit-Token", k.edit)
	r.Header.Set("X-Provider-Token", k.provider)
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP connects a client of the official library to POST /mcp.
func overHTTP(t *testing.T, url, key string, edit ...string) (*mcp.ClientSession, error) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: keyed{key, append(edit, "")[0], ""}},
			MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

type result struct {
	failed bool
	words  string
	code   string // of an error
	value  map[string]any
	size   int
}

func use(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) result {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	require.NoError(t, err, name)
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	require.LessOrEqual(t, len(raw), 64<<10, name)
	out := result{failed: r.IsError, size: len(raw)}
	require.Len(t, r.Content, 1, name)
	out.words = r.Content[0].(*mcp.TextContent).Text
	require.NotEmpty(t, out.words, name)
	if r.StructuredContent != nil {
		out.value = r.StructuredContent.(map[string]any)
	}
	if out.failed {
		require.Nil(t, out.value, "%s: it would not fit the schema of the answer, so official clients drop the error", name)
		_, code, _ := strings.Cut(out.words, " (code ")
		out.code, _, _ = strings.Cut(strings.TrimSuffix(code, ")"), ",")
	} else {
		require.NotNil(t, out.value, name)
		require.Equal(t, out.value, dataIn(t, out.words), "%s: the text carries what structured content carries", name)
	}
	return out
}

// dataIn reads what stands between the two marks of a text.
func dataIn(t *testing.T, text string) map[string]any {
	t.Helper()
	words, data, found := strings.Cut(text, "\n<account-data>\n")
	require.True(t, found, text)
	data, found = strings.CutSuffix(data, "\n</account-data>")
	require.True(t, found)
	require.NotContains(t, data, "<")
	require.NotContains(t, words, "<")
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(data), &out))
	return out
}

func ok(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) result {
	t.Helper()
	r := use(t, s, name, args)
	require.False(t, r.failed, "%s: %s", name, r.words)
	return r
}

// TestSweepEveryToolOverBothTransports drives the tools against the real service with
// the demo account.
func TestSweepEveryToolOverBothTransports(t *testing.T) {
	url := service(t)
	http, err := overHTTP(t, url, apiKey)
	require.NoError(t, err)
	for name, session := range map[string]*mcp.ClientSession{"stdio": overStdio(t, url), "http": http} {
		t.Run(name, func(t *testing.T) { drive(t, session) })
	}
}

func drive(t *testing.T, s *mcp.ClientSession) {
	first := ok(t, s, "assess", map[string]any{"note": "first", "waitSeconds": 300}).value["assessment"].(map[string]any)
	second := ok(t, s, "assess", map[string]any{"note": "second", "zones": []string{"acme-corp.example"}, "waitSeconds": 300})
	require.Contains(t, second.words, "demo account")
	id := first["id"].(string)

	list := ok(t, s, "list_assessments", map[string]any{"limit": 1})
	require.Len(t, list.value["assessments"], 1)
	require.NotEmpty(t, list.value["nextCursor"])
	require.Equal(t, id, ok(t, s, "get_assessment", map[string]any{"assessmentId": id}).value["assessment"].(map[string]any)["id"])

	everyFinding(t, s, id)

	paths := ok(t, s, "list_attack_paths", map[string]any{"assessmentId": id})
	require.NotEmpty(t, paths.value["attackPaths"])
	whole := ok(t, s, "list_attack_paths", map[string]any{"assessmentId": id,
		"id": paths.value["attackPaths"].([]any)[0].(map[string]any)["id"]})
	target := whole.value["path"].(map[string]any)["targetNodeId"].(string)
	around := ok(t, s, "graph_neighbourhood", map[string]any{"assessmentId": id, "nodeId": target, "depth": 2})
	require.Equal(t, target, around.value["nodes"].([]any)[0].(map[string]any)["id"])
	far := ok(t, s, "graph_neighbourhood", map[string]any{"assessmentId": id, "nodeId": "internet", "depth": 3})
	require.Contains(t, far.value["leftOut"], "left out")

	for _, format := range []string{"json", "html", "sarif", "markdown", "csv", "asff", "ocsf"} {
		part := ok(t, s, "get_report", map[string]any{"assessmentId": id, "format": format})
		require.NotEmpty(t, part.value["text"], format)
		require.Contains(t, part.value, "nextOffset", format)
	}
	c := ok(t, s, "get_compliance", map[string]any{"framework": "cis", "assessmentId": id, "status": "fail"})
	require.NotEmpty(t, c.value["controls"])
	d := ok(t, s, "diff", map[string]any{"currentId": id, "baselineId": id})
	require.Zero(t, d.value["driftScore"])
	narrow := ok(t, s, "diff", map[string]any{"list": "unknown"})
	require.Equal(t, id, narrow.value["baselineId"])
	require.Empty(t, narrow.value["entries"], "the newest run was not asked to look there")
	require.Positive(t, narrow.value["counts"].(map[string]any)["apart"])

	jobs := ok(t, s, "list_jobs", map[string]any{"kind": "assess", "state": "succeeded"})
	job := jobs.value["items"].([]any)[0].(map[string]any)["id"].(string)
	require.Equal(t, job, ok(t, s, "get_job", map[string]any{"id": job}).value["job"].(map[string]any)["id"])
	cancelled(t, s)
}

// cancelled cancels a job. One that ends before the call arrives is tried again.
func cancelled(t *testing.T, s *mcp.ClientSession) {
	state := ""
	for range 20 {
		started := ok(t, s, "assess", map[string]any{"note": "cancelled", "waitSeconds": 0})
		job := started.value["job"].(map[string]any)["id"].(string)
		use(t, s, "cancel_job", map[string]any{"id": job}) // refused when the job has ended
		require.Eventually(t, func() bool {
			state = ok(t, s, "get_job", map[string]any{"id": job}).value["job"].(map[string]any)["state"].(string)
			return state == "cancelled" || state == "succeeded"
		}, time.Minute, 20*time.Millisecond)
		if state == "cancelled" {
			return
		}
	}
	t.Fatalf("no job was cancelled; the last one is %s", state)
}

// everyFinding: all pages of the findings together are what the counts say, and
// nothing comes twice.
func everyFinding(t *testing.T, s *mcp.ClientSession, id string) {
	seen, pages := map[string]bool{}, 0
	var want float64
	args := map[string]any{"assessmentId": id, "limit": 200, "result": "all"}
	for {
		page := ok(t, s, "list_findings", args)
		for _, f := range page.value["items"].([]any) {
			require.False(t, seen[f.(map[string]any)["id"].(string)])
			seen[f.(map[string]any)["id"].(string)] = true
		}
		pages++
		want = 0
		for _, n := range page.value["counts"].(map[string]any) {
			want += n.(float64)
		}
		if page.value["nextCursor"] == "" {
			break
		}
		args["cursor"] = page.value["nextCursor"]
	}
	require.Len(t, seen, int(want))
	require.Greater(t, pages, 1)
}

package toolserver_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/client"
	"github.com/edgeposture/edgeposture/internal/config"
	"github.com/edgeposture/edgeposture/internal/secret"
	"github.com/edgeposture/edgeposture/internal/toolserver"
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
func service(t *testing.T) string {
	t.Helper()
	cfg, err := config.Load([]string{"DATA_DIR=" + t.TempDir(), "SERVICE_API_KEY=" + apiKey})
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
func overStdio(t *testing.T, url string) *mcp.ClientSession {
	t.Helper()
	c := api(t, url, apiKey)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- toolserver.ServeStdio(ctx, toolserver.Options{Version: "test", Client: func(http.Header) *client.Client { return c }}, fromClient, toClient)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		require.NoError(t, <-ended)
	})
	return session
}

type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP connects a client of the official library to POST /mcp.
func overHTTP(t *testing.T, url, key string) (*mcp.ClientSession, error) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: keyed{key}}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

type result struct {
	failed bool
	words  string
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
	if !out.failed {
		require.NotNil(t, out.value, name)
	}
	return out
}

func ok(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) result {
	t.Helper()
	r := use(t, s, name, args)
	require.False(t, r.failed, "%s: %s", name, r.words)
	return r
}

// TestEveryToolOverBothTransports drives the tools against the real service with
// the demo account.
func TestEveryToolOverBothTransports(t *testing.T) {
	url := service(t)
	http, err := overHTTP(t, url, apiKey)
	require.NoError(t, err)
	for name, session := range map[string]*mcp.ClientSession{"stdio": overStdio(t, url), "http": http} {
		t.Run(name, func(t *testing.T) { drive(t, session) })
	}
}

func drive(t *testing.T, s *mcp.ClientSession) {
	first := ok(t, s, "assess", map[string]any{"note": "first", "waitSeconds": 300}).value["assessment"].(map[string]any)
	second := ok(t, s, "assess", map[string]any{"note": "second", "zones": []string{"acme-shop.example"}, "waitSeconds": 300})
	require.Contains(t, second.words, "demo account")
	id := first["id"].(string)

	list := ok(t, s, "list_assessments", map[string]any{"limit": 1})
	require.Len(t, list.value["assessments"], 1)
	require.NotEmpty(t, list.value["nextCursor"])
	require.Equal(t, id, ok(t, s, "get_assessment", map[string]any{"assessmentId": id}).value["assessment"].(map[string]any)["id"])

	// Every page of the findings together is what the counts say, and nothing twice.
	seen, pages, want := map[string]bool{}, 0, 0.0
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
	require.Greater(t, pages, 3)

	paths := ok(t, s, "list_attack_paths", map[string]any{"assessmentId": id})
	require.NotEmpty(t, paths.value["attackPaths"])
	target := paths.value["attackPaths"].([]any)[0].(map[string]any)["targetNodeId"].(string)
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
	require.NotEmpty(t, c.value["report"].(map[string]any)["controls"])
	d := ok(t, s, "diff", map[string]any{"currentId": id, "baselineId": id})
	require.Equal(t, 0.0, d.value["drift"].(map[string]any)["driftScore"])
	narrow := ok(t, s, "diff", map[string]any{"list": "unknown"})
	require.NotEmpty(t, narrow.value["entries"])

	jobs := ok(t, s, "list_jobs", map[string]any{"kind": "assess", "state": "succeeded"})
	job := jobs.value["items"].([]any)[0].(map[string]any)["id"].(string)
	require.Equal(t, job, ok(t, s, "get_job", map[string]any{"id": job}).value["job"].(map[string]any)["id"])
	started := ok(t, s, "assess", map[string]any{"note": "cancelled", "waitSeconds": 0})
	ok(t, s, "cancel_job", map[string]any{"id": started.value["job"].(map[string]any)["id"]})
}

// TestReportsAreWhole puts the parts of a report together.
func TestReportsAreWhole(t *testing.T) {
	url := service(t)
	s := overStdio(t, url)
	a := ok(t, s, "assess", map[string]any{"waitSeconds": 300}).value["assessment"].(map[string]any)
	for _, format := range []string{"html", "markdown", "csv"} {
		var want, got strings.Builder
		_, err := api(t, url, apiKey).Download(t.Context(), format, a["id"].(string), "", &want)
		require.NoError(t, err)
		args := map[string]any{"format": format, "assessmentId": a["id"]}
		for {
			part := ok(t, s, "get_report", args)
			got.WriteString(part.value["text"].(string))
			next, more := part.value["nextOffset"]
			if !more {
				break
			}
			args["offset"] = next
		}
		require.Equal(t, want.String(), got.String(), format)
	}
}

// TestProblemsAreToolErrors: one sentence, never an error of the transport.
func TestProblemsAreToolErrors(t *testing.T) {
	s := overStdio(t, service(t))
	const id = "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"
	for _, tc := range []struct {
		tool string
		args map[string]any
		says string
		code string
	}{
		{"get_assessment", nil, "There is no completed assessment yet", "no_assessment"},
		{"get_assessment", map[string]any{"assessmentId": id}, "There is no assessment", "not_found"},
		{"get_assessment", map[string]any{"assessmentId": "../../api/settings"}, "is not a UUID", "invalid_request"},
		{"list_findings", map[string]any{"assessmentId": id, "severity": "loud"}, "loud", "invalid_request"},
		{"list_findings", map[string]any{"assessmentId": id, "limit": 9999}, "limit is 9999", "invalid_request"},
		{"assess", map[string]any{"checks": []string{"CFL-NO-999"}}, "CFL-NO-999", "invalid_request"},
		{"assess", map[string]any{"account": "nobody"}, "nobody", "not_found"},
		{"assess", map[string]any{"profile": "odd"}, "profile", ""},
		{"assess", map[string]any{"odd": 1}, "odd", ""},
		{"assess", map[string]any{"waitSeconds": 301}, "use 0 to 300", "invalid_request"},
		{"graph_neighbourhood", map[string]any{"nodeId": "internet", "depth": 4}, "use 1 to 3", "invalid_request"},
		{"get_report", map[string]any{"format": "pdf"}, "format", ""},
		{"get_report", map[string]any{"format": "json", "offset": 5}, "nextOffset", "invalid_request"},
		{"list_attack_paths", map[string]any{"cursor": "7"}, "", "no_assessment"},
		{"get_job", map[string]any{"id": id}, "There is no job", "not_found"},
		{"cancel_job", map[string]any{"id": "x"}, "is not a UUID", "invalid_request"},
		{"diff", nil, "There is no completed assessment yet", "no_assessment"},
		{"get_compliance", map[string]any{"framework": "hipaa"}, "framework", ""},
	} {
		r := use(t, s, tc.tool, tc.args)
		require.True(t, r.failed, "%s %v", tc.tool, tc.args)
		require.Contains(t, r.words, tc.says, tc.tool)
		require.NotContains(t, r.words, "\n")
		if tc.code != "" {
			require.Equal(t, tc.code, r.value["code"], "%s %v", tc.tool, tc.args)
		}
	}
}

// TestToolsAreFenced as /api is, and a caller gets what its own key gives.
func TestToolsAreFenced(t *testing.T) {
	url := service(t)
	send := func(method, key string, headers ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if key != "" {
			req.Header.Set("X-API-Key", key)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			if headers[i] == "Host" {
				req.Host = headers[i+1]
			}
			req.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp
	}
	require.Equal(t, 200, send("POST", apiKey).StatusCode)
	require.Equal(t, 401, send("POST", "").StatusCode)
	require.Equal(t, 401, send("POST", "another-key-of-16-characters").StatusCode)
	require.Equal(t, 403, send("POST", apiKey, "Origin", "https://elsewhere.example").StatusCode)
	require.Equal(t, 403, send("POST", apiKey, "Host", "rebound.example").StatusCode)
	require.Equal(t, 400, send("POST", apiKey, "Content-Type", "text/plain").StatusCode)
	for _, method := range []string{"GET", "DELETE"} {
		resp := send(method, apiKey)
		require.Equal(t, 405, resp.StatusCode)
		require.Equal(t, "POST", resp.Header.Get("Allow"))
		require.Equal(t, 401, send(method, "").StatusCode)
	}
	_, err := overHTTP(t, url, "another-key-of-16-characters")
	require.Error(t, err)
	r, err := api(t, url, "another-key-of-16-characters").Checks(t.Context())
	require.Error(t, err)
	require.Empty(t, r.Raw)
}

// TestSchemas holds every tool against JSON Schema, and what it says of itself.
func TestSchemas(t *testing.T) {
	s := overStdio(t, "http://127.0.0.1:1") // nothing is called
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	writes := map[string]bool{"apply_remediation": true, "rollback_remediation": true}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		require.NotEmpty(t, tool.Description, tool.Name)
		raw, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource("tool.json", doc))
		_, err = c.Compile("tool.json")
		require.NoError(t, err, tool.Name)
		var schema struct {
			AdditionalProperties any
			Properties           map[string]struct{ Description string }
		}
		require.NoError(t, json.Unmarshal(raw, &schema))
		require.NotNil(t, schema.AdditionalProperties, "%s takes members it does not know", tool.Name)
		for member, p := range schema.Properties {
			require.NotEmpty(t, p.Description, "%s.%s", tool.Name, member)
		}
		for _, secret := range []string{"token", "apiToken"} {
			_, there := schema.Properties[secret]
			require.Equal(t, writes[tool.Name], there, "%s.%s", tool.Name, secret)
		}
		a := tool.Annotations
		require.Equal(t, writes[tool.Name], !a.ReadOnlyHint && *a.DestructiveHint && *a.OpenWorldHint, tool.Name)
		readOnly := !writes[tool.Name] && tool.Name != "assess" && tool.Name != "cancel_job"
		require.Equal(t, readOnly, a.ReadOnlyHint, tool.Name)
	}
	slices.Sort(names)
	require.Equal(t, []string{"apply_remediation", "assess", "cancel_job", "diff", "get_assessment", "get_compliance", "get_job", "get_report", "graph_neighbourhood",
		"list_assessments", "list_attack_paths", "list_backups", "list_findings", "list_jobs", "plan_remediation", "rollback_remediation"}, names)
}

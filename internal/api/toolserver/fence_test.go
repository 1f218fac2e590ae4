package toolserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// TestSweepReportsAreWhole puts the parts of a report together.
func TestSweepReportsAreWhole(t *testing.T) {
	url := service(t)
	s := overStdio(t, url)
	a := ok(t, s, "assess", map[string]any{"waitSeconds": 300}).value["assessment"].(map[string]any)
	for _, format := range []string{"markdown", "html", "csv"} {
		var want, got strings.Builder
		_, err := api(t, url, apiKey).Download(t.Context(), format, a["id"].(string), "", nil, &want)
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
			require.Equal(t, tc.code, r.code, "%s %v", tc.tool, tc.args)
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
	for _, header := range [][]string{{"Content-Type", "text/plain"}, {"Accept", "text/html"}, {"Mcp-Protocol-Version", "1999-01-01"}} {
		refused := send("POST", apiKey, header...)
		require.Equal(t, 400, refused.StatusCode)
		require.Equal(t, "application/problem+json", refused.Header.Get("Content-Type"), "%s", header)
	}
	for _, method := range []string{"GET", "DELETE"} {
		resp := send(method, apiKey)
		require.Equal(t, 405, resp.StatusCode)
		require.Equal(t, "OPTIONS, POST", resp.Header.Get("Allow"))
		require.Equal(t, 401, send(method, "").StatusCode)
	}
	_, err := overHTTP(t, url, "another-key-of-16-characters")
	require.Error(t, err)
	r, err := api(t, url, "another-key-of-16-characters").Checks(t.Context())
	require.Error(t, err)
	require.Empty(t, r.Raw)
}

// TestNamesAreData: who names a rule puts no words into what the service itself says to a model.
func TestNamesAreData(t *testing.T) {
	s := overStdio(t, service(t))
	ok(t, s, "assess", map[string]any{"waitSeconds": 300})
	r := ok(t, s, "explain_request", map[string]any{"url": "https://www.acme-shop.example/wp-login.php"})
	require.Equal(t, "The rule Block probes blocks the request.", r.value["outcome"])
	words, _, _ := strings.Cut(r.words, "<account-data>")
	require.NotContains(t, words, "Block probes")
}

// TestCallsOfABatchWaitInLine: a model that follows 20 requests at once holds no more than one caller may.
func TestCallsOfABatchWaitInLine(t *testing.T) {
	url := service(t, "SERVICE_LIMIT_JUDGEMENTS=1/1")
	ok(t, overStdio(t, url), "assess", map[string]any{"waitSeconds": 300})
	var calls []string
	for i := range 20 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"explain_request",`+
			`"arguments":{"url":"https://www.acme-shop.example/%[1]d"}}}`, i))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader("["+strings.Join(calls, ",")+"]"))
	require.NoError(t, err)
	for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"X-API-Key": apiKey, "Mcp-Protocol-Version": "2025-03-26"} {
		req.Header.Set(name, v)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	var answers []struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answers))
	require.Len(t, answers, 20)
	for _, a := range answers {
		require.False(t, a.Result.IsError, "%v", a.Result.Content)
	}
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
			require.NotContains(t, schema.Properties, secret, "%s asks a model for a secret", tool.Name)
		}
		require.NotNil(t, tool.OutputSchema, tool.Name)
		a := tool.Annotations
		require.Equal(t, writes[tool.Name], !a.ReadOnlyHint && *a.DestructiveHint && *a.OpenWorldHint, tool.Name)
		readOnly := !writes[tool.Name] && tool.Name != "assess" && tool.Name != "cancel_job"
		require.Equal(t, readOnly, a.ReadOnlyHint, tool.Name)
	}
	slices.Sort(names)
	require.Equal(t, []string{"apply_remediation", "assess", "cancel_job", "diff", "explain_request", "get_assessment", "get_compliance",
		"get_finding", "get_job", "get_plan", "get_report", "graph_neighbourhood", "least_changes", "list_assessments",
		"list_attack_paths", "list_backups", "list_findings", "list_issues", "list_jobs", "plan_remediation", "rollback_remediation",
		"what_if"}, names)
}

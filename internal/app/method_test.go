package app_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestMethodsOfEveryPath: HEAD answers as GET does, without a body; what Allow names is possible, what it does not is 405,
// and OPTIONS says the same.
func TestMethodsOfEveryPath(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	var a posture.Assessment
	s.call("POST", "/api/assess", nil, "Prefer", "wait=300").into(t, &a)

	patterns := map[string][]string{}
	for _, r := range httpapi.Routes() {
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(r.Path)
		patterns[pattern] = append(patterns[pattern], r.Method)
	}
	patterns["/mcp"] = []string{"POST"}
	for _, own := range []string{"/", "/findings", "/a/page.of/the.dashboard", "/none.txt", "/assets/none.js", "/api-docs", "/api-docs/",
		"/api-docs/openapi.json", "/api-docs/start.js", "/api-docs/swagger-ui.css", "/api-docs/none"} {
		patterns[own] = []string{"GET"}
	}
	for _, nothing := range []string{"/api", "/api/", "/api/none", "/API/none", "/api/jobs/x/none"} {
		patterns[nothing] = nil
	}
	for pattern := range patterns {
		path := strings.NewReplacer("/api/jobs/:id", "/api/jobs/"+a.JobID, ":id", a.ID, ":format", "sarif", ":framework", "cis", ":name",
			"none.ndjson").Replace(pattern)
		want := methodsAt(patterns, path)
		allow := strings.Join(want, ", ")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			if method != "GET" && method != "HEAD" && method != "OPTIONS" && slices.Contains(want, method) {
				continue // does something
			}
			got := s.call(method, path, nil)
			switch {
			case len(want) == 0:
				require.Equal(t, 404, got.status, "%s %s", method, path)
			case method == "OPTIONS":
				require.Equal(t, 204, got.status, "%s %s", method, path)
				require.Equal(t, allow, got.header.Get("Allow"), "%s %s", method, path)
			case !slices.Contains(want, method):
				require.Equal(t, 405, got.status, "%s %s", method, path)
				require.Equal(t, allow, got.header.Get("Allow"), "%s %s", method, path)
			case method == "HEAD":
				sameAs(t, path, s.call("GET", path, nil, "Accept-Encoding", "gzip"), s.call("HEAD", path, nil, "Accept-Encoding", "gzip"))
			}
		}
	}
}

// methodsAt gives the methods a path takes, in the order of Allow.
func methodsAt(patterns map[string][]string, path string) []string {
	var out []string
	for pattern, methods := range patterns {
		if path == pattern || fiber.RoutePatternMatch(path, pattern) {
			out = append(out, methods...)
		}
	}
	if out == nil {
		return nil
	}
	out = append(out, "OPTIONS")
	if slices.Contains(out, "GET") {
		out = append(out, "HEAD")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var changing = regexp.MustCompile(`^(Date|X-Request-Id|Content-Length)$`)

func sameAs(t *testing.T, path string, get, head answer) {
	t.Helper()
	require.Equal(t, get.status, head.status, "HEAD %s", path)
	require.Empty(t, head.body, path)
	for name := range get.header {
		if !changing.MatchString(name) {
			require.Equal(t, get.header.Get(name), head.header.Get(name), "%s of HEAD %s", name, path)
		}
	}
	if get.header.Get("ETag") != "" {
		require.Equal(t, get.header.Get("Content-Length"), head.header.Get("Content-Length"), path)
	}
	require.NotEqual(t, http.StatusInternalServerError, head.status, path)
}

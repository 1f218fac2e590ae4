package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

var update = flag.Bool("update", false, "rewrite golden files")

const (
	documentFile = "../../../web/src/api/openapi.json"
	offeredFile  = "../../../web/src/api/offered.json"
)

func bare() *Server {
	return New(Options{Dashboard: fstest.MapFS{},
		Work: Work{NotifyWorkers: func(context.Context, store.JobRow) error { return nil }, Workers: func(context.Context) (int, error) {
			return 1,
				nil
		}},
		Access:  Access{Limits: limit.New(nil, nil), BindHost: "127.0.0.1"},
		Process: Process{Now: time.Now, NewID: func() string { return "id" }, Log: slog.New(slog.DiscardHandler), Version: "dev"}})
}

// TestOpenAPIIsCommitted holds the committed document, from which the
// dashboard's types are made, against the routes.
func TestOpenAPIIsCommitted(t *testing.T) {
	raw, err := bare().OpenAPI().MarshalJSON()
	require.NoError(t, err)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, raw, "", "  "))
	pretty.WriteByte('\n')
	if *update {
		require.NoError(t, os.WriteFile(documentFile, pretty.Bytes(), 0o644))
	}
	want, err := os.ReadFile(documentFile)
	require.NoError(t, err, "run make gen")
	require.Equal(t, string(want), pretty.String(), "the API changed; run make gen")
}

// TestOfferedIsCommitted holds the lists the dashboard offers against those of the service.
func TestOfferedIsCommitted(t *testing.T) {
	type format struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		End  string `json:"end"`
		Use  string `json:"use"`
	}
	type channel struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		URL    string `json:"url"`
		Secret string `json:"secret,omitempty"`
	}
	var offered struct {
		Formats  []format          `json:"formats"`
		JobKinds []posture.JobKind `json:"jobKinds"`
		Channels []channel         `json:"channels"`
	}
	for _, f := range export.Formats() {
		offered.Formats = append(offered.Formats, format{f.Name, f.Title, f.Extension, f.Use})
	}
	for _, k := range jobs.Kinds(jobs.Parts{}) {
		offered.JobKinds = append(offered.JobKinds, k.Kind())
	}
	for _, c := range notify.Channels() {
		offered.Channels = append(offered.Channels, channel{c.Name, c.Word, c.URLKey, c.SecretKey})
	}
	got, err := json.MarshalIndent(offered, "", "  ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(offeredFile, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(offeredFile)
	require.NoError(t, err, "run make gen")
	require.Equal(t, string(want), string(got)+"\n", "the lists changed; run make gen")
}

// TestRoutesAndDocumentAgree compares in both directions.
func TestRoutesAndDocumentAgree(t *testing.T) {
	s := bare()
	marked, mounted := map[string]bool{}, map[string]bool{}
	for _, r := range s.App().GetRoutes(true) {
		if r.Method == http.MethodHead || strings.Contains(r.Path, "*") || strings.HasPrefix(r.Path, "/api-docs") {
			continue
		}
		row := r.Method + " " + r.Path
		mounted[row] = marked[row] // the first handler of a row only names it
		marked[row] = true
	}
	documented := map[string]bool{}
	for path, item := range s.OpenAPI().Paths {
		for method, op := range map[string]any{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if b, err := json.Marshal(op); err == nil && string(b) != "null" {
				documented[method+" "+fiberPath(path)] = true
			}
		}
	}
	delete(documented, "POST "+toolPath) // mounted when there are tools
	require.Equal(t, documented, mounted)
	require.Len(t, documented, len(Routes()))
}

// TestDocumentIsEnoughForClients: what generators of clients and readers of the document need of every operation.
func TestDocumentIsEnoughForClients(t *testing.T) {
	doc := bare().OpenAPI()
	described := map[string]bool{}
	for _, tag := range doc.Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		described[tag.Name] = true
	}
	ids, ways := map[string]bool{}, map[string]bool{}
	rows := append(Routes(), toolRoute())
	for path, item := range doc.Paths {
		for _, op := range operations(item) {
			name := op.Method + " " + path
			require.False(t, ids[op.OperationID], name)
			ids[op.OperationID] = true
			require.NotEmpty(t, op.Summary, name)
			require.Len(t, op.Tags, 1, name)
			for _, way := range op.Security {
				for scheme := range way {
					require.Contains(t, doc.Components.SecuritySchemes, scheme, name)
					ways[scheme] = true
				}
			}
			require.True(t, described[op.Tags[0]], "%s has the tag %s, which nothing describes", name, op.Tags[0])
			for part := range strings.SplitSeq(path, "/") {
				if parameter, ok := strings.CutPrefix(part, "{"); ok {
					require.True(t, slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
						return p.In == "path" && p.Required && p.Name+"}" == parameter
					}), "%s does not declare %s", name, part)
				}
			}
			row := rows[slices.IndexFunc(rows, func(r Route) bool { return r.Method == op.Method && r.Path == path })]
			if op.Method == http.MethodPost && op.Responses["201"] != nil && path != "/api/passkeys" && path != "/api/views" { // bound to a challenge; a name
				require.True(t, slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "Idempotency-Key" }), name)
			}
			want := map[int]bool{403: true, 500: true, 503: true, 401: row.Caller != Anyone, 429: row.Caller != Anyone,
				502: slices.Contains(row.Limits, limit.Jobs)}
			for _, status := range []int{400, 413, 415} {
				want[status] = op.RequestBody != nil
			}
			want[422] = op.RequestBody != nil && path != toolPath || slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
				return p.Schema.Type != huma.TypeString || p.Schema.Enum != nil || p.Schema.Pattern != "" || p.Schema.MaxLength != nil
			})
			for status, wanted := range want {
				require.True(t, !wanted || op.Responses[itoa(status)] != nil, "%s does not document %d", name, status)
			}
			if answer, listed := row.Answers[200]; (!listed || answer != nil) && path != "/api/jobs/{id}/issues" { // else a file
				exemplified(t, name, op)
			}
		}
	}
	require.NotEmpty(t, doc.Components.Schemas.Map()["ProblemDetails"].Examples)
	require.Len(t, ways, len(doc.Components.SecuritySchemes), "a way to authenticate that no operation takes")
}

// exemplified: every JSON body has an example, that of an answer for one status at least.
func exemplified(t *testing.T, name string, op *huma.Operation) {
	t.Helper()
	if op.RequestBody != nil {
		require.NotNil(t, op.RequestBody.Content["application/json"].Example, "the body of %s", name)
	}
	bodies, examples := 0, 0
	for status, r := range op.Responses {
		if m := r.Content["application/json"]; m != nil && status < "300" {
			bodies++
			if m.Example != nil {
				examples++
			}
		}
	}
	require.True(t, bodies == 0 || examples > 0, "no answer of %s has an example", name)
}

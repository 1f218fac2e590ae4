package app_test

import (
	"bytes"
	"encoding/json"
	"mime"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// document is the committed OpenAPI document, against which every answer the
// tests get is held.
type document struct {
	compiler *jsonschema.Compiler
	paths    map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]json.RawMessage `json:"content"`
		} `json:"responses"`
	}
	mu     sync.Mutex
	cached map[string]*jsonschema.Schema
}

const documentPath = "../../web/src/api/openapi.json"

func loadDocument(t testing.TB) *document {
	t.Helper()
	raw, err := os.ReadFile(documentPath)
	require.NoError(t, err)
	d := &document{compiler: jsonschema.NewCompiler(), cached: map[string]*jsonschema.Schema{}}
	var head struct {
		Paths json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(raw, &head))
	require.NoError(t, json.Unmarshal(head.Paths, &d.paths))
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, d.compiler.AddResource("openapi.json", tree))
	return d
}

// hold fails the test when an answer of a documented path is of a status, type
// or shape the document does not have.
func (d *document) hold(t testing.TB, method, path string, a answer) {
	t.Helper()
	template := d.template(path)
	if template == "" {
		return
	}
	op, ok := d.paths[template][strings.ToLower(method)]
	if !ok || a.status == 405 || a.status == 412 {
		return
	}
	status := strconv.Itoa(a.status)
	response, ok := op.Responses[status]
	require.True(t, ok, "%s %s answers %d, which the document does not have", method, template, a.status)
	if len(response.Content) == 0 || len(a.body) == 0 {
		return
	}
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	require.NoError(t, err)
	require.Contains(t, response.Content, kind, "%s %s %d", method, template, a.status)
	if a.header.Get("Content-Encoding") != "" || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	require.NoError(t, err)
	require.NoError(t, d.schema(t, template, strings.ToLower(method), status, kind).Validate(value), "%s %s %d", method, template, a.status)
}

func (d *document) schema(t testing.TB, template, method, status, kind string) *jsonschema.Schema {
	t.Helper()
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace
	at := "openapi.json#/paths/" + escape(template) + "/" + method + "/responses/" + status + "/content/" + escape(kind) + "/schema"
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.cached[at]; s != nil {
		return s
	}
	s, err := d.compiler.Compile(at)
	require.NoError(t, err)
	d.cached[at] = s
	return s
}

// template finds the documented path an actual one belongs to.
func (d *document) template(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for template := range d.paths {
		want := strings.Split(template, "/")
		if len(want) != len(parts) {
			continue
		}
		same := true
		for i := range want {
			same = same && (want[i] == parts[i] || strings.HasPrefix(want[i], "{"))
		}
		if same {
			return template
		}
	}
	return ""
}

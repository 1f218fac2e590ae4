package export_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	gosarif "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

func compile(t *testing.T, source string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("mem:///schema.json", doc))
	schema, err := c.Compile("mem:///schema.json")
	require.NoError(t, err)
	return schema
}

func fileSchema(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return compile(t, string(raw))
}

func conforms(t *testing.T, schema *jsonschema.Schema, doc []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(v))
}

// sarifSchema takes the schema of OASIS out of the module that carries it: the
// module checks re-encoded values only, we check the bytes we wrote.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"), nil, 0)
	require.NoError(t, err)
	longest := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if len(s) > len(longest) {
				longest = s
			}
		}
		return true
	})
	require.Contains(t, longest, "Static Analysis Results Format")
	return compile(t, longest)
}

func openSARIF(t *testing.T, file []byte) *gosarif.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.sarif")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	r, err := gosarif.Open(path)
	require.NoError(t, err)
	return r
}

func validSARIF(schema *jsonschema.Schema) func(*testing.T, export.Document, []byte) {
	return func(t *testing.T, d export.Document, file []byte) {
		conforms(t, schema, file)
		r := openSARIF(t, file)
		require.Len(t, r.Runs, 1)
		want := all(t, d, posture.Fail, posture.Warning, posture.Unknown)
		require.Len(t, r.Runs[0].Results, len(want))
		rules := r.Runs[0].Tool.Driver.Rules
		for _, rule := range rules {
			require.NotEmpty(t, *rule.ShortDescription.Text)
			require.NotEmpty(t, *rule.FullDescription.Text)
			require.NotEmpty(t, *rule.Help.Text)
			require.Empty(t, foreign(t, []byte(*rule.Help.Markdown)))
			require.LessOrEqual(t, len(rule.Properties.Tags), 10)
			require.Contains(t, rule.Properties.Tags, "security")
		}
		for i, f := range want {
			got := r.Runs[0].Results[i]
			require.Equal(t, f.CheckID, *got.RuleID)
			require.Equal(t, f.CheckID, *rules[got.RuleIndex].ID)
			require.Equal(t, f.ID+":1", got.PartialFingerprints["primaryLocationLineHash"])
			uri, err := url.Parse(*got.Locations[0].PhysicalLocation.ArtifactLocation.URI)
			require.NoError(t, err)
			require.Regexp(t, `^(account|zones/[^/?#\\]+)\.json$`, uri.EscapedPath(), "one segment, nothing leaves the folder")
			require.NotRegexp(t, `(^|[^\\])(\\\\)*[\[\]]`, *got.Message.Text, "a bare bracket could be a link")
			require.NotRegexp(t, `(^|[^{])({{)*{([^{]|$)`, *got.Message.Text, "a single brace could be a placeholder")
		}
	}
}

func TestSARIFKindsAndLevels(t *testing.T) {
	for _, c := range []struct {
		result      posture.Result
		severity    posture.Severity
		kind, level string
	}{
		{posture.Fail, posture.Critical, "fail", "error"}, {posture.Fail, posture.High, "fail", "error"}, {posture.Fail, posture.Medium, "fail",
			"warning"},
		{posture.Fail, posture.Low, "fail", "warning"}, {posture.Fail, posture.Informational, "fail", "note"},
		{posture.Warning, posture.Critical, "fail", "warning"},
		{posture.Warning, posture.Medium, "fail", "warning"}, {posture.Warning, posture.Low, "fail", "note"},
		{posture.Warning, posture.Informational, "fail", "note"},
		{posture.Unknown, posture.Critical, "open", "none"}, {posture.Pass, posture.Critical, "", ""}, {posture.NotApplicable, posture.Critical,
			"", ""},
	} {
		t.Run(fmt.Sprint(c.result, c.severity), func(t *testing.T) {
			f := all(t, exporttest.Large(1))[0]
			f.Result, f.Severity = c.result, c.severity
			d := exporttest.Large(1)
			d.Findings = exporttest.Of([]posture.Finding{f})
			run := openSARIF(t, write(t, format(t, "sarif"), d)).Runs[0]
			if c.kind == "" {
				require.Empty(t, run.Results)
				return
			}
			require.Equal(t, c.kind, run.Results[0].Kind)
			require.Equal(t, c.level, run.Results[0].Level)
		})
	}
}

func TestSARIFSplitsRunsAndTellsWhatIsLeftOut(t *testing.T) {
	schema := sarifSchema(t)
	for _, c := range []struct{ findings, runs, results, dropped int }{
		{0, 1, 0, 0}, {1, 1, 1, 0}, {10, 1, 7, 0}, {100, 7, 70, 0}, {200, 14, 140, 0}, {300, 20, 200, 10},
	} {
		t.Run(fmt.Sprint(c.findings), func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, export.WriteSARIFWithin(&b, exporttest.Large(c.findings), 10, 20))
			conforms(t, schema, b.Bytes())
			r := openSARIF(t, b.Bytes())
			require.Len(t, r.Runs, c.runs)
			ids, results, said := map[string]bool{}, 0, ""
			for i, run := range r.Runs {
				require.LessOrEqual(t, len(run.Results), 10)
				results += len(run.Results)
				ids[*run.AutomationDetails.ID] = true
				_, hasPaths := run.Properties.Properties["attackPaths"]
				require.Equal(t, i == 0, hasPaths)
				for _, n := range run.Invocations[0].ToolExecutionNotifications {
					if strings.Contains(*n.Message.Text, "left out") {
						require.Equal(t, len(r.Runs)-1, i)
						said = *n.Message.Text
					}
				}
			}
			require.Len(t, ids, c.runs, "each run has its own id")
			require.Equal(t, c.results, results)
			require.Equal(t, c.dropped > 0, said != "")
			if c.dropped > 0 {
				require.True(t, strings.HasPrefix(said, fmt.Sprint(c.dropped, " ")), said)
			}
		})
	}
}

// TestSweepSARIFUploadStaysSmall holds one full run below what an upload may take.
func TestSweepSARIFUploadStaysSmall(t *testing.T) {
	var packed bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &packed)
	zip := gzip.NewWriter(encoder)
	require.NoError(t, format(t, "sarif").Write(zip, exporttest.Large(35_715))) // of ten, seven are results
	require.NoError(t, zip.Close())
	require.NoError(t, encoder.Close())
	plain, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(packed.Bytes())))
	require.NoError(t, err)
	var doc struct {
		Runs []struct{ Results []json.RawMessage }
	}
	require.NoError(t, json.NewDecoder(plain).Decode(&doc))
	require.Len(t, doc.Runs[0].Results, 25_000)
	t.Logf("%.1f MB packed", float64(packed.Len())/1e6)
	require.Less(t, packed.Len(), 10_000_000)
}

package siem_test

import (
	"encoding/csv"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/siem"
)

// field is one row of testdata/fields.csv, our own table of what is emitted.
type field struct {
	kind    string
	array   bool
	posture bool // only in the Posture form
}

func rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	all, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var out []map[string]string
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func ownFields(t *testing.T) map[string]field {
	t.Helper()
	out := map[string]field{}
	for _, row := range rows(t, "testdata/fields.csv") {
		out[row["field"]] = field{row["type"], row["normalize"] == "array", row["form"] == "posture"}
	}
	require.Greater(t, len(out), 100)
	return out
}

// allowed lists the values ECS 8.11.0 allows where it names any.
func allowed() map[string][]string {
	return map[string][]string{
		"event.kind":                              {"alert", "asset", "enrichment", "event", "metric", "state", "pipeline_error", "signal"},
		"event.category":                          {"configuration"},
		"event.type":                              {"info"},
		"event.outcome":                           {"success", "failure", "unknown"},
		"threat.enrichments.indicator.type":       {"domain-name", "ipv4-addr", "ipv6-addr"},
		"threat.enrichments.indicator.confidence": {"Not Specified", "None", "Low", "Medium", "High"},
		"result.evaluation":                       {"passed", "failed"},
		"ecs.version":                             {"8.11.0"},
	}
}

// conforms holds one document against the table.
func conforms(t *testing.T, table map[string]field, form siem.Form, body []byte) {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(body, &doc))
	each(t, "", doc, false, func(name string, value any, inArray bool) {
		f, known := table[name]
		require.True(t, known, "%s is no field of the schema", name)
		require.True(t, !f.posture || form == siem.Posture, "%s belongs to the other form", name)
		if f.kind == "nested" || f.kind == "object" {
			return
		}
		require.Equal(t, f.array, inArray, "%s must be an array or must not be one", name)
		require.True(t, typed(f.kind, value), "%s is %s but holds %v", name, f.kind, value)
		if values := allowed()[name]; values != nil {
			require.Contains(t, values, value, name)
		}
	})
}

// each walks the leaves of a document and the arrays of objects in it.
func each(t *testing.T, name string, value any, inArray bool, use func(string, any, bool)) {
	t.Helper()
	dot := func(key string) string { return strings.TrimPrefix(name+"."+key, ".") }
	switch v := value.(type) {
	case map[string]any:
		if inArray {
			use(name, v, true)
		}
		if name == "result.evidence" || name == "result.expected" {
			return
		}
		for key, child := range v {
			each(t, dot(key), child, false, use)
		}
	case []any:
		for _, child := range v {
			each(t, name, child, true, use)
		}
	default:
		use(name, v, inArray)
	}
}

func typed(kind string, value any) bool {
	text, isText := value.(string)
	switch kind {
	case "keyword", "match_only_text", "constant_keyword", "wildcard":
		return isText
	case "date":
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		return err == nil
	case "ip":
		_, err := netip.ParseAddr(text)
		return err == nil
	case "long":
		n, ok := value.(float64)
		return ok && n == float64(int64(n))
	case "float":
		_, ok := value.(float64)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	default:
		return false
	}
}

// schemas names the folder with the published tables; the test is skipped where
// it is not at hand.
func schemas(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("EDGEPOSTURE_SCHEMAS")
	if dir == "" {
		t.Skip("EDGEPOSTURE_SCHEMAS names no folder with the published tables")
	}
	return dir
}

// TestOwnTableAgainstECS holds our table against the flat list of ECS 8.11.0:
// same names, same types, arrays where it has arrays.
func TestOwnTableAgainstECS(t *testing.T) {
	published := map[string]map[string]string{}
	for _, row := range rows(t, filepath.Join(schemas(t), "ecs-8.11-flat.csv")) {
		published[row["field"]] = row
	}
	require.Greater(t, len(published), 1600)
	checked := 0
	for name, f := range ownFields(t) {
		if strings.HasPrefix(name, "edgeposture.") || f.posture && !strings.HasPrefix(name, "data_stream.") {
			continue
		}
		if strings.HasPrefix(name, "labels.") {
			require.Equal(t, "object", published["labels"]["type"])
			require.Equal(t, "keyword", f.kind, name)
			continue
		}
		row, known := published[name]
		require.True(t, known, "%s is not in ECS 8.11.0", name)
		require.Equal(t, row["type"], f.kind, name)
		require.Equal(t, row["normalize"] == "array", f.array, name)
		if values := allowed()[name]; values != nil && row["allowed_values"] != "" {
			for _, v := range values {
				require.Contains(t, strings.Split(row["allowed_values"], ";"), v, name)
			}
		}
		checked++
	}
	require.Greater(t, checked, 40)
	for _, row := range rows(t, filepath.Join(schemas(t), "ecs-8.11-event-categories.csv")) {
		if row["event.category"] == "configuration" {
			require.Subset(t, strings.Split(row["expected event.type"], ";"), allowed()["event.type"])
		}
	}
}

// TestTemplateHoldsExactlyTheTable compares the mappings with our table.
func TestTemplateHoldsExactlyTheTable(t *testing.T) {
	b, err := siem.Template("")
	require.NoError(t, err)
	var template struct {
		Patterns []string `json:"index_patterns"`
		Template struct {
			Mappings struct {
				Dynamic    bool           `json:"dynamic"`
				Properties map[string]any `json:"properties"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(b, &template))
	require.Equal(t, []string{"edgeposture-*"}, template.Patterns)
	require.False(t, template.Template.Mappings.Dynamic)
	want, got := map[string]string{}, map[string]string{}
	for name, f := range ownFields(t) {
		if !f.posture {
			want[name] = f.kind
		}
	}
	flatten("", template.Template.Mappings.Properties, got)
	require.Equal(t, want, got)
	require.Equal(t, "nested", got["threat.enrichments"])

	golden := "testdata/template.json"
	if *siem.Update {
		require.NoError(t, os.WriteFile(golden, b, 0o644))
	}
	held, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(held), string(b), "run with -update when the change is meant")
}

func flatten(prefix string, properties map[string]any, to map[string]string) {
	for name, v := range properties {
		m := v.(map[string]any)
		if kind, ok := m["type"].(string); ok {
			to[prefix+name] = kind
		}
		if children, ok := m["properties"].(map[string]any); ok {
			flatten(prefix+name+".", children, to)
		}
	}
}

func TestTemplateOfAnotherIndex(t *testing.T) {
	b, err := siem.Template("audit")
	require.NoError(t, err)
	var template map[string]any
	require.NoError(t, json.Unmarshal(b, &template))
	require.Equal(t, []any{"audit", "audit-*"}, template["index_patterns"])
	_, err = siem.Template("Audit*")
	require.ErrorContains(t, err, "not allowed")
}

func TestNamesOfIndexes(t *testing.T) {
	for _, c := range []struct {
		name string
		opts siem.Options
		bad  string
	}{
		{"defaults", siem.Options{}, ""},
		{"ordinary", siem.Options{Index: "sec-posture.2026", Namespace: "prod", CollectorIndex: "main"}, ""},
		{"capital", siem.Options{Index: "Sec"}, "search index"},
		{"a path", siem.Options{Index: "../_cluster"}, "search index"},
		{"star", siem.Options{Index: "a*"}, "search index"},
		{"line break", siem.Options{Index: "a\nb"}, "search index"},
		{"hidden", siem.Options{Index: "_all"}, "search index"},
		{"dots", siem.Options{Index: ".."}, "search index"},
		{"long", siem.Options{Index: strings.Repeat("a", 256)}, "search index"},
		{"not text", siem.Options{Index: "a\xff"}, "search index"},
		{"dash", siem.Options{Namespace: "a-b"}, "namespace"},
		{"collector", siem.Options{CollectorIndex: "Main"}, "collector index"},
		{"collector, long", siem.Options{CollectorIndex: strings.Repeat("a", 81)}, "collector index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.opts.Check()
			if c.bad == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.bad)
		})
	}
	require.True(t, slices.Contains(strings.Fields(siem.FieldTable), "threat.enrichments.matched"))
}

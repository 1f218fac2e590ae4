package siem_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
)

type wrapped struct {
	Time       json.Number
	Host       string
	Source     string
	SourceType string `json:"sourcetype"`
	Index      string
	Event      map[string]any
	Own        struct {
		Document string
		Paths    []struct{ ID string } `json:"attack_paths"`
	} `json:"-"`
	Fields map[string]any
}

func envelopeOf(t *testing.T, b []byte) wrapped {
	t.Helper()
	var w wrapped
	require.NoError(t, json.Unmarshal(b, &w))
	inner, err := json.Marshal(w.Event["edgeposture"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(inner, &w.Own))
	return w
}

// required are the fields the data models cannot do without. cve and cvss are
// missing on purpose: a configuration has neither.
func required() map[string][]string {
	return map[string][]string{
		"Vulnerabilities": {"category", "dest", "dvc", "severity", "signature", "vendor_product"},
		"Alerts":          {"app", "description", "dest", "id", "severity", "signature", "signature_id", "src", "type", "user"},
	}
}

func envelopeSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile("testdata/envelope.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("mem://envelope", doc))
	s, err := c.Compile("mem://envelope")
	require.NoError(t, err)
	return s
}

func TestSweepGeneratedAssessmentsAreValidEvents(t *testing.T) {
	schema := envelopeSchema(t)
	for seed := range uint64(50) {
		d := exporttest.Document(seed)
		want := findings(t, d, judged()...)
		docs := documents(t, d, siem.Options{})
		sent := events(t, d, siem.Options{Host: "scanner-1", CollectorIndex: "main"})
		require.Len(t, sent, len(want)+len(exporttest.Paths(&d))+1)
		for i, e := range sent {
			require.Equal(t, docs[i].ID, e.ID, "both forms have the same ids")
			require.LessOrEqual(t, len(e.Body), siem.MaxDocument)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Body))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(value))
			w := envelopeOf(t, e.Body)
			require.Equal(t, e.ID, w.Event["id"])
			require.Equal(t, e.ID, w.Fields["document_id"])
			require.Equal(t, "scanner-1", w.Host)
			require.Equal(t, "main", w.Index)
			require.Equal(t, "edgeposture:"+w.Own.Document, w.SourceType)
			for model, fields := range required() {
				for _, name := range fields {
					text, ok := w.Event[name].(string)
					require.True(t, ok && strings.TrimSpace(text) != "", "%s needs %s", model, name)
				}
			}
			require.Contains(t, []any{"critical", "high", "medium", "low", "informational"}, w.Event["severity"])
			require.NotContains(t, w.Event, "cvss")
			require.Equal(t, d.Assessment.Demo, w.Fields["simulated_account"] == "true")
			require.Equal(t, d.Assessment.Demo, strings.Contains(fmt.Sprint(w.Event["notice"]), "No real account was read"))
			if i < len(want) {
				require.Equal(t, string(want[i].Result), w.Event["result"])
			}
		}
	}
}

// TestRequiredFieldsAgainstTheModel holds our list against the published one.
func TestRequiredFieldsAgainstTheModel(t *testing.T) {
	published := map[string][]string{}
	for _, row := range rows(t, filepath.Join(schemas(t), "splunk-cim-fields.csv")) {
		if row["add_on_test_requirement"] == "required" && row["field"] != "cve" && row["field"] != "cvss" {
			published[row["data_model"]] = append(published[row["data_model"]], row["field"])
		}
	}
	for model, fields := range required() {
		slices.Sort(published[model])
		require.Equal(t, published[model], fields)
	}
}

func TestTimeOfAnEvent(t *testing.T) {
	d := exporttest.Document(0)
	w := envelopeOf(t, events(t, d, siem.Options{})[0].Body)
	seconds, err := w.Time.Float64()
	require.NoError(t, err)
	require.InDelta(t, float64(d.Assessment.CompletedAt.UnixMilli())/1000, seconds, 0.0005)
	require.Equal(t, "edgeposture", w.Host)
	require.Empty(t, w.Index)
}

// TestHostileNamesStayOneLine puts each of 500 names in every text of a finding.
func TestHostileNamesStayOneLine(t *testing.T) {
	names := exporttest.Names(500)
	d := withPaths(t, exporttest.Large(500), 3)
	all := findings(t, d)
	for i := range all {
		n := names[i]
		f := &all[i]
		f.Result, f.Title, f.CheckTitle, f.Message, f.Why, f.Fix = posture.Fail, n, n, n, n, n
		f.Impact, f.Breaks, f.Reason, f.Permission, f.CheckID, f.Exception = n, n, n, n, n, &n
		f.Resource.Name, f.Resource.Zone, f.Resource.ID = n, n, n
		f.Evidence = []posture.Evidence{{Source: n, Pointer: n, Observed: n, Expected: n}}
		f.Controls.CIS = []string{n}
	}
	path := &exporttest.Paths(&d)[0]
	path.Title, path.Explanation, path.ID = names[40], names[80], names[120]
	d.Assessment.Account.Name, d.Assessment.Note = names[5], names[60]
	d.Findings = exporttest.Of(all)
	table := ownFields(t)
	for _, form := range []siem.Form{siem.ECS, siem.Posture} {
		lines := strings.Split(string(bulkFile(t, d, siem.Options{Form: form})), "\n")
		require.Len(t, lines, 2*504+1)
		require.Empty(t, lines[len(lines)-1])
		for i, line := range lines[:len(lines)-1] {
			require.True(t, json.Valid([]byte(line)), "line %d", i)
			if i%2 == 1 {
				conforms(t, table, form, []byte(line))
			}
		}
	}
	var b bytes.Buffer
	require.NoError(t, siem.WriteEvents(&b, d, siem.Options{}))
	lines := strings.Split(b.String(), "\n")
	require.Len(t, lines, 504+1)
	for i, line := range lines[:504] {
		w := envelopeOf(t, []byte(line))
		if i < 500 && len(names[i]) < 100 && strings.TrimSpace(names[i]) != "" {
			require.Equal(t, strings.ToValidUTF8(names[i], "\uFFFD"), w.Event["signature"], "a short name arrives as it is")
		}
	}
}

// TestSweepSizes holds the limit for findings no account has, and that what is small
// is not cut.
func TestSweepSizes(t *testing.T) {
	for _, unit := range []string{"\x01", "😀", "x", "é", "\xff", "<&>\u2028", "\xf0\x9f"} {
		huge := strings.Repeat(unit, 100_000/len(unit))
		d := withPaths(t, exporttest.Large(1), 60)
		all := findings(t, d)
		f := &all[0]
		f.Title, f.Message, f.Why, f.Fix, f.Reason, f.CheckID, f.NodeID, f.Resource = huge, huge, huge, huge, huge, huge, huge,
			posture.Resource{Type: "zone", ID: huge, Name: huge, ZoneID: huge, Zone: huge}
		for range 1000 {
			f.Evidence = append(f.Evidence, posture.Evidence{Source: huge, Pointer: huge, Observed: huge, Expected: huge})
			f.Controls.CIS, f.Controls.NIST = append(f.Controls.CIS, huge), append(f.Controls.NIST, huge)
		}
		paths := exporttest.Paths(&d)
		for i := range 3 {
			p := &paths[i]
			p.Title, p.Explanation, p.Kind = huge, huge, huge
		}
		p := &paths[0]
		for range 1000 {
			p.Nodes, p.FindingIDs, p.Edges = append(p.Nodes, huge), append(p.FindingIDs, huge),
				append(p.Edges, posture.PathEdge{From: huge, To: huge, Type: huge})
		}
		d.Assessment.Account.Name, d.Assessment.Note, d.Version = huge, huge, huge
		d.Findings = exporttest.Of(all)
		table := ownFields(t)
		for _, form := range []siem.Form{siem.ECS, siem.Posture} {
			for i, doc := range documents(t, d, siem.Options{Form: form}) {
				require.LessOrEqual(t, len(doc.Body), siem.MaxDocument)
				require.True(t, shapeOf(t, doc.Body).Own.Truncated) // if only the name of the account was
				conforms(t, table, form, doc.Body)
				if i == 0 {
					require.Equal(t, 60, *shapeOf(t, doc.Body).Own.PathCount, "what was left out is counted")
				}
			}
		}
		for _, e := range events(t, d, siem.Options{}) {
			require.LessOrEqual(t, len(e.Body), siem.MaxDocument)
		}
	}
	for _, doc := range documents(t, withPaths(t, exporttest.Large(5), 2), siem.Options{}) {
		require.False(t, shapeOf(t, doc.Body).Own.Truncated)
	}
}

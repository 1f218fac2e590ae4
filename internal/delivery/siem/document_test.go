package siem_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
)

// shape is what tests look at in a document.
type shape struct {
	Message string
	Tags    []string
	Labels  map[string]string
	Event   struct {
		Kind, Outcome, ID, Dataset, Reason string
		Severity                           int
		Category, Type                     []string
	}
	Threat struct {
		Enrichments []struct {
			Indicator struct{ Name, Type string }
			Matched   struct{ Atomic, ID, Index string }
		}
	}
	Result     *struct{ Evaluation string }
	DataStream *struct{ Dataset, Namespace string } `json:"data_stream"`
	Own        struct {
		Document  string
		Truncated bool
		Finding   *struct{ ID, Result, Severity string }
		Node      *struct{ ID, Type, Label string }
		Paths     []struct{ ID string } `json:"attack_paths"`
		PathCount *int                  `json:"attack_path_count"`
		Path      *struct{ ID string }
		Summary   *struct{ Findings struct{ Total, Unknown int } }
	} `json:"edgeposture"`
}

func shapeOf(t *testing.T, b []byte) shape {
	t.Helper()
	var s shape
	require.NoError(t, json.Unmarshal(b, &s))
	return s
}

func documents(t *testing.T, d export.Document, o siem.Options) []siem.Document {
	t.Helper()
	var out []siem.Document
	for doc, err := range siem.Documents(d, o) {
		require.NoError(t, err)
		out = append(out, doc)
	}
	return out
}

func events(t *testing.T, d export.Document, o siem.Options) []siem.Event {
	t.Helper()
	var out []siem.Event
	for e, err := range siem.Events(d, o) {
		require.NoError(t, err)
		out = append(out, e)
	}
	return out
}

func findings(t *testing.T, d export.Document, results ...posture.Result) []posture.Finding {
	t.Helper()
	var out []posture.Finding
	for f, err := range d.Findings(results...) {
		require.NoError(t, err)
		out = append(out, f)
	}
	return out
}

func judged() []posture.Result {
	return []posture.Result{posture.Fail, posture.Warning, posture.Unknown, posture.Pass}
}

func bulkFile(t *testing.T, d export.Document, o siem.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, siem.WriteDocuments(&b, d, o))
	return b.Bytes()
}

func TestSweepGeneratedAssessmentsAreValidDocuments(t *testing.T) {
	table := ownFields(t)
	for seed := range uint64(50) {
		d := exporttest.Document(seed)
		for _, form := range []siem.Form{siem.ECS, siem.Posture} {
			t.Run(fmt.Sprintf("%d/%d", seed, form), func(t *testing.T) {
				want := findings(t, d, judged()...)
				if form == siem.Posture {
					want = findings(t, d, posture.Fail, posture.Warning, posture.Pass)
				}
				docs := documents(t, d, siem.Options{Form: form})
				require.Len(t, docs, len(want)+len(exporttest.Paths(&d))+1)
				seen := map[string]bool{}
				for i, doc := range docs {
					require.False(t, seen[doc.ID], "ids are unique")
					seen[doc.ID] = true
					require.LessOrEqual(t, len(doc.Body), siem.MaxDocument)
					conforms(t, table, form, doc.Body)
					s := shapeOf(t, doc.Body)
					require.Equal(t, doc.ID, s.Event.ID)
					require.Equal(t, []string{"configuration"}, s.Event.Category)
					require.Equal(t, d.Assessment.Demo, s.Labels["simulated_account"] == "true")
					require.Equal(t, d.Assessment.Demo, strings.Contains(strings.ToLower(string(doc.Body)), "no real account was read"))
					require.Equal(t, form == siem.Posture && i < len(want), doc.Create)
					if i < len(want) {
						require.Equal(t, d.Assessment.ID+":"+want[i].ID, doc.ID)
						require.Equal(t, string(want[i].Result), s.Own.Finding.Result)
					}
				}
				file := bulkFile(t, d, siem.Options{Form: form})
				require.Equal(t, file, bulkFile(t, d, siem.Options{Form: form}), "the same assessment gives the same bytes")
			})
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		result     posture.Result
		outcome    string
		severity   int
		evaluation string // empty: not in the Posture form
		event      string
	}{
		{posture.Fail, "failure", 73, "failed", "alert"},
		{posture.Warning, "failure", 73, "failed", "warning"},
		{posture.Unknown, "unknown", 73, "", "event"},
		{posture.Pass, "success", 0, "passed", "event"},
	} {
		t.Run(string(c.result), func(t *testing.T) {
			d := exporttest.Large(1)
			f := findings(t, d)[0]
			f.Result, f.Severity, f.Reason = c.result, posture.High, "because"
			d.Findings = exporttest.Of([]posture.Finding{f})
			s := shapeOf(t, documents(t, d, siem.Options{})[0].Body)
			require.Equal(t, c.outcome, s.Event.Outcome)
			require.Equal(t, c.severity, s.Event.Severity)
			require.Equal(t, "because", s.Event.Reason)
			require.Equal(t, string(c.result), s.Own.Finding.Result)
			require.Equal(t, "high", s.Own.Finding.Severity)
			require.Nil(t, s.Result)

			shown := documents(t, d, siem.Options{Form: siem.Posture, Namespace: "prod"})
			if c.evaluation == "" {
				require.Len(t, shown, 1, "only the summary, in which UNKNOWN is counted")
			} else {
				require.Len(t, shown, 2)
				s = shapeOf(t, shown[0].Body)
				require.Equal(t, c.evaluation, s.Result.Evaluation)
				require.Equal(t, "logs-cloud_security_posture.findings-prod", shown[0].Index)
				require.Equal(t, "prod", s.DataStream.Namespace)
				require.True(t, shown[0].Create)
			}
			require.Equal(t, siem.DefaultIndex, shown[len(shown)-1].Index)

			e := envelopeOf(t, events(t, d, siem.Options{})[0].Body)
			require.Equal(t, c.event, e.Event["type"])
			require.Equal(t, string(c.result), e.Event["result"])
			require.Equal(t, c.outcome, e.Event["outcome"])
			require.Equal(t, c.severity == 0, e.Event["severity"] == "informational")
		})
	}
}

func TestNotApplicableIsLeftOut(t *testing.T) {
	d := exporttest.Large(1)
	f := findings(t, d)[0]
	f.Result = posture.NotApplicable
	d.Findings = exporttest.Of([]posture.Finding{f})
	require.Len(t, documents(t, d, siem.Options{}), 1)
	require.Len(t, events(t, d, siem.Options{}), 1)
}

func TestOutcomeOfTheSummary(t *testing.T) {
	for _, c := range []struct {
		name    string
		summary posture.Summary
		status  posture.AssessmentStatus
		want    string
	}{
		{"all good", posture.Summary{Pass: 3}, posture.Completed, "success"},
		{"one failed", posture.Summary{Pass: 3, Fail: 1}, posture.Completed, "failure"},
		{"one weak", posture.Summary{Pass: 3, Warning: 1}, posture.Completed, "failure"},
		{"one unread", posture.Summary{Pass: 3, Unknown: 1}, posture.CompletedWithGaps, "unknown"},
		{"unread, status says nothing", posture.Summary{Pass: 3, Unknown: 1}, posture.Completed, "unknown"},
		{"gaps", posture.Summary{Pass: 3}, posture.CompletedWithGaps, "unknown"},
		{"nothing judged", posture.Summary{}, posture.Completed, "unknown"},
		{"unread and failed", posture.Summary{Unknown: 3, Fail: 1}, posture.CompletedWithGaps, "failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := exporttest.Document(0)
			d.Assessment.Summary, d.Assessment.Status = c.summary, c.status
			docs := documents(t, d, siem.Options{})
			require.Len(t, docs, 1)
			require.Equal(t, c.want, shapeOf(t, docs[0].Body).Event.Outcome)
		})
	}
}

func TestGolden(t *testing.T) {
	d := withPaths(t, exporttest.Large(10), 2)
	for name, o := range map[string]siem.Options{"ecs": {}, "posture": {Form: siem.Posture}} {
		golden(t, "testdata/golden-"+name+".ndjson", bulkFile(t, d, o))
	}
	var b bytes.Buffer
	require.NoError(t, siem.WriteEvents(&b, d, siem.Options{CollectorIndex: "main"}))
	golden(t, "testdata/golden-events.ndjson", b.Bytes())
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *siem.Update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run with -update when the change is meant")
}

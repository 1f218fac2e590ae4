package export_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

// ocsfSchemas gives the published schemas by class when EDGEPOSTURE_SCHEMAS
// names the folder that holds them, and none otherwise.
func ocsfSchemas(t *testing.T) map[int]*jsonschema.Schema {
	t.Helper()
	dir := os.Getenv("EDGEPOSTURE_SCHEMAS")
	if dir == "" {
		return nil
	}
	return map[int]*jsonschema.Schema{
		2003: fileSchema(t, filepath.Join(dir, "ocsf-1.8.0-compliance_finding.schema.json")),
		2004: fileSchema(t, filepath.Join(dir, "ocsf-1.8.0-detection_finding.schema.json")),
	}
}

type ocsfLine struct {
	ClassUID   int `json:"class_uid"`
	ActivityID int `json:"activity_id"`
	TypeUID    int `json:"type_uid"`
	Time       int64
	SeverityID int    `json:"severity_id"`
	Severity   string `json:"severity"`
	StatusID   int    `json:"status_id"`
	Status     string `json:"status"`
	Compliance struct {
		StatusID   int    `json:"status_id"`
		Status     string `json:"status"`
		StatusCode string `json:"status_code"`
	}
	FindingInfo struct {
		UID   string `json:"uid"`
		Graph struct {
			Nodes []struct{ UID string }
			Edges []struct{ UID, Name, Source, Target, Relation string }
		} `json:"attack_graph"`
	} `json:"finding_info"`
}

func events(t *testing.T, file []byte) []ocsfLine {
	t.Helper()
	var out []ocsfLine
	for _, line := range lines(t, file) {
		var e ocsfLine
		require.NoError(t, json.Unmarshal(line, &e))
		require.Equal(t, e.ClassUID*100+e.ActivityID, e.TypeUID)
		out = append(out, e)
	}
	return out
}

func validOCSF(own *jsonschema.Schema, published map[int]*jsonschema.Schema) func(*testing.T, export.Document, []byte) {
	return func(t *testing.T, d export.Document, file []byte) {
		want := all(t, d, posture.Fail, posture.Warning, posture.Unknown, posture.Pass)
		got := events(t, file)
		require.Len(t, got, len(want)+len(exporttest.Paths(&d)))
		for i, line := range lines(t, file) {
			conforms(t, own, line)
			if published != nil {
				conforms(t, published[got[i].ClassUID], line)
			}
		}
		for i, f := range want {
			require.Equal(t, 2003, got[i].ClassUID)
			require.Equal(t, f.ID, got[i].FindingInfo.UID)
			require.Equal(t, string(f.Result), got[i].Compliance.StatusCode)
		}
		for i, p := range exporttest.Paths(&d) {
			e := got[len(want)+i]
			require.Equal(t, 2004, e.ClassUID)
			require.Equal(t, p.ID, e.FindingInfo.UID)
			require.Len(t, e.FindingInfo.Graph.Nodes, len(p.Nodes))
			require.Len(t, e.FindingInfo.Graph.Edges, len(p.Edges))
			require.Equal(t, p.Edges[0].From, e.FindingInfo.Graph.Edges[0].Source)
			for _, edge := range e.FindingInfo.Graph.Edges { // an entity, of which OCSF asks for one of the two
				require.NotEmpty(t, edge.UID)
				require.NotEmpty(t, edge.Name)
			}
		}
	}
}

// TestOCSFAgainstThePublishedSchemas is skipped where they are not at hand.
func TestOCSFAgainstThePublishedSchemas(t *testing.T) {
	published := ocsfSchemas(t)
	if published == nil {
		t.Skip("EDGEPOSTURE_SCHEMAS names no folder with the OCSF 1.8.0 schemas")
	}
	for seed := range uint64(5) {
		file := write(t, format(t, "ocsf"), exporttest.Document(seed))
		for i, e := range events(t, file) {
			conforms(t, published[e.ClassUID], lines(t, file)[i])
		}
	}
}

func TestOCSFVerdicts(t *testing.T) {
	note := "accepted until spring"
	type verdict struct {
		Activity, Severity, Status, Compliance int
		Word                                   string
	}
	for _, c := range []struct {
		name      string
		result    posture.Result
		status    posture.FindingStatus
		seen      bool
		exception *string
		want      verdict
	}{
		{"new failure", posture.Fail, posture.StatusOpen, false, nil, verdict{1, 4, 1, 3, "Fail"}},
		{"old failure", posture.Fail, posture.StatusOpen, true, nil, verdict{2, 4, 1, 3, "Fail"}},
		{"accepted failure", posture.Fail, posture.StatusOpen, true, &note, verdict{2, 4, 3, 3, "Fail"}},
		{"weak", posture.Warning, posture.StatusOpen, false, nil, verdict{1, 4, 1, 99, "Partly Met"}},
		{"not known", posture.Unknown, posture.StatusOpen, false, nil, verdict{1, 4, 1, 2, "Warning"}},
		{"good from the start", posture.Pass, posture.StatusResolved, false, nil, verdict{1, 1, 4, 1, "Pass"}},
		{"repaired", posture.Pass, posture.StatusResolved, true, nil, verdict{3, 1, 4, 1, "Pass"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := exporttest.Large(1)
			f := all(t, d)[0]
			f.Result, f.Status, f.Severity, f.Exception = c.result, c.status, posture.High, c.exception
			if !c.seen {
				f.FirstSeen = f.LastSeen
			}
			d.Findings = exporttest.Of([]posture.Finding{f})
			e := events(t, write(t, format(t, "ocsf"), d))[0]
			require.Equal(t, c.want, verdict{e.ActivityID, e.SeverityID, e.StatusID, e.Compliance.StatusID, e.Compliance.Status})
			require.Equal(t, f.LastSeen.UnixMilli(), e.Time)
		})
	}
}

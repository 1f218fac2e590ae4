package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepGraphOfAnAssessment reads the graph of an older assessment in both forms:
// it stays as it was, whatever is assessed later and whoever else asks.
func TestSweepGraphOfAnAssessment(t *testing.T) {
	t.Parallel()
	o := simcloud.Demo()
	o.Limit.Disabled = true
	s := embedded(t, o)
	older := s.assessAll(nil)
	at := "/api/posture/graph?assessmentId=" + older.ID
	first := s.call("GET", at, nil)
	require.Equal(t, 200, first.status)
	require.Equal(t, "application/json", first.header.Get("Content-Type"))
	var g httpapi.GraphAnswer
	first.into(t, &g)
	require.Equal(t, older.ID, g.AssessmentID)
	require.True(t, slices.IsSortedFunc(g.Graph.Nodes, func(a, b graph.Node) int { return strings.Compare(a.ID, b.ID) }))
	require.True(t, slices.IsSortedFunc(g.Graph.Edges, func(a, b graph.Edge) int { return strings.Compare(a.ID, b.ID) }))
	require.Equal(t, graph.Stats{Nodes: len(g.Graph.Nodes), Edges: len(g.Graph.Edges), ByNodeType: g.Graph.Stats.ByNodeType,
		ByEdgeType: g.Graph.Stats.ByEdgeType, BySeverity: older.Summary.BySeverity}, g.Graph.Stats)
	require.Len(t, g.AttackPaths, older.AttackPaths)
	require.NotEmpty(t, g.AttackPaths)
	holds(t, g, older)

	columns := s.call("GET", at, nil, "Accept", graph.ColumnsType)
	require.Equal(t, graph.ColumnsType, columns.header.Get("Content-Type"))
	var c httpapi.ColumnsAnswer
	columns.into(t, &c)
	require.Len(t, c.Graph.Nodes.IDRest, len(g.Graph.Nodes))
	require.Equal(t, g.AttackPaths, c.AttackPaths)
	before := ""
	for i, n := range g.Graph.Nodes {
		before = before[:c.Graph.Nodes.IDShared[i]] + c.Graph.Nodes.IDRest[i]
		require.Equal(t, n.ID, before)
	}

	s.cloud.Deny("Zone: DNS Read")
	newer := s.assessAll(nil)
	s.cloud.Allow("Zone: DNS Read")
	var latest httpapi.GraphAnswer
	s.get("/api/posture/graph", &latest)
	require.Equal(t, newer.ID, latest.AssessmentID)
	require.Less(t, len(latest.Graph.Nodes), len(g.Graph.Nodes))
	require.Equal(t, first.body, s.call("GET", at, nil).body)
	for _, form := range []answer{first, columns} {
		tag := form.header.Get("ETag")
		require.NotEmpty(t, tag)
		require.Equal(t, 304, s.call("GET", at, nil, "If-None-Match", tag, "Accept", form.header.Get("Content-Type")).status)
	}
	require.NotEqual(t, first.header.Get("ETag"), columns.header.Get("ETag"))
}

// holds follows every reference between graph, paths and findings.
func holds(t *testing.T, g httpapi.GraphAnswer, a posture.Assessment) {
	t.Helper()
	nodes, findings, paths := map[string]graph.Node{}, map[string]posture.Finding{}, map[string]posture.AttackPath{}
	edges := map[posture.PathEdge]bool{}
	for _, n := range g.Graph.Nodes {
		nodes[n.ID] = n
	}
	for _, e := range g.Graph.Edges {
		edges[posture.PathEdge{From: e.From, To: e.To, Type: e.Type}] = true
		require.Contains(t, nodes, e.From)
		require.Contains(t, nodes, e.To)
	}
	for _, p := range g.AttackPaths {
		paths[p.ID] = p
		for _, e := range p.Edges {
			require.True(t, edges[e], "%v", e)
		}
		require.Len(t, p.Edges, p.HopCount)
		require.NotEmpty(t, p.Breaks, p.ID)
		for _, b := range p.Breaks {
			require.Contains(t, nodes, b.NodeID)
			require.NotEmpty(t, b.Change)
		}
	}
	for _, f := range a.Findings {
		findings[f.ID] = f
		require.Contains(t, nodes, f.NodeID)
		open := f.Result == posture.Fail || f.Result == posture.Warning || f.Result == posture.Unknown
		require.Equal(t, open, slices.Contains(nodes[f.NodeID].FindingIDs, f.ID), "%s %s", f.CheckID, f.Result)
		for _, id := range f.AttackPathIDs {
			require.Contains(t, paths[id].FindingIDs, f.ID)
		}
	}
	for _, p := range g.AttackPaths {
		for _, id := range p.FindingIDs {
			require.Contains(t, findings[id].AttackPathIDs, p.ID)
			require.Contains(t, p.RelatedCheckIDs, findings[id].CheckID)
		}
		for _, id := range p.RemediableCheckIDs {
			require.Contains(t, p.RelatedCheckIDs, id)
		}
	}
}

// TestDownloads takes every format, as it is and compressed, and reads the JSON
// back as the assessment it came from.
func TestDownloads(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	a := s.assessAll(nil)
	for _, f := range export.Formats() {
		got := s.call("GET", "/api/download/"+f.Name+"?assessmentId="+a.ID, nil)
		require.Equal(t, 200, got.status, f.Name)
		require.Equal(t, f.ContentType, got.header.Get("Content-Type"))
		require.Regexp(t, `^attachment; filename="edgeposture-[a-z0-9-]+\.`+f.Extension+`"$`, got.header.Get("Content-Disposition"))
		require.Contains(t, got.header.Get("Cache-Control"), "private")
		require.NotContains(t, string(got.body), s.cloud.Tokens()[0].Secret)
		packed := s.call("GET", "/api/download/"+f.Name, nil, "Accept-Encoding", "gzip")
		require.Equal(t, "gzip", packed.header.Get("Content-Encoding"))
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		require.NoError(t, err)
		plain, err := io.ReadAll(z)
		require.NoError(t, err)
		if f.Name == "json" {
			require.Equal(t, string(got.body), string(plain))
			back, err := export.ReadJSON(bytes.NewReader(plain))
			require.NoError(t, err)
			require.Equal(t, a.AssessmentSummary, back.Assessment)
			require.Equal(t, a.Findings, back.Findings)
		}
	}
	whole, brief := s.call("GET", "/api/download/pdf", nil), s.call("GET", "/api/download/pdf?summary=true", nil)
	require.Regexp(t, `^attachment; filename="edgeposture-[a-z0-9-]+-summary\.pdf"$`, brief.header.Get("Content-Disposition"))
	require.LessOrEqual(t, len(papertest.Pages(t, brief.body)), 5)
	require.Greater(t, len(papertest.Pages(t, whole.body)), len(papertest.Pages(t, brief.body)))
	require.Contains(t, papertest.Text(t, whole.body), fmt.Sprint(a.Summary.Fail+a.Summary.Warning)+" open findings")
	asff := s.call("GET", "/api/download/asff?awsAccountId=123456789012&awsRegion=eu-central-1", nil)
	require.Contains(t, string(asff.body), "arn:aws:securityhub:eu-central-1:123456789012:product/123456789012/default")
	for path, status := range map[string]int{
		"/api/download/docx": 404, "/api/download/csv?summary=true": 422, "/api/download/pdf?summary=some": 422,
		"/api/download/csv?assessmentId=01a1fe8f-3b4e-7922-9dea-000000000000": 404, "/api/download/csv?assessmentId=7": 422,
		"/api/download/asff?awsAccountId=7": 422, "/report?assessmentId=7": 422, "/report?assessmentId=01a1fe8f-3b4e-7922-9dea-000000000000": 404,
		"/api/posture/graph?assessmentId=7": 422, "/api/posture/graph?assessmentId=01a1fe8f-3b4e-7922-9dea-000000000000": 404,
		"/api/compliance/cis?assessmentId=7": 422, "/api/compliance/iso": 404,
	} {
		got := s.call("GET", path, nil)
		require.Equal(t, status, got.status, path)
		require.NotEmpty(t, problem(t, got).Detail)
	}
}

func TestReportPage(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	require.Equal(t, 404, s.call("GET", "/report", nil).status)
	a := s.assessAll(nil)
	got := s.call("GET", "/report", nil)
	require.Equal(t, 200, got.status)
	require.Equal(t, "text/html; charset=utf-8", got.header.Get("Content-Type"))
	require.Equal(t, export.ReportPolicy(), got.header.Get("Content-Security-Policy"))
	require.Empty(t, got.header.Get("Content-Disposition"))
	require.Contains(t, string(got.body), a.ID)
	require.NotContains(t, string(got.body), "<script")
}

func TestComplianceOfEveryFramework(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	a := s.assessAll(nil)
	for name, alias := range map[string]string{"cis": "cis-benchmark", "soc2": "SOC-2", "pci": "pci-dss", "nist": "nist-csf"} {
		var report, same compliance.Report
		s.get("/api/compliance/"+name, &report)
		s.get("/api/compliance/"+alias+"?assessmentId="+a.ID, &same)
		require.Equal(t, report, same)
		require.Equal(t, a.ID, report.AssessmentID)
		require.NotEmpty(t, report.Controls)
	}
}

// TestSweepDriftOfALostPermission is the claim that matters: what became unreadable
// between two runs is unknown and never resolved.
func TestSweepDriftOfALostPermission(t *testing.T) {
	t.Parallel()
	o := simcloud.Options{Seed: 31, Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 15, Plant: 1}, {Zones: 1}}}
	o.Limit.Disabled = true
	s := embedded(t, o)
	other := s.assessAll(map[string]any{"token": s.cloud.Tokens()[0].Secret, "accountId": s.cloud.Accounts()[1]})
	full := map[string]any{"token": s.cloud.Tokens()[0].Secret, "accountId": s.cloud.Accounts()[0]}
	before := s.assessAll(full)
	for _, permission := range []string{"Zone: DNS Read", "Zone: Zone Settings Read", "Account: Account Settings Read",
		"Zone: Zone WAF Read"} {
		s.cloud.Deny(permission)
		after := s.assessAll(full)
		s.cloud.Allow(permission)
		d := s.diff(before.ID, after.ID)
		require.NotEmpty(t, d.Unknown, permission)
		unread := map[string]bool{}
		for _, f := range after.Findings {
			if f.Result == posture.Unknown {
				unread[f.CheckID] = true
			}
		}
		for _, e := range d.Resolved {
			require.False(t, unread[e.CheckID], "%s: %s is told as resolved", permission, e.CheckID)
		}
		require.Empty(t, d.Resolved, permission)
		require.Empty(t, d.Improved, permission)
		require.Empty(t, d.Paths.Disappeared, permission)
		back := s.diff(after.ID, before.ID)
		require.Empty(t, back.Regressed, permission)
	}
	wrong := s.call("POST", "/api/diff", map[string]string{"baselineId": before.ID, "currentId": other.ID})
	require.Equal(t, 422, wrong.status)
	require.Contains(t, problem(t, wrong).Detail, "one account")
}

func (s *system) diff(baseline, current string) drift.Drift {
	s.t.Helper()
	var d drift.Drift
	got := s.call("POST", "/api/diff", map[string]string{"baselineId": baseline, "currentId": current})
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, &d)
	return d
}

// TestDriftIsBlamed changes a record through the provider between two runs and
// finds who did it.
func TestDriftIsBlamed(t *testing.T) {
	t.Parallel()
	o := simcloud.Options{Seed: 32, Accounts: []simcloud.AccountSpec{{Zones: 2, Clean: true, RecordsPerZone: 15}},
		Tokens: []simcloud.Token{{Secret: "reads-only-0123456789"}, {Secret: "may-write-0123456789", CanWrite: true, Name: "terraform"}}}
	o.Limit.Disabled = true
	s := embedded(t, o)
	before := s.assessAll(nil)
	zone := s.cloud.ZoneIDs(s.cloud.Accounts()[0])[0]
	record := wrote(t, s.cloud, s.cloud.Tokens()[1], "POST", "/zones/"+zone+"/dns_records",
		`{"type":"A","name":"forgotten","content":"185.199.108.153","proxied":false}`)
	wrote(t, s.cloud, s.cloud.Tokens()[1], "PATCH", "/zones/"+zone+"/settings/ssl", `{"value":"flexible"}`)
	after := s.assessAll(nil)
	d := s.diff(before.ID, after.ID)
	require.Empty(t, d.Unknown)
	blamed := map[string][]drift.Cause{}
	for _, e := range slices.Concat(d.New, d.Regressed) {
		blamed[e.CheckID+" "+e.Resource.ID] = e.ChangedBy
	}
	for _, want := range []string{"CFL-SSL-001 " + zone, "CFL-DNS-002 " + record} {
		require.Contains(t, blamed, want)
		require.Len(t, blamed[want], 1, want)
		require.Equal(t, "api_token", blamed[want][0].Via)
		require.Contains(t, blamed[want][0].Actor, "•••@")
	}
	kinds := map[string]bool{}
	for _, p := range d.Paths.Appeared {
		kinds[p.Kind] = true
	}
	require.Contains(t, kinds, "exposed-origin")
	require.Contains(t, kinds, "weak-transport")
	require.Empty(t, s.diff(after.ID, after.ID).New)
}

// wrote writes to the simulated provider and gives the id of what it wrote.
func wrote(t *testing.T, cloud *simcloud.Cloud, as simcloud.Token, method, path, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, simcloud.BasePath+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+as.Secret)
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	cloud.ServeHTTP(w, req)
	require.Equal(t, 200, w.Code, w.Body.String())
	var answer struct {
		Result struct {
			ID string `json:"id"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return answer.Result.ID
}

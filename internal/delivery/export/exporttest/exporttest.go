// Package exporttest makes documents for tests of exporters: small ones from a seed, with every result,
// every type of resource and hostile names, and one of any size whose findings are generated while they
// are read.
package exporttest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// start is when every generated assessment began.
func start() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 123_000_000, time.UTC) }

// Document makes the document of a seed; the same seed gives the same one. Every tenth seed is an
// assessment without findings or judgements, every third a demo.
func Document(seed uint64) export.Document {
	m := &maker{rand: rand.New(rand.NewPCG(seed, 1)), names: Names(500)}
	account := m.name()
	var findings []posture.Finding
	if seed%10 != 0 {
		for i := range 10 + m.rand.IntN(60) {
			findings = append(findings, m.finding(i))
		}
		slices.SortStableFunc(findings, func(a, b posture.Finding) int {
			return slices.Index(posture.Results(), a.Result) - slices.Index(posture.Results(), b.Result)
		})
	}
	d := export.Document{Version: "2.0.0", Checks: tallies(findings), Graph: graph.Graph{}, Findings: Of(findings)}
	d.Assessment = summary(seed, account, findings)
	if seed%10 != 0 {
		m.paths(&d, findings)
		d.Assessment.Note = m.name()
		d.Assessment.Zones = []posture.ZoneRef{{ID: "z1", Name: m.name(), Plan: "free", Status: "active"}}
		d.Assessment.Coverage.MissingPermissions = []posture.MissingPermission{{Permission: m.name(), CheckIDs: []string{"CFL-SSL-001"}}}
	}
	return d
}

// Paths returns the attack paths of a document, whose source must not fail. The document then yields
// the elements of the returned slice, including later changes to them.
func Paths(d *export.Document) (all []posture.AttackPath) {
	if d.Paths == nil {
		return nil
	}
	for p, err := range d.Paths {
		if err != nil {
			panic(err)
		}
		all = append(all, p)
	}
	d.Paths = export.Listed(all)
	return all
}

// Of gives findings the form that a document needs.
func Of(findings []posture.Finding) func(...posture.Result) iter.Seq2[posture.Finding, error] {
	return export.Imported{Findings: findings}.Document().Findings
}

// Failing yields the findings of d until the n-th one, counted from 1 over all passes, then the error.
func Failing(d export.Document, n int, err error) export.Document {
	inner, given := d.Findings, 0
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for f, ferr := range inner(results...) {
				if given++; given >= n {
					yield(posture.Finding{}, err)
					return
				}
				if !yield(f, ferr) {
					return
				}
			}
		}
	}
	return d
}

func summary(seed uint64, account string, findings []posture.Finding) posture.AssessmentSummary {
	grade := "B"
	a := posture.AssessmentSummary{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", seed), JobID: fmt.Sprintf("job-%d", seed),
		Account: posture.AccountRef{ID: "0123456789abcdef0123456789abcdef", Name: account},
		Status:  posture.Completed, StartedAt: start(), CompletedAt: start().Add(90 * time.Second), DurationMS: 90_000, Demo: seed%3 == 1,
		Profile:     posture.ProfileFull,
		Sensitivity: posture.SensitivityMedium, TokenInfo: posture.TokenInfo{Kind: "user", Status: "active"}, CatalogueVersion: "2026.11.2",
		SnapshotDigest: "sha256:0", Requests: 12,
		Score: posture.Score{Mark: posture.Mark{Value: 71, Grade: &grade},
			ByCategory: map[posture.Category]posture.CategoryScore{"ssl": {Value: 50, Pass: 1, Fail: 1}}},
		Coverage: posture.Coverage{Percent: 87.5, Evaluated: 7, Unknown: 1}, Summary: posture.Summary{Total: len(findings),
			BySeverity: map[posture.Severity]int{}},
	}
	if seed%10 == 0 {
		a.Score.Grade, a.Score.Withheld = nil, "62 % of what counts could be judged, and a grade needs 80 %"
	} else if len(findings) > 0 {
		grade = "D"
		a.Score.Held, a.Score.HeldBy = "held at D by 1 finding", []string{findings[0].ID}
	}
	for _, f := range findings {
		a.Summary.Count(f.Result, f.Severity)
	}
	if a.Summary.Unknown > 0 {
		a.Status = posture.CompletedWithGaps
	}
	return a
}

func tallies(findings []posture.Finding) []posture.CheckTally {
	out := []posture.CheckTally{}
	for _, f := range findings {
		i := slices.IndexFunc(out, func(t posture.CheckTally) bool { return t.CheckID == f.CheckID })
		if i < 0 {
			out = append(out, posture.CheckTally{CheckID: f.CheckID, Category: f.Category, Severity: f.Severity})
			i = len(out) - 1
		}
		switch f.Result {
		case posture.Pass:
			out[i].Pass++
		case posture.Fail:
			out[i].Fail++
		case posture.Warning:
			out[i].Warning++
		case posture.Unknown:
			out[i].Unknown++
		case posture.NotApplicable:
			out[i].NotApplicable++
		}
	}
	return out
}

// paths adds a graph and up to three paths through it, linked to the findings.
func (m *maker) paths(d *export.Document, findings []posture.Finding) {
	var paths []posture.AttackPath
	g := graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}, Stats: graph.Stats{ByNodeType: map[string]int{},
		ByEdgeType: map[string]int{}, BySeverity: map[posture.Severity]int{}}}
	add := func(id, kind string) string {
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Type: kind, Label: m.name(), Severity: graph.Clean, FindingIDs: []string{},
			Properties: graph.Properties{{Name: "proxied", Value: true}}})
		g.Stats.ByNodeType[kind]++
		return id
	}
	from := add("internet", graph.Internet)
	for i := range m.rand.IntN(4) {
		record, origin := add(fmt.Sprintf("dns:z1:%d", i), graph.DNSRecord), add(fmt.Sprintf("origin:%d", i), graph.Origin)
		p := posture.AttackPath{
			ID: "ap:exposed-origin:" + origin, Kind: "exposed-origin", Title: m.name(), Severity: posture.High, HopCount: 2, EntryNodeID: from,
			TargetNodeID: origin,
			Nodes:        []string{from, record, origin}, Explanation: m.name(), RelatedCheckIDs: []string{"CFL-DNS-001"},
			RemediableCheckIDs: []string{}, WatchedBy: []string{"CFL-DNS-001"}, FindingIDs: []string{findings[0].ID},
			Edges:  []posture.PathEdge{{From: from, To: record, Type: graph.InternetTo}, {From: record, To: origin, Type: graph.ResolvesTo}},
			Breaks: []posture.Break{{Change: m.name(), NodeID: record, CheckIDs: []string{"CFL-DNS-001"}, Remediable: true}},
		}
		paths = append(paths, p)
		for n, v := range p.Edges {
			g.Edges = append(g.Edges, graph.Edge{ID: fmt.Sprintf("e%d-%d", i, n), From: v.From, To: v.To, Type: v.Type})
			g.Stats.ByEdgeType[v.Type]++
		}
		findings[0].AttackPathIDs = append(findings[0].AttackPathIDs, p.ID)
	}
	g.Stats.Nodes, g.Stats.Edges = len(g.Nodes), len(g.Edges)
	d.Graph, d.Paths, d.Assessment.AttackPaths = g, export.Listed(paths), len(paths)
}

package siem_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
)

// withPaths ties n attack paths to the first finding of a document.
func withPaths(t *testing.T, d export.Document, n int) export.Document {
	t.Helper()
	all := findings(t, d)
	paths := exporttest.Paths(&d)
	g, err := graph.Collect(d.Graph)
	require.NoError(t, err)
	for i := range n {
		origin := fmt.Sprintf("origin:203.0.113.%d", i%250)
		g.Nodes = append(g.Nodes, graph.Node{ID: origin, Type: graph.Origin, Label: "origin " + fmt.Sprint(i), Severity: "high"})
		paths = append(paths, posture.AttackPath{ID: fmt.Sprintf("ap:exposed-origin:%03d:%s", i, origin), Kind: "exposed-origin",
			Title: "An origin can be reached", Severity: posture.High, HopCount: 2,
			EntryNodeID: "internet", TargetNodeID: origin, Nodes: []string{"internet", all[0].NodeID, origin},
			Explanation: "The record leads to the origin.",
			Edges: []posture.PathEdge{{From: "internet", To: all[0].NodeID, Type: graph.InternetTo},
				{From: all[0].NodeID, To: origin, Type: graph.ResolvesTo}},
			FindingIDs: []string{all[0].ID}, RelatedCheckIDs: []string{all[0].CheckID},
			Breaks: []posture.Break{{Change: "Turn the proxy on.", NodeID: all[0].NodeID}}})
	}
	g.Nodes = append(g.Nodes, graph.Node{ID: all[0].NodeID, Type: graph.DNSRecord, Label: all[0].Resource.Name, Severity: "critical"})
	d.Graph, d.Paths = g, export.Listed(paths)
	d.Assessment.AttackPaths = n
	d.Findings = exporttest.Of(all)
	return d
}

// TestBothFormsHoldTheSameJoin holds the node and the paths of a finding, whether
// the finding names the path or the path the finding.
func TestBothFormsHoldTheSameJoin(t *testing.T) {
	d := withPaths(t, exporttest.Large(3), 3)
	all, paths := findings(t, d), exporttest.Paths(&d)
	all[0].AttackPathIDs = []string{paths[1].ID, paths[1].ID} // the other two only name the finding
	all[1].AttackPathIDs = []string{paths[2].ID, "ap:gone"}   // not named by the path, and one that is not there
	all[2].NodeID = "dns:gone"
	d.Findings = exporttest.Of(all)
	docs, sent := documents(t, d, siem.Options{}), events(t, d, siem.Options{})
	require.Len(t, docs, 3-notApplicable(all)+3+1)
	for i, want := range [][]string{{paths[0].ID, paths[1].ID, paths[2].ID}, {paths[2].ID, "ap:gone"}} {
		s := shapeOf(t, docs[i].Body)
		e := envelopeOf(t, sent[i].Body)
		var names, ids, inEvent []string
		for _, v := range s.Threat.Enrichments {
			names = append(names, v.Indicator.Name)
			require.Equal(t, all[i].NodeID, v.Matched.Atomic)
			require.Equal(t, docs[i].ID, v.Matched.ID)
		}
		for _, v := range s.Own.Paths {
			ids = append(ids, v.ID)
		}
		for _, v := range e.Own.Paths {
			inEvent = append(inEvent, v.ID)
		}
		require.Equal(t, want, names)
		require.Equal(t, want, ids)
		require.Equal(t, want, inEvent)
		require.Equal(t, len(want), *s.Own.PathCount)
		require.Equal(t, all[i].NodeID, s.Own.Node.ID)
		require.Equal(t, docs[i].ID, e.Event["id"])
	}
	require.Equal(t, "ipv4-addr", shapeOf(t, docs[0].Body).Threat.Enrichments[0].Indicator.Type)
	require.Equal(t, all[0].Resource.Name, shapeOf(t, docs[0].Body).Own.Node.Label)
}

func notApplicable(all []posture.Finding) int {
	n := 0
	for _, f := range all {
		if f.Result == posture.NotApplicable {
			n++
		}
	}
	return n
}

func TestOnlyChanges(t *testing.T) {
	d := withPaths(t, exporttest.Large(6), 2)
	all, paths := findings(t, d, judged()...), exporttest.Paths(&d)
	paths[1].FindingIDs = []string{all[1].ID}
	none := func(string) bool { return false }
	for _, c := range []struct {
		name    string
		changes *siem.Changes
		want    []string
	}{
		{"everything", nil, []string{"finding", "finding", "finding", "finding", "finding", "finding", "attack_path", "attack_path",
			"assessment"}},
		{"nothing", &siem.Changes{Finding: none}, []string{"assessment"}},
		{"one finding and its path", &siem.Changes{Finding: func(id string) bool { return id == all[1].ID }}, []string{"finding", "attack_path",
			"assessment"}},
		{"a path of its own", &siem.Changes{Finding: none, Path: func(id string) bool { return id == paths[0].ID }},
			[]string{"attack_path", "assessment"}},
		{"nobody picks", &siem.Changes{}, []string{"finding", "finding", "finding", "finding", "finding", "finding", "attack_path",
			"attack_path", "assessment"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got, ids, sent []string
			for _, doc := range documents(t, d, siem.Options{Changes: c.changes}) {
				got, ids = append(got, shapeOf(t, doc.Body).Own.Document), append(ids, doc.ID)
			}
			for _, e := range events(t, d, siem.Options{Changes: c.changes}) {
				sent = append(sent, e.ID)
			}
			require.Equal(t, c.want, got)
			require.Equal(t, ids, sent)
		})
	}
	gone := all[0]
	gone.ID, gone.Result, gone.Status = "gone", posture.Pass, posture.StatusResolved
	closed := d
	closed.Closed = func(yield func(posture.Finding, error) bool) { yield(gone, nil) }
	require.Len(t, documents(t, closed, siem.Options{Changes: &siem.Changes{Finding: none, Path: none}}), 2, "what was closed is a change")
	paths[0].FindingIDs = nil
	require.Len(t, documents(t, d, siem.Options{Changes: &siem.Changes{Finding: none}}), 2, "a path nobody can judge by findings is not lost")
}

func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("the database went away")
	for _, n := range []int{1, 7, 40} {
		failing := func() export.Document { return exporttest.Failing(exporttest.Large(100), n, broken) }
		require.ErrorIs(t, siem.WriteDocuments(io.Discard, failing(), siem.Options{}), broken)
		require.ErrorIs(t, siem.WriteEvents(io.Discard, failing(), siem.Options{}), broken)
		given := 0
		for _, err := range siem.Documents(failing(), siem.Options{}) {
			if err != nil {
				require.ErrorIs(t, err, broken)
				break
			}
			given++
		}
		require.Equal(t, n-1, given)
	}
	d := exporttest.Document(1)
	d.Findings = nil
	require.ErrorContains(t, siem.WriteDocuments(io.Discard, d, siem.Options{}), "no findings to read")
	require.ErrorContains(t, siem.WriteEvents(io.Discard, d, siem.Options{}), "no findings to read")
	require.ErrorContains(t, siem.WriteDocuments(io.Discard, exporttest.Document(1), siem.Options{Index: "A"}), "not allowed")
	require.ErrorContains(t, siem.WriteEvents(io.Discard, exporttest.Document(1), siem.Options{CollectorIndex: "A"}), "not allowed")
}

type full struct{ left int }

func (w *full) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, io.ErrShortWrite
	}
	w.left -= len(p)
	return len(p), nil
}

func TestErrorsOfTheWriter(t *testing.T) {
	for _, room := range []int{0, 100, 200_000} {
		require.ErrorIs(t, siem.WriteDocuments(&full{room}, exporttest.Large(500), siem.Options{}), io.ErrShortWrite)
		require.ErrorIs(t, siem.WriteEvents(&full{room}, exporttest.Large(500), siem.Options{}), io.ErrShortWrite)
	}
}

// TestOneFindingIsHeldAtATime holds that a finding is read when its document is
// wanted and not before.
func TestOneFindingIsHeldAtATime(t *testing.T) {
	d, read := exporttest.Large(1000), 0
	inner := d.Findings
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for f, err := range inner(results...) {
				if read++; !yield(f, err) {
					return
				}
			}
		}
	}
	given := 0
	for _, err := range siem.Documents(d, siem.Options{}) {
		require.NoError(t, err)
		if given++; given > 900 {
			continue
		}
		require.Equal(t, given, read)
	}
	require.Equal(t, 901, given)
	require.Equal(t, 900, read)
}

func TestIdentifiers(t *testing.T) {
	d := withPaths(t, exporttest.Large(2), 2)
	all := findings(t, d)
	all[0].ID, all[1].ID = strings.Repeat("x", 600), "a\nb"
	d.Findings = exporttest.Of(all)
	docs := documents(t, d, siem.Options{})
	seen := map[string]bool{}
	for _, doc := range docs {
		require.Regexp(t, `^[0-9A-Za-z:.-]{1,400}$`, doc.ID)
		require.False(t, seen[doc.ID])
		seen[doc.ID] = true
	}
	again := d
	again.Assessment.ID = "another"
	for _, doc := range documents(t, again, siem.Options{}) {
		require.False(t, seen[doc.ID], "another run of the same account is other documents")
	}
}

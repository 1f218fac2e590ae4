package siem

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// The kinds of documents.
const (
	kindFinding    = "finding"
	kindPath       = "attack_path"
	kindAssessment = "assessment"
)

// part is the joined content of one document or event: a finding with its node and its attack paths, or
// an attack path with its target, or the assessment.
type part struct {
	kind    string
	id      string
	doc     *export.Document
	opts    Options
	finding *posture.Finding
	path    *posture.AttackPath
	node    graph.Node
	paths   []*posture.AttackPath // of the finding, in the assessment's order
	nodes   func(id string) graph.Node
}

// shown reports whether the form can express the part.
func (p part) shown() bool {
	return p.opts.Form != Posture || p.finding == nil || p.finding.Result != posture.Unknown
}

// join looks nodes and paths up by id, for all parts.
type join struct {
	nodes     map[string]graph.Node
	all       []posture.AttackPath
	paths     map[string]int
	byFinding map[string][]int
}

func newJoin(d *export.Document) (join, error) {
	j := join{nodes: map[string]graph.Node{}, paths: map[string]int{}, byFinding: map[string][]int{}}
	if err := graph.EachNode(d.Graph, func(n *graph.Node) { j.nodes[n.ID] = *n }); err != nil {
		return j, fmt.Errorf("read the graph of assessment %s: %w", d.Assessment.ID, err)
	}
	if d.Paths == nil {
		return j, nil
	}
	for p, err := range d.Paths {
		if err != nil {
			return j, fmt.Errorf("read the attack paths of assessment %s: %w", d.Assessment.ID, err)
		}
		i := len(j.all)
		j.all = append(j.all, p)
		j.paths[p.ID] = i
		for _, id := range p.FindingIDs {
			j.byFinding[id] = append(j.byFinding[id], i)
		}
	}
	return j, nil
}

// node returns a node; one that is not in the graph has only its id.
func (j join) node(id string) graph.Node {
	if n, ok := j.nodes[id]; ok {
		return n
	}
	return graph.Node{ID: id}
}

// pathsOf returns every path that a finding belongs to, whether the finding or the path says so. A path
// that is named but missing has only its id: it is not dropped, because a finding without its path
// looks less severe than it is.
func (j join) pathsOf(f *posture.Finding) []*posture.AttackPath {
	if len(f.AttackPathIDs) == 0 && len(j.byFinding[f.ID]) == 0 {
		return nil
	}
	at := slices.Clone(j.byFinding[f.ID])
	var lost []*posture.AttackPath
	for _, id := range f.AttackPathIDs {
		if i, ok := j.paths[id]; ok {
			at = append(at, i)
		} else {
			lost = append(lost, &posture.AttackPath{ID: id})
		}
	}
	slices.Sort(at)
	out := make([]*posture.AttackPath, 0, len(at)+len(lost))
	for _, i := range slices.Compact(at) {
		out = append(out, &j.all[i])
	}
	return append(out, lost...)
}

// parts yields the parts of an assessment in one pass.
func parts(d export.Document, o Options) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		if err := o.Check(); err != nil {
			yield(part{}, err)
			return
		}
		if d.Findings == nil {
			yield(part{}, errors.New("write an assessment for a search index or a collector: it has no findings to read, and none would look like "+
				"good news"))
			return
		}
		o = o.filled()
		j, err := newJoin(&d)
		if err != nil {
			yield(part{}, err)
			return
		}
		for f, err := range d.Only(o.Changes.finding).Judged() {
			if err != nil {
				yield(part{}, fmt.Errorf("read the findings of assessment %s: %w", d.Assessment.ID, err))
				return
			}
			p := part{kind: kindFinding, id: findingDocument(d.Assessment.ID, f.ID), doc: &d, opts: o, finding: &f, node: j.node(f.NodeID),
				paths: j.pathsOf(&f), nodes: j.node}
			if !yield(p, nil) {
				return
			}
		}
		for i := range j.all {
			path := &j.all[i]
			if !o.Changes.path(path) {
				continue
			}
			p := part{kind: kindPath, id: pathDocument(d.Assessment.ID, path.ID), doc: &d, opts: o, path: path, node: j.node(path.TargetNodeID),
				nodes: j.node}
			if !yield(p, nil) {
				return
			}
		}
		yield(part{kind: kindAssessment, id: summaryDocument(d.Assessment.ID), doc: &d, opts: o, nodes: j.node}, nil)
	}
}

func (c *Changes) finding(id string) bool {
	return c == nil || c.Finding == nil || c.Finding(id)
}

func (c *Changes) path(p *posture.AttackPath) bool {
	switch {
	case c == nil:
		return true
	case c.Path != nil:
		return c.Path(p.ID)
	case c.Finding == nil || len(p.FindingIDs) == 0:
		return true
	default:
		return slices.ContainsFunc(p.FindingIDs, c.Finding)
	}
}

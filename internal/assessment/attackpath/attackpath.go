// Package attackpath finds paths from the internet to resources that should not be reachable. Each
// kind is one file with one detector. A detector follows edges of the graph; its condition is
// captured configuration or the verdict of a check, never the text of a message. It is pure, and
// the order of kinds, paths and ids is fixed: the same snapshot returns the same bytes.
//
// Sections that could not be read have no edges and no verdicts, so they produce no path.
package attackpath

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Kind is one kind of path.
type Kind struct {
	Name  string
	Title string
	Finds string // what it finds, for docs/attack-paths.md
	// Related are the checks about a part of such a path. For the kinds in the catalogue they are
	// the checks whose Paths name the kind.
	Related []string
	find    func(*world) []candidate
}

// candidate is a path as a detector returns it; complete adds the rest.
type candidate struct {
	title string
	// gains says what someone on the internet can do at the end of the path. grave is set when that
	// is a takeover, reading secrets or bypassing a protection people rely on. needs lists further
	// conditions that the snapshot does not show.
	gains       string
	grave       bool
	needs       []string
	explanation string
	nodes       []string // from the internet to the target
	steps       []string // edge types between the nodes
	refs        []string // node ids from which the path id is made; nil: all but the internet
	// about lists resources other than the nodes whose findings belong to the path (see keyOf).
	about  []resourceKey
	breaks []posture.Break
}

// Find returns all paths with their findings. nodeOf holds the node id of each finding
// (see graph.Build).
func Find(g *graph.Linked, snap *snapshot.Snapshot, findings []posture.Verdict, nodeOf []string) []posture.AttackPath {
	w := newWorld(g, snap, findings, nodeOf)
	kinds := Kinds()
	candidates := make([][]candidate, len(kinds))
	var wg sync.WaitGroup
	panics := make(chan any, len(kinds))
	for i, k := range kinds {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
				}
			}()
			candidates[i] = k.find(w)
		})
	}
	wg.Wait()
	if len(panics) > 0 {
		panic(<-panics) // where the caller can catch it
	}
	out := []posture.AttackPath{}
	seen := map[string]bool{}
	for i, k := range kinds {
		var paths []posture.AttackPath
		for _, c := range candidates[i] {
			p, ok := w.complete(k, c)
			if ok && !seen[p.ID] {
				seen[p.ID] = true
				paths = append(paths, p)
			}
		}
		slices.SortFunc(paths, func(a, b posture.AttackPath) int { return strings.Compare(a.ID, b.ID) })
		out = append(out, w.toldApart(paths)...)
	}
	return out
}

// toldApart adds to a title that several paths share what each of them ends at.
func (w *world) toldApart(paths []posture.AttackPath) []posture.AttackPath {
	of := map[string]int{}
	for _, p := range paths {
		of[p.Title]++
	}
	for i, p := range paths {
		if of[p.Title] > 1 {
			paths[i].Title += " (" + w.label(p.TargetNodeID) + ")"
		}
	}
	return paths
}

// complete turns a candidate into a path. A step that is not an edge of the graph is a bug of the
// detector; such a path is dropped.
func (w *world) complete(k Kind, c candidate) (posture.AttackPath, bool) {
	p := posture.AttackPath{Kind: k.Name, Title: c.title, HopCount: len(c.steps), EntryNodeID: c.nodes[0],
		TargetNodeID: c.nodes[len(c.nodes)-1], Nodes: c.nodes, Edges: []posture.PathEdge{}, Explanation: c.explanation,
		RelatedCheckIDs: []string{}, RemediableCheckIDs: []string{}, WatchedBy: watchers(k, c.nodes), FindingIDs: []string{}, Breaks: c.breaks}
	p.Severity, p.SeverityReason = c.rated()
	for i, step := range c.steps {
		e := posture.PathEdge{From: c.nodes[i], To: c.nodes[i+1], Type: step}
		if !w.has(e) {
			return p, false
		}
		p.Edges = append(p.Edges, e)
	}
	refs := c.refs
	if refs == nil {
		refs = c.nodes[1:]
	}
	p.ID = "ap:" + k.Name + ":" + strings.Join(refs, ":")
	w.relate(k, c, &p)
	return p, true
}

// rated returns the severity by the rule of docs/attack-paths.md: critical for what anyone can do
// today, high for what needs one more condition or gains less.
func (c candidate) rated() (posture.Severity, string) {
	switch {
	case len(c.needs) > 0:
		return posture.High, "Someone on the internet " + c.gains + ", provided that " + strings.Join(c.needs, " and ") + "."
	case c.grave:
		return posture.Critical, "Anyone on the internet " + c.gains + ". Nothing else is needed."
	default:
		return posture.High, "Anyone on the internet " + c.gains + ". That alone takes nothing over."
	}
}

// relate finds the open findings of the related checks on the path, and the checks
// whose remedies break it.
func (w *world) relate(k Kind, c candidate, p *posture.AttackPath) {
	seen := map[int]bool{}
	var byHand []string // checks with a finding on the path that no remedy closes
	take := func(all iter.Seq[int]) {
		for i := range all {
			if f := &w.findings[i]; !seen[i] && slices.Contains(k.Related, f.CheckID) {
				if seen[i] = true; !f.Remediable {
					byHand = append(byHand, f.CheckID)
				}
				p.FindingIDs, p.RelatedCheckIDs = append(p.FindingIDs, f.ID), append(p.RelatedCheckIDs, f.CheckID)
			}
		}
	}
	for _, n := range c.nodes {
		take(w.on(n))
		take(w.on(w.zoneOf(n)))
	}
	for _, r := range c.about {
		take(w.about(r))
	}
	slices.Sort(p.FindingIDs)
	slices.Sort(p.RelatedCheckIDs)
	p.RelatedCheckIDs = slices.Compact(p.RelatedCheckIDs)
	for i := range p.Breaks {
		b := &p.Breaks[i]
		b.Remediable = len(b.CheckIDs) > 0
		for _, id := range b.CheckIDs {
			can := slices.Contains(p.RelatedCheckIDs, id) && !slices.Contains(byHand, id)
			b.Remediable = b.Remediable && can
			if can {
				p.RemediableCheckIDs = append(p.RemediableCheckIDs, id)
			}
		}
		if b.CheckIDs == nil {
			b.CheckIDs = []string{}
		}
	}
	slices.Sort(p.RemediableCheckIDs)
	p.RemediableCheckIDs = slices.Compact(p.RemediableCheckIDs)
}

// readers are, by type of node, checks that between them read what makes such a node part of a path:
// the records of its zone, the hosts of a script, the policies of an application. Each judges what it
// read wherever there is such a node, so that it is UNKNOWN where something was not read.
func readers(node string) []string {
	switch kind, _, _ := strings.Cut(node, ":"); kind {
	case "dns":
		return []string{"CFL-DNS-008"}
	case graph.Service:
		return []string{"CFL-CH-002", "CFL-DNS-008", "CFL-LB-004"}
	case graph.Worker:
		return []string{"CFL-WORK-003", "CFL-WORK-005"}
	case graph.AccessApp:
		return []string{"CFL-ZT-001", "CFL-ZT-026"}
	case graph.Tunnel:
		return []string{"CFL-GW-005", "CFL-TUNNEL-004", "CFL-TUNNEL-008"}
	}
	return nil
}

// watchers lists the checks that must run before the path can be reported as gone: those about a part
// of such a path, and those that read what its nodes hang on.
func watchers(k Kind, nodes []string) []string {
	out := slices.Clone(k.Related)
	for _, n := range nodes {
		out = append(out, readers(n)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

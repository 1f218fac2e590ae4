package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// mostChokePoints bounds the choke points to what a person will read.
const mostChokePoints = 50

type pathsInput struct {
	ID       string `path:"id"`
	Severity string `query:"severity" enum:"critical,high" json:"severity,omitempty"`
	Kind     string `query:"kind" json:"kind,omitempty" doc:"Kinds of paths, parted by commas."`
	Path     string `query:"path" json:"path,omitempty" maxLength:"4000" doc:"Only the path of this id."`
	Node     string `query:"node" json:"node,omitempty" maxLength:"1000" doc:"Only paths that this node is on."`
	Breaks   string `query:"breaks" json:"breaks,omitempty" maxLength:"1000"`
	Change   string `query:"change" json:"change,omitempty" maxLength:"1000"`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in title, explanation or check id."`
	Sort     string `query:"sort" json:"sort,omitempty" enum:"severity,hops,title" default:"severity" doc:"Ties: the worst, then shortest."`
	Nodes    bool   `query:"nodes" json:"nodes,omitempty" doc:"Also return nodes; the first time this reads the graph of the assessment."`
	Fold     bool   `query:"fold" json:"fold,omitempty" doc:"Lists the first of three or more paths that differ little; see alike."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string `query:"cursor" maxLength:"1000"`
}

// PathsBody is a page of attack paths.
type PathsBody struct {
	Items       []posture.AttackPath    `json:"items"`
	NextCursor  string                  `json:"nextCursor"`
	Total       int                     `json:"total" doc:"How many paths there are with these filters."`
	ChokePoints []attackpath.ChokePoint `json:"chokePoints" doc:"Changes that alone break paths, by how many of all paths; at most 50."`
	All         int                     `json:"all" doc:"How many paths the assessment has."`
	Kinds       []string                `json:"kinds" doc:"The kinds of all its paths, sorted."`
	Alike       []attackpath.Alike      `json:"alike" doc:"With fold=true: how many paths are told by one, and what breaks them."`
	Nodes       []PathNode              `json:"nodes" doc:"With nodes=true: the nodes of these paths, the changes and the filters, by id."`
}

// PathNode is a short form of a graph node.
type PathNode struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Label    string `json:"label"`
	Severity string `json:"severity" enum:"critical,high,medium,low,informational,none" doc:"The worst open finding."`
}

// listPaths lists the attack paths of one assessment without its graph.
func listPaths(s *Server, ctx context.Context, in *pathsInput) (*runOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	kinds := []string{}
	for _, k := range attackpath.Kinds() {
		kinds = append(kinds, k.Name)
	}
	if _, err := valuesOf("kind", in.Kind, among("kind", kinds...)); err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context, _ store.AssessmentRef) (any, error) {
		all, err := s.attackPaths(ctx, id)
		if err != nil {
			return nil, err
		}
		var known map[string]PathNode
		if in.Nodes {
			if known, err = s.pathNodes(ctx, id, all); err != nil {
				return nil, err
			}
		}
		return in.page(all, known)
	})
}

// attackPaths returns all attack paths of an assessment.
func (s *Server) attackPaths(ctx context.Context, id string) ([]posture.AttackPath, error) {
	seq, err := s.o.Store.Paths(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load the attack paths: %w", err)
	}
	return store.Collect(seq)
}

// pathNodes returns the graph nodes that the paths of an assessment, or the changes that break
// them, refer to. They are extracted from the graph once and cached.
func (s *Server) pathNodes(ctx context.Context, id string, paths []posture.AttackPath) (map[string]PathNode, error) {
	kept, err := s.kept(ctx, s.documents, "path nodes of "+id, func(ctx context.Context, w io.Writer) error {
		wanted := map[string]bool{}
		for node := range nodesOn(paths) {
			wanted[node] = true
		}
		g, err := s.o.Store.Graph(ctx, id)
		if err != nil {
			return fmt.Errorf("load the graph: %w", err)
		}
		out := make([]PathNode, 0, len(wanted))
		if err := graph.EachNode(g, func(n *graph.Node) {
			if wanted[n.ID] {
				out = append(out, PathNode{n.ID, n.Type, n.Label, n.Severity})
			}
		}); err != nil {
			return fmt.Errorf("load the graph: %w", err)
		}
		return json.NewEncoder(w).Encode(out)
	})
	if err != nil {
		return nil, err
	}
	r, _, err := kept.Unpacked()
	if err != nil {
		return nil, fmt.Errorf("read the nodes of attack paths: %w", err)
	}
	defer func() { _ = r.Close() }()
	var nodes []PathNode
	if err := json.NewDecoder(r).Decode(&nodes); err != nil {
		return nil, fmt.Errorf("read the nodes of attack paths: %w", err)
	}
	known := make(map[string]PathNode, len(nodes))
	for _, n := range nodes {
		known[n.ID] = n
	}
	return known, nil
}

func (in *pathsInput) page(all []posture.AttackPath, known map[string]PathNode) (PathsBody, error) {
	out := PathsBody{ChokePoints: attackpath.ChokePoints(all), All: len(all), Kinds: []string{}}
	out.ChokePoints = out.ChokePoints[:min(len(out.ChokePoints), mostChokePoints)]
	for _, p := range all {
		out.Kinds = append(out.Kinds, p.Kind)
	}
	slices.Sort(out.Kinds)
	out.Kinds = slices.Compact(out.Kinds)
	kinds := words(in.Kind)
	all = slices.DeleteFunc(all, func(p posture.AttackPath) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, p.Kind) || !in.fits(p)
	})
	slices.SortFunc(all, in.compare)
	out.Total = len(all)
	var alike []attackpath.Alike
	if in.Fold {
		all, alike = attackpath.Fold(all)
	}
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(p posture.AttackPath) bool { return p.ID == in.Cursor })
		if at < 0 {
			return out, posture.Invalid("query.cursor", fmt.Sprintf("the cursor %q names no attack path of this list; start again without it",
				clip(in.Cursor)), clip(in.Cursor))
		}
		all = all[at+1:]
	}
	out.Items = notNil(all[:min(len(all), in.Limit)])
	if len(all) > in.Limit {
		out.NextCursor = out.Items[in.Limit-1].ID
	}
	out.Alike = notNil(slices.DeleteFunc(alike, func(a attackpath.Alike) bool {
		return !slices.ContainsFunc(out.Items, func(p posture.AttackPath) bool { return p.ID == a.PathID })
	}))
	out.Nodes = in.named(out, known)
	return out, nil
}

// nodesOn yields the ids of all nodes that the paths and the changes that break them refer to, with
// repetitions.
func nodesOn(paths []posture.AttackPath) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range paths {
			for _, b := range p.Breaks {
				if !yield(b.NodeID) {
					return
				}
			}
			for _, id := range p.Nodes {
				if !yield(id) {
					return
				}
			}
		}
	}
}

func (in *pathsInput) named(out PathsBody, known map[string]PathNode) []PathNode {
	ids := slices.AppendSeq([]string{in.Node, in.Breaks}, nodesOn(out.Items))
	for _, c := range out.ChokePoints {
		ids = append(ids, c.NodeID)
	}
	slices.Sort(ids)
	nodes := []PathNode{}
	for _, id := range slices.Compact(ids) {
		if n, ok := known[id]; ok {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// compare orders two paths; by default the worst comes first, then the shortest.
func (in *pathsInput) compare(x, y posture.AttackPath) int {
	severity, hops := cmp.Compare(y.Severity.Rank(), x.Severity.Rank()), cmp.Compare(x.HopCount, y.HopCount)
	title, first := strings.Compare(x.Title, y.Title), severity
	switch in.Sort {
	case "hops":
		first = hops
	case "title":
		first = title
	}
	return cmp.Or(first, severity, hops, title, strings.Compare(x.ID, y.ID))
}

func (in *pathsInput) fits(p posture.AttackPath) bool {
	text := strings.ToLower(p.Title + " " + p.Explanation + " " + strings.Join(p.RelatedCheckIDs, " "))
	return (in.Severity == "" || string(p.Severity) == in.Severity) &&
		(in.Path == "" || p.ID == in.Path) &&
		(in.Node == "" || slices.Contains(p.Nodes, in.Node)) &&
		(in.Breaks == "" && in.Change == "" || slices.ContainsFunc(p.Breaks, in.made)) &&
		strings.Contains(text, strings.ToLower(searched(in.Text)))
}

// made reports whether a change that breaks a path is the one that was asked for.
func (in *pathsInput) made(b posture.Break) bool {
	return (in.Breaks == "" || b.NodeID == in.Breaks) && (in.Change == "" || b.Change == in.Change)
}

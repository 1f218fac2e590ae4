package toolserver

import (
	"cmp"
	"context"
	"fmt"
	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"slices"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

type pathsIn struct {
	Choice
	ID       string `json:"id,omitempty" jsonschema:"only this path, whole: with its nodes, edges and findings"`
	Kind     string `json:"kind,omitempty" jsonschema:"only paths of this kind, for example exposed-origin"`
	Severity string `json:"severity,omitempty" jsonschema:"only paths of this severity"`
	Page
}

type cutIn struct {
	Choice
	Severity string   `json:"severity,omitempty" jsonschema:"paths of at least this severity; the critical ones when absent and there are any"`
	PathIDs  []string `json:"pathIds,omitempty" jsonschema:"only these attack paths"`
}

type neighbourhoodIn struct {
	Choice
	NodeID string `json:"nodeId" jsonschema:"id of a node, for example internet, zone:<id> or a node of an attack path"`
	Depth  int    `json:"depth,omitempty" jsonschema:"how many edges away, 1 to 3; 1 when absent"`
}

type diffIn struct {
	BaselineID string `json:"baselineId,omitempty" jsonschema:"UUID of the assessment to compare with; the one before the current when absent"`
	CurrentID  string `json:"currentId,omitempty" jsonschema:"UUID of the assessment that is compared; the latest when absent"`
	Account    string `json:"account,omitempty" jsonschema:"with the latest: provider account id, or id or name of a registered account"`
	List       string `json:"list,omitempty" jsonschema:"only this list, whole; all lists with their first 5 entries when absent"`
	Page
}

type pathsOut struct {
	AssessmentID string              `json:"assessmentId"`
	AttackPaths  []pathView          `json:"attackPaths"`
	Path         *posture.AttackPath `json:"path,omitempty"`
	Total        int                 `json:"total"`
	NextCursor   string              `json:"nextCursor"`
}

type neighbourhoodOut struct {
	AssessmentID string           `json:"assessmentId"`
	NodeID       string           `json:"nodeId"`
	Depth        int              `json:"depth"`
	Nodes        []map[string]any `json:"nodes"`
	Edges        []map[string]any `json:"edges"`
}

type diffOut struct {
	BaselineID string                      `json:"baselineId"`
	CurrentID  string                      `json:"currentId"`
	ScoreDelta *int                        `json:"scoreDelta"`
	DriftScore int                         `json:"driftScore"`
	Counts     map[string]int              `json:"counts"`
	Lists      map[string][]differenceView `json:"lists,omitempty"`
	Appeared   []string                    `json:"pathsAppeared,omitempty"`
	Gone       []string                    `json:"pathsDisappeared,omitempty"`
	Entries    []differenceView            `json:"entries,omitempty"`
	NextCursor string                      `json:"nextCursor,omitempty"`
}

// usualPaths is the default page size for attack paths, which is small because their explanations are long.
const usualPaths = 5

func (t *tools) addPosture() {
	add[pathsIn, pathsOut](t, tool{name: "list_attack_paths", title: "Attack paths", effect: reads, more: "Narrow with kind or severity.",
		about: "Ways from the internet to something that should not be reached, with the single changes that break each.",
		words: map[string][]string{"severity": {"critical", "high"}}}, listPaths)
	add[cutIn, attackpath.Cut](t, tool{name: "least_changes", title: "The least that breaks the most", effect: reads,
		more: "Narrow with severity.",
		about: "The smallest set of changes that together break all critical attack paths, or those of a severity or of some ids, with the " +
			"least risk of breaking something else. Says whether it is exact.",
		words: map[string][]string{"severity": {"critical", "high"}}}, leastChanges)
	add[neighbourhoodIn, neighbourhoodOut](t, tool{name: "graph_neighbourhood", title: "Around a node", effect: reads,
		more:  "Ask with a lower depth, or about a neighbour.",
		about: "The resources around one node of the graph and how they are connected, nearest first."}, neighbourhood)
	add[diffIn, diffOut](t, tool{name: "diff", title: "What changed", effect: reads, more: "Ask for one list.",
		about: "What changed between two assessments of one account: new, resolved, regressed, improved, changed, and what became unreadable " +
			"(unknown, never resolved).",
		words: map[string][]string{"list": {"new", "resolved", "regressed", "improved", "changed", "unknown"}}}, diff)
}

func listPaths(ctx context.Context, c *client.Client, in pathsIn) (answer, error) {
	g, err := c.Graph(ctx, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	all := slices.DeleteFunc(g.Value.AttackPaths, func(p posture.AttackPath) bool {
		return in.Kind != "" && p.Kind != in.Kind || in.Severity != "" && string(p.Severity) != in.Severity || in.ID != "" && p.ID != in.ID
	})
	if in.ID != "" && len(all) == 0 {
		return answer{}, posture.Problemf(posture.CodeNotFound, "There is no attack path of that id in assessment %s; list_attack_paths "+
			"without it names all.", g.Value.AssessmentID)
	}
	in.Limit = cmp.Or(in.Limit, usualPaths)
	part, next, err := paged(in.Page, in.AssessmentID != "", each(all, pathOf))
	if err != nil {
		return answer{}, err
	}
	out := pathsOut{AssessmentID: g.Value.AssessmentID, AttackPaths: notNil(part), Total: len(all), NextCursor: next}
	if in.ID != "" {
		out.AttackPaths, out.Path = []pathView{}, &all[0]
	}
	return answer{fmt.Sprintf("%d of %d attack paths of assessment %s; id gives one whole.", len(part), len(all),
		g.Value.AssessmentID), out}, nil
}

func leastChanges(ctx context.Context, c *client.Client, in cutIn) (answer, error) {
	id := in.AssessmentID
	if id == "" {
		a, err := c.Latest(ctx, in.Account)
		if err != nil {
			return answer{}, err
		}
		id = a.Value.ID
	}
	got, err := c.Cut(ctx, id, in.Severity, in.PathIDs)
	if err != nil {
		return answer{}, err
	}
	return answer{fmt.Sprintf("%d changes break %d of %d attack paths of assessment %s.", len(got.Value.Changes), got.Value.Paths,
		got.Value.Of, id), got.Value}, nil
}

func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

func neighbourhood(ctx context.Context, c *client.Client, in neighbourhoodIn) (answer, error) {
	if in.Depth == 0 {
		in.Depth = 1
	}
	if in.Depth < 0 || in.Depth > 3 {
		return answer{}, posture.Invalid("depth", fmt.Sprintf("depth is %d; use 1 to 3", in.Depth), in.Depth)
	}
	g, err := c.Graph(ctx, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	around := within(g.Value.Graph, in.NodeID, in.Depth)
	if len(around) == 0 {
		return answer{}, posture.Problemf(posture.CodeNotFound,
			"There is no node %q in assessment %s; internet is one, and list_attack_paths names others.", cut(in.NodeID, 200), g.Value.AssessmentID)
	}
	// Drop nodes until the nodes and the edges between them fit.
	part := around
	for {
		kept, err := fitted(part)
		if err != nil {
			return answer{}, err
		}
		edges := between(g.Value.Graph.Edges, kept)
		both, err := encode(map[string]any{"nodes": kept, "edges": edges})
		if err != nil {
			return answer{}, err
		}
		if size(both) <= maxItems || len(kept) == 1 {
			out := map[string]any{"assessmentId": g.Value.AssessmentID, "nodeId": in.NodeID, "depth": in.Depth, "nodes": kept, "edges": edges}
			words := fmt.Sprintf("%d nodes within %d edges.", len(kept), in.Depth)
			if left := len(around) - len(kept); left > 0 {
				out["leftOut"] = fmt.Sprintf("%d nodes farther away are left out; ask with a lower depth, or about a neighbour.", left)
				words += fmt.Sprintf(" %d farther ones are left out.", left)
			}
			return answer{words, out}, nil
		}
		part = kept[:max(1, min(len(kept)-1, len(kept)*maxItems/size(both)))]
	}
}

// within returns the nodes at most depth edges from start, nearest first and then by id. It follows
// edges in both directions.
func within(g graph.Graph, start string, depth int) []graph.Node {
	nodes, next := map[string]graph.Node{}, map[string][]string{}
	for _, n := range g.Nodes {
		nodes[n.ID] = n
	}
	if _, ok := nodes[start]; !ok {
		return nil
	}
	for _, e := range g.Edges {
		next[e.From], next[e.To] = append(next[e.From], e.To), append(next[e.To], e.From)
	}
	out, seen, ring := []graph.Node{nodes[start]}, map[string]bool{start: true}, []string{start}
	for ; depth > 0 && len(ring) > 0; depth-- {
		var outer []string
		for _, id := range ring {
			for _, other := range next[id] {
				if !seen[other] {
					seen[other] = true
					outer = append(outer, other)
				}
			}
		}
		slices.Sort(outer)
		for _, id := range outer {
			out = append(out, nodes[id])
		}
		ring = outer
	}
	return out
}

func between(edges []graph.Edge, nodes []graph.Node) []graph.Edge {
	shown := map[string]bool{}
	for _, n := range nodes {
		shown[n.ID] = true
	}
	out := []graph.Edge{}
	for _, e := range edges {
		if shown[e.From] && shown[e.To] {
			out = append(out, e)
		}
	}
	return out
}

func diff(ctx context.Context, c *client.Client, in diffIn) (answer, error) {
	baseline, current, err := pair(ctx, c, in)
	if err != nil {
		return answer{}, err
	}
	d, err := c.Diff(ctx, baseline, current)
	if err != nil {
		return answer{}, err
	}
	return compared(d.Value, in)
}

// pair returns the ids of the two assessments to compare.
func pair(ctx context.Context, c *client.Client, in diffIn) (baseline, current string, err error) {
	current, err = chosen(ctx, c, in.CurrentID, in.Account)
	if err != nil || in.BaselineID != "" {
		return in.BaselineID, current, err
	}
	baseline, err = c.Before(ctx, current)
	return baseline, current, err
}

// usualEntries is how many entries of each list a comparison shows.
const usualEntries = 5

// compared shows the first entries of every list, or a page of one list.
func compared(d drift.Drift, in diffIn) (answer, error) {
	lists := map[string][]drift.Difference{"new": d.New, "resolved": d.Resolved, "regressed": d.Regressed, "improved": d.Improved,
		"changed": d.Changed, "unknown": d.Unknown}
	out := diffOut{BaselineID: d.Baseline.ID, CurrentID: d.Current.ID, ScoreDelta: d.ScoreDelta, DriftScore: d.DriftScore,
		Counts: map[string]int{"unchanged": d.Unchanged, "apart": d.Apart, "pathsAppeared": len(d.Paths.Appeared),
			"pathsDisappeared": len(d.Paths.Disappeared)}}
	for name, l := range lists {
		out.Counts[name] = len(l)
	}
	words := fmt.Sprintf("From %s to %s: score %s; %d new, %d resolved, %d regressed, %d improved, %d changed, %d unknown, %d unchanged; "+
		"%d attack paths appeared, %d disappeared.",
		d.Baseline.ID, d.Current.ID, d.ScoreChange(), len(d.New), len(d.Resolved), len(d.Regressed), len(d.Improved), len(d.Changed),
		len(d.Unknown), d.Unchanged, len(d.Paths.Appeared), len(d.Paths.Disappeared))
	if in.List != "" {
		var err error
		out.Entries, out.NextCursor, err = paged(in.Page, in.BaselineID != "" && in.CurrentID != "", each(lists[in.List], differenceOf))
		return answer{words, out}, err
	}
	out.Lists = map[string][]differenceView{}
	for name, l := range lists {
		if len(l) > 0 {
			out.Lists[name] = each(l[:min(len(l), usualEntries)], differenceOf)
		}
	}
	for _, p := range d.Paths.Appeared {
		out.Appeared = append(out.Appeared, p.ID)
	}
	for _, p := range d.Paths.Disappeared {
		out.Gone = append(out.Gone, p.ID)
	}
	return answer{words, out}, nil
}

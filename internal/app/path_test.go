package app_test

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestPathsWithoutTheirGraph holds the list of attack paths against those that come with the graph.
func TestPathsWithoutTheirGraph(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 6, Plant: 0.5}}})
	a := s.assessAll(nil)
	var drawn httpapi.GraphAnswer
	s.get("/api/posture/graph?assessmentId="+a.ID, &drawn)
	require.Greater(t, len(drawn.AttackPaths), 3)
	at := "/api/assessments/" + a.ID + "/paths"
	list := func(query string) (all []posture.AttackPath) {
		told := 0
		for cursor := ""; ; {
			var page httpapi.PathsBody
			s.get(at+"?limit=2&"+query+"&cursor="+cursor, &page)
			told += len(page.Items)
			for _, a := range page.Alike {
				told += a.Others
			}
			if all = append(all, page.Items...); page.NextCursor == "" {
				require.Equal(t, page.Total, told)
				return all
			}
			cursor = page.NextCursor
		}
	}
	all := list("")
	require.ElementsMatch(t, drawn.AttackPaths, all)
	for i := range all[1:] {
		require.GreaterOrEqual(t, all[i].Severity.Rank(), all[i+1].Severity.Rank(), "the worst first")
	}
	require.Equal(t, all, list("sort=severity"))
	for sort, first := range map[string]func(x, y posture.AttackPath) int{
		"hops":  func(x, y posture.AttackPath) int { return cmp.Compare(x.HopCount, y.HopCount) },
		"title": func(x, y posture.AttackPath) int { return strings.Compare(x.Title, y.Title) },
	} {
		want := slices.Clone(all)
		slices.SortStableFunc(want, first)
		require.NotEqual(t, want, all, "the order matters here")
		require.Equal(t, want, list("sort="+sort))
	}
	folded := list("fold=true")
	require.Subset(t, all, folded)
	one := all[len(all)-1]
	for _, query := range []string{"severity=" + string(one.Severity), "kind=" + one.Kind, "q=" + one.RelatedCheckIDs[0]} {
		some := list(query)
		require.Contains(t, some, one, query)
		require.LessOrEqual(t, len(some), len(all))
	}
	require.Len(t, list("node=internet&kind="+one.Kind), len(list("kind="+one.Kind)))
	require.Len(t, list("kind=open-port,exposed-origin"), len(list("kind=open-port"))+len(list("kind=exposed-origin")), "a comma is OR")
	require.Empty(t, list("q=nothing+is+called+so"))
	require.Equal(t, []posture.AttackPath{one}, list("path="+url.QueryEscape(one.ID)))

	var page httpapi.PathsBody
	s.get(at+"?q=nothing+is+called+so", &page)
	require.Equal(t, len(all), page.All)
	require.Contains(t, page.Kinds, one.Kind)
	require.Empty(t, page.Nodes, "the graph is read when names are asked for")
	s.get(at+"?nodes=true", &page)
	named := map[string]httpapi.PathNode{}
	for _, n := range page.Nodes {
		named[n.ID] = n
	}
	for _, p := range page.Items {
		for _, id := range p.Nodes {
			i := slices.IndexFunc(drawn.Graph.Nodes, func(n graph.Node) bool { return n.ID == id })
			require.Equal(t, httpapi.PathNode{ID: id, Type: drawn.Graph.Nodes[i].Type, Label: drawn.Graph.Nodes[i].Label,
				Severity: drawn.Graph.Nodes[i].Severity}, named[id])
		}
	}
	require.NotEmpty(t, page.ChokePoints)
	for _, c := range page.ChokePoints {
		at := "breaks=" + url.QueryEscape(c.NodeID)
		require.GreaterOrEqual(t, len(list(at)), c.Paths, c.Change)
		broken := list(at + "&change=" + url.QueryEscape(c.Change))
		require.Len(t, broken, c.Paths, c.Change)
		for _, p := range broken {
			require.True(t, slices.ContainsFunc(p.Breaks, func(b posture.Break) bool {
				return b.NodeID == c.NodeID && b.Change == c.Change
			}), p.ID)
		}
	}

	for query, status := range map[string]int{"cursor=odd": 422, "severity=odd": 422, "sort=odd": 422, "limit=0": 422, "limit=1001": 422} {
		require.Equal(t, status, s.call("GET", at+"?"+query, nil).status, query)
	}
	require.Equal(t, 404, s.call("GET", "/api/assessments/00000000-0000-4000-8000-000000000000/paths", nil).status)
}

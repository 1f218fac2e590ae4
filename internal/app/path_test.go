package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestPathsWithoutTheirGraph holds the list of attack paths against those that come with the graph.
func TestPathsWithoutTheirGraph(t *testing.T) {
	s := embedded(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 6, Plant: 0.5}}})
	a := s.assessAll(nil)
	var drawn struct{ AttackPaths []posture.AttackPath }
	s.get("/api/posture/graph?assessmentId="+a.ID, &drawn)
	require.Greater(t, len(drawn.AttackPaths), 3)
	at := "/api/assessments/" + a.ID + "/paths"
	list := func(query string) (all []posture.AttackPath) {
		for cursor := ""; ; {
			var page httpapi.PathsBody
			s.get(at+"?limit=2&"+query+"&cursor="+cursor, &page)
			if all = append(all, page.Items...); page.NextCursor == "" {
				require.Len(t, all, page.Total)
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
	one := all[len(all)-1]
	for _, query := range []string{"severity=" + string(one.Severity), "kind=" + one.Kind, "q=" + one.RelatedCheckIDs[0]} {
		some := list(query)
		require.Contains(t, some, one, query)
		require.LessOrEqual(t, len(some), len(all))
	}
	require.Len(t, list("node=internet&kind="+one.Kind), len(list("kind="+one.Kind)))
	require.Empty(t, list("q=nothing+is+called+so"))

	var page httpapi.PathsBody
	s.get(at, &page)
	require.NotEmpty(t, page.ChokePoints)
	breaks := 0
	for _, p := range all {
		for _, b := range p.Breaks {
			if b.NodeID == page.ChokePoints[0].NodeID && b.Change == page.ChokePoints[0].Change {
				breaks++
				break
			}
		}
	}
	require.Equal(t, breaks, page.ChokePoints[0].Paths)

	for query, status := range map[string]int{"cursor=odd": 422, "severity=odd": 422, "limit=0": 422, "limit=1001": 422} {
		require.Equal(t, status, s.call("GET", at+"?"+query, nil).status, query)
	}
	require.Equal(t, 404, s.call("GET", "/api/assessments/00000000-0000-4000-8000-000000000000/paths", nil).status)
}

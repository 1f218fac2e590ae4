package relational

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
)

// TestGraphIsPackedAsItsJSON: what is written piece by piece is the JSON of the whole, and
// nothing of a graph without nodes.
func TestGraphIsPackedAsItsJSON(t *testing.T) {
	g := graph.Graph{Edges: []graph.Edge{}}
	for _, n := range []int{0, 1, 2, 200} {
		for i := len(g.Nodes); i < n; i++ {
			g.Nodes = append(g.Nodes, graph.Node{ID: fmt.Sprint("<node> ", i)})
			if i > 0 {
				g.Edges = append(g.Edges, graph.Edge{})
			}
		}
		packed, err := packGraph(g, &packer{})
		require.NoError(t, err)
		got, err := unpack(packed)
		require.NoError(t, err)
		want, err := json.Marshal(g)
		require.NoError(t, err)
		if n == 0 {
			want = []byte("null")
		}
		require.Equal(t, string(want), string(got))
	}
}

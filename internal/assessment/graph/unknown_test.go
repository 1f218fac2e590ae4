package graph

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestColumnsCountWhatWasNotAssessed: apart from the open findings, also of graphs kept before nodes counted it.
func TestColumnsCountWhatWasNotAssessed(t *testing.T) {
	g := &Linked{Nodes: []*Node{
		{ID: "zone:1", Type: Zone, Severity: "high", FindingIDs: []string{"a", "b", "c"}, Unknown: 2},
		{ID: "zone:2", Type: Zone, Severity: "high", FindingIDs: []string{"d"}},
		{ID: "zone:3", Type: Zone, Severity: Clean, FindingIDs: []string{"e", "f"}},
	}}
	var out bytes.Buffer
	require.NoError(t, WriteColumns(&out, g))
	var c Columns
	require.NoError(t, json.Unmarshal(out.Bytes(), &c))
	require.Equal(t, []int{3, 1, 2}, c.Nodes.Findings)
	require.Equal(t, []int{2, 0, 2}, c.Nodes.Unknown)
}

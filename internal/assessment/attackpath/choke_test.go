package attackpath_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestChokePoints(t *testing.T) {
	t.Parallel()
	unpause := posture.Break{Change: "Unpause the zone.", NodeID: "zone:1", CheckIDs: []string{"A"}, Remediable: true}
	byHand := unpause
	byHand.CheckIDs, byHand.Remediable = []string{"C"}, false
	elsewhere := unpause
	elsewhere.NodeID = "zone:2"
	proxy := posture.Break{Change: "Proxy the record.", NodeID: "dns:a", CheckIDs: []string{"B"}, Remediable: true}
	path := func(id string, findings []string, breaks ...posture.Break) posture.AttackPath {
		return posture.AttackPath{ID: id, Severity: posture.High, FindingIDs: findings, Breaks: breaks}
	}
	critical := path("c", []string{"f9"}, elsewhere)
	critical.Severity = posture.Critical
	for name, tc := range map[string]struct {
		paths []posture.AttackPath
		want  []attackpath.ChokePoint
	}{
		"none": {nil, []attackpath.ChokePoint{}},
		"by how many it breaks, with what they share": {
			[]posture.AttackPath{path("a", []string{"f1", "f2"}, proxy, unpause), path("b", []string{"f2", "f3"}, byHand), path("none", nil)},
			[]attackpath.ChokePoint{
				{Change: "Unpause the zone.", NodeID: "zone:1", CheckIDs: []string{"A", "C"}, Paths: 2, FindingIDs: []string{"f2"}},
				{Change: "Proxy the record.", NodeID: "dns:a", CheckIDs: []string{"B"}, Remediable: true, Paths: 1, FindingIDs: []string{"f1", "f2"}},
			},
		},
		"a path counts once, and the same words elsewhere are another change": {
			[]posture.AttackPath{path("a", nil, unpause, unpause, elsewhere)},
			[]attackpath.ChokePoint{
				{Change: "Unpause the zone.", NodeID: "zone:1", CheckIDs: []string{"A"}, Remediable: true, Paths: 1, FindingIDs: []string{}},
				{Change: "Unpause the zone.", NodeID: "zone:2", CheckIDs: []string{"A"}, Remediable: true, Paths: 1, FindingIDs: []string{}},
			},
		},
		"what breaks a critical path first": {
			[]posture.AttackPath{path("a", nil, proxy), critical},
			[]attackpath.ChokePoint{
				{Change: "Unpause the zone.", NodeID: "zone:2", CheckIDs: []string{"A"}, Remediable: true, Paths: 1, FindingIDs: []string{"f9"}},
				{Change: "Proxy the record.", NodeID: "dns:a", CheckIDs: []string{"B"}, Remediable: true, Paths: 1, FindingIDs: []string{}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, attackpath.ChokePoints(tc.paths))
		})
	}
}

// TestCover chooses changes by what they break beyond those before them; one that a path lists twice counts once.
func TestCover(t *testing.T) {
	path := func(id string, changes ...string) posture.AttackPath {
		p := posture.AttackPath{ID: id}
		for _, c := range changes {
			p.Breaks = append(p.Breaks, posture.Break{Change: c, NodeID: "n"})
		}
		return p
	}
	paths := []posture.AttackPath{path("1", "a", "b"), path("2", "a", "b"), path("3", "a"), path("4", "c", "b", "b"), path("5", "d"),
		path("6")}
	got := func(most int) (out []string) {
		for _, c := range attackpath.Cover(paths, most) {
			out = append(out, fmt.Sprint(c.Change, c.Paths))
		}
		return out
	}
	require.Equal(t, []string{"a3", "b1"}, got(2))
	require.Equal(t, []string{"a3", "b1", "d1"}, got(9))
	require.Empty(t, attackpath.Cover(nil, 3))
}

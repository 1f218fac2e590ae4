package attackpath_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestFold(t *testing.T) {
	t.Parallel()
	unpause := posture.Break{Change: "Unpause the zone.", NodeID: "zone:1"}
	elsewhere := posture.Break{Change: "Unpause the zone.", NodeID: "zone:2"}
	own := func(id string) posture.Break {
		return posture.Break{Change: "Close " + id + ".", NodeID: "origin:" + id}
	}
	path := func(id string, breaks ...posture.Break) posture.AttackPath {
		return posture.AttackPath{ID: id, Kind: "exposed-origin", Severity: posture.High, Breaks: append(breaks, own(id))}
	}
	critical := path("critical", unpause)
	critical.Severity = posture.Critical
	other := path("other", unpause)
	other.Kind = "open-port"
	for name, tc := range map[string]struct {
		paths []posture.AttackPath
		kept  string
		alike []attackpath.Alike
	}{
		"none": {nil, "[]", []attackpath.Alike{}},
		"two stay two": {
			[]posture.AttackPath{path("a", unpause), path("b", unpause)}, "[a b]", []attackpath.Alike{},
		},
		"three are told by the first, where the first was": {
			[]posture.AttackPath{path("x"), path("a", unpause), path("y"), path("b", unpause), path("c", unpause)},
			"[x a y]",
			[]attackpath.Alike{{PathID: "a", NodeID: "zone:1", Change: "Unpause the zone.", Others: 2}},
		},
		"another severity, kind or place is not alike": {
			[]posture.AttackPath{critical, other, path("a", unpause), path("b", unpause), path("c", elsewhere)},
			"[critical other a b c]", []attackpath.Alike{},
		},
		"a path counts once, with what breaks most": {
			[]posture.AttackPath{
				path("a", elsewhere, unpause), path("b", unpause), path("c", unpause), path("d", unpause), path("e", elsewhere), path("f", elsewhere),
			},
			"[a e f]",
			[]attackpath.Alike{{PathID: "a", NodeID: "zone:1", Change: "Unpause the zone.", Others: 3}},
		},
		"what nothing breaks is told one by one": {
			[]posture.AttackPath{{ID: "a"}, {ID: "b"}, {ID: "c"}}, "[a b c]", []attackpath.Alike{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, alike := attackpath.Fold(tc.paths)
			ids := make([]string, len(kept))
			for i, p := range kept {
				ids[i] = p.ID
			}
			require.Equal(t, tc.kept, fmt.Sprint(ids))
			require.Equal(t, tc.alike, alike)
		})
	}
}

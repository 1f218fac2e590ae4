package posture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCovers: only a run that was asked for as much tells what is new in another.
func TestCovers(t *testing.T) {
	for _, row := range []struct {
		name     string
		wide     *Scope
		narrow   *Scope
		and, too bool // the first covers the second, and the other way round
	}{
		{"everything", nil, nil, true, true},
		{"checks", nil, &Scope{Checks: []string{"a"}}, true, false},
		{"fewer checks", &Scope{Checks: []string{"b", "a"}}, &Scope{Checks: []string{"a"}}, true, false},
		{"other checks", &Scope{Checks: []string{"b"}}, &Scope{Checks: []string{"a"}}, false, false},
		{"a category, and a check of it", &Scope{Categories: []string{"dns"}}, &Scope{Categories: []string{"dns"}, Checks: []string{"a"}}, true,
			false},
		{"zones", nil, &Scope{Zones: []string{"z"}}, true, false},
		{"checks in zones", &Scope{Zones: []string{"y", "z"}}, &Scope{Zones: []string{"z"}, Checks: []string{"a"}}, true, false},
		{"all zones but one", nil, &Scope{ExcludeZones: []string{"z"}}, true, false},
		{"more zones left out", &Scope{ExcludeZones: []string{"z"}}, &Scope{ExcludeZones: []string{"y", "z"}}, true, false},
		{"zones and all but others", &Scope{Zones: []string{"y"}}, &Scope{ExcludeZones: []string{"z"}}, false, false},
		{"the core profile", nil, &Scope{Profile: ProfileCore}, true, false},
		{"the full profile", nil, &Scope{Profile: ProfileFull}, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, [2]bool{row.and, row.too}, [2]bool{row.wide.Covers(row.narrow), row.narrow.Covers(row.wide)})
		})
	}
}

package drift_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestPaths takes a path away and asks whether it is gone.
func TestPaths(t *testing.T) {
	const f, u, p = posture.Fail, posture.Unknown, posture.Pass
	inZone := posture.AttackPath{ID: "ap:x:z", Severity: posture.High, Nodes: []string{"internet", "dns:z:r", "origin:192.0.2.1"},
		RelatedCheckIDs: []string{"C"}, WatchedBy: []string{"C"}, FindingIDs: []string{finding("C", f, record("z", "r")).ID}}
	inAccount := posture.AttackPath{ID: "ap:x:w", Severity: posture.High, Nodes: []string{"internet", "worker:acc:w"},
		RelatedCheckIDs: []string{"C"}, WatchedBy: []string{"C"}}
	type fs = []posture.Finding
	zones := []string{"y", "z"}
	before := fs{finding("C", f, record("z", "r")), finding("C", p, zone("y"))}
	for _, tc := range []struct {
		name  string
		path  posture.AttackPath
		zones []string
		now   fs
		gone  bool
	}{
		{"judged and gone", inZone, zones, fs{finding("C", p, zone("z")), finding("C", p, zone("y"))}, true},
		{"its zone is unread", inZone, zones, fs{finding("C", u, zone("z")), finding("C", p, zone("y"))}, false},
		{"another zone is unread", inZone, zones, fs{finding("C", p, zone("z")), finding("C", u, zone("y"))}, true},
		{"something in its zone is unread", inZone, zones, fs{finding("C", u, record("z", "s"))}, false},
		{"something in another zone is unread", inZone, zones, fs{finding("C", u, record("y", "s")), finding("C", p, zone("z"))}, true},
		{"the account is unread", inZone, zones, fs{finding("C", u, whole())}, false},
		{"its zone is gone", inZone, []string{"y"}, fs{finding("C", p, zone("y"))}, true},
		{"its zone is gone, and the account is unread", inZone, []string{"y"}, fs{finding("C", u, whole())}, true},
		{"the zones are unread", inZone, nil, fs{finding("C", p, whole())}, false},
		{"its check did not run", inZone, zones, fs{finding("D", p, zone("z"))}, false},
		{"no zone, judged and gone", inAccount, zones, fs{finding("C", p, whole())}, true},
		{"no zone, some zone is unread", inAccount, zones, fs{finding("C", u, zone("y"))}, false},
		{"no zone, and one is gone", inAccount, []string{"z"}, fs{finding("C", p, whole())}, true},
		{"no zone, and the zones are unread", inAccount, nil, fs{finding("C", p, whole())}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := side("a", zones, before), side("bb", tc.zones, tc.now)
			a.Paths = paths(tc.path)
			d := compare(t, a, b)
			require.Empty(t, d.Paths.Appeared)
			if tc.gone {
				require.Equal(t, []posture.AttackPath{tc.path}, d.Paths.Disappeared)
				require.Empty(t, d.Paths.Unknown)
			} else {
				require.Empty(t, d.Paths.Disappeared)
				require.Equal(t, []posture.AttackPath{tc.path}, d.Paths.Unknown)
			}
			back := compare(t, b, a)
			require.Len(t, back.Paths.Appeared, 1)
			require.Equal(t, tc.gone, back.Paths.Appeared[0].Reason == "", "a path that was there but not seen need not be new")
		})
	}
}

// TestPathsFoundBlindly: a check that could not judge before either does not keep
// a path from being gone, because the path was found without it.
func TestPathsFoundBlindly(t *testing.T) {
	path := posture.AttackPath{ID: "ap:x:z", Severity: posture.High, Nodes: []string{"internet", "zone:z"}, WatchedBy: []string{"C", "D"}}
	zones := []string{"z"}
	a := side("a", zones, []posture.Finding{finding("C", posture.Fail, zone("z")), finding("D", posture.Unknown, zone("z"))})
	b := side("bb", zones, []posture.Finding{finding("C", posture.Pass, zone("z")), finding("D", posture.Unknown, zone("z"))})
	a.Paths = paths(path)
	require.Equal(t, []posture.AttackPath{path}, compare(t, a, b).Paths.Disappeared)
	b = side("bb", zones, []posture.Finding{finding("C", posture.Unknown, zone("z")), finding("D", posture.Unknown, zone("z"))})
	require.Equal(t, []posture.AttackPath{path}, compare(t, a, b).Paths.Unknown)
}

// TestPathsOfSomeZones: a run of some zones takes the domain of a bucket for reachable when it did not read
// the zone of that domain. Beside a run of all zones that says nothing about a change.
func TestPathsOfSomeZones(t *testing.T) {
	bucket := posture.AttackPath{ID: "ap:public-bucket:b", Severity: posture.Critical, WatchedBy: []string{"C"},
		Nodes: []string{"internet", "service:b.y.example", "r2:acc:b"}}
	own := posture.AttackPath{ID: "ap:x:z", Severity: posture.High, WatchedBy: []string{"C"},
		Nodes: []string{"internet", "dns:z:r", "origin:192.0.2.1"}}
	fails := []posture.Finding{finding("C", posture.Fail, record("z", "r"))}
	whole, part := side("a", []string{"y", "z"}, fails), side("bb", []string{"z"}, fails)
	part.Assessment.Scope, part.Paths = &posture.Scope{Zones: []string{"z.example"}}, paths(bucket, own)
	d := compare(t, whole, part)
	require.Equal(t, []drift.NewPath{{AttackPath: own}}, d.Paths.Appeared)
	d = compare(t, part, whole)
	require.Equal(t, []posture.AttackPath{own}, d.Paths.Disappeared)
	require.Empty(t, d.Paths.Unknown)
}

func TestPathsAreCompared(t *testing.T) {
	path := func(id string, s posture.Severity) posture.AttackPath { return posture.AttackPath{ID: id, Severity: s} }
	a, b := side("a", nil, nil), side("bb", nil, nil)
	a.Paths = paths(path("both", posture.High), path("old", posture.High))
	b.Paths = paths(path("new 2", posture.High), path("both", posture.Critical), path("new 1", posture.High), path("worst", posture.Critical),
		path("worst", posture.Critical))
	d := compare(t, a, b)
	require.Equal(t, []drift.NewPath{{AttackPath: path("worst", posture.Critical)}, {AttackPath: path("new 1", posture.High)},
		{AttackPath: path("new 2", posture.High)}}, d.Paths.Appeared)
	require.Equal(t, []posture.AttackPath{path("old", posture.High)}, d.Paths.Disappeared)
	require.Equal(t, 20, d.DriftScore, "10+7+7 for the new paths and 7/20 for the old one")
}

// TestDriftScore pins the scale: a new high finding, ten, a hundred.
func TestDriftScore(t *testing.T) {
	for _, tc := range []struct {
		severity posture.Severity
		result   posture.Result // in the baseline; now FAIL
		n, want  int
	}{
		{posture.High, posture.Warning, 1, 7}, {posture.High, posture.Warning, 10, 41}, {posture.High, posture.Warning, 100, 88},
		{posture.Critical, posture.Warning, 10, 50}, {posture.Informational, posture.Warning, 1, 1}, {posture.Critical, posture.Warning, 5000,
			100},
		{posture.Critical, posture.Fail, 1, 0}, {posture.Critical, posture.Unknown, 1, 9},
	} {
		var before, after []posture.Finding
		for i := range tc.n {
			x, y := finding("C", tc.result, member(string(rune('a'+i)))), finding("C", posture.Fail, member(string(rune('a'+i))))
			x.Severity, y.Severity = tc.severity, tc.severity
			before, after = append(before, x), append(after, y)
		}
		there, back := compare(t, side("a", nil, before), side("bb", nil, after)), compare(t, side("bb", nil, after), side("a", nil, before))
		require.Equal(t, tc.want, there.DriftScore, "%+v", tc)
		require.LessOrEqual(t, back.DriftScore, there.DriftScore, "better never counts more than worse")
	}
}

package change

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClean(t *testing.T) {
	for path, want := range map[string]bool{
		"/zones/z/settings/ssl": true, "/accounts/a/r2/buckets/my.bucket": true, "/zones/z/hostnames/settings/min_tls_version/a%20b?x=/../": true,
		"/zones/z/rulesets/{created}": true, "/zones/z/...": true,
		"": false, "/": false, "zones/z": false, "/zones//settings": false, "/zones/z/": false, "/zones/z/../y": false,
		"/zones/z/%2e%2e/y": false,
		"/zones/z/%2E./y":   false, "/zones/z/.": false, "/zones/z/a%2Fb": false, "/zones/z/a%5Cb": false, `/zones/z/a\b`: false,
		"/zones/z/%0a": false, "/zones/z/%zz": false,
	} {
		require.Equal(t, want, Clean(path), path)
	}
}

func TestWithin(t *testing.T) {
	at := func(path string) Edit { return Edit{Place: Place{Path: "/zones/z/x"}, Do: Call{Path: path}} }
	for path, want := range map[string]bool{
		"/zones/z/settings/ssl": true, "/accounts/a/access/apps/1": true, "/zones/z": true, "/accounts/a": true, "/zones/z?x=1": true,
		"/zones": false, "/zones/zz/settings": false, "/zones/zz": false, "/accounts/b/x": false,
		"/user/tokens/1": false, "/zones/z/../y/settings": false, "/zones/z%2F/x": false,
	} {
		require.Equal(t, want, at(path).Within("a", "z"), path)
	}
	require.False(t, Edit{Place: Place{Path: "/zones/z/x"}, Do: Call{Path: "/zones//x"}}.Within("a", ""))
	undo := at("/zones/z/x")
	undo.Undo = &Call{Path: "/zones/y/x"}
	require.False(t, undo.Within("a", "z"))
	undo.Undo, undo.Again = nil, &Place{Path: "/zones/y/x"}
	require.False(t, undo.Within("a", "z"))
}

func TestOverlaps(t *testing.T) {
	at := func(path string, match ...any) Edit {
		e := Edit{Place: Place{Path: path, Match: map[string]any{}}}
		for i := 0; i+1 < len(match); i += 2 {
			e.Place.Match[match[i].(string)] = match[i+1]
		}
		return e
	}
	for _, tc := range []struct {
		x, y Edit
		want bool
	}{
		{at("/zones/z/ssl"), at("/zones/z/ssl"), true}, {at("/zones/z/ssl"), at("/zones/y/ssl"), false},
		{at("/zones/z/ssl"), at("/zones/z/ssl2"), false}, {at("/zones/z"), at("/zones/z/ssl"), true},
		{at("/zones/z/dns?name=a", "id", "1"), at("/zones/z/dns?name=b", "id", "2"), false},
		{at("/zones/z/dns?name=a", "id", "1"), at("/zones/z/dns", "id", "1"), true},
		{at("/zones/z/dns", "id", "1"), at("/zones/z/dns", "ref", "2"), true}, {at("/zones/z/dns", "id", "1"), at("/zones/z/dns"), true},
	} {
		require.Equal(t, tc.want, tc.x.Overlaps(tc.y), "%v %v", tc.x.Place, tc.y.Place)
		require.Equal(t, tc.want, tc.y.Overlaps(tc.x), "%v %v", tc.y.Place, tc.x.Place)
	}
}

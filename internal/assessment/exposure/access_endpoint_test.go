package exposure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestMatchHost(t *testing.T) {
	for pattern, want := range map[string]bool{
		"a.shop.example": true, "*.shop.example": true, "*.example": false, "b.shop.example": false,
		"a*.shop.example":  true,
		"ab*.shop.example": false, "a.*.example": true, "shop.example": false, "*": false, "*.*.example": true,
	} {
		require.Equal(t, want, matchHost(pattern, "a.shop.example"), pattern)
	}
}

// TestHolds follows the tables of the published page about application paths.
func TestHolds(t *testing.T) {
	for address, want := range map[string][]string{
		"a.example": {"", "alpha", "alpha/one"}, "a.example/*": {"", "alpha", "alpha/one"},
		"a.example/alpha": {"alpha", "alpha/one"}, "a.example/alpha/": {"alpha", "alpha/one"}, "a.example/alpha/*": {"alpha/one"},
		"a.example/alp*": {"alpha", "alpha/one"}, "a.example/foo*/bar": {"foo/bar", "food/bar", "food/stuff/bar", "food/stuff/bar/below"},
	} {
		var held []string
		for _, path := range []string{"", "alpha", "alpha/one", "beta", "foo/bar", "food/bar", "food/stuff/bar", "food/stuff/bar/below"} {
			if endpoint(address, "").Holds("/" + path) {
				held = append(held, path)
			}
		}
		if endpoint(address, "").Path == "" {
			held = held[:3]
		}
		require.Equal(t, want, held, address)
	}
}

// TestTheMostSpecificApplicationDecides names each address as host or host and path; + guards, - is open, ? is not known.
func TestTheMostSpecificApplicationDecides(t *testing.T) {
	doors := func(all ...string) (out []AccessEndpoint) {
		for _, text := range all {
			d := endpoint(text[1:], "")
			d.Open, d.Unsure = text[0] == '-', text[0] == '?'
			out = append(out, d)
		}
		return out
	}
	for _, c := range []struct {
		doors []AccessEndpoint
		path  string
		want  Guard
	}{
		{doors: doors(), want: Unguarded},
		{doors: doors("+*.b.example", "-a.b.example"), want: Unguarded},
		{doors: doors("-*.b.example", "+a.b.example"), want: GuardedWhole},
		{doors: doors("+*.b.example", "-a*.b.example"), want: Unguarded},
		{doors: doors("+*.b.example", "-c.b.example"), want: GuardedWhole},
		{doors: doors("+*.example"), want: Unguarded},
		{doors: doors("+a.b.example", "-a.b.example/api"), want: GuardedInPart},
		{doors: doors("+a.b.example", "-a.b.example/api"), path: "^/api/v1", want: Unguarded},
		{doors: doors("+a.b.example", "-a.b.example/api"), path: "^/admin", want: GuardedWhole},
		{doors: doors("+a.b.example", "-a.b.example/api"), path: "admin", want: GuardedInPart},
		{doors: doors("-a.b.example", "+a.b.example/api"), path: "^/api/v1", want: GuardedWhole},
		{doors: doors("-a.b.example", "+a.b.example/api"), want: GuardedInPart},
		{doors: doors("+a.b.example/api"), path: "^/other", want: Unguarded},
		{doors: doors("+a.b.example/alpha/*"), path: "^/alpha", want: GuardedInPart},
		{doors: doors("+a.b.example/alpha/*"), path: "^/alpha/x", want: GuardedWhole},
		{doors: doors("+a.b.example/admin"), path: "^/admin", want: GuardedInPart}, // and /administrator
		{doors: doors("+a.b.example/admin"), path: "^/admin$", want: GuardedWhole},
		{doors: doors("+a.b.example/admin"), path: "^/admin(/|$)", want: GuardedWhole},
		{doors: doors("+a.b.example/admin*"), path: "^/admin", want: GuardedWhole},
		{doors: doors("+a.b.example/admin", "+a.b.example"), path: "^/admin", want: GuardedWhole},
		{doors: doors("+a.b.example", "-a.b.example/admin"), path: "^/admin", want: Unguarded},
		{doors: doors("-a.b.example/api", "+*.b.example/api"), want: Unguarded}, // the second is never asked
		{doors: doors("+a.b.example/api", "-*.b.example/api", "+*.b.example"), want: GuardedWhole},
		{doors: doors("+a.b.example/api", "-*.b.example/api/v1", "+*.b.example"), want: GuardedWhole},
		{doors: doors("+a.b.example/api", "-a*.b.example/api", "+*.b.example"), path: "^/api", want: GuardedWhole},
		{doors: doors("+a.b.example/api/*", "-*.b.example/api", "+*.b.example"), want: GuardedInPart},
		{doors: doors("+a.b.example", "?a.b.example/api"), want: UnsureGuard},
		{doors: doors("?a.b.example", "+*.b.example"), want: UnsureGuard},
		{doors: doors("+a.b.example", "-a.b.example"), want: UnsureGuard},
	} {
		require.Equal(t, c.want, Guarded(c.doors, "a.b.example", c.path), "%v %s", c.doors, c.path)
	}
}

// TestAStarStandsForEachHostname: an application for one of the hostnames may leave it open.
func TestAStarStandsForEachHostname(t *testing.T) {
	for _, c := range []struct {
		path string
		open []AccessEndpoint
		want Guard
	}{
		{"", nil, GuardedWhole},
		{"", []AccessEndpoint{{Host: "a.b.example", Open: true}}, GuardedInPart},
		{"", []AccessEndpoint{{Host: "a*.b.example", Open: true}}, GuardedInPart},
		{"", []AccessEndpoint{{Host: "a.b.example", Path: "hook", Open: true}}, GuardedInPart},
		{"", []AccessEndpoint{{Host: "a.b.example", Unsure: true}}, UnsureGuard},
		{"", []AccessEndpoint{{Host: "a.b.example"}, {Host: "a.c.b.example", Open: true}, {Host: "*.example", Open: true}}, GuardedWhole},
		{"^/api/", []AccessEndpoint{{Host: "a.b.example", Path: "hook", Open: true}}, GuardedWhole},
	} {
		require.Equal(t, c.want, Guarded(append(c.open, AccessEndpoint{Host: "*.b.example"}), "*.b.example", c.path), c)
	}
	require.Equal(t, Unguarded, Guarded([]AccessEndpoint{{Host: "a.b.example"}}, "*.b.example", ""), "most of it is open")
}

// TestPublicPaths: a destination may leave some of its paths to everyone.
func TestPublicPaths(t *testing.T) {
	for path, want := range map[string]Guard{"/*": Unguarded, "": Unguarded, "/api/*": GuardedInPart, "/health": GuardedInPart} {
		for _, address := range []string{"a.b.example", "https://A.b.example/*"} {
			require.Equal(t, want, Guarded(AccessEndpoints([]snapshot.AccessApp{{Type: "self_hosted", Domains: []string{address},
				Public: []snapshot.AccessPublic{{Address: address, Path: path}}}}), "a.b.example", ""), address+path)
		}
	}
}

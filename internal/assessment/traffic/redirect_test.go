package traffic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestLeadsToHTTPS(t *testing.T) {
	for to, want := range map[string]truth.Value{
		`concat("https://", http.host)`: truth.Yes, `concat("http://", http.host)`: truth.No, `concat(http.host, "https://")`: truth.Undecided,
		`regex_replace(http.request.full_uri, "^http:", "https://x")`: truth.Yes,
		`wildcard_replace(http.request.full_uri, "http://*")`:         truth.Undecided,
		`lower(http.request.full_uri)`:                                truth.Undecided, `"https://shop.example/"`: truth.Yes,
		`wildcard_replace(http.request.full_uri, "https://*", "https://www.${1}")`:  truth.No,
		`wildcard_replace(http.request.full_uri, "http*://*", "https://${2}")`:      truth.Yes,
		`regex_replace(http.request.full_uri, "^https://(.*)$", "https://x/${1}")`:  truth.No,
		`regex_replace(http.request.full_uri, "^https?://(.*)$", "https://x/${1}")`: truth.Yes,
		"odd(": truth.Undecided, "concat()": truth.Undecided,
	} {
		require.Equal(t, want, traffic.LeadsToHTTPS(snapshot.RuleParams{RedirectTo: to, RedirectRaw: true}), to)
	}
	require.Equal(t, truth.Undecided, traffic.LeadsToHTTPS(snapshot.RuleParams{}))
}

func TestMaxAge(t *testing.T) {
	for in, want := range map[string]int{"max-age=5": 5, `includeSubDomains; Max-Age = "7"`: 7, "max-age=0": 0, "max-age=x": 0, "": 0} {
		require.Equal(t, want, traffic.HeaderHSTS(in).MaxAge, in)
	}
}

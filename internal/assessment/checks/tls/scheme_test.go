package tls

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestSchemeCoverage(t *testing.T) {
	z := snapshot.Zone{Name: "shop.example", Plan: "pro"}
	all, part, none, open := exposure.Coverage{All: truth.Yes, Some: truth.Yes}, exposure.Coverage{Some: truth.Yes}, exposure.Coverage{},
		exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
	for text, want := range map[string][2]exposure.Coverage{ // over http, over https
		"true": {all, all}, "false": {none, none}, "ssl": {none, all}, "not ssl": {all, none}, "ssl eq false": {all, none},
		"ssl ne false":                                                                  {none, all},
		`ssl or not ssl`:                                                                {all, all},
		`http.request.scheme eq "http"`:                                                 {all, none},
		`http.request.scheme in {"http" "ws"}`:                                          {all, none},
		`http.request.scheme ne "http"`:                                                 {none, all},
		`http.request.scheme matches "http"`:                                            {open, open},
		`starts_with(http.request.full_uri, "http://")`:                                 {all, none},
		`http.request.full_uri wildcard "http://*"`:                                     {all, none},
		`http.request.full_uri wildcard "http://shop.example/*"`:                        {part, none},
		`http.request.full_uri wildcard "https://*"`:                                    {none, all},
		`http.request.full_uri contains "x"`:                                            {part, part},
		`not ssl and http.host eq "www.shop.example"`:                                   {part, none},
		`not ssl and http.host eq "other.example"`:                                      {none, none},
		`not ssl and (http.host eq "a.shop.example" or cf.zone.name eq "shop.example")`: {all, none},
		`cf.zone.name in $mine`:                                                         {open, open},
		`ends_with(cf.zone.name, ".example")`:                                           {open, open},
		"odd(":                                                                          {open, open},
	} {
		require.Equal(t, want[0], exposure.Cover(text, scheme(z, "http")), "%s over http", text)
		require.Equal(t, want[1], exposure.Cover(text, scheme(z, "https")), "%s over https", text)
	}
}

func TestLeadsToHTTPS(t *testing.T) {
	for to, want := range map[string]truth.Value{
		`concat("https://", http.host)`: truth.Yes, `concat("http://", http.host)`: truth.No, `concat(http.host, "https://")`: truth.Undecided,
		`regex_replace(http.request.full_uri, "^http:", "https://x")`: truth.Yes,
		`wildcard_replace(http.request.full_uri, "http://*")`:         truth.Undecided,
		`lower(http.request.full_uri)`:                                truth.Undecided, `"https://shop.example/"`: truth.Yes,
		"odd(": truth.Undecided, "concat()": truth.Undecided,
	} {
		require.Equal(t, want, leadsToHTTPS(snapshot.RuleParams{RedirectTo: to, RedirectRaw: true}), to)
	}
	require.Equal(t, truth.Undecided, leadsToHTTPS(snapshot.RuleParams{}))
}

func TestMaxAge(t *testing.T) {
	for in, want := range map[string]int{"max-age=5": 5, `includeSubDomains; Max-Age = "7"`: 7, "max-age=0": 0, "max-age=x": 0, "": 0} {
		require.Equal(t, want, maxAge(in), in)
	}
}

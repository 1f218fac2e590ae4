package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPoliciesComeInTheirOrder: which policy decides hangs on the order, and the list of the API promises none.
func TestPoliciesComeInTheirOrder(t *testing.T) {
	for text, want := range map[string]string{
		`[{"id":"c","precedence":3},{"id":"a","precedence":1},{"id":"b","precedence":2}]`: "abc",
		`[{"id":"c"},{"id":"a"},{"id":"b"}]`:                                              "cab",
		`[{"id":"b","precedence":2},{"id":"a","precedence":2},{"id":"c","precedence":1}]`: "cba",
		`null`: "",
	} {
		var w accessAppWire
		require.NoError(t, json.Unmarshal([]byte(`{"policies":`+text+`}`), &w))
		order := ""
		for _, p := range reduceAccessApp(w).Policies {
			order += p.ID
		}
		require.Equal(t, want, order)
	}
}

// TestOriginsThatEverySiteHas: what the list of allowed origins says counts as much as the switch for all of them.
func TestOriginsThatEverySiteHas(t *testing.T) {
	for text, want := range map[string]bool{
		`{"allow_all_origins":true}`:                           true,
		`{"allowed_origins":["*"],"allow_credentials":true}`:   true,
		`{"allowed_origins":["https://*"]}`:                    true,
		`{"allowed_origins":["https://a.example","null"]}`:     true,
		`{"allowed_origins":["https://*.a.example"]}`:          false,
		`{"allowed_origins":["https://a.example"]}`:            false,
		`{"allow_all_origins":false,"allow_credentials":true}`: false,
	} {
		var w accessAppWire
		require.NoError(t, json.Unmarshal([]byte(`{"cors_headers":`+text+`}`), &w))
		require.Equal(t, want, reduceAccessApp(w).CORS.AllowAllOrigins, text)
	}
	require.Nil(t, reduceAccessApp(accessAppWire{}).CORS)
}

package posture_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestMarkWords: an assessment of an earlier version has no reason, and keeps its grade and its bytes.
func TestMarkWords(t *testing.T) {
	for raw, want := range map[string]string{
		`{"value":97,"grade":"A","byCategory":{}}`:                                                "grade A",
		`{"value":97,"grade":null,"byCategory":{}}`:                                               "no grade (too little could be judged)",
		`{"value":99,"grade":"C","held":"held at C by 1 finding","heldBy":["x"],"byCategory":{}}`: "grade C (held at C by 1 finding)",
		`{"value":70,"grade":null,"withheld":"62 % of what counts","byCategory":{}}`:              "no grade (62 % of what counts)",
	} {
		var s posture.Score
		require.NoError(t, json.Unmarshal([]byte(raw), &s))
		require.Equal(t, want, s.Words())
		again, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, raw, string(again))
	}
	old := `{"id":"z","name":"z.example","plan":"free","status":"active"}`
	var z posture.ZoneRef
	require.NoError(t, json.Unmarshal([]byte(old), &z))
	again, err := json.Marshal(z)
	require.NoError(t, err)
	require.Equal(t, old, string(again))
}

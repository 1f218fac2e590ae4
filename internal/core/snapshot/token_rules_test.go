package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTokensThatARuleVerifies tells rules that look into a token from those that ask only whether one is there.
func TestTokensThatARuleVerifies(t *testing.T) {
	for expression, want := range map[string]string{
		`is_jwt_valid(\"c1\")`: `["c1"]`, `is_jwt_valid(\"c2\") or not is_jwt_present(\"c2\")`: `["c2"]`, `is_jwt_present(\"c1\")`: `null`,
	} {
		part, err := SourceOf(ZoneTokenRules).reduce(json.RawMessage(`[{"id":"t1","action":"block","enabled":true,"expression":"` +
			expression + `"}]`))
		require.NoError(t, err)
		var all []struct{ Configs json.RawMessage }
		require.NoError(t, json.Unmarshal(part, &all))
		got := string(all[0].Configs)
		if got == "" {
			got = "null"
		}
		require.Equal(t, want, got, expression)
	}
}

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

// TestOperationsThatARuleLeavesOut reads both forms of what is not there.
func TestOperationsThatARuleLeavesOut(t *testing.T) {
	for selector, want := range map[string][]string{
		`{"exclude":[{"operation_ids":["o1","o2"]},{"operation_ids":["o3"]}]}`: {"o1", "o2", "o3"},
		`{"exclude":null}`: nil, `{"include":[{}]}`: nil,
	} {
		page, err := SourceOf(ZoneTokenRules).Decode(json.RawMessage(`[{"id":"t1","selector":` + selector + `}]`))
		require.NoError(t, err)
		var all []TokenValidationRule
		require.NoError(t, json.Unmarshal(page, &all))
		require.Equal(t, want, all[0].Excluded, selector)
	}
}

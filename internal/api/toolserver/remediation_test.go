package toolserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/client/clienttest"
	"github.com/edgeposture/edgeposture/internal/api/toolserver"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// TestRemediationTools drives plan, apply, rollback and backups against the
// contract, and holds that no token comes back.
func TestRemediationTools(t *testing.T) {
	fake := clienttest.New(t)
	const providerToken = `canary "provider" token <1>`
	s := overStdioWith(t, fake.URL, toolserver.Tokens{Edit: secret.New(clienttest.EditToken), Provider: secret.New(providerToken)})
	plan := ok(t, s, "plan_remediation", map[string]any{"checkIds": []string{"CFL-SSL-001"},
		"inputs": map[string]any{"CFL-SSL-001": map[string]any{"mode": "strict"}}})
	require.Equal(t, clienttest.PlanID, plan.value["plan"].(map[string]any)["id"])
	require.Equal(t, "kept", plan.value["plan"].(map[string]any)["extra"])
	fake.Echo = true
	apply := ok(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{"CFL-SSL-001"},
		"planId": clienttest.PlanID})
	back := ok(t, s, "rollback_remediation", map[string]any{"bundleId": clienttest.BundleID})
	for _, r := range []result{apply, back} {
		raw, err := json.Marshal(r.value)
		require.NoError(t, err)
		require.Contains(t, string(raw), "echo")
		require.NotContains(t, string(raw)+r.words, "canary")
		require.Contains(t, r.words, "applied")
	}
	require.NotEmpty(t, ok(t, s, "list_backups", nil).value["backups"])

	calls := fake.Calls()
	require.Equal(t, clienttest.EditToken, calls[1].Body["token"], "the service gets the token itself, not dots")
	require.Equal(t, providerToken, calls[1].Body["apiToken"])
	require.Equal(t, map[string]any{"CFL-SSL-001": map[string]any{"mode": "strict"}}, calls[0].Body["inputs"])
	require.Equal(t, apiKey, calls[0].Key)

	wrong := use(t, overStdioWith(t, fake.URL, toolserver.Tokens{Edit: secret.New("canary-wrong-token")}), "rollback_remediation",
		map[string]any{"bundleId": clienttest.BundleID})
	require.True(t, wrong.failed)
	require.Equal(t, "edit_scope_denied", wrong.code)
	require.NotContains(t, wrong.words, "canary")
	fake.Refuse = posture.CodeRemediationDisabled
	off := use(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{}})
	require.Equal(t, "remediation_disabled", off.code)
	given := use(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{},
		"token": clienttest.EditToken})
	require.True(t, given.failed, "a model cannot bring a token")
	require.NotContains(t, given.words, clienttest.EditToken)
}

// TestPlansComeInPages: a large plan is read to its end with get_plan.
func TestPlansComeInPages(t *testing.T) {
	fake := clienttest.New(t)
	fake.Changes = 500
	s := overStdio(t, fake.URL)
	first := ok(t, s, "plan_remediation", nil)
	require.Len(t, first.value["plan"].(map[string]any)["changes"], 10)
	require.EqualValues(t, 500, first.value["counts"].(map[string]any)["changes"])
	require.Equal(t, "10", first.value["nextCursor"])
}

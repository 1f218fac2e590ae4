package toolserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/client/clienttest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestRemediationTools drives plan, apply, rollback and backups against the
// contract, and holds that no token comes back.
func TestRemediationTools(t *testing.T) {
	fake := clienttest.New(t)
	s := overStdio(t, fake.URL)
	plan := ok(t, s, "plan_remediation", map[string]any{"checkIds": []string{"CFL-SSL-001"},
		"inputs": map[string]any{"CFL-SSL-001": map[string]any{"mode": "strict"}}})
	require.Equal(t, clienttest.PlanID, plan.value["plan"].(map[string]any)["id"])
	require.Equal(t, "kept", plan.value["plan"].(map[string]any)["extra"])
	const providerToken = `canary "provider" token <1>`
	fake.Echo = true
	apply := ok(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{"CFL-SSL-001"},
		"planId": clienttest.PlanID, "token": clienttest.EditToken, "apiToken": providerToken})
	back := ok(t, s, "rollback_remediation", map[string]any{"bundleId": clienttest.BundleID, "token": clienttest.EditToken})
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

	wrong := use(t, s, "rollback_remediation", map[string]any{"bundleId": clienttest.BundleID, "token": "canary-wrong-token"})
	require.True(t, wrong.failed)
	require.Equal(t, "edit_scope_denied", wrong.value["code"])
	require.NotContains(t, wrong.words, "canary")
	fake.Refuse = posture.CodeRemediationDisabled
	off := use(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{},
		"token": clienttest.EditToken})
	require.Equal(t, "remediation_disabled", off.value["code"])
	missing := use(t, s, "apply_remediation", map[string]any{"assessmentId": clienttest.AssessmentID, "checkIds": []string{}})
	require.True(t, missing.failed)
	mistyped := use(t, s, "apply_remediation", map[string]any{"assessmentId": 7, "checkIds": []string{}, "token": clienttest.EditToken})
	require.True(t, mistyped.failed)
	require.NotContains(t, mistyped.words, "canary")
}

// TestLargeAnswersAreCut: what does not fit says what is missing.
func TestLargeAnswersAreCut(t *testing.T) {
	fake := clienttest.New(t)
	fake.Changes = 5000
	r := ok(t, overStdio(t, fake.URL), "plan_remediation", nil)
	require.Contains(t, r.value["leftOut"], "of plan.changes left out")
	require.Contains(t, r.value["leftOut"], "Narrow with checkIds")
}

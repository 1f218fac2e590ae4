package score

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestRisk(t *testing.T) {
	for _, tc := range []struct {
		severity    posture.Severity
		result      posture.Result
		sensitivity posture.Sensitivity
		idle        bool
		want        float64
	}{
		{posture.Critical, posture.Fail, "", false, 9.5},
		{posture.Critical, posture.Fail, posture.SensitivityCritical, false, 10},
		{posture.Critical, posture.Fail, posture.SensitivityLow, false, 7.6},
		{posture.High, posture.Fail, posture.SensitivityHigh, false, 10},
		{posture.High, posture.Warning, posture.SensitivityMedium, false, 4},
		{posture.Medium, posture.Fail, posture.SensitivityCritical, false, 8.3},
		{posture.Medium, posture.Warning, posture.SensitivityMedium, true, 1.4},
		{posture.Low, posture.Fail, posture.SensitivityMedium, false, 2},
		{posture.Informational, posture.Fail, posture.SensitivityCritical, false, 0},
		{posture.Critical, posture.Pass, posture.SensitivityCritical, false, 0},
		{posture.Critical, posture.Unknown, posture.SensitivityCritical, false, 0},
	} {
		got := Risk(posture.Verdict{Rule: &posture.Rule{Severity: tc.severity}, Result: tc.result}, tc.sensitivity, tc.idle)
		require.InDelta(t, tc.want, got, 0.001, "%+v", tc)
	}
}

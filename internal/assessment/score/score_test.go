package score

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestScore(t *testing.T) {
	a, b, c, d, f := "A", "B", "C", "D", "F"
	for _, tc := range []struct {
		name    string
		tallies []posture.CheckTally
		value   int
		grade   *string
	}{
		{"nothing judged", []posture.CheckTally{{Severity: posture.High, Unknown: 3}}, 0, nil},
		{"all pass", []posture.CheckTally{{Severity: posture.High, Pass: 3}}, 100, &a},
		{"ninety", []posture.CheckTally{{Severity: posture.High, Pass: 9, Fail: 1}}, 90, &a},
		{"below ninety", []posture.CheckTally{{Severity: posture.High, Pass: 89, Fail: 11}}, 89, &b},
		{"seventy", []posture.CheckTally{{Severity: posture.High, Pass: 7, Fail: 3}}, 70, &c},
		{"below sixty", []posture.CheckTally{{Severity: posture.High, Pass: 59, Fail: 41}}, 59, &f},
		{"a warning counts half", []posture.CheckTally{{Severity: posture.High, Pass: 1, Warning: 1}}, 75, &c},
		{"weights", []posture.CheckTally{{Severity: posture.Critical, Fail: 1}, {Severity: posture.Low, Pass: 1}}, 17, &f},
		{"informational never counts", []posture.CheckTally{{Severity: posture.Informational, Fail: 9}, {Severity: posture.Low, Pass: 1}}, 100,
			&a},
		{"not applicable is left out", []posture.CheckTally{{Severity: posture.High, Pass: 4, Fail: 1, NotApplicable: 90}}, 80, &b},
		{"sixty", []posture.CheckTally{{Severity: posture.High, Pass: 3, Fail: 2}}, 60, &d},
		{"below half coverage there is no grade", []posture.CheckTally{{Severity: posture.High, Pass: 1, Unknown: 2}}, 100, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := Of(tc.tallies, nil)
			require.Equal(t, tc.value, got.Value)
			require.Equal(t, tc.grade, got.Grade)
		})
	}
}

func TestCoverageNamesPermissions(t *testing.T) {
	got := Coverage([]posture.CheckTally{{Pass: 3, Unknown: 1}}, []posture.Verdict{
		{Rule: &posture.Rule{CheckID: "B"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "A"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "A"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "C"}, Result: posture.Unknown},
		{Rule: &posture.Rule{CheckID: "D"}, Result: posture.Fail, Permission: "x"},
	})
	require.InDelta(t, 75, got.Percent, 0.01)
	require.Equal(t, []posture.MissingPermission{{Permission: "Zone: DNS Read", CheckIDs: []string{"A", "B"}}}, got.MissingPermissions)
}

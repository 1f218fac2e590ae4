package score

import (
	"math"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Risk is the severity of a finding in its context, 0 to 10 with one decimal: the middle of the
// CVSS v3.1 band of the severity (first.org/cvss, section 5), times the sensitivity of the run,
// halved for a WARNING and for a zone that serves no traffic. Results other than FAIL and WARNING
// have risk 0. It orders findings and does not affect the score, which stays comparable between
// runs.
func Risk(f posture.Verdict, s posture.Sensitivity, idle bool) float64 {
	if f.Result != posture.Fail && f.Result != posture.Warning {
		return 0
	}
	r := map[posture.Severity]float64{posture.Critical: 9.5, posture.High: 8, posture.Medium: 5.5, posture.Low: 2}[f.Severity] * s.Multiplier()
	if f.Result == posture.Warning {
		r /= 2
	}
	if idle {
		r /= 2
	}
	return math.Round(10*min(r, 10)) / 10
}

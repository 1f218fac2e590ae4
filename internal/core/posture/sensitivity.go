package posture

// Sensitivity says how valuable the assets behind the account are. People state it; it is not
// measured. Empty means medium.
type Sensitivity string

// The sensitivities, from a public brochure to payments and patient data.
const (
	SensitivityLow      Sensitivity = "low"
	SensitivityMedium   Sensitivity = "medium"
	SensitivityHigh     Sensitivity = "high"
	SensitivityCritical Sensitivity = "critical"
)

// Multiplier is the factor for the risk of findings.
func (s Sensitivity) Multiplier() float64 {
	switch s {
	case SensitivityLow:
		return 0.8
	case SensitivityHigh:
		return 1.25
	case SensitivityCritical:
		return 1.5
	default:
		return 1
	}
}

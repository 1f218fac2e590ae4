package posture

// Sensitivity says how much would be lost behind the account: what people say of
// it, not what is measured. Empty means medium.
type Sensitivity string

// The sensitivities, from a public brochure to payments and patients.
const (
	SensitivityLow      Sensitivity = "low"
	SensitivityMedium   Sensitivity = "medium"
	SensitivityHigh     Sensitivity = "high"
	SensitivityCritical Sensitivity = "critical"
)

// Multiplier weighs a risk.
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

package export

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// stepWord is the heading for a step.
func stepWord(where posture.Place) string {
	switch where {
	case posture.ByAPI:
		return "By API"
	case posture.ByTerraform:
		return "In Terraform"
	default:
		return "In the dashboard"
	}
}

// advice is how to close a finding in one text: what to do, where, and what to watch out for.
func advice(f posture.Finding) string {
	parts := []string{f.Fix}
	if where := f.Step(posture.InDashboard).Text; where != "" {
		parts = append(parts, "In the dashboard: "+where)
	}
	if f.Breaks != "" {
		parts = append(parts, "Mind: "+f.Breaks)
	}
	return strings.Join(parts, " ")
}

// headlined is a finding in one text: its title, and what was seen.
func headlined(f posture.Finding) string {
	said := orElse(f.Message, f.Reason)
	if !f.Titled() {
		return orElse(said, f.Title, f.CheckID)
	}
	return strings.TrimSpace(strings.TrimSuffix(f.Title, ".") + ". " + said)
}

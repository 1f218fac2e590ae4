// Package checks joins the families of checks into one catalogue.
package checks

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
)

// Version names the catalogue. It changes whenever a check is added, removed or
// judges or weighs differently, so that results of two runs are compared knowingly.
const Version = "2026.11.3"

// All lists every check, sorted by id.
func All() []check.Check {
	all := families()
	slices.SortFunc(all, func(a, b check.Check) int { return strings.Compare(a.ID, b.ID) })
	return all
}

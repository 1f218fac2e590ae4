// Package checks combines the families of checks into one catalogue.
package checks

import (
	_ "embed" // what checks judge differently since which version
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
)

// Version names the catalogue. It changes whenever a check is added or removed, or judges or weighs
// differently, so that a comparison of two runs takes this into account.
const Version = "2026.11.28"

// All lists every check, sorted by id.
func All() []check.Check {
	all := families()
	slices.SortFunc(all, func(a, b check.Check) int { return strings.Compare(a.ID, b.ID) })
	return all
}

//go:embed changes.tsv
var changes string

// Changes lists what a check judges differently since a version of the catalogue, oldest first:
// nothing for the current version, and the whole list for a version older than it.
func Changes(checkID, since string) []string {
	var out []string
	for line := range strings.Lines(changes) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		if len(row) == 3 && row[1] == checkID && newer(row[0], since) {
			out = append(out, row[2])
		}
	}
	return out
}

// newer compares versions of the form year.month.number.
func newer(a, b string) bool {
	parts := func(v string) []int {
		var out []int
		for p := range strings.SplitSeq(v, ".") {
			n, _ := strconv.Atoi(p) // a part that is not a number counts as older than any
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(parts(a), parts(b)) > 0
}

package exception

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// The maximum lengths of the lists of a posture.ExceptionMatch.
const (
	checksAtOnce    = 500
	resourcesAtOnce = 1000
)

// Subject is what an exception can name of one finding.
type Subject struct{ Account, CheckID, ResourceID string }

// Nameable reports whether a match can name the subject and nothing else: the lists of a match hold
// trimmed texts, and an empty text names nothing.
func (t Subject) Nameable() bool {
	return t.ResourceID != "" && strings.TrimSpace(t.ResourceID) == t.ResourceID
}

// Group returns the fewest exceptions that cover the targets and nothing else: a match covers every
// check on every resource it names, so only checks of the same resources share one. The order of
// the targets does not matter.
func Group(targets []Subject) []posture.Exception {
	targets = slices.Clone(targets)
	slices.SortFunc(targets, func(a, b Subject) int {
		return cmp.Or(strings.Compare(a.Account, b.Account), strings.Compare(a.CheckID, b.CheckID), strings.Compare(a.ResourceID, b.ResourceID))
	})
	targets = slices.Compact(targets)
	type group struct {
		account           string
		checks, resources []string
	}
	var groups []*group
	alike := map[string]*group{}
	for from := 0; from < len(targets); {
		first := targets[from]
		var resources []string
		for ; from < len(targets) && targets[from].Account == first.Account && targets[from].CheckID == first.CheckID; from++ {
			resources = append(resources, targets[from].ResourceID)
		}
		key := first.Account + "\x00" + strings.Join(resources, "\x00")
		g := alike[key]
		if g == nil {
			g = &group{account: first.Account, resources: resources}
			alike[key], groups = g, append(groups, g)
		}
		g.checks = append(g.checks, first.CheckID)
	}
	var out []posture.Exception
	for _, g := range groups {
		for checks := range slices.Chunk(g.checks, checksAtOnce) {
			for resources := range slices.Chunk(g.resources, resourcesAtOnce) {
				out = append(out, posture.Exception{Account: g.account, Match: posture.ExceptionMatch{CheckIDs: checks, ResourceIDs: resources}})
			}
		}
	}
	return out
}

package check

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// longestQuestion is the longest type and name that are looked up, in bytes. A name has at most 253 (RFC 1035, section 2.3.4), and
// what is no name cannot be the key of an answer.
const longestQuestion = 300

// Questions returns the DNS look-ups the checks need that are not in the snapshot, sorted and
// without duplicates. Units with incomplete needs ask nothing.
func Questions(snap *snapshot.Snapshot, checks []Check, policy policy.Policy) []snapshot.Question {
	wanted := map[string]snapshot.Question{}
	for scope, of := range byScope(checks, func(c *Check) bool { return c.Asks != nil }) {
		units, blocked := unitsOf(snap, scope)
		if blocked != nil {
			continue
		}
		for _, u := range units {
			for _, i := range of {
				for _, q := range (&View{Policy: policy, snap: snap, check: &checks[i], unit: u}).asks() {
					if scope := q.Scope(); len(scope) <= longestQuestion {
						wanted[scope] = q
					}
				}
			}
		}
	}
	for _, scope := range snap.Scopes(snapshot.DNSLookup.Source()) {
		delete(wanted, scope)
	}
	out := make([]snapshot.Question, 0, len(wanted))
	for _, q := range wanted {
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b snapshot.Question) int { return strings.Compare(a.Scope(), b.Scope()) })
	return out
}

// asks returns the look-ups a check needs for the unit. A check that panics gets no answers, so its
// verdict is UNKNOWN.
func (v *View) asks() (out []snapshot.Question) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	if v.planGate() != nil || v.incomplete() != nil {
		return nil
	}
	return v.check.Asks(v)
}

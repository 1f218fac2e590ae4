// Package check defines what a check is, narrows a snapshot to the sources a check declares, and
// runs checks. It is pure: the same snapshot gives the same findings, whatever the order of the
// input or the number of processors.
//
// Only this package decides the order of judging: the plan, then whether all needs are known, then
// the check's own function. A check never sees a section that could not be read, so it cannot pass
// or fail because of it.
package check

import (
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Scope is the unit a check is evaluated on. Its needs must be complete for
// that unit only, so one unreadable zone does not affect the others.
type Scope string

// The units. An item scope runs once per item of a parent source.
const (
	PerAccount Scope = "account"
	PerZone    Scope = "zone"
	PerTunnel  Scope = "tunnel"
	PerWorker  Scope = "worker"
	PerBucket  Scope = "r2_bucket"
)

// Check is one statement about a resource, with everything people need to
// understand, verify and fix it.
type Check struct {
	ID       string
	Title    string
	Category posture.Category
	Severity posture.Severity
	Worst    posture.Severity // highest severity a verdict may carry when that exceeds Severity; an UNKNOWN counts as this
	Resource posture.ResourceType
	Scope    Scope

	Needs    []snapshot.Named // must be known, else UNKNOWN
	Optional []snapshot.Named // affect only the conditions that read them
	Plans    []string         // plan.legacy_id; empty means any
	// Edge marks a zone check about traffic at the edge; such checks do not apply while the zone is
	// idle (Idle).
	Edge bool
	// Served marks a zone check that does not apply while the edge serves none of the zone's names
	// (NoTraffic). Such checks declare traffic.ServedNeeds.
	Served bool

	Why        string
	Fix        string
	Words      posture.Words // for its FAIL and WARNING findings; a verdict may override them (Outcome.As)
	References []string
	Controls   Controls
	Aliases    []string
	Paths      []string        // attack path kinds it relates to
	Remedy     *propose.Remedy // nil when only a person can fix it

	// Asks returns the DNS look-ups that the verdict on a unit needs, given what has been read so
	// far, including earlier answers. It is called again until it returns nothing new. A check with
	// Asks lists snapshot.DNSLookup in Optional.
	Asks func(*View) []snapshot.Question

	// Unless returns why there is nothing to judge on the unit, or "". It is asked once the needs are
	// known.
	Unless func(*View) string

	Evaluate func(*View) Outcome

	// Unread replaces UNKNOWN, with its reason, when a need could not be read. Only the pre-flight
	// check has one: the contract makes its failed read a WARNING.
	Unread func(v *View, reason string) Outcome
}

// Outcome is the result of a check on one unit.
type Outcome struct {
	verdicts      []verdict
	passed        int
	passMessage   string
	notApplicable string
	unknown       string
	permission    string
	looked        looked
}

type verdict struct {
	result   posture.Result
	resource posture.Resource
	message  string
	reason   string
	evidence []posture.Evidence
	// permission is the permission the token lacks, when that is why the resource cannot be judged.
	permission string
	severity   posture.Severity // "" means the severity of the check
	words      *posture.Words   // override those of the check
}

// Evidence returns one row of evidence. pointer is a JSON pointer into the section.
func Evidence(source snapshot.Named, pointer, observed, expected string) posture.Evidence {
	return posture.Evidence{Source: source.Source(), Pointer: pointer, Observed: observed, Expected: expected}
}

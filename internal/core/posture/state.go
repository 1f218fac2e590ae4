package posture

import "time"

// FindingState is the status of one finding across the assessments of an account.
type FindingState struct {
	FindingID  string
	Result     Result // in the last run that contained it
	Status     FindingStatus
	Resolution Resolution
	FirstSeen  time.Time
	LastSeen   time.Time
	// Opened is set when any run saw it FAIL or WARNING.
	Opened bool
}

// KnownState is a stored state with its subject: the type, id and zone id of the resource.
type KnownState struct {
	FindingState
	CheckID  string
	Severity Severity
	Resource Resource
}

// ClosedFinding is a finding of earlier runs that is resolved although no finding of the current
// run shows it.
type ClosedFinding struct {
	FindingID  string
	Resolution Resolution
}

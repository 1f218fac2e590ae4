package posture

import "time"

// FindingState is where one finding stands over the assessments of an account.
type FindingState struct {
	FindingID  string
	Result     Result // in the last run that held it
	Status     FindingStatus
	Resolution Resolution
	FirstSeen  time.Time
	LastSeen   time.Time
	// Opened tells that some run saw it FAIL or WARNING.
	Opened bool
}

// KnownState is a state that was kept, with what it is about: the type, id and zone id of
// the resource.
type KnownState struct {
	FindingState
	CheckID  string
	Severity Severity
	Resource Resource
}

// ClosedFinding is a finding of earlier runs that is over although no finding of the run
// says so.
type ClosedFinding struct {
	FindingID  string
	Resolution Resolution
}

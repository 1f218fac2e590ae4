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
	// CheckID, Severity and Resource (type, id and zone id) are those of the finding. They are
	// known of states that were read, and not set on those that a run makes.
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

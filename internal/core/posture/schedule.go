package posture

import "time"

// Overlap says what happens to a due run while an earlier one of the account is unfinished.
type Overlap string

// The overlap policies.
const (
	OverlapSkip  Overlap = "skip"  // the due run is skipped
	OverlapQueue Overlap = "queue" // it starts when the earlier one has ended
)

// Missed says what happens to due times at which the service was down.
type Missed string

// The policies for missed times.
const (
	MissedSkip Missed = "skip" // they are skipped
	MissedOnce Missed = "once" // one run replaces all of them
)

// Schedule repeats assessments of an account.
type Schedule struct {
	ID            string        `json:"id"`
	Account       string        `json:"account" doc:"Id of the registered account."`
	Cron          string        `json:"cron"`
	TimeZone      string        `json:"timeZone"`
	JitterSeconds int           `json:"jitterSeconds"`
	Overlap       Overlap       `json:"overlap" enum:"skip,queue"`
	Missed        Missed        `json:"missed" enum:"skip,once"`
	Paused        bool          `json:"paused"`
	Request       AssessRequest `json:"request" doc:"What each run reads and judges."`
	// AfterRun is nil when the account's setting applies.
	AfterRun  *AfterRun `json:"afterRun,omitempty" doc:"What is sent after each run; the account's own when absent."`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FireOutcome is the outcome of a due time.
type FireOutcome string

// The outcomes of a due time. Waiting becomes started or skipped; the others are final.
const (
	FireStarted FireOutcome = "started"
	FireWaiting FireOutcome = "waiting" // an earlier run is unfinished; the job follows it
	FireSkipped FireOutcome = "skipped" // because of an overlap
	FireMissed  FireOutcome = "missed"  // the service was down
)

// Fire is the decision about one due time of a schedule.
type Fire struct {
	At      time.Time   `json:"at" doc:"The due time."`
	JobID   string      `json:"jobId,omitempty" doc:"The job, when one was started."`
	Outcome FireOutcome `json:"outcome" enum:"started,waiting,skipped,missed"`
}

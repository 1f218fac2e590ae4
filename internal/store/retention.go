package store

import (
	"context"
	"time"
)

// Forgettable is a kind of rows that are kept for a time.
type Forgettable string

// What is forgotten, in the order in which it can be: a job stays while its sections,
// deliveries or bundle do, an assessment while a bundle does.
const (
	Keys        Forgettable = "idempotency keys" // by their making
	Plans       Forgettable = "plans"            // by their expiry
	SignedIn    Forgettable = "sessions"         // by their end
	Delivered   Forgettable = "deliveries"       // ended ones, by their end
	BundlesMade Forgettable = "bundles"          // with nothing in them in force that nobody read back, by their making
	Read        Forgettable = "what runs read"   // of finished jobs, by their end
	Assessed    Forgettable = "assessments"      // by their completion
	Finished    Forgettable = "jobs"             // by their end
)

// Forgettables lists all kinds in that order.
func Forgettables() []Forgettable {
	return []Forgettable{Keys, Plans, SignedIn, Delivered, BundlesMade, Read, Assessed, Finished}
}

// KeptPerAccount is how many assessments of an account are kept however old they are;
// the newest of each calendar month (UTC) is too.
const KeptPerAccount = 10

// ForgetRows is the most rows one call of Forget deletes.
const ForgetRows = 1000

// Retentions forgets what is past its time.
type Retentions interface {
	// TakeTurn reports whether the caller may begin what has a name: nobody else has
	// within every. Exactly one of any number of concurrent callers may.
	TakeTurn(ctx context.Context, name string, now time.Time, every time.Duration) (bool, error)
	// Forget deletes some rows of a kind that are older than before, at most ForgetRows,
	// in one short transaction, and counts them. 0 means that none is left. It never
	// touches an assessment that an unfinished job, a delivery under way, a plan or a
	// bundle names, nor what an unfinished job has read. An assessment is out of sight at
	// once or not at all, while its rows go in many calls; calls may come from several
	// processes, and end at any point.
	Forget(ctx context.Context, what Forgettable, before, now time.Time) (int, error)
	// Unpacked lists the finished jobs with an assessment whose sections are not all packed.
	Unpacked(ctx context.Context) (jobIDs []string, err error)
	// Pack packs some of the sections of such a job in one short transaction, and tells whether
	// there are more. What was read of them stays the same, to the byte; what equals a part of
	// another run of the account is kept once. Calls may come from several processes, and end at
	// any point. A job that is not such a one is left as it is.
	Pack(ctx context.Context, jobID string) (more bool, err error)
	// Forgotten tells when an assessment was forgotten. ErrNotFound.
	Forgotten(ctx context.Context, assessmentID string) (time.Time, error)
}

package store

import (
	"context"
	"time"
)

// Forgettable is a kind of row with limited retention.
type Forgettable string

// The kinds, in the order in which they can be deleted: a job stays while its sections, deliveries or
// bundle do, an assessment while a bundle does.
const (
	Keys        Forgettable = "idempotency keys" // by creation
	Plans       Forgettable = "plans"            // by expiry
	SignedIn    Forgettable = "sessions"         // by expiry
	Delivered   Forgettable = "deliveries"       // finished ones, by their end
	BundlesMade Forgettable = "bundles"          // without changes in force that were not read back, by creation
	Read        Forgettable = "what runs read"   // the sections of finished jobs, by the job's end
	Assessed    Forgettable = "assessments"      // by completion
	Finished    Forgettable = "jobs"             // by their end
)

// Forgettables lists all kinds in that order.
func Forgettables() []Forgettable {
	return []Forgettable{Keys, Plans, SignedIn, Delivered, BundlesMade, Read, Assessed, Finished}
}

// KeptPerAccount is how many assessments of an account are kept however old they are; the newest of
// each calendar month (UTC) is kept too.
const KeptPerAccount = 10

// ForgetRows is the largest number of rows that one call of Forget deletes.
const ForgetRows = 1000

// Retentions deletes what is past its retention.
type Retentions interface {
	// TakeTurn reports whether the caller may begin the named task: nobody else has begun it within the
	// last every. Exactly one of any number of concurrent callers may.
	TakeTurn(ctx context.Context, name string, now time.Time, every time.Duration) (bool, error)
	// Forget deletes some rows of a kind that are older than before, at most ForgetRows, in one short
	// transaction, and returns their number; 0 means that none is left. It never touches an assessment
	// that an unfinished job, a delivery in progress, a plan or a bundle refers to, nor what an
	// unfinished job has read. An assessment is hidden at once or not at all, while its rows are
	// deleted over many calls; calls may come from several processes, and end at any point.
	Forget(ctx context.Context, what Forgettable, before, now time.Time) (int, error)
	// Unpacked lists the finished jobs with an assessment whose sections are not all packed.
	Unpacked(ctx context.Context) (jobIDs []string, err error)
	// Pack packs some of the sections of such a job in one short transaction, and reports whether there
	// are more. Reading them gives the same bytes as before; parts that equal those of another run of
	// the account are stored once. Calls may come from several processes, and end at any point. Any
	// other job is left unchanged.
	Pack(ctx context.Context, jobID string) (more bool, err error)
	// Forgotten returns when an assessment was forgotten. ErrNotFound.
	Forgotten(ctx context.Context, assessmentID string) (time.Time, error)
}

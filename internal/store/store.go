// Package store is the contract of persistence. The store is the truth of the
// service: a job that is in it ends, an assessment that is in it never changes.
// Engines live in store/sqlite and store/postgres; store/storetest holds the
// suites both must pass.
//
// Every method is safe for concurrent use, obeys its context, and either
// happened completely or not at all. Instants are UTC and kept to the
// microsecond. A caller gives the instant, by the clock that Now shows.
//
// In: rows with the instant and the fence of the caller. Out: rows, whole or not at all.
//
// It imports core, assessment, and must never import anything else of ours.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Errors of the contract. Anything else an engine returns is internal.
var (
	// ErrNotFound means no such row.
	ErrNotFound = errors.New("not in the store")
	// ErrFenced means the attempt is over: the lease ended and somebody else
	// may be at work. The caller must stop and write nothing more.
	ErrFenced = errors.New("the attempt no longer holds the job")
	// ErrNotClaimable means the job is finished, cancelled or held by another.
	ErrNotClaimable = errors.New("the job is not free to be claimed")
	// ErrNameTaken means another account has the name.
	ErrNameTaken = errors.New("the name is taken")
	// ErrChanged means that the row is not as the caller read it: somebody else
	// was faster. Read it again.
	ErrChanged = errors.New("the row was changed by somebody else")
	// ErrUsed means that what may make one job only has made one, or that what counts once was used.
	ErrUsed = errors.New("it was used before")
	// ErrTooMany means that there are as many as there may be.
	ErrTooMany = errors.New("there are as many as there may be")
	// ErrLastWay means that somebody could not sign in any more without it.
	ErrLastWay = errors.New("it is the last way to sign in")
	// ErrNotApproved means that the plan of a job has no approval that it may take.
	ErrNotApproved = errors.New("the plan is not approved")
	// ErrIdempotencyConflict means the key was used with another body.
	ErrIdempotencyConflict = errors.New("the idempotency key was used with another request")
)

// ActiveJobError is what Enqueue gives when the account has an unfinished
// assess job with other arguments.
type ActiveJobError struct{ JobID string }

// Error names the job.
func (e *ActiveJobError) Error() string {
	return "job " + e.JobID + " is still at work on this account"
}

// UnavailableError means that the store cannot work at the moment for a reason
// an operator can mend. Reason is fit to be shown.
type UnavailableError struct {
	Reason string
	Err    error
}

// Error gives the reason and the cause.
func (e *UnavailableError) Error() string { return e.Reason + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Store is everything an engine does.
type Store interface {
	Accounts
	Jobs
	Sections
	Assessments
	Deliveries
	Remediations
	Schedules
	Audits
	Evidences
	Retentions
	Trends
	Exceptions
	Objects
	RunFindings
	Issues
	IssueDecisions
	Tickets
	Alerts
	Inbox
	SealingKeys
	SettingsNumbers
	Sessions
	Users
	Passkeys
	ServiceTokens
	Teams
	Views
	// Ping writes a small row, to the disk, so that it tells whether the store can be
	// written now. An *UnavailableError has the reason.
	Ping(ctx context.Context) error
	// Now is the clock all processes on this store share: the database server's, or
	// the machine's where the database is a file.
	Now(ctx context.Context) (time.Time, error)
	// Engine is "sqlite" or "postgres".
	Engine() string
	// Observe has begin called for each operation, by a name that is one of a fixed
	// few, and what it gives of the end with all repeats. Call it before the store is
	// shared.
	Observe(begin func(ctx context.Context, operation string) (end func(err error)))
	// Carry lets of tell the trace of a context, which jobs queued in it keep. Call it
	// before the store is shared.
	Carry(of func(ctx context.Context) (traceparent string))
	// Stats gives the state of each pool of connections, by its name.
	Stats() map[string]sql.DBStats
	Close() error
}

// JobRow is a job with what only the workers see.
type JobRow struct {
	posture.Job
	// Queue is the asynq queue: interactive, scheduled or delivery.
	Queue string
	// Arguments is the kind's own JSON. It never holds a credential.
	Arguments json.RawMessage
	// BodyHash tells whether two jobs ask for the same.
	BodyHash string
	// SealedToken is the one-off credential of the job; it is erased when the
	// job reaches a terminal state.
	SealedToken []byte
	// Owner names the worker process that holds the lease.
	Owner      string
	LeaseUntil time.Time
	// Lost counts the leases that ran out. The fence is Job.Attempt.
	Lost            int
	CancelRequested bool
	// DueAt is from when on a queued job may be claimed.
	DueAt time.Time
	// Tries counts the attempts that ended with trouble of the service.
	Tries int
	// Trace is the traceparent of the work that queued the job, "" when there was none.
	Trace string
}

// NewJob is what Enqueue needs.
type NewJob struct {
	ID          string // UUID v7, made by the caller
	Kind        posture.JobKind
	Queue       string
	Account     string // registered account id, or "" for a one-off token
	ActiveKey   string // at most one unfinished job has this key; "" means no limit
	Arguments   json.RawMessage
	BodyHash    string
	SealedToken []byte
	ScheduleID  string
	Trace       string // "": that of the context it is queued in
	CreatedAt   time.Time
	// Idempotency is nil when the caller sent no key.
	Idempotency *Idempotency
	// Once is nil when anything may make the job as often as it likes.
	Once *Once
	// Approval is what the job takes, in the transaction that makes it; nil when it needs none.
	Approval *Approval
	// ResumeFrom is a finished job whose sections the new one starts with.
	ResumeFrom string
}

// Idempotency binds a caller's key to the job its first request made. Rows
// older than 24 h count as absent.
type Idempotency struct {
	Key      string
	Route    string
	BodyHash string
}

// Once names what counts once, such as a JWT with an id that may make one job only.
type Once struct {
	Key   string
	Until time.Time // from then on it does not count anyway
}

// Approval names what of a plan a job would do.
type Approval struct {
	PlanID string
	Digest string
	Force  bool
}

// Enqueued says how Enqueue ended.
type Enqueued struct {
	Job JobRow
	// Joined is true when an unfinished job with the same active key and body
	// hash was there already, or the idempotency key named an earlier job.
	Joined bool
}

// Waiting is what is due in a queue.
type Waiting struct {
	Jobs  int
	Since time.Time
}

// JobFilter narrows Jobs; empty fields do not filter.
type JobFilter struct {
	Account  string
	Accounts []string // any of these
	Kinds    []posture.JobKind
	States   []posture.JobState
}

// Page asks for up to Limit rows after Cursor, which an earlier answer gave.
type Page struct {
	Limit  int
	Cursor string
}

// Jobs keeps the job rows and is the only place their state changes.
//
//	queued → running → succeeded | failed | cancelled
//	running → queued when a lease ends
type Jobs interface {
	// Enqueue inserts a queued job, and the idempotency row with it, in one
	// transaction. *ActiveJobError, ErrIdempotencyConflict, ErrUsed, ErrNotApproved.
	Enqueue(ctx context.Context, n NewJob) (Enqueued, error)
	// Claim starts the next attempt: queued and due, or running with an ended
	// lease, becomes running with Attempt one higher, held by owner until
	// now+lease. Exactly one of any number of concurrent callers succeeds. A job
	// whose cancel was requested becomes cancelled instead. ErrNotClaimable.
	Claim(ctx context.Context, jobID, owner string, now time.Time, lease time.Duration) (JobRow, error)
	// Due lists up to limit queued jobs of a queue that may be claimed at now, in
	// the order in which they became due.
	Due(ctx context.Context, queue string, now time.Time, limit int) (jobIDs []string, err error)
	// Renew extends the lease and tells whether a cancel was requested. It never
	// waits for the transaction that ends the job. ErrFenced.
	Renew(ctx context.Context, jobID string, attempt int, now time.Time, lease time.Duration) (cancelRequested bool, err error)
	// SetProgress replaces the progress of a running attempt. ErrFenced.
	SetProgress(ctx context.Context, jobID string, attempt int, p posture.Progress) error
	// Release puts a running job back into the queue, to be claimed from due on,
	// without counting a lost lease. ErrFenced.
	Release(ctx context.Context, jobID string, attempt int, due time.Time) error
	// Retry is Release after trouble of the service, which it counts. ErrFenced.
	Retry(ctx context.Context, jobID string, attempt int, due time.Time) error
	// Finish ends a running attempt as succeeded, failed or cancelled, with its
	// result or problem. ErrFenced.
	Finish(ctx context.Context, jobID string, attempt int, state posture.JobState, result json.RawMessage, problem *posture.Problem,
		now time.Time) error
	// RequestCancel cancels a queued job at once and flags a running one.
	// A finished job is left as it is. ErrNotFound.
	RequestCancel(ctx context.Context, jobID string, now time.Time) (JobRow, error)
	// Recover releases jobs whose lease ended before now, or ends them when
	// posture.MaxAttempts leases were lost or a cancel was requested. It never waits
	// for a job that somebody is about to end.
	Recover(ctx context.Context, now time.Time) error
	// Orphans releases every running job, whichever process holds it. Only a process
	// that knows it is the only worker (embedded, at boot) may call it.
	Orphans(ctx context.Context, now time.Time) (int, error)
	// Job gives one job. ErrNotFound.
	Job(ctx context.Context, jobID string) (JobRow, error)
	// JobsByID gives those of the jobs that there are, in no order.
	JobsByID(ctx context.Context, ids []string) ([]JobRow, error)
	// Jobs lists newest first; next is "" at the end.
	Jobs(ctx context.Context, f JobFilter, p Page) (rows []JobRow, next string, err error)
	// CountJobs counts the jobs in each state.
	CountJobs(ctx context.Context) (map[posture.JobState]int, error)
	// Waiting tells how many jobs of each queue are due at now and since when the first
	// of them is; queues without any are absent.
	Waiting(ctx context.Context, now time.Time) (map[string]Waiting, error)
	// CountKinds counts the jobs of each kind in each state.
	CountKinds(ctx context.Context) (map[posture.JobKind]map[posture.JobState]int, error)
}

// Sections keeps what a job has read so far; it is the checkpoint of a run.
type Sections interface {
	// PutSections adds sections of a job. The first writer of a (source, scope)
	// wins; later ones change nothing.
	PutSections(ctx context.Context, jobID string, sections []snapshot.Section) error
	// Sections lists all sections of a job, sorted by source and scope.
	Sections(ctx context.Context, jobID string) ([]snapshot.Section, error)
	// EachSection gives what Sections gives, some in memory at a time; it can be gone through
	// any number of times. ErrNotFound ends it when they are forgotten meanwhile.
	EachSection(ctx context.Context, jobID string) iter.Seq2[snapshot.Section, error]
	// DropSections forgets the sections of a job.
	DropSections(ctx context.Context, jobID string) error
}

// LatestFinding is a finding as the last run that held it saw it, and where it stands
// now: Status, FirstSeen and LastSeen are those of the newest state.
type LatestFinding struct {
	posture.Finding
	AccountID    string             `json:"accountId" doc:"Provider account id."`
	AssessmentID string             `json:"assessmentId" doc:"The last assessment that holds the finding."`
	Resolution   posture.Resolution `json:"resolution,omitempty" enum:"fixed,deleted" doc:"How it came to be resolved."`
}

// LatestFilter narrows LatestFindings; the values of one field combine with OR, the
// fields with AND.
type LatestFilter struct {
	FindingFilter
	IDs      []string // of findings
	Accounts []string // provider account ids
	Statuses []posture.FindingStatus
	// Opened leaves out what was never FAIL or WARNING, unless it is open as UNKNOWN.
	Opened bool
	// Excepted tells what happens to findings with an exception that is active at Now:
	// "" shows them among the others, hidden leaves them out, only shows nothing else.
	Excepted ExceptedFilter
	Now      time.Time
	// Order is that of LatestFindings. By resource and by zone, the first 64 characters of a name count.
	Order FindingOrder
}

// ExceptedFilter is a choice about findings with an exception.
type ExceptedFilter string

// The choices.
const (
	ExceptedShown  ExceptedFilter = ""
	ExceptedHidden ExceptedFilter = "hidden"
	ExceptedOnly   ExceptedFilter = "only"
)

// Sighting is one run that held a finding.
type Sighting struct {
	AssessmentID string         `json:"assessmentId"`
	At           time.Time      `json:"at" doc:"When the run was completed."`
	Result       posture.Result `json:"result"`
}

// FindingFilter narrows Findings; the values of one field combine with OR, the
// fields with AND. Text matches case-insensitively in message, resource name
// and check id.
type FindingFilter struct {
	Results    []posture.Result
	Severities []posture.Severity
	Categories []posture.Category
	Checks     []string
	Zones      []string // zone id or name
	Resources  []string // resource id
	Text       string
}

// AssessmentRef is what tells an assessment from others.
type AssessmentRef struct {
	ID          string
	Account     string // provider account id
	CompletedAt time.Time
}

// AssessmentFilter narrows Assessments; empty fields do not filter. Since is
// inclusive, Until exclusive, both on completedAt.
type AssessmentFilter struct {
	Account  string   // provider account id or registered account id
	Accounts []string // any of these
	Status   []posture.AssessmentStatus
	Since    time.Time
	Until    time.Time
}

// SaveAssessment is the one transaction that ends an assess job.
type SaveAssessment struct {
	JobID   string
	Attempt int
	// AccountID is the registered account, or "" for a one-off.
	AccountID  string
	Assessment posture.Assessment
	// Verdicts are the findings of the assessment and their states, when these are not spelled
	// out as Assessment.Findings and States.
	Verdicts []posture.Verdict
	// Graph, Paths and Modifications belong to the assessment and are read apart.
	Graph         graph.Source
	Paths         []posture.AttackPath
	Modifications []posture.Modification
	// States are those of findings of the assessment. Closed are other findings of the
	// account; what a run that began later has decided about one stays.
	States []posture.FindingState
	Closed []posture.ClosedFinding
	// Evidence is kept for those who check the assessment later; its Digest is made here.
	Evidence Evidence
	// Tally is what the run adds to the line of its account.
	Tally RunTotals
	// Then are the jobs that follow; they are queued with the saving or not at all.
	Then []NewJob
	Now  time.Time
}

// Findings tells how many findings there are.
func (s *SaveAssessment) Findings() int { return max(len(s.Verdicts), len(s.Assessment.Findings)) }

// Finding gives one of them. Its words are not filled in: they are kept as they are.
func (s *SaveAssessment) Finding(i int) posture.Finding {
	if s.Verdicts != nil {
		return s.Verdicts[i].Unworded()
	}
	return s.Assessment.Findings[i]
}

// Assessments keeps finished assessments.
type Assessments interface {
	// Save stores the assessment with all that belongs to it and the finding
	// states, queues what follows, and makes the job succeeded with its
	// assessment id, if attempt still holds the job; otherwise nothing is stored.
	// ErrFenced.
	Save(ctx context.Context, s SaveAssessment) error
	// Assessment gives an assessment without findings. ErrNotFound.
	Assessment(ctx context.Context, id string) (posture.Assessment, error)
	// LatestAssessment gives the newest completed one, of the account when it
	// is not "". ErrNotFound.
	LatestAssessment(ctx context.Context, account string) (posture.Assessment, error)
	// LatestSummaries gives the newest completed one of each of these registered accounts (our ids) that has one.
	LatestSummaries(ctx context.Context, accounts []string) (map[string]posture.AssessmentSummary, error)
	// Pick tells which assessment is meant without reading it: the one of an id, or when
	// that is "" what LatestAssessment gives. ErrNotFound.
	Pick(ctx context.Context, id, account string) (AssessmentRef, error)
	// NewestWhole gives the id of the newest completed one that looked at all there is of its account, of the account when
	// it is not "". ErrNotFound.
	NewestWhole(ctx context.Context, account string) (id string, err error)
	// Assessments lists newest first.
	Assessments(ctx context.Context, f AssessmentFilter, p Page) (rows []posture.AssessmentSummary, next string, err error)
	// Findings lists findings of one assessment in report order. A Limit of 0
	// gives all. ErrNotFound when the assessment is unknown.
	Findings(ctx context.Context, assessmentID string, f FindingFilter, p Page) (rows []posture.Finding, next string, err error)
	// CountFindings counts per result with the same filter.
	CountFindings(ctx context.Context, assessmentID string, f FindingFilter) (map[posture.Result]int, error)
	// Graph gives the graph of one assessment, which is read while it is walked; it is
	// empty when a version before graphs made the assessment. ErrNotFound.
	Graph(ctx context.Context, assessmentID string) (graph.Source, error)
	// Paths gives the attack paths of one assessment, which are read while they are gone
	// through, any number of times. ErrNotFound.
	Paths(ctx context.Context, assessmentID string) (iter.Seq2[posture.AttackPath, error], error)
	// Modifications gives what the run of the assessment read of the provider's
	// audit log. ErrNotFound.
	Modifications(ctx context.Context, assessmentID string) ([]posture.Modification, error)
	// FindingStates tells the state of every finding ever seen on a provider account, one
	// by one: of a large account there are too many to hold. A read that had to be repeated
	// tells some of them again.
	FindingStates(ctx context.Context, providerAccountID string, tell func(posture.KnownState)) error
	// LatestFindings lists the newest state of findings over all accounts: in the order of
	// the filter, then worst first, of one severity those first seen last, then by id.
	LatestFindings(ctx context.Context, f LatestFilter, p Page) (rows []LatestFinding, next string, err error)
	// CountLatest counts what LatestFindings lists.
	CountLatest(ctx context.Context, f LatestFilter) (int, error)
	// LatestFinding gives one, with the exception that applies at now. ErrNotFound.
	LatestFinding(ctx context.Context, findingID string, now time.Time) (LatestFinding, error)
	// Sightings gives the newest runs that held a finding, newest first. ErrNotFound.
	Sightings(ctx context.Context, findingID string, limit int) ([]Sighting, error)
}

// Exceptions keeps accepted risks, and which open findings each hides. What a change
// hides or brings back is seen by every list from the moment the call returns.
type Exceptions interface {
	// AddException inserts one. With a key that an earlier call of the last 24 h used, it
	// gives what that made instead, with added false; ErrIdempotencyConflict when that
	// call had another hash.
	AddException(ctx context.Context, e posture.Exception, key, hash string) (made posture.Exception, added bool, err error)
	// AddExceptions is AddException for any number that are made together at now: all are
	// kept or none. A key gives all that its earlier call made; of no exceptions, only
	// that is looked for.
	AddExceptions(ctx context.Context, all []posture.Exception, key, hash string, now time.Time) (made []posture.Exception, added bool,
		err error)
	// RevokeException ends one at now; one that was revoked stays as it is. ErrNotFound.
	RevokeException(ctx context.Context, id string, now time.Time) error
	// Exceptions lists newest first, each with its state and what it hides at now. A
	// Limit of 0 gives all.
	Exceptions(ctx context.Context, now time.Time, p Page) (rows []posture.Exception, next string, err error)
	// ActiveExceptions gives those that are active at now, without what they hide.
	ActiveExceptions(ctx context.Context, now time.Time) ([]posture.Exception, error)
}

// DeliveryFilter narrows Deliveries; the values of one field combine with OR, the
// fields with AND.
type DeliveryFilter struct {
	Assessments []string
	Accounts    []string // provider account ids
	Targets     []string
	Jobs        []string
	States      []posture.DeliveryState
}

// Deliveries keeps the ledger of what was sent. Progress is the sender's own
// note of which documents the receiver has; only the job that holds a delivery
// writes it.
type Deliveries interface {
	// OpenDelivery inserts the delivery unless its job has one for the target
	// already, and gives what is there with its progress. ErrFenced when attempt
	// no longer holds the job.
	OpenDelivery(ctx context.Context, d posture.Delivery, attempt int) (posture.Delivery, []byte, error)
	// MarkDelivery replaces state, counts, reason and progress. ErrFenced.
	MarkDelivery(ctx context.Context, d posture.Delivery, attempt int, progress []byte) error
	// AdoptDelivery gives a delivery to another job, which replays what was not
	// sent. ErrFenced, also when there is no such delivery.
	AdoptDelivery(ctx context.Context, id, jobID string, attempt int) (posture.Delivery, []byte, error)
	// Delivery gives one. ErrNotFound.
	Delivery(ctx context.Context, id string) (posture.Delivery, error)
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f DeliveryFilter, p Page) (rows []posture.Delivery, next string, err error)
}

// PlanRow is a plan of changes; what it holds is sealed by the caller.
type PlanRow struct {
	ID           string
	AssessmentID string
	AccountID    string // provider account id
	CreatedAt    time.Time
	ExpiresAt    time.Time
	Sealed       []byte
}

// BundleRow is a bundle of changes that were made: what lists show, and the sealed
// rest. Mac is the caller's, over both.
type BundleRow struct {
	change.Backup
	JobID  string // the job that made the changes
	Sealed []byte
	Mac    []byte
}

// ApprovalRow is what somebody said to a plan, and the job that took it.
type ApprovalRow struct {
	Approval
	By        access.Party
	Note      string
	At        time.Time
	ExpiresAt time.Time
	UsedBy    string // the job; "": none so far
	UsedAt    time.Time
}

// Remediations keeps plans and bundles. A bundle is durable, to the disk, when
// KeepBundle returns.
type Remediations interface {
	// KeepPlan inserts a plan and forgets those that expired a day before it was made.
	KeepPlan(ctx context.Context, p PlanRow) error
	// Plan gives one. ErrNotFound.
	Plan(ctx context.Context, id string) (PlanRow, error)
	// Approve keeps an approval until its plan goes, in place of an earlier one that no job took. ErrNotFound when there is no such plan,
	// ErrUsed when a job took one.
	Approve(ctx context.Context, a ApprovalRow) error
	// PlanApproval gives the approval of a plan, which may have ended. ErrNotFound.
	PlanApproval(ctx context.Context, planID string) (ApprovalRow, error)
	// KeepBundle inserts or replaces a bundle while attempt holds the job that works on
	// it, which may be another than the one that made it. ErrFenced.
	KeepBundle(ctx context.Context, b BundleRow, jobID string, attempt int) error
	// Bundle gives one. ErrNotFound.
	Bundle(ctx context.Context, id string) (BundleRow, error)
	// BundleOfJob gives the bundle a job made. ErrNotFound.
	BundleOfJob(ctx context.Context, jobID string) (BundleRow, error)
	// Bundles lists newest first, of provider accounts unless there are none, without what
	// is sealed.
	Bundles(ctx context.Context, accounts []string, p Page) (rows []BundleRow, next string, err error)
}

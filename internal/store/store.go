// Package store is the contract of persistence. The store is the source of truth of the service: a job
// in it eventually ends, an assessment in it never changes. The engines are in store/sqlite and
// store/postgres; store/storetest holds the test suites that both must pass.
//
// Every method is safe for concurrent use, obeys its context, and takes effect completely or not at
// all. Instants are UTC, to the microsecond. Callers pass the current instant, by the clock that Now
// returns. A doc comment that ends with names of errors lists the errors of the contract that the
// method may return.
//
// In: rows with the instant and the fence of the caller. Out: rows, complete or not at all.
//
// It imports core, assessment, and must never import any other package of this module.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Error is an error of the contract: engines return it as it is, for callers to compare or show. Any
// other error of an engine is internal and says what was attempted.
type Error string

// Error is one phrase.
func (e Error) Error() string { return string(e) }

// Errors of the contract.
const (
	// ErrNotFound means that there is no such row.
	ErrNotFound Error = "not in the store"
	// ErrFenced means that the attempt is over: its lease ended and another worker may hold the job.
	// The caller must stop and write nothing more.
	ErrFenced Error = "the attempt no longer holds the job"
	// ErrNotClaimable means that the job is finished, cancelled or held by another worker.
	ErrNotClaimable Error = "the job is not free to be claimed"
	// ErrLast means that nobody of a kind would be left.
	ErrLast Error = "it is the last one"
	// ErrNameTaken means that another row has the name.
	ErrNameTaken Error = "the name is taken"
	// ErrRegistered means that another account has the provider's id: the two would share one history.
	ErrRegistered Error = "another account has the provider's id"
	// ErrChanged means that the row was changed since the caller read it. Read it again.
	ErrChanged Error = "the row was changed by somebody else"
	// ErrUsed means that something that can be used once has been used.
	ErrUsed Error = "it was used before"
	// ErrTooMany means that the limit on such rows is reached.
	ErrTooMany Error = "there are as many as there may be"
	// ErrLastWay means that the person could not sign in without the row.
	ErrLastWay Error = "it is the last way to sign in"
	// ErrNotApproved means that the job's plan has no approval that the job may use.
	ErrNotApproved Error = "the plan is not approved"
	// ErrIdempotencyConflict means that the key was used with another body.
	ErrIdempotencyConflict Error = "the idempotency key was used with another request"
	// ErrTampered means that a saved assessment differs from what was saved.
	ErrTampered Error = "the rows of the assessment do not match the digest that was saved with them"
)

// ActiveJobError is the error of Enqueue when the account has an unfinished assess job with other
// arguments.
type ActiveJobError struct{ JobID string }

// Error names the job.
func (e *ActiveJobError) Error() string {
	return "job " + e.JobID + " is still at work on this account"
}

// UnavailableError means that the store cannot work at the moment, for a reason that an operator can
// fix. Reason is suitable for display.
type UnavailableError struct {
	Reason string
	Err    error
	// Unsure: the answer to a write was lost, so that it may have been done.
	Unsure bool
}

// Error returns the reason and the cause.
func (e *UnavailableError) Error() string { return e.Reason + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Store is the complete contract of an engine.
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
	// Ping writes a small row to the disk, so that it proves that the store can be written now. An
	// *UnavailableError has the reason.
	Ping(ctx context.Context) error
	// Now is the clock that all processes on this store share: the database server's, or the machine's
	// where the database is a file.
	Now(ctx context.Context) (time.Time, error)
	// Engine returns "sqlite" or "postgres".
	Engine() string
	// Observe calls begin for each operation, with a name from a small fixed set, and the function it
	// returns with the failure after all repeats; an answer, such as ErrNotFound, is none. Call it before
	// the store is shared.
	Observe(begin func(ctx context.Context, operation string) (end func(err error)))
	// Carry sets the function that returns the trace of a context; jobs queued with that context store
	// it. Call it before the store is shared.
	Carry(of func(ctx context.Context) (traceparent string))
	// Stats returns the state of each connection pool, by name.
	Stats() map[string]sql.DBStats
	Close() error
}

// JobRow is a job with the fields that only the workers see.
type JobRow struct {
	posture.Job
	// Queue is the asynq queue: interactive, scheduled or delivery.
	Queue string
	// Arguments is the JSON of the job's kind. It never holds a credential.
	Arguments json.RawMessage
	// BodyHash is equal for two jobs with the same request.
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
	// DueAt is when a queued job may be claimed.
	DueAt time.Time
	// Tries counts the attempts that ended with an error of the service.
	Tries int
	// Trace is the traceparent of the work that queued the job, "" when there was none.
	Trace string
}

// NewJob is the input of Enqueue.
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
	Trace       string // "": the trace of the context it is queued with
	CreatedAt   time.Time
	// Idempotency is nil when the caller sent no key.
	Idempotency *Idempotency
	// Once is nil when the job may be made any number of times.
	Once *Once
	// Approval is what the job uses up, in the transaction that queues it; nil when it needs none.
	Approval *Approval
	// ResumeFrom is a finished job whose sections the new one starts with.
	ResumeFrom string
}

// Idempotency binds a caller's key to the job that its first request made. Rows older than 24 h count
// as absent.
type Idempotency struct {
	Key      string
	Route    string
	BodyHash string
}

// Once names something that can be used once, such as a JWT whose id may make one job only.
type Once struct {
	Key   string
	Until time.Time // when it expires by itself
}

// Approval identifies the part of a plan that a job would carry out.
type Approval struct {
	PlanID string
	Digest string
	Force  bool
}

// Enqueued is the result of Enqueue.
type Enqueued struct {
	Job JobRow
	// Joined is true when an unfinished job with the same active key and body hash existed already, or
	// the idempotency key belonged to an earlier job.
	Joined bool
}

// Waiting is the backlog of a queue.
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

// Page asks for up to Limit rows after Cursor, which an earlier call returned.
type Page struct {
	Limit  int
	Cursor string
}

// Jobs keeps the job rows and is the only place their state changes.
//
//	queued → running → succeeded | failed | cancelled
//	running → queued when a lease ends
type Jobs interface {
	// Enqueue inserts a queued job, and its idempotency row, in one transaction. *ActiveJobError,
	// ErrIdempotencyConflict, ErrUsed, ErrNotApproved.
	Enqueue(ctx context.Context, n NewJob) (Enqueued, error)
	// Claim starts the next attempt: a job that is queued and due, or running with an ended lease,
	// becomes running with Attempt one higher, held by owner until now+lease. Exactly one of any number
	// of concurrent callers succeeds. A job whose cancel was requested becomes cancelled instead; one
	// that lost posture.MaxLost leases is claimed to be ended. ErrNotClaimable.
	Claim(ctx context.Context, jobID, owner string, now time.Time, lease time.Duration) (JobRow, error)
	// Due lists up to limit queued jobs of a queue that may be claimed at now, in
	// the order in which they became due.
	Due(ctx context.Context, queue string, now time.Time, limit int) (jobIDs []string, err error)
	// Renew extends the lease and reports whether a cancel was requested. It never waits for the
	// transaction that ends the job. ErrFenced.
	Renew(ctx context.Context, jobID string, attempt int, now time.Time, lease time.Duration) (cancelRequested bool, err error)
	// SetProgress replaces the progress of a running attempt. ErrFenced.
	SetProgress(ctx context.Context, jobID string, attempt int, p posture.Progress) error
	// Release puts a running job back into the queue, to be claimed from due on,
	// without counting a lost lease. ErrFenced.
	Release(ctx context.Context, jobID string, attempt int, due time.Time) error
	// Retry is Release after an error of the service, which it counts. ErrFenced.
	Retry(ctx context.Context, jobID string, attempt int, due time.Time) error
	// Finish ends a running attempt as succeeded, failed or cancelled, with its result or problem, and queues
	// the jobs that follow. ErrFenced.
	Finish(ctx context.Context, jobID string, attempt int, state posture.JobState, result json.RawMessage, problem *posture.Problem,
		now time.Time, then ...NewJob) error
	// RequestCancel cancels a queued job at once and flags a running one. A finished job is left
	// unchanged. ErrNotFound.
	RequestCancel(ctx context.Context, jobID string, now time.Time) (JobRow, error)
	// Recover releases jobs whose lease ended before now, or cancels them when that was requested. It
	// never waits for a job that its holder is about to end.
	Recover(ctx context.Context, now time.Time) error
	// Orphans releases every running job, whichever process holds it, and returns their number. Only a
	// process that knows it is the only worker (embedded, at boot) may call it.
	Orphans(ctx context.Context, now time.Time) (int, error)
	// Job returns a job. ErrNotFound.
	Job(ctx context.Context, jobID string) (JobRow, error)
	// JobsByID returns those of the jobs that exist, in no particular order.
	JobsByID(ctx context.Context, ids []string) ([]JobRow, error)
	// Jobs lists newest first; next is "" at the end.
	Jobs(ctx context.Context, f JobFilter, p Page) (rows []JobRow, next string, err error)
	// Waiting returns, for each queue, how many jobs are due at now and since when the first of them
	// is; queues without any are absent.
	Waiting(ctx context.Context, now time.Time) (map[string]Waiting, error)
	// CountKinds counts the jobs of each kind in each state.
	CountKinds(ctx context.Context) (map[posture.JobKind]map[posture.JobState]int, error)
}

// Sections keeps what a job has read so far; it is the checkpoint of a run.
type Sections interface {
	// PutSections adds sections that a running attempt has read. The first writer of a (source, scope)
	// wins; later ones change nothing. ErrFenced.
	PutSections(ctx context.Context, jobID string, attempt int, sections []snapshot.Section) error
	// Sections lists all sections of a job, sorted by source and scope.
	Sections(ctx context.Context, jobID string) ([]snapshot.Section, error)
	// EachSection yields what Sections returns, with some sections in memory at a time; it can be
	// iterated any number of times. ErrNotFound ends it when the sections are forgotten meanwhile.
	EachSection(ctx context.Context, jobID string) iter.Seq2[snapshot.Section, error]
	// DropSections deletes the sections of a job for its last attempt. ErrFenced.
	DropSections(ctx context.Context, jobID string, attempt int) error
}

// LatestFinding is a finding as the last run that held it saw it, with its current state: Status,
// FirstSeen and LastSeen are those of the newest state.
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
	// Opened excludes findings that were never FAIL or WARNING, unless they are open as UNKNOWN.
	Opened bool
	// JudgedAt, unless zero, selects what the run that started then judged or closed, and no later one has
	// judged since.
	JudgedAt time.Time
	// Excepted selects what happens to findings with an exception that is active at Now: "" lists them
	// with the others, hidden leaves them out, only lists nothing else.
	Excepted ExceptedFilter
	Now      time.Time
	// Order is used by LatestFindings. By resource and by zone, the first 64 characters of a name
	// count.
	Order FindingOrder
}

// ExceptedFilter selects findings by whether they have an exception.
type ExceptedFilter string

// The values of ExceptedFilter.
const (
	ExceptedShown  ExceptedFilter = ""
	ExceptedHidden ExceptedFilter = "hidden"
	ExceptedOnly   ExceptedFilter = "only"
)

// Sighting is a run that held a finding.
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

// AssessmentRef identifies an assessment.
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
	Newest   bool // only the newest of each account of the provider; the other fields narrow these
}

// SaveAssessment is the input of the transaction that ends an assess job.
type SaveAssessment struct {
	JobID   string
	Attempt int
	// AccountID is the registered account, or "" for a one-off.
	AccountID  string
	Assessment posture.Assessment
	// Verdicts are the findings of the assessment with their states, when these are not given as
	// Assessment.Findings and States.
	Verdicts []posture.Verdict
	// Graph, Paths and Modifications belong to the assessment and are read separately.
	Graph         graph.Source
	Paths         []posture.AttackPath
	Modifications []posture.Modification
	// States are the states of findings of the assessment. Closed are other findings of the account;
	// what a run that began later decided about one of them is kept.
	States []posture.FindingState
	Closed []posture.ClosedFinding
	// Evidence is stored for later verification of the assessment; its Digest is computed by Save.
	Evidence Evidence
	// Tally is what the run adds to the trend line of its account.
	Tally RunTotals
	// Then are the jobs that follow; they are queued in the same transaction.
	Then []NewJob
	Now  time.Time
}

// Findings returns the number of findings.
func (s *SaveAssessment) Findings() int { return max(len(s.Verdicts), len(s.Assessment.Findings)) }

// Finding returns a finding. The placeholders of its words are not filled in: they are stored as they
// are.
func (s *SaveAssessment) Finding(i int) posture.Finding {
	if s.Verdicts != nil {
		return s.Verdicts[i].Unworded()
	}
	return s.Assessment.Findings[i]
}

// Assessments keeps finished assessments.
type Assessments interface {
	// Save stores the assessment with everything that belongs to it and the finding states, queues the
	// jobs that follow, and marks the job as succeeded with its assessment id, if attempt still holds
	// the job; otherwise nothing is stored. ErrFenced.
	Save(ctx context.Context, s SaveAssessment) error
	// Assessment returns an assessment without findings. ErrNotFound.
	Assessment(ctx context.Context, id string) (posture.Assessment, error)
	// LatestAssessment returns the newest completed assessment, of the account if that is not "".
	// ErrNotFound.
	LatestAssessment(ctx context.Context, account string) (posture.Assessment, error)
	// LatestSummaries returns the newest completed assessment of each of these registered accounts (our
	// ids) that has one.
	LatestSummaries(ctx context.Context, accounts []string) (map[string]posture.AssessmentSummary, error)
	// Pick resolves an assessment without reading it: the one with the id or, when that is "", the one
	// that LatestAssessment returns. ErrNotFound.
	Pick(ctx context.Context, id, account string) (AssessmentRef, error)
	// NewestWhole returns the id of the newest completed assessment that covered its whole account, of
	// the account if that is not "". ErrNotFound.
	NewestWhole(ctx context.Context, account string) (id string, err error)
	// Assessments lists assessments, newest first.
	Assessments(ctx context.Context, f AssessmentFilter, p Page) (rows []posture.AssessmentSummary, next string, err error)
	// Findings lists findings of one assessment in report order. A Limit of 0 means no limit.
	// ErrNotFound when the assessment is unknown.
	Findings(ctx context.Context, assessmentID string, f FindingFilter, p Page) (rows []posture.Finding, next string, err error)
	// Outcomes yields of each finding of one assessment, in any order, what compliance counts: ID, CheckID,
	// Severity, Result and Controls, which must not be modified. It reads far less than Findings. It ends
	// with ErrNotFound when the assessment is unknown.
	Outcomes(ctx context.Context, assessmentID string) iter.Seq2[posture.Finding, error]
	// CountFindings counts findings per result with the same filter.
	CountFindings(ctx context.Context, assessmentID string, f FindingFilter) (map[posture.Result]int, error)
	// Graph returns the graph of one assessment, which is read while it is walked; it is empty when the
	// assessment was made by a version before graphs. ErrNotFound.
	Graph(ctx context.Context, assessmentID string) (graph.Source, error)
	// Paths returns the attack paths of one assessment, which are read while iterating, any number of
	// times. ErrNotFound.
	Paths(ctx context.Context, assessmentID string) (iter.Seq2[posture.AttackPath, error], error)
	// Modifications returns what the run of the assessment read of the provider's audit log.
	// ErrNotFound.
	Modifications(ctx context.Context, assessmentID string) ([]posture.Modification, error)
	// FindingStates calls tell with the state of every finding ever seen on a provider account, one by
	// one: a large account has too many to hold in memory. If the read had to be repeated, some states
	// are passed again.
	FindingStates(ctx context.Context, providerAccountID string, tell func(posture.KnownState)) error
	// LatestFindings lists the newest state of findings over all accounts: in the order of the filter,
	// then by severity, worst first, then those first seen last, then by id.
	LatestFindings(ctx context.Context, f LatestFilter, p Page) (rows []LatestFinding, next string, err error)
	// CountLatest counts what LatestFindings lists.
	CountLatest(ctx context.Context, f LatestFilter) (int, error)
	// LatestFinding returns a finding, with the exception that applies at now. ErrNotFound.
	LatestFinding(ctx context.Context, findingID string, now time.Time) (LatestFinding, error)
	// Sightings returns the newest runs that held a finding, newest first. ErrNotFound.
	Sightings(ctx context.Context, findingID string, limit int) ([]Sighting, error)
}

// Exceptions keeps accepted risks, and which open findings each hides. Every list reflects a change
// from the moment the call returns.
type Exceptions interface {
	// AddException inserts an exception. With a key that an earlier call of the last 24 h used, it
	// returns what that call made instead, with added false; ErrIdempotencyConflict when that call had
	// another hash.
	AddException(ctx context.Context, e posture.Exception, key, hash string) (made posture.Exception, added bool, err error)
	// AddExceptions is AddException for any number of exceptions made together at now: all are stored
	// or none. A key returns everything that its earlier call made; with no exceptions, only the key is
	// looked up.
	AddExceptions(ctx context.Context, all []posture.Exception, key, hash string, now time.Time) (made []posture.Exception, added bool,
		err error)
	// RevokeException ends an exception at now; one that is revoked already is left unchanged.
	// ErrNotFound.
	RevokeException(ctx context.Context, id string, now time.Time) error
	// Exceptions lists exceptions, newest first, each with its state and how many findings it hides at
	// now. A Limit of 0 means no limit.
	Exceptions(ctx context.Context, now time.Time, p Page) (rows []posture.Exception, next string, err error)
	// ActiveExceptions returns the exceptions that are active at now, without how many findings they
	// hide.
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

// Deliveries keeps the ledger of what was sent. Progress is the sender's own record of which documents
// the receiver has; only the job that holds a delivery writes it.
type Deliveries interface {
	// OpenDelivery inserts the delivery unless its job has one for the target already, and returns the
	// stored one with its progress. ErrFenced when attempt no longer holds the job.
	OpenDelivery(ctx context.Context, d posture.Delivery, attempt int) (posture.Delivery, []byte, error)
	// MarkDelivery replaces state, counts, reason and progress. ErrFenced.
	MarkDelivery(ctx context.Context, d posture.Delivery, attempt int, progress []byte) error
	// AdoptDelivery hands a delivery over to another job, which replays what was not sent. ErrFenced,
	// also when there is no such delivery.
	AdoptDelivery(ctx context.Context, id, jobID string, attempt int) (posture.Delivery, []byte, error)
	// Delivery returns a delivery. ErrNotFound.
	Delivery(ctx context.Context, id string) (posture.Delivery, error)
	// Deliveries lists deliveries, newest first.
	Deliveries(ctx context.Context, f DeliveryFilter, p Page) (rows []posture.Delivery, next string, err error)
}

// PlanRow is a plan of changes; the caller seals its content.
type PlanRow struct {
	ID           string
	AssessmentID string
	AccountID    string // provider account id
	CreatedAt    time.Time
	ExpiresAt    time.Time
	Sealed       []byte
}

// BundleRow is a bundle of changes that were made: the fields that lists show, and the sealed rest. Mac
// is computed by the caller, over both.
type BundleRow struct {
	change.Backup
	JobID  string // the job that made the changes
	Sealed []byte
	Mac    []byte
}

// ApprovalRow is the approval of a plan, and the job that used it.
type ApprovalRow struct {
	Approval
	By        access.Party
	Note      string
	At        time.Time
	ExpiresAt time.Time
	UsedBy    string // the job; "": none so far
	UsedAt    time.Time
}

// Remediations keeps plans and bundles. A bundle is durable on disk when KeepBundle returns.
type Remediations interface {
	// KeepPlan inserts a plan and deletes those that expired a day before it was made.
	KeepPlan(ctx context.Context, p PlanRow) error
	// Plan returns a plan. ErrNotFound.
	Plan(ctx context.Context, id string) (PlanRow, error)
	// Approve stores an approval as long as its plan, replacing an earlier one that no job has used.
	// ErrNotFound when there is no such plan, ErrUsed when a job has used the approval.
	Approve(ctx context.Context, a ApprovalRow) error
	// PlanApproval returns the approval of a plan, even if it has expired. ErrNotFound.
	PlanApproval(ctx context.Context, planID string) (ApprovalRow, error)
	// KeepBundle inserts or replaces a bundle while attempt holds the job that works on it, which may
	// differ from the job that made it. ErrFenced.
	KeepBundle(ctx context.Context, b BundleRow, jobID string, attempt int) error
	// Bundle returns a bundle. ErrNotFound.
	Bundle(ctx context.Context, id string) (BundleRow, error)
	// BundleOfJob returns the bundle that a job made. ErrNotFound.
	BundleOfJob(ctx context.Context, jobID string) (BundleRow, error)
	// Bundles lists bundles, newest first, without their sealed content, limited to provider accounts
	// if any are given.
	Bundles(ctx context.Context, accounts []string, p Page) (rows []BundleRow, next string, err error)
}

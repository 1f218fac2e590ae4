package relational

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// micros is the stored form of an instant; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// instant is the inverse of micros.
func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// instantPtr is instant for fields where nil means "not yet".
func instantPtr(us int64) *time.Time {
	if us == 0 {
		return nil
	}
	t := instant(us)
	return &t
}

type accountRow struct {
	bun.BaseModel `bun:"table:account"`

	ID          string `bun:"id,pk"`
	Name        string `bun:"name"`
	ProviderID  string `bun:"provider_id"`
	Demo        bool   `bun:"demo"`
	CreatedAt   int64  `bun:"created_at"`
	UpdatedAt   int64  `bun:"updated_at"`
	SealedToken []byte `bun:"sealed_token"`
	Policy      []byte `bun:"policy,nullzero"`
	AfterRun    []byte `bun:"after_run,nullzero"`
	Scope       []byte `bun:"scope,nullzero"` // accountScope as JSON
	TokenAt     int64  `bun:"token_at"`
	IsDefault   bool   `bun:"is_default,scanonly"` // from account_default
}

// accountScope is the stored form of the zones and labels of an account.
type accountScope struct {
	Zones        []string `json:"zones,omitempty"`
	ExcludeZones []string `json:"excludeZones,omitempty"`
	Labels       []string `json:"labels,omitempty"`
}

func (r accountRow) account() (posture.Account, error) {
	var scope accountScope
	if len(r.Scope) > 0 {
		if err := json.Unmarshal(r.Scope, &scope); err != nil {
			return posture.Account{}, fmt.Errorf("decode the zones of account %s: %w", r.ID, err)
		}
	}
	return posture.Account{ID: r.ID, Name: r.Name, ProviderID: r.ProviderID, Demo: r.Demo, Default: r.IsDefault, Policy: r.Policy,
		AfterRun: r.AfterRun, Zones: scope.Zones, ExcludeZones: scope.ExcludeZones, Labels: scope.Labels, TokenAt: instant(r.TokenAt),
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt)}, nil
}

type jobRow struct {
	bun.BaseModel `bun:"table:job"`

	ID              string `bun:"id,pk"`
	Kind            string `bun:"kind"`
	Queue           string `bun:"queue"`
	State           string `bun:"state"`
	Account         string `bun:"account"`
	ActiveKey       string `bun:"active_key"`
	Arguments       []byte `bun:"arguments"`
	BodyHash        string `bun:"body_hash"`
	SealedToken     []byte `bun:"sealed_token"`
	ScheduleID      string `bun:"schedule_id"`
	AssessmentID    string `bun:"assessment_id"`
	Attempt         int    `bun:"attempt"`
	Lost            int    `bun:"lost"`
	Owner           string `bun:"owner"`
	LeaseUntil      int64  `bun:"lease_until"`
	CancelRequested bool   `bun:"cancel_requested"`
	RungAt          int64  `bun:"rung_at"` // written by earlier versions only
	DueAt           int64  `bun:"due_at"`
	Tries           int    `bun:"tries"`
	CreatedAt       int64  `bun:"created_at"`
	StartedAt       int64  `bun:"started_at"`
	FinishedAt      int64  `bun:"finished_at"`
	Progress        string `bun:"progress"`
	Result          []byte `bun:"result"`
	Problem         string `bun:"problem"`
	Trace           string `bun:"trace"`
}

func (r jobRow) job() (store.JobRow, error) {
	out := store.JobRow{
		Job: posture.Job{ID: r.ID, Kind: posture.JobKind(r.Kind), State: posture.JobState(r.State), Account: r.Account,
			AssessmentID: r.AssessmentID, ScheduleID: r.ScheduleID, CreatedAt: instant(r.CreatedAt),
			StartedAt: instantPtr(r.StartedAt), FinishedAt: instantPtr(r.FinishedAt), Attempt: r.Attempt, Result: r.Result},
		Queue: r.Queue, Arguments: r.Arguments, BodyHash: r.BodyHash, SealedToken: r.SealedToken, Owner: r.Owner,
		LeaseUntil: instant(r.LeaseUntil), Lost: r.Lost, CancelRequested: r.CancelRequested, DueAt: instant(r.DueAt), Tries: r.Tries,
		Trace: r.Trace,
	}
	if r.Progress != "" {
		if err := json.Unmarshal([]byte(r.Progress), &out.Progress); err != nil {
			return store.JobRow{}, fmt.Errorf("decode the progress of job %s: %w", r.ID, err)
		}
	}
	if out.State == posture.JobSucceeded { // its last report may be older than its end
		out.Progress.Done = out.Progress.Total
	}
	if r.Problem != "" {
		out.Error = &posture.Problem{}
		if err := json.Unmarshal([]byte(r.Problem), out.Error); err != nil {
			return store.JobRow{}, fmt.Errorf("decode the problem of job %s: %w", r.ID, err)
		}
	}
	return out, nil
}

// mapped converts rows with of.
func mapped[R, T any](rows []R, of func(R) T) []T {
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		out = append(out, of(r))
	}
	return out
}

// decoded is mapped for conversions that may fail; it gives the first error.
func decoded[R, T any](rows []R, of func(R) (T, error)) ([]T, error) {
	var failed error
	out := mapped(rows, func(r R) T {
		v, err := of(r)
		failed = cmp.Or(failed, err)
		return v
	})
	if failed != nil {
		return nil, failed
	}
	return out, nil
}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency"`

	Key       string `bun:"idempotency_key,pk"`
	Route     string `bun:"route,pk"`
	BodyHash  string `bun:"body_hash"`
	JobID     string `bun:"job_id"`
	CreatedAt int64  `bun:"created_at"`
}

type sectionRow struct {
	bun.BaseModel `bun:"table:section"`

	JobID      string `bun:"job_id,pk"`
	Source     string `bun:"source,pk"`
	Scope      string `bun:"scope,pk"`
	Status     string `bun:"status"`
	Permission string `bun:"permission"`
	Code       int    `bun:"code"`
	Reason     string `bun:"reason"`
	Value      []byte `bun:"value"` // packed
	ReadAt     int64  `bun:"read_at"`
}

// assessmentRow has a small number as its key, so that 50,000 findings do not repeat a 36-byte id in
// the table and in each index.
type assessmentRow struct {
	bun.BaseModel `bun:"table:assessment"`

	No                int64  `bun:"no,pk,autoincrement"`
	ID                string `bun:"id"`
	JobID             string `bun:"job_id"`
	AccountID         string `bun:"account_id"`
	ProviderAccountID string `bun:"provider_account_id"`
	Status            string `bun:"status"`
	CompletedAt       int64  `bun:"completed_at"`
	Summary           []byte `bun:"summary"`         // packed posture.AssessmentSummary
	Checks            []byte `bun:"checks"`          // packed []posture.CheckTally
	Catalogue         []byte `bun:"catalogue"`       // packed catalogue
	Counts            []byte `bun:"counts,nullzero"` // packed []tally
	Pieces            []byte `bun:"pieces,nullzero"` // the list of its findings' chunks; see encodeRun
}

// graphRow keeps the large parts out of the rows that lists read.
type graphRow struct {
	bun.BaseModel `bun:"table:assessment_graph"`

	AssessmentNo  int64  `bun:"assessment_no,pk"`
	Graph         []byte `bun:"graph"`         // packed graph.Graph
	Paths         []byte `bun:"paths"`         // packed []posture.AttackPath
	Modifications []byte `bun:"modifications"` // packed []posture.Modification
}

type findingRow struct {
	bun.BaseModel `bun:"table:finding"`

	AssessmentNo int64  `bun:"assessment_no,pk"`
	Seq          int    `bun:"seq,pk"`
	CheckNo      int    `bun:"check_no"`
	ZoneNo       int    `bun:"zone_no"`
	Result       string `bun:"result"`
	FindingID    string `bun:"finding_id"`
	ResourceID   string `bun:"resource_id"`
	ResourceKey  int32  `bun:"resource_key"`
	Search       string `bun:"search"`
	Body         []byte `bun:"body"`

	body bodyParts // only for runs kept in chunks
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Limits of one bulk call, which is held in memory and written in one transaction.
const (
	bulkFindings   = 50_000
	bulkExceptions = 5_000
)

// idsAtOnce is how many findings are looked up by one query.
const idsAtOnce = 1000

// BulkFilter selects findings as GET /api/assessments/{id}/findings does with an assessment, and as
// GET /api/findings does without one.
type BulkFilter struct {
	FindingFields
	Status     string `json:"status,omitempty" doc:"open, reopened, resolved, parted by commas."`
	Exception  string `json:"exception,omitempty" enum:"hidden,shown,only" doc:"As in lists. Default shown with an assessment, else hidden."`
	Remediable string `json:"remediable,omitempty" enum:"yes,no" doc:"Only with an assessment."`
	Account    string `json:"account,omitempty" doc:"Only without an assessment."`
}

// BulkScope selects the findings that a bulk call covers.
type BulkScope struct {
	Filter       *BulkFilter `json:"filter,omitempty" doc:"Every finding it lists. An empty object is a list without a filter."`
	AssessmentID string      `json:"assessmentId,omitempty" doc:"The assessment to filter; when absent, the current findings of all accounts."`
	IDs          []string    `json:"ids,omitempty" maxItems:"20000" doc:"Ids of findings, in place of a filter."`
	ExpiresAt    *time.Time  `json:"expiresAt,omitempty" doc:"When all of them end, at most 400 days ahead (RFC 3339)."`
}

// BulkSkipped counts findings that were requested but cannot be accepted.
type BulkSkipped struct {
	Accepted int `json:"accepted" doc:"Their risk is accepted already."`
	NotOpen  int `json:"notOpen" doc:"Nothing is open about them: passed, not applicable, fixed or deleted by now, or in no run that is kept."`
	Unnamed  int `json:"unnamed" doc:"No exception can name them: they have no resource id, or their check is no longer in the catalogue."`
}

// BulkPreview is what a bulk call would do.
type BulkPreview struct {
	Exceptions int               `json:"exceptions" doc:"How many it takes."`
	Preview    exception.Preview `json:"preview"`
	Skipped    BulkSkipped       `json:"skipped"`
}

// BulkMade is what a bulk call did.
type BulkMade struct {
	Exceptions []string          `json:"exceptions" doc:"Ids of the new exceptions."`
	Findings   int               `json:"findings" doc:"Findings they hide now."`
	Preview    exception.Preview `json:"preview" doc:"The same findings by severity, and the attack paths they are on."`
	Skipped    BulkSkipped       `json:"skipped"`
}

type postBulkInput struct {
	OnceHeader
	Body struct {
		BulkScope
		Reason string `json:"reason" maxLength:"1000" doc:"Why the risk is accepted."`
		Owner  string `json:"owner" maxLength:"1000" doc:"Who answers for it."`
	}
}

type bulkMadeOutput struct {
	Status int
	Body   BulkMade
}

func postBulk(s *Server, ctx context.Context, in *postBulkInput) (*bulkMadeOutput, error) {
	about(ctx, "exceptions", "")
	b := in.Body
	call, err := onceOf(ctx, in.OnceHeader, b)
	if err != nil {
		return nil, err
	}
	w, err := s.bulk(ctx, b.BulkScope, b.Reason, b.Owner)
	if err != nil {
		return nil, err
	}
	for i := range w.exceptions {
		w.exceptions[i].ID, w.exceptions[i].CreatedAt = s.o.NewID(), w.now
	}
	made, added, err := s.o.Store.AddExceptions(ctx, w.exceptions, call.Key, call.BodyHash, w.now)
	if errors.Is(err, store.ErrIdempotencyConflict) {
		return nil, keyConflict()
	}
	if err != nil {
		return nil, fmt.Errorf("keep the exceptions: %w", err)
	}
	if len(made) == 0 {
		n := w.skippedBut(nil)
		return nil, posture.Invalid("body", fmt.Sprintf("None of these findings can be accepted: %d are accepted already, %d are not open, %d "+
			"cannot be named; choose others.", n.Accepted, n.NotOpen, n.Unnamed), nil)
	}
	if !added {
		s.o.Log.Info("exceptions were asked for again", "exceptions", len(made))
	}
	out := &bulkMadeOutput{Status: http.StatusCreated}
	for _, e := range made {
		out.Body.Exceptions = append(out.Body.Exceptions, e.ID)
	}
	out.Body.Skipped = w.skippedBut(out.Body.Exceptions)
	if out.Body.Preview, err = s.hiddenBy(ctx, made); err != nil {
		return nil, err
	}
	out.Body.Findings = out.Body.Preview.Findings
	return out, nil
}

// hiddenBy sums up the findings that the exceptions hide now.
func (s *Server) hiddenBy(ctx context.Context, made []posture.Exception) (exception.Preview, error) {
	p, ids := newPreviewing(), map[string]bool{}
	f := store.LatestFilter{Statuses: openStatuses(), Excepted: store.ExceptedOnly, Now: s.now()}
	for _, e := range made {
		ids[e.ID] = true
		if !slices.Contains(f.Accounts, e.Account) {
			f.Accounts = append(f.Accounts, e.Account)
		}
	}
	for found, err := range store.EachLatest(ctx, s.o.Store, f) {
		if err != nil {
			return p.Preview, err
		}
		if ids[*found.Exception] {
			p.add(&found)
		}
	}
	return s.previewed(ctx, p)
}

type previewBulkInput struct {
	Body struct {
		BulkScope
		Reason string `json:"reason,omitempty" maxLength:"1000"`
		Owner  string `json:"owner,omitempty" maxLength:"1000"`
	}
}

// previewBulk returns what a bulk call would hide; reason and owner may be missing.
func previewBulk(s *Server, ctx context.Context, in *previewBulkInput) (*answer[BulkPreview], error) {
	about(ctx, "exceptions", "")
	w, err := s.bulk(ctx, in.Body.BulkScope, "preview", "preview")
	if err != nil {
		return nil, err
	}
	out := &answer[BulkPreview]{BulkPreview{Exceptions: len(w.exceptions), Skipped: w.skippedBut(nil)}}
	out.Body.Preview, err = s.previewed(ctx, w.preview)
	return out, err
}

// bulkWork is what a bulk call would create and what it skips.
type bulkWork struct {
	now        time.Time
	checks     []string            // check ids of the catalogue
	exceptions []posture.Exception // ids not assigned yet
	preview    *previewing
	targets    []exception.Subject
	skipped    BulkSkipped
	accepted   map[string]int // findings whose risk is accepted already, by exception id
}

// bulk collects the requested findings in their current state and validates the exceptions that
// would be created.
func (s *Server) bulk(ctx context.Context, in BulkScope, reason, owner string) (*bulkWork, error) {
	w := &bulkWork{now: s.now(), checks: s.checkIDs(), preview: newPreviewing(), accepted: map[string]int{}}
	terms, err := exception.CheckTerms(posture.Exception{Reason: reason, Owner: owner, ExpiresAt: in.ExpiresAt}, w.now)
	if err == nil {
		err = errors.Join(showable("body.reason", terms.Reason), showable("body.owner", terms.Owner))
	}
	if err != nil {
		return nil, err
	}
	if err := s.asked(ctx, w, in); err != nil {
		return nil, err
	}
	w.exceptions = exception.Group(w.targets)
	if n := len(w.exceptions); n > bulkExceptions {
		return nil, posture.Invalid("body.filter", fmt.Sprintf("These findings take %d exceptions, and one call makes at most %d; narrow the "+
			"filter to fewer accounts or checks and call again for the rest.", n, bulkExceptions), n)
	}
	for i, e := range w.exceptions {
		e.Reason, e.Owner, e.ExpiresAt = terms.Reason, terms.Owner, terms.ExpiresAt
		if w.exceptions[i], err = exception.Check(e, w.checks, w.now); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// asked adds every finding of the scope to the work.
func (s *Server) asked(ctx context.Context, w *bulkWork, in BulkScope) error {
	switch {
	case (in.Filter == nil) == (len(in.IDs) == 0):
		return posture.Invalid("body.filter", "name the findings either by a filter or by ids", nil)
	case in.Filter != nil && in.AssessmentID != "":
		return inBody(s.askedOfRun(ctx, w, in.AssessmentID, *in.Filter))
	case in.Filter != nil:
		return inBody(s.askedNow(ctx, w, *in.Filter))
	case in.AssessmentID != "":
		return posture.Invalid("body.assessmentId", "ids name findings of any assessment; leave assessmentId out", in.AssessmentID)
	}
	ids := slices.Clone(in.IDs)
	slices.Sort(ids)
	return s.takeIDs(ctx, w, slices.Compact(ids))
}

func (s *Server) askedOfRun(ctx context.Context, w *bulkWork, assessmentID string, in BulkFilter) error {
	id, err := parseID("body.assessmentId", assessmentID)
	if err != nil {
		return err
	}
	if in.Account != "" {
		return posture.Invalid("query.account", "an assessment has one account; leave account or assessmentId out", clip(in.Account))
	}
	f, err := RunFindingQuery{FindingQuery: FindingQuery{FindingFields: in.FindingFields}, Status: in.Status, Remediable: in.Remediable,
		Exception: in.Exception}.filter()
	if err != nil {
		return err
	}
	var ids []string
	for found, err := range store.EachOfRun(ctx, s.o.Store, id, f) {
		if errors.Is(err, store.ErrNotFound) {
			return s.missing(ctx, id)
		}
		if err != nil {
			return err
		}
		if !exception.Accepts(found.Result) {
			w.skipped.NotOpen++
			continue
		}
		if ids = append(ids, found.ID); len(ids) == idsAtOnce {
			if err := s.takeIDs(ctx, w, ids); err != nil {
				return err
			}
			ids = ids[:0]
		}
	}
	return s.takeIDs(ctx, w, ids)
}

func (s *Server) askedNow(ctx context.Context, w *bulkWork, in BulkFilter) error {
	if in.Remediable != "" {
		return posture.Invalid("query.remediable", "only findings of an assessment are filtered by remediable; leave it out or name an "+
			"assessmentId", in.Remediable)
	}
	f, err := s.latestFilter(ctx, &latestFindingsInput{FindingQuery: FindingQuery{FindingFields: in.FindingFields}, Exception: in.Exception,
		Account: in.Account, Status: in.Status})
	if err != nil {
		return err
	}
	for found, err := range store.EachLatest(ctx, s.o.Store, f) {
		if err != nil {
			return err
		}
		if err := w.take(&found); err != nil {
			return err
		}
	}
	return nil
}

// takeIDs takes findings by id, in list order, and counts the ids that are not open now.
func (s *Server) takeIDs(ctx context.Context, w *bulkWork, ids []string) error {
	for some := range slices.Chunk(ids, idsAtOnce) {
		left := len(some)
		f := store.LatestFilter{IDs: some, Statuses: openStatuses(), Now: w.now}
		for found, err := range store.EachLatest(ctx, s.o.Store, f) {
			if err != nil {
				return err
			}
			left--
			if err := w.take(&found); err != nil {
				return err
			}
		}
		w.skipped.NotOpen += left
	}
	return nil
}

// take accepts a finding or counts why it cannot be accepted.
func (w *bulkWork) take(found *store.LatestFinding) error {
	t := exception.Subject{Account: found.AccountID, CheckID: found.CheckID, ResourceID: found.Resource.ID}
	switch {
	case found.Status == posture.StatusResolved || !exception.Accepts(found.Result):
		w.skipped.NotOpen++
	case found.Exception != nil:
		w.accepted[*found.Exception]++
	case !t.Nameable() || !slices.Contains(w.checks, t.CheckID):
		w.skipped.Unnamed++
	case len(w.targets) == bulkFindings:
		return posture.Invalid("body.filter", fmt.Sprintf("More than %d findings match, the most one call accepts; narrow the filter, for "+
			"instance to one account, zone or severity, and call again for the rest.", bulkFindings), nil)
	default:
		w.targets = append(w.targets, t)
		w.preview.add(found)
	}
	return nil
}

// skippedBut returns the skipped counts, without the findings that the given exceptions hide.
func (w *bulkWork) skippedBut(ids []string) BulkSkipped {
	out := w.skipped
	for id, n := range w.accepted {
		if !slices.Contains(ids, id) {
			out.Accepted += n
		}
	}
	return out
}

// inBody rewrites the locations of query problems to fields of the body's filter.
func inBody(err error) error {
	if p, ok := errors.AsType[*posture.Problem](err); ok {
		for i, e := range p.Errors {
			if field, ok := strings.CutPrefix(e.Location, "query."); ok {
				p.Errors[i].Location = "body.filter." + field
			}
		}
	}
	return err
}

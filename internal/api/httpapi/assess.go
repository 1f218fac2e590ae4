package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
	"github.com/edgeposture/edgeposture/jobs"
)

// SubmitHeaders are the request headers of every call that creates a job.
type SubmitHeaders struct {
	Prefer         string `header:"Prefer" doc:"respond-async answers 202 at once; wait=N waits up to N seconds, at most 300. Default 60."`
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"Replays the first answer for 24 hours."`
}

type assessInput struct {
	SubmitHeaders
	Body struct {
		Account   string `json:"account,omitempty" maxLength:"200" doc:"A registered account's id or name; the default account when absent."`
		AccountID string `json:"accountId,omitempty" pattern:"^[0-9a-zA-Z_-]{1,64}$" doc:"Cloudflare's id; needed when the token sees several."`

		Token secret.Text `json:"token,omitempty" doc:"Runs a one-off with this token; it is sealed and forgotten when the job ends."`

		Zones        []string `json:"zones,omitempty" maxItems:"1000" doc:"Zone names, ids or patterns with * and ?."`
		ExcludeZones []string `json:"excludeZones,omitempty" maxItems:"1000"`
		Categories   []string `json:"categories,omitempty" maxItems:"100"`
		Checks       []string `json:"checks,omitempty" maxItems:"500"`

		Profile     string `json:"profile,omitempty" enum:"full,core"`
		Sensitivity string `json:"sensitivity,omitempty" enum:"low,medium,high,critical" doc:"Of the account; weighs risk, but not the score."`
		Note        string `json:"note,omitempty" maxLength:"1000"`
		Incremental bool   `json:"incremental,omitempty" doc:"Reuses reads of the last 24 hours, unless Cloudflare's audit log hints at changes."`
	}
}

type submitOutput struct {
	Status   int
	Location string `header:"Location"`
	Applied  string `header:"Preference-Applied"`
	Body     any
}

func postAssess(s *Server, ctx context.Context, in *assessInput) (*submitOutput, error) {
	b := in.Body
	req := posture.AssessRequest{Account: b.Account, AccountID: b.AccountID, Zones: b.Zones, ExcludeZones: b.ExcludeZones,
		Categories: b.Categories, Checks: b.Checks, Profile: posture.Profile(b.Profile), Sensitivity: posture.Sensitivity(b.Sensitivity),
		Note: b.Note, Incremental: b.Incremental}
	if err := errors.Join(assess.Validate(req, s.o.Checks), showable("body.note", req.Note)); err != nil {
		return nil, err
	}
	n, err := s.newAssess(ctx, req, b.Token)
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, n, in.SubmitHeaders)
}

// newAssess builds the job of a request. A one-off token is sealed in the job; otherwise the token
// stays sealed in the account.
func (s *Server) newAssess(ctx context.Context, req posture.AssessRequest, token secret.Text) (store.NewJob, error) {
	args := jobs.AssessArguments{Request: req}
	if token.IsZero() {
		account, err := s.registered(ctx, req.Account)
		if err != nil {
			return store.NewJob{}, err
		}
		if req.AccountID != "" && req.AccountID != account.ProviderID && account.ProviderID != "" {
			return store.NewJob{}, posture.Invalid("body.accountId",
				"accountId differs from the registered account's; leave it out, or send the token of that account with it", req.AccountID)
		}
		return jobs.NewAssess(s.o.NewID(), account, args, "interactive", s.o.Now())
	}
	if req.Account != "" {
		return store.NewJob{}, posture.Invalid("body.account",
			"account and token exclude each other: a one-off token runs without a registered account", req.Account)
	}
	n, err := jobs.NewOneOff(s.o.NewID(), s.o.Key.Fingerprint(token), args, "interactive", s.o.Now())
	if err != nil {
		return n, err
	}
	if n.SealedToken, err = s.o.Key.Seal(token, jobs.JobSeal(n.ID), s.o.Random); err != nil {
		return n, fmt.Errorf("seal the token: %w", err)
	}
	return n, nil
}

// registered returns the account that a request names, or the default one.
func (s *Server) registered(ctx context.Context, ref string) (posture.Account, error) {
	if ref == "" {
		a, err := s.o.Store.DefaultAccount(ctx)
		if errors.Is(err, store.ErrNotFound) && scoped.Narrowed(ctx) {
			return a, posture.Invalid("body.account", "the default account is not among yours; name one with account, as GET /api/accounts "+
				"lists them", nil)
		}
		if errors.Is(err, store.ErrNotFound) {
			return a, posture.Problemf(posture.CodeNotFound,
				"No account is the default one; register one with POST /api/accounts, name a registered one with account, or send a token with the "+
					"request.")
		}
		return a, err
	}
	a, err := s.o.Store.Account(ctx, ref)
	if errors.Is(err, store.ErrNotFound) {
		return a, &posture.Problem{Code: posture.CodeNotFound,
			Detail: fmt.Sprintf("There is no registered account %q; leave account out for the default one.", clip(ref)),
			Errors: []posture.FieldError{{Location: "body.account", Message: "unknown account", Value: clip(ref)}}}
	}
	return a, err
}

// submit stores the job, notifies the workers, and waits as the caller prefers.
func (s *Server) submit(ctx context.Context, n store.NewJob, h SubmitHeaders) (*submitOutput, error) {
	if h.IdempotencyKey != "" {
		n.Idempotency = &store.Idempotency{Key: h.IdempotencyKey, Route: callOf(ctx).route(), BodyHash: n.BodyHash}
	}
	release, err := s.pending.take(ctx)
	if err != nil {
		return nil, err
	}
	enqueued, err := s.o.Store.Enqueue(ctx, n)
	if err == nil && !enqueued.Joined {
		s.pending.keep(enqueued.Job.ID, release)
	} else {
		release()
	}
	var active *store.ActiveJobError
	switch {
	case errors.As(err, &active):
		return nil, posture.Problemf(posture.CodeJobRunning,
			"Job %s is still at work on this account with other settings; wait for it or cancel it, then run again.", active.JobID)
	case errors.Is(err, store.ErrIdempotencyConflict):
		return nil, keyConflict()
	case errors.Is(err, store.ErrUsed):
		return nil, posture.Problemf(posture.CodeEditScopeDenied,
			"The change was not made, because this JWT has begun one already (its jti says that it counts once); ask its issuer for a new one.")
	case errors.Is(err, store.ErrNotApproved):
		return nil, s.o.Remedy.Unapproved(ctx, *n.Approval)
	case errors.Is(err, store.ErrNotFound):
		return nil, posture.Problemf(posture.CodeForbidden,
			"This needs your role for all accounts, because it is about none that is registered; register the account first, or ask an "+
				"administrator.")
	case err != nil:
		return nil, fmt.Errorf("store the job: %w", err)
	}
	callOf(ctx).entry.JobID = enqueued.Job.ID
	if !enqueued.Joined {
		if err := s.o.NotifyWorkers(ctx, enqueued.Job); err != nil {
			s.o.Log.WarnContext(ctx, "the queue could not be told about a job; the reconciler will ring", "jobId", enqueued.Job.ID, "error", err)
		}
	}
	wait, async := waitOf(h.Prefer)
	out, err := s.answer(ctx, enqueued.Job, wait)
	if async && out != nil && out.Status == http.StatusAccepted {
		out.Applied = respondAsync
	}
	return out, err
}

const (
	respondAsync = "respond-async"
	atOnce       = "wait=0" // for calls that answer the job unless Prefer says otherwise
)

// waitOf reads the Prefer header (RFC 7240): how long to wait, and whether the caller prefers not to.
func waitOf(prefer string) (wait time.Duration, async bool) {
	wait = defaultWait
	for _, p := range strings.FieldsFunc(prefer, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		switch strings.ToLower(name) {
		case respondAsync:
			return 0, true
		case "wait":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil && n >= 0 {
				wait = time.Duration(min(n, int(longestWait/time.Second))) * time.Second
			}
		}
	}
	return wait, false
}

// answer waits for the job and returns its result or its problem, or 202 while it is still running.
func (s *Server) answer(ctx context.Context, job store.JobRow, wait time.Duration) (*submitOutput, error) {
	if !job.State.Terminal() && wait > 0 {
		job = s.await(ctx, job, wait)
		if p := s.refuses(callOf(ctx), job.ID); p != nil { //nolint:contextcheck // what the caller may do now, not when they called
			return nil, p
		}
	}
	switch job.State {
	case posture.JobSucceeded:
		return s.result(ctx, job)
	case posture.JobFailed, posture.JobCancelled:
		if job.Error != nil {
			return nil, job.Error
		}
		return nil, job.Abandoned()
	default:
		return &submitOutput{Status: 202, Location: "/api/jobs/" + job.ID, Body: job.Job}, nil
	}
}

// await returns the job once it has ended. It returns the job as it is when the time is over, the
// caller has disconnected or has too many waiting calls already, or the server drains.
func (s *Server) await(ctx context.Context, job store.JobRow, wait time.Duration) store.JobRow {
	release, err := callOf(ctx).take(s.limits, limit.Waits)
	if err != nil {
		return job
	}
	defer release()
	deadline, look := time.NewTimer(wait), time.NewTicker(lookEvery)
	defer deadline.Stop()
	defer look.Stop()
	seat, leave := s.watch.sit(job.ID) //nolint:contextcheck // the reader works for all who watch
	defer leave()
	for !job.State.Terminal() {
		select {
		case <-deadline.C:
			return job
		case <-s.closing.Done():
			return job
		case <-look.C:
			if callOf(ctx).gone() {
				return job
			}
		case job = <-seat:
		}
	}
	return job
}

func (s *Server) result(ctx context.Context, job store.JobRow) (*submitOutput, error) {
	if job.AssessmentID == "" {
		return &submitOutput{Status: 200, Body: job.Result}, nil
	}
	want, err := parseResults("")
	if err != nil {
		return nil, err
	}
	body, err := s.assessment(ctx, job.AssessmentID, want)
	if err != nil {
		return nil, err
	}
	return &submitOutput{Status: 200, Body: body}, nil
}

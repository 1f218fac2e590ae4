package httpapi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type listJobsInput struct {
	Account string `query:"account" doc:"A registered account's id or name, or Cloudflare's id."`
	Kind    string `query:"kind"`
	State   string `query:"state"`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor  string `query:"cursor"`
}

type listJobsOutput page[posture.Job]

func listJobs(s *Server, ctx context.Context, in *listJobsInput) (*listJobsOutput, error) {
	var f store.JobFilter
	if in.Account != "" {
		a, err := s.filterAccount(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		f.Account = a.ID
	}
	var err error
	var kinds []posture.JobKind
	for _, k := range jobs.Kinds(jobs.Parts{}) {
		kinds = append(kinds, k.Kind())
	}
	if f.Kinds, err = valuesOf("kind", in.Kind, among("kind", kinds...)); err != nil {
		return nil, err
	}
	states := among("state", posture.JobQueued, posture.JobRunning, posture.JobSucceeded, posture.JobFailed, posture.JobCancelled)
	if f.States, err = valuesOf("state", in.State, states); err != nil {
		return nil, err
	}
	rows, next, err := s.o.Store.Jobs(ctx, f, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	return (*listJobsOutput)(pageOf(rows, next, func(r store.JobRow) posture.Job { return r.Job })), err
}

func (s *Server) job(ctx context.Context, raw string) (store.JobRow, error) {
	return byID(ctx, raw, "job", "/api/jobs", s.o.Store.Job)
}

func getJob(s *Server, ctx context.Context, in *idInput) (*answer[posture.Job], error) {
	j, err := s.job(ctx, in.ID)
	return &answer[posture.Job]{Body: j.Job}, err
}

func cancelJob(s *Server, ctx context.Context, in *idInput) (*answer[posture.Job], error) {
	j, err := s.job(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if j, err = s.o.Store.RequestCancel(ctx, j.ID, s.o.Now().UTC()); err != nil {
		return nil, fmt.Errorf("cancel the job: %w", err)
	}
	return &answer[posture.Job]{Body: j.Job}, nil
}

// resumable is how long after its end a job may be resumed. What it read is then as old as in any
// long run; anything older could have changed since, so the retry reads it again.
const resumable = time.Hour

// retryJob creates a new job with the arguments of a finished one and resumes from what an
// unsuccessful one had read lately. A one-off token is deleted when its job ends, so such a job
// must be submitted anew.
func retryJob(s *Server, ctx context.Context, in *idSubmitInput) (*submitOutput, error) {
	j, err := s.job(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !j.State.Terminal() {
		return nil, posture.Problemf(posture.CodeConflict, "Job %s is still %s; wait for it or cancel it first.", j.ID, j.State)
	}
	if j.Kind == posture.JobPlan || j.Kind == posture.JobApply || j.Kind == posture.JobRollback {
		return nil, posture.Problemf(posture.CodeConflict,
			"Job %s is of kind %s, which must be asked for anew, because live values may have moved and its tokens are no longer kept; send POST "+
				"/api/remediate/%s again.", j.ID, j.Kind, j.Kind)
	}
	if j.Kind != posture.JobAssess {
		return nil, posture.Problemf(posture.CodeConflict,
			"Job %s is a delivery; GET /api/deliveries?jobId=%s has it, and POST /api/deliveries/{id}/replay sends the rest.", j.ID, j.ID)
	}
	if j.Account == "" {
		return nil, posture.Problemf(posture.CodeConflict,
			"Job %s ran with a one-off token that is no longer kept; send POST /api/assess with the token again.", j.ID)
	}
	account, err := s.registered(ctx, j.Account)
	if err != nil {
		return nil, err
	}
	n := store.NewJob{ID: s.o.NewID(), Kind: j.Kind, Queue: j.Queue, Account: j.Account, ActiveKey: account.AssessKey(),
		ScheduleID: j.ScheduleID, Arguments: j.Arguments, BodyHash: j.BodyHash, CreatedAt: s.o.Now().UTC().Truncate(time.Microsecond)}
	if lately := j.FinishedAt != nil && s.o.Now().Sub(*j.FinishedAt) < resumable; lately && j.State != posture.JobSucceeded &&
		j.StartedAt != nil && !j.StartedAt.Before(account.TokenAt) { // another token sees something else
		n.ResumeFrom = j.ID
	}
	in.Prefer = cmp.Or(in.Prefer, atOnce)
	return s.submit(ctx, n, in.SubmitHeaders)
}

const (
	// eventBeat is how often a stream shows that it is alive, and how soon it ends after its caller may
	// no longer read it.
	eventBeat = 5 * time.Second
	// eventLife ends a stream before the server's write timeout does; clients of server-sent events
	// reconnect on their own.
	eventLife = 4 * time.Minute
)

// jobEvents streams a job: a "job" event after each change, a comment line as a heartbeat, and the
// end of the stream when the job ends.
func jobEvents(s *Server) fiber.Handler {
	return func(c *fiber.Ctx) error {
		j, err := s.job(c.UserContext(), c.Params("id"))
		if err != nil {
			return s.refuse(c, s.problem(c.UserContext(), requestID(c), "job events", err))
		}
		call := callIn(c)
		release, err := call.take(s.limits, limit.Streams)
		if err != nil {
			return s.refuse(c, known(err))
		}
		c.Set("Content-Type", "text/event-stream")
		c.Set("Cache-Control", "no-store")
		c.Set("X-Accel-Buffering", "no")
		c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
			defer release()
			s.stream(w, call, j)
		})
		return nil
	}
}

// refuses returns the reason why the caller of a long call may no longer read a job, if there is
// one. A store that cannot tell is none.
func (s *Server) refuses(n *called, jobID string) *posture.Problem {
	ctx, cancel := context.WithTimeout(context.Background(), probeWithin)
	defer cancel()
	ctx, err := s.still(ctx, n)
	if err == nil {
		_, err = s.job(ctx, jobID)
	}
	p, _ := errors.AsType[*posture.Problem](err)
	return p
}

// stream writes events until the job has ended, its caller may no longer read it, the client has
// disconnected, eventLife has passed or the server drains.
func (s *Server) stream(w *bufio.Writer, call *called, j store.JobRow) {
	look, beat, end := time.NewTicker(lookEvery), time.NewTicker(eventBeat), time.NewTimer(eventLife)
	defer look.Stop()
	defer beat.Stop()
	defer end.Stop()
	seat, leave := s.watch.sit(j.ID)
	defer leave()
	var last []byte
	for n := 1; ; {
		b, err := json.Marshal(j.Job)
		if err != nil {
			return
		}
		if !bytes.Equal(b, last) {
			_, _ = fmt.Fprintf(w, "id: %d\nevent: job\ndata: %s\n\n", n, b)
			n, last = n+1, b
		}
		if w.Flush() != nil || j.State.Terminal() {
			return
		}
		select {
		case <-s.closing.Done():
			return
		case <-end.C:
			return
		case <-look.C:
			if call.gone() {
				return
			}
		case <-beat.C:
			if s.refuses(call, j.ID) != nil {
				return
			}
			_, _ = w.WriteString(": still there\n\n")
		case j = <-seat:
		}
	}
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// LongestWait bounds how long one call may wait for its job.
const LongestWait = 300 * time.Second

// Submitted is the outcome of a call that creates a job: the result when the job ended within the
// wait, and otherwise the job.
type Submitted struct {
	Result json.RawMessage // nil while the job is running
	Job    *posture.Job
}

// Work is a call that creates a job. Its body may hold tokens, so it is built only when it is sent
// and is never stored in a value that could be printed.
type Work struct {
	path string
	body func() any
}

// Submit starts work and waits at most wait for it; 0 does not wait. The problem of a failed job is
// returned as the error. A repetition with the same non-empty key within 24 hours joins the first
// call.
func (c *Client) Submit(ctx context.Context, w Work, wait time.Duration, idempotencyKey string) (s Submitted, err error) {
	header := http.Header{"Prefer": {"respond-async"}}
	if wait > 0 {
		header.Set("Prefer", "wait="+strconv.Itoa(int(min(wait, LongestWait)/time.Second)))
	}
	if idempotencyKey != "" {
		header.Set("Idempotency-Key", idempotencyKey)
	}
	status, raw, err := c.call(ctx, http.MethodPost, w.path, nil, w.body(), header)
	if err != nil {
		return s, err
	}
	if status != http.StatusAccepted {
		s.Result = raw
		return s, nil
	}
	s.Job = &posture.Job{}
	return s, c.Decode(raw, s.Job)
}

// Limits of watching a job.
const (
	watchFirst = 50 * time.Millisecond
	watchEvery = time.Second
	// watchPatience is how long a service may be unreachable, for example during a restart; its jobs
	// continue.
	watchPatience = 90 * time.Second
)

// Watch polls a job until it has ended and returns it. report, when not nil, receives the job after
// each poll. It keeps polling while the service is unreachable for up to watchPatience.
func (c *Client) Watch(ctx context.Context, id string, report func(posture.Job)) (posture.Job, error) {
	every, gone := watchFirst, time.Duration(0)
	for {
		job, err := c.Job(ctx, id)
		wait := every
		switch {
		case err == nil:
			gone = 0
			if report != nil {
				report(job.Value)
			}
			if job.Value.State.Terminal() {
				return job.Value, nil
			}
			every = min(every*3/2, watchEvery)
		case !passing(err) || gone >= watchPatience:
			return job.Value, err
		default:
			wait = watchEvery
			var p *posture.Problem
			if errors.As(err, &p) && p.RetryAfterSeconds > 0 {
				wait = time.Duration(min(p.RetryAfterSeconds, int(watchPatience/time.Second))) * time.Second
			}
			gone += wait
		}
		if err := c.pause(ctx, wait); err != nil {
			return posture.Job{}, err
		}
	}
}

// passing reports whether a retry may help.
func passing(err error) bool {
	if p, ok := errors.AsType[*posture.Problem](err); ok {
		return p.Code == posture.CodeUnavailable || p.Code == posture.CodeRateLimited
	}
	var gone *UnreachableError
	return errors.As(err, &gone)
}

// Outcome returns the result of a job that has ended, or its problem when it did not succeed.
func Outcome(job posture.Job) (json.RawMessage, error) {
	switch {
	case job.State == posture.JobSucceeded:
		return job.Result, nil
	case job.Error != nil:
		return nil, job.Error
	case job.State == posture.JobCancelled:
		return nil, job.Abandoned()
	default:
		return nil, fmt.Errorf("job %s is %s and has no result", job.ID, job.State)
	}
}

// Job returns one job.
func (c *Client) Job(ctx context.Context, id string) (Answer[posture.Job], error) {
	return get[posture.Job](ctx, c, "/api/jobs/"+url.PathEscape(id), nil)
}

// Jobs lists jobs, newest first. Filters are account, kind, state, limit, cursor.
func (c *Client) Jobs(ctx context.Context, filter url.Values) (Answer[List[posture.Job]], error) {
	return get[List[posture.Job]](ctx, c, "/api/jobs", filter)
}

// Cancel asks a job to stop; what it has read is kept.
func (c *Client) Cancel(ctx context.Context, id string) (Answer[posture.Job], error) {
	return post[posture.Job](ctx, c, "/api/jobs/"+url.PathEscape(id)+"/cancel", struct{}{})
}

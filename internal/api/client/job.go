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

// LongestWait is how long one call may wait for its job.
const LongestWait = 300 * time.Second

// Submitted is what became of a call that makes a job: the result itself when
// the job ended within the wait, else the job.
type Submitted struct {
	Result json.RawMessage // nil while the job is at work
	Job    *posture.Job
}

// Work is one call that makes a job. Its body may hold tokens, so it is made at
// the moment it is sent and never lies in a value that could be printed.
type Work struct {
	path string
	body func() any
}

// Submit starts work and waits at most so long for it; 0 does not wait. A job
// that failed is its own problem. The key, when not empty, makes a repetition
// within 24 hours join the first call.
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
	return s, c.decode(raw, s.Job)
}

// Limits of watching a job.
const (
	watchFirst = 50 * time.Millisecond
	watchEvery = time.Second
	// watchPatience is how long a service may be gone, for example while it is
	// restarted: its jobs go on.
	watchPatience = 90 * time.Second
)

// Watch looks at a job until it has ended and gives it. report, when not nil,
// is told each look. A service that is gone for a while is waited for.
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

// passing reports whether trying again may help.
func passing(err error) bool {
	if p, ok := errors.AsType[*posture.Problem](err); ok {
		return p.Code == posture.CodeUnavailable || p.Code == posture.CodeRateLimited
	}
	var gone *UnreachableError
	return errors.As(err, &gone)
}

// Outcome gives the result of a job that has ended: its own problem when it did
// not succeed.
func Outcome(job posture.Job) (json.RawMessage, error) {
	switch {
	case job.State == posture.JobSucceeded:
		return job.Result, nil
	case job.Error != nil:
		return nil, job.Error
	case job.State == posture.JobCancelled:
		return nil, posture.Problemf(posture.CodeCancelled, "Job %s was cancelled.", job.ID)
	default:
		return nil, fmt.Errorf("job %s is %s and has no result", job.ID, job.State)
	}
}

// Job gives one job.
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

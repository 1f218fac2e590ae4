package command

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const (
	submitWithin = 60 * time.Second
	cancelWithin = 20 * time.Second
)

// work submits work, shows its progress, and returns the job when it has succeeded. An interrupt
// cancels the job, waits for it to end, and is returned as the error.
func (s *session) work(ctx context.Context, w client.Work) (posture.Job, error) {
	if ctx.Err() != nil {
		return posture.Job{}, context.Cause(ctx)
	}
	// An interrupt must not leave a job behind whose id was not printed.
	submit, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitWithin)
	defer cancel()
	made, err := s.api.Submit(submit, w, 0, "")
	if err != nil {
		return posture.Job{}, err
	}
	if made.Job == nil {
		return posture.Job{State: posture.JobSucceeded, Result: made.Result}, nil
	}
	line := s.progress()
	job, err := s.api.Watch(ctx, made.Job.ID, line.show)
	line.clear()
	if err != nil && ctx.Err() != nil {
		return posture.Job{}, s.stop(ctx, made.Job.ID)
	}
	if err != nil {
		return posture.Job{}, fmt.Errorf("what became of job %s is not known: %w", made.Job.ID, err)
	}
	job.Result, err = client.Outcome(job)
	return job, err
}

// stop cancels a job and reports how it ended.
func (s *session) stop(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
	defer cancel()
	if _, err := s.api.Cancel(ctx, id); err != nil {
		return fmt.Errorf("%w, and job %s could not be cancelled: %w", errInterrupted, id, err)
	}
	job, err := s.api.Watch(ctx, id, nil)
	if err != nil {
		return fmt.Errorf("%w; job %s was told to stop and had not yet", errInterrupted, id)
	}
	if job.State == posture.JobCancelled && job.Error != nil {
		return fmt.Errorf("%w; job %s: %s", errInterrupted, id, job.Error.Detail)
	}
	return fmt.Errorf("%w; job %s had already ended (%s)", errInterrupted, id, job.State)
}

// result decodes the result of a job.
func result[T any](job posture.Job) (v T, err error) {
	if err := json.Unmarshal(job.Result, &v); err != nil {
		return v, fmt.Errorf("the result of job %s is not what this version understands (%w); use a command line and a service of the same "+
			"version", job.ID, err)
	}
	return v, nil
}

// bar is the progress line on a terminal.
type bar struct {
	p     *program
	shown string
}

func (p *program) progress() *bar { return &bar{p: p} }

// show redraws the line, on terminals only.
func (b *bar) show(j posture.Job) {
	if !b.p.terminal || b.p.quiet {
		return
	}
	text := clipped(oneLine(described(j)))
	if text == b.shown {
		return
	}
	b.shown = text
	_, _ = fmt.Fprint(b.p.errs, "\r\x1b[K"+text)
}

// clear erases the line.
func (b *bar) clear() {
	if b.shown != "" {
		_, _ = fmt.Fprint(b.p.errs, "\r\x1b[K")
	}
}

func described(j posture.Job) string {
	p := j.Progress
	text := string(j.Kind) + ": " + string(j.State)
	if j.State == posture.JobRunning && p.Phase != "" {
		text = string(j.Kind) + ": " + p.Phase
	}
	if p.Total > 0 {
		text += fmt.Sprintf(" %d/%d %s", p.Done, p.Total, p.Unit)
	}
	if p.WaitingSeconds > 0 {
		text += fmt.Sprintf(", waiting %d s for the request budget", p.WaitingSeconds)
	}
	return text
}

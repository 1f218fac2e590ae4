package assess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Past is an earlier run to be judged again.
type Past struct {
	Assessment posture.Assessment // with its tallies; its findings are ignored
	Findings   func() ([]posture.Finding, error)
	Request    posture.AssessRequest
	Policy     json.RawMessage // the thresholds of the account
}

// Replay judges what an earlier run read with today's checks. Nothing is requested and nothing is
// stored: what that run did not read is UNKNOWN. The assessment includes its findings. With the same
// catalogue and thresholds the result equals the earlier assessment, byte for byte.
func (r *Runner) Replay(ctx context.Context, p Past) (report.Report, error) {
	policy, snap, checks, err := r.then(ctx, p)
	if err != nil {
		return report.Report{}, err
	}
	evaluation := check.Run(snap, checks, policy)
	a, notCarried := p.Assessment, ""
	if a.Carried != nil {
		notCarried = a.Carried.Reason
	}
	made, err := report.Build(report.Run{AssessmentID: a.ID, JobID: a.JobID, StartedAt: a.StartedAt, CompletedAt: a.CompletedAt, Demo: a.Demo,
		Profile: a.Profile, Sensitivity: a.Sensitivity, Note: a.Note, Requests: a.Requests, CatalogueVersion: r.o.CatalogueVersion,
		Scope: a.Scope, Incremental: a.Carried != nil, NotCarried: notCarried}, snap, evaluation, nil)
	if err != nil {
		return report.Report{}, err
	}
	return made, keepHistory(&made, p)
}

// Snapshot returns what an earlier run read; what it did not read is unknown. Nothing is requested.
func (r *Runner) Snapshot(ctx context.Context, p Past) (*snapshot.Snapshot, error) {
	_, snap, _, err := r.then(ctx, p)
	return snap, err
}

// Judge judges the Snapshot of an earlier run with today's checks and thresholds.
func (r *Runner) Judge(p Past, snap *snapshot.Snapshot) (*whatif.State, error) {
	policy, err := thresholds(p.Policy)
	if err != nil {
		return nil, err
	}
	plan, err := NewPlan(p.Request, r.o.Checks, r.o.Sources)
	if err != nil {
		return nil, err
	}
	return whatif.Judge(snap, plan.Checks, policy), nil
}

// then returns the thresholds, snapshot and checks for judging an earlier run.
func (r *Runner) then(ctx context.Context, p Past) (policy.Policy, *snapshot.Snapshot, []check.Check, error) {
	policy, err := thresholds(p.Policy)
	if err != nil {
		return policy, nil, nil, err
	}
	have, err := r.o.Store.Sections(ctx, p.Assessment.JobID)
	if err != nil {
		return policy, nil, nil, fmt.Errorf("load what the run read: %w", err)
	}
	if len(have) == 0 {
		return policy, nil, nil, posture.Problemf(posture.CodeConflict,
			"What assessment %s read is no longer kept, so it cannot be judged again.", p.Assessment.ID)
	}
	run := Run{Request: p.Request, Account: p.Assessment.Account, Demo: p.Assessment.Demo}
	run.Job.ID = p.Assessment.JobID
	snap, checks, err := r.offline().past(ctx, run, p.Assessment.StartedAt, have, policy)
	return policy, snap, checks, err
}

// offline returns a runner that requests nothing and stores nothing.
func (r *Runner) offline() *Runner {
	out := &Runner{o: r.o}
	out.o.Store = forgetful{r.o.Store}
	out.o.Resolver = func(bool) Resolver { return nothing{} }
	return out
}

// past returns the snapshot of what a run that began at an instant has read, with the look-ups it made.
func (r *Runner) past(ctx context.Context, run Run, at time.Time, have []snapshot.Section,
	policy policy.Policy) (*snapshot.Snapshot, []check.Check, error) {
	plan, err := NewPlan(run.Request, r.o.Checks, r.o.Sources)
	if err != nil {
		return nil, nil, err
	}
	c := &collector{jobID: run.Job.ID, account: run.Account.ID, req: run.Request, sources: plan.Sources, client: nothing{}, store: r.o.Store,
		slots: make(chan struct{}, r.o.Concurrency)}
	zones, sections, err := c.collect(ctx, have)
	if err != nil {
		return nil, nil, err
	}
	snap, err := freeze(run.Account, at, zones, append(sections, lookedUp(have)...))
	if err != nil {
		return nil, nil, err
	}
	snap, err = r.lookups(ctx, run, plan.Checks, policy, snap, r.progress(run))
	return snap, plan.Checks, err
}

// keepHistory gives findings the history they had: a replay is not a new sighting.
func keepHistory(made *report.Report, p Past) error {
	was, err := p.Findings()
	if err != nil {
		return err
	}
	made.Assessment.Findings = posture.Findings(made.Findings)
	before, accepted := make(map[string]posture.Finding, len(was)), map[string]bool{}
	for _, f := range was {
		before[f.ID] = f
	}
	for i := range made.Assessment.Findings {
		f := &made.Assessment.Findings[i]
		if old, known := before[f.ID]; known && old.Result == f.Result {
			f.FirstSeen, f.LastSeen, f.Status = old.FirstSeen, old.LastSeen, old.Status
			f.Exception, f.ExceptionNote = old.Exception, old.ExceptionNote
		}
		if f.Exception != nil {
			accepted[f.ID] = true
		}
	}
	report.MarkAccepted(made.Paths, accepted)
	return nil
}

func hasSource(sections []snapshot.Section, source string) bool {
	return slices.ContainsFunc(sections, func(s snapshot.Section) bool { return s.Source == source })
}

// errThen is why something is unknown in a replay.
var errThen = errors.New("the run that is judged again did not ask")

// nothing answers neither reads nor look-ups.
type nothing struct{}

// Read implements reader.
func (nothing) Read(_ context.Context, s snapshot.Source, t snapshot.SourceScope, _ *snapshot.Known,
	_ cloudflare.Checkpoint) (snapshot.Section, error) {
	return snapshot.Section{Source: s.Name, Scope: s.Scope(t), Status: snapshot.Failed, Reason: errThen.Error()}, nil
}

// Lookup implements Resolver.
func (nothing) Lookup(context.Context, snapshot.Question) (snapshot.Lookup, error) {
	return snapshot.Lookup{}, errThen
}

// forgetful reads from a store and stores nothing.
type forgetful struct{ Store }

// PutSections stores nothing.
func (forgetful) PutSections(context.Context, string, int, []snapshot.Section) error { return nil }

var _ store.Sections = forgetful{}

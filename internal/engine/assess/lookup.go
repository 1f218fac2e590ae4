package assess

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Resolver queries the public DNS; *resolve.Resolver implements it.
type Resolver interface {
	Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error)
}

const (
	// lookupLimit bounds the names that one run looks up; further ones are UNKNOWN.
	lookupLimit = 2000
	// lookupRounds bounds how often answers may raise further questions: an SPF
	// record may nest ten deep (RFC 7208, section 4.6.4), behind one alias.
	lookupRounds  = 12
	lookupsAtOnce = 16
	// lookupBatch is how many answers become durable at once.
	lookupBatch = 64
)

// lookups answers the checks' questions about names outside the provider, round by round, since an
// answer may raise the next question. Answers are sections of the job like any other read, so a resumed
// run asks only what is missing; what got no answer becomes one when nothing more is asked, so that the
// run can be judged again as it was.
func (r *Runner) lookups(ctx context.Context, run Run, checks []check.Check, policy policy.Policy, snap *snapshot.Snapshot,
	m *progress) (*snapshot.Snapshot, error) {
	resolver := r.o.Resolver(run.Demo)
	asked := len(snap.Scopes(snapshot.DNSLookup.Source()))
	var silent []snapshot.Section
	for range lookupRounds {
		questions := check.Questions(snap, checks, policy)
		if len(questions) == 0 {
			break
		}
		m.phase("resolve", "name", len(questions))
		beyond := max(0, min(len(questions), asked+len(questions)-lookupLimit))
		now := questions[:len(questions)-beyond]
		asked += len(now)
		fresh, err := r.resolve(ctx, run.Job, resolver, now, m)
		if err != nil {
			return nil, err
		}
		_, more := split(fresh)
		silent = append(silent, more...)
		for _, q := range questions[len(now):] {
			fresh = append(fresh, unanswered(q, fmt.Sprintf("the limit of %d look-ups per run was reached", lookupLimit)))
		}
		if snap, err = snap.With(fresh...); err != nil {
			return nil, fmt.Errorf("add the look-ups: %w", err)
		}
		if resolver == nil {
			break // nothing will be answered, so nothing new will be asked
		}
	}
	if err := r.o.Store.PutSections(ctx, run.Job.ID, run.Job.Attempt, silent); err != nil {
		return nil, fmt.Errorf("keep what was not answered: %w", err)
	}
	return snap, nil
}

// split separates what was answered from what was not.
func split(all []snapshot.Section) (answered, silent []snapshot.Section) {
	for _, s := range all {
		if s.Status == snapshot.OK {
			answered = append(answered, s)
		} else {
			silent = append(silent, s)
		}
	}
	return answered, silent
}

// resolve answers questions in batches and stores the answers.
func (r *Runner) resolve(ctx context.Context, job store.JobRow, resolver Resolver, questions []snapshot.Question,
	m *progress) ([]snapshot.Section, error) {
	out := make([]snapshot.Section, len(questions))
	for start := 0; start < len(questions); start += lookupBatch {
		batch := out[start:min(start+lookupBatch, len(out))]
		var g errgroup.Group
		g.SetLimit(lookupsAtOnce)
		for i := range batch {
			g.Go(func() error { batch[i] = answer(ctx, resolver, questions[start+i]); return nil })
		}
		_ = g.Wait() // each answer carries its own error
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answered, _ := split(batch)
		if err := r.o.Store.PutSections(ctx, job.ID, job.Attempt, answered); err != nil {
			return nil, fmt.Errorf("keep the look-ups: %w", err)
		}
		m.done(start+len(batch), len(questions))
	}
	return out, nil
}

func answer(ctx context.Context, resolver Resolver, q snapshot.Question) snapshot.Section {
	if resolver == nil {
		return unanswered(q, "look-ups of public names are switched off (SERVICE_DNS_RESOLVER=off)")
	}
	got, err := resolver.Lookup(ctx, q)
	if err != nil {
		return unanswered(q, "the resolver gave no answer: "+err.Error())
	}
	value, err := snapshot.Canonical(got)
	if err != nil {
		return unanswered(q, "the answer cannot be kept: "+err.Error())
	}
	return snapshot.Section{Source: snapshot.DNSLookup.Source(), Scope: q.Scope(), Status: snapshot.OK, Value: value}
}

func unanswered(q snapshot.Question, reason string) snapshot.Section {
	return snapshot.Section{Source: snapshot.DNSLookup.Source(), Scope: q.Scope(), Status: snapshot.Failed, Reason: reason}
}

package remedy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// draft is a finding whose changes are being proposed.
type draft struct {
	c     *propose.Case
	check check.Check
	edits []change.Edit
	err   error
	done  bool
}

// Plan reads the live values and returns what would be changed, in the order in which it would be
// done. It changes nothing. The caller sets the ids and the times.
func (e *Engine) Plan(ctx context.Context, r Request) (change.Kept, error) {
	drafts, manual := e.drafts(r)
	if err := e.propose(ctx, drafts); err != nil {
		return change.Kept{}, err
	}
	kept := change.Kept{Inputs: r.Inputs, Plan: change.Plan{Account: r.Account, Changes: []change.Change{}, Manual: manual,
		Skipped: []change.Skipped{}, PathsRemoved: []string{}}}
	seen := map[string]bool{}
	for _, d := range drafts {
		add(&kept, d, r, seen)
	}
	rank(&kept, r.Paths, r.Owner)
	kept.Plan.Digest = change.Digest(kept.Steps)
	return kept, nil
}

// drafts divides the findings into those that a remedy may fix and those left to people.
func (e *Engine) drafts(r Request) ([]*draft, []change.Manual) {
	byID := make(map[string]check.Check, len(e.Checks))
	for _, c := range e.Checks {
		byID[c.ID] = c
	}
	facts := propose.NewFacts()
	var out []*draft
	manual := []change.Manual{}
	for _, f := range r.Findings {
		c, known := byID[f.CheckID]
		if !known || c.Remedy == nil || c.Remedy.Propose == nil {
			manual = append(manual, change.Manual{FindingID: f.ID, CheckID: f.CheckID, Resource: f.Resource, Fix: f.Fix})
			continue
		}
		out = append(out, &draft{c: r.newCase(f, facts), check: c})
	}
	return out, manual
}

// propose calls every remedy until none needs more values, and reads the requested values in between.
func (e *Engine) propose(ctx context.Context, drafts []*draft) error {
	for round := 0; ; round++ {
		open, wants := 0, map[string]propose.Want{}
		for _, d := range drafts {
			if d.done {
				continue
			}
			d.edits, d.err = safely(d.check.Remedy.Of, d.c)
			unread := d.c.Unread()
			if d.done = !propose.Waits(d.err); d.done {
				continue
			}
			open++
			for _, w := range unread {
				wants[w.Key()] = w
			}
		}
		e.progress("read", len(drafts)-open, len(drafts))
		if open == 0 {
			return nil
		}
		if round == rounds || len(wants) == 0 {
			return errors.New("plan the changes: a remedy never has all it wants to read")
		}
		if err := e.learn(ctx, drafts[0].c.Facts, wants); err != nil {
			return err
		}
	}
}

// safely refuses when a remedy panics on an unforeseen answer, and when it proposes edits outside
// the account and zone of the finding.
func safely(p propose.Proposal, c *propose.Case) (edits []change.Edit, err error) {
	defer func() {
		if recover() != nil {
			edits, err = nil, propose.Refuse("Cloudflare's answer has a form the remedy does not know.")
		}
	}()
	edits, err = p(c)
	if !propose.Waits(err) && slices.ContainsFunc(edits,
		func(e change.Edit) bool { return !e.Within(c.Account.ID, c.Finding.Resource.ZoneID) }) {
		return nil, propose.Refuse("The ids Cloudflare gave lead out of the account and the zone of the finding.")
	}
	return edits, err
}

// learn reads the requested values, several concurrently.
func (e *Engine) learn(ctx context.Context, facts *propose.Facts, wants map[string]propose.Want) error {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(reads)
	for _, w := range wants {
		group.Go(func() error {
			if w.Question != nil {
				if e.Resolver == nil {
					mu.Lock()
					defer mu.Unlock()
					facts.Learn(w, nil, propose.Refuse("Names are not looked up here (SERVICE_DNS_RESOLVER is off), and this change needs it."))
					return nil
				}
				answer, err := e.Resolver.Lookup(ctx, *w.Question)
				mu.Lock()
				defer mu.Unlock()
				facts.Heard(w, answer, err)
				return ctx.Err()
			}
			value, err := e.Provider.Live(ctx, w.Path, w.Header)
			mu.Lock()
			defer mu.Unlock()
			facts.Learn(w, value, err)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// add adds the outcome of a draft to the plan.
func add(kept *change.Kept, d *draft, r Request, seen map[string]bool) {
	f := d.c.Finding
	skip := func(reason string, compliant bool) {
		kept.Plan.Skipped = append(kept.Plan.Skipped, change.Skipped{FindingID: f.ID, CheckID: f.CheckID, Resource: f.Resource,
			Reason: reason, Compliant: compliant})
	}
	var refused *propose.RefusedError
	var choice *propose.ChoiceError
	switch {
	case errors.As(d.err, &choice):
		kept.Plan.Manual = append(kept.Plan.Manual, change.Manual{FindingID: f.ID, CheckID: f.CheckID, Resource: f.Resource, Fix: f.Fix,
			Inputs: d.check.Remedy.Inputs})
		return
	case errors.As(d.err, &refused):
		skip(refused.Reason, false)
		return
	case d.err != nil:
		skip("The live value could not be read: "+reason(d.err)+".", false)
		return
	case len(d.edits) == 0:
		skip("The live value is already right; run a new assessment.", true)
		return
	}
	for _, edit := range d.edits {
		step := change.Step{Edit: edit, Change: describe(d, edit, r)}
		if seen[step.Change.ID] {
			continue // two findings that need the same edit
		}
		if len(kept.Steps) == MaxChanges {
			skip(fmt.Sprintf("The plan is full with %d changes; narrow it by checks or zones, or apply it and plan again.", MaxChanges), false)
			return
		}
		seen[step.Change.ID] = true
		kept.Steps = append(kept.Steps, step)
	}
}

func describe(d *draft, edit change.Edit, r Request) change.Change {
	f, remedy := d.c.Finding, d.check.Remedy
	return change.Change{ID: change.ID(r.Account.ID, f.ID, edit), CheckID: f.CheckID, Title: f.Title, Severity: f.Severity, FindingID: f.ID,
		Resource: f.Resource, Object: edit.Label, Operation: edit.Do.Method + " " + edit.Do.Path, Before: edit.Before, After: edit.After,
		Risk:       remedy.Risk,
		Reversible: edit.Undo != nil, Caution: remedy.Caution, RemovesPathIDs: []string{}}
}

// Select keeps the steps of the given checks, in order; without any it keeps all.
func Select(kept change.Kept, checkIDs []string) change.Kept {
	if len(checkIDs) == 0 {
		return kept
	}
	kept.Steps = slices.DeleteFunc(slices.Clone(kept.Steps), func(s change.Step) bool { return !slices.Contains(checkIDs, s.Change.CheckID) })
	return kept
}

// Chosen filters the findings of an assessment to those that a plan should fix. Empty filters
// accept everything; only FAIL and WARNING findings are accepted.
type Chosen struct {
	CheckIDs []string
	Zones    []string // by id or name
	Paths    []posture.AttackPath
	Findings map[string]bool // by id
}

// Has reports whether the finding should be fixed.
func (c Chosen) Has(f posture.Finding) bool {
	if f.Result != posture.Fail && f.Result != posture.Warning {
		return false
	}
	if c.Findings != nil && !c.Findings[f.ID] {
		return false
	}
	if len(c.CheckIDs) > 0 && !slices.Contains(c.CheckIDs, f.CheckID) {
		return false
	}
	if len(c.Zones) > 0 && !slices.Contains(c.Zones, f.Resource.ZoneID) && !slices.Contains(c.Zones, f.Resource.Zone) {
		return false
	}
	return len(c.Paths) == 0 || slices.ContainsFunc(c.Paths, func(p posture.AttackPath) bool { return breaks(p, f) })
}

// breaks reports whether closing the finding is part of what breaks the path.
func breaks(p posture.AttackPath, f posture.Finding) bool {
	return slices.Contains(p.FindingIDs, f.ID) && slices.ContainsFunc(p.Breaks,
		func(b posture.Break) bool { return slices.Contains(b.CheckIDs, f.CheckID) })
}

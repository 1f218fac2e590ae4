package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/assessment/terraform"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

type whatIfInput struct{ Body whatif.Trial }

// postWhatIf returns what would follow from changes. It contacts nobody and stores nothing.
func postWhatIf(s *Server, ctx context.Context, in *whatIfInput) (*answer[whatif.WhatIf], error) {
	t, err := s.trial(ctx, in.Body.Changes)
	if err != nil {
		return nil, err
	}
	id := in.Body.AssessmentID
	if id == "" {
		if id, err = s.tried(ctx, t); err != nil {
			return nil, err
		}
	}
	state, err := s.state(ctx, id)
	if err != nil {
		return nil, err
	}
	out, _, err := state.After(t.steps)
	if refused, is := errors.AsType[*whatif.StepError](err); is {
		return nil, posture.Invalid(fmt.Sprintf("body.changes[%d]", t.of[refused.Place]), refused.Reason, nil)
	} else if err != nil {
		return nil, err
	}
	now := s.now()
	all, err := s.o.Store.ActiveExceptions(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("load the exceptions: %w", err)
	}
	account := state.Snapshot().Account.ID
	names := []string{account}
	if accounts, err := s.o.Store.Accounts(ctx); err == nil {
		for _, a := range accounts {
			if a.ProviderID == account {
				names = append(names, a.ID)
			}
		}
	}
	out.Accept(exception.For(all, now, names...))
	out.AssessmentID, out.Undecided = id, append(out.Undecided, t.undecided...)
	out.NotJudged = append(out.NotJudged, t.notJudged...)
	return &answer[whatif.WhatIf]{out}, nil
}

// trial is the changes to try.
type trial struct {
	steps        []whatif.Step
	of           []int // for each step, the index of its change in the request
	undecided    []whatif.Doubt
	notJudged    []whatif.NotJudged
	assessmentID string // of the first plan
}

func (t *trial) add(place int, steps ...whatif.Step) {
	for _, step := range steps {
		t.steps, t.of = append(t.steps, step), append(t.of, place)
	}
}

func (s *Server) trial(ctx context.Context, changes []whatif.Proposed) (t trial, err error) {
	for i, c := range changes {
		at := fmt.Sprintf("body.changes[%d]", i)
		kinds := 0
		for _, has := range []bool{c.PlanID != "", c.Method+c.Path != "", len(c.TerraformPlan) > 0} {
			if has {
				kinds++
			}
		}
		switch {
		case kinds != 1:
			return t, posture.Invalid(at, "must have planId, or method and path, or terraformPlan", nil)
		case c.PlanID != "":
			err = s.tryPlan(ctx, &t, i, c)
		case len(c.TerraformPlan) > 0:
			err = t.terraform(i, c.TerraformPlan)
		case c.Method == "" || c.Path == "":
			err = posture.Invalid(at, "must have both method and path", nil)
		default:
			t.add(i, whatif.Step{Call: change.Call{Method: c.Method, Path: c.Path, Body: c.Body}})
		}
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// tryPlan adds one change of a plan, or all of its changes.
func (s *Server) tryPlan(ctx context.Context, t *trial, place int, c whatif.Proposed) error {
	kept, err := s.keptPlan(ctx, fmt.Sprintf("body.changes[%d].planId", place), c.PlanID)
	if err != nil {
		return err
	}
	found := c.ChangeID == ""
	for _, step := range whatif.Steps(kept.Steps) {
		if step.Change.PlanID = kept.Plan.ID; c.ChangeID == "" || step.Change.ChangeID == c.ChangeID {
			t.add(place, step)
			found = true
		}
	}
	if !found {
		return posture.Invalid(fmt.Sprintf("body.changes[%d].changeId", place), "is no change of the plan", c.ChangeID)
	}
	if t.assessmentID == "" {
		t.assessmentID = kept.Plan.AssessmentID
	}
	return nil
}

// tried returns the assessment to try changes on when the request names none.
func (s *Server) tried(ctx context.Context, t trial) (string, error) {
	if t.assessmentID != "" {
		return t.assessmentID, nil
	}
	runs, err := s.newestOfEach(ctx)
	if err != nil {
		return "", err
	}
	for _, step := range t.steps {
		kind, rest, _ := strings.Cut(strings.TrimPrefix(step.Call.Path, "/"), "/")
		id, _, _ := strings.Cut(rest, "/")
		if kind != "accounts" && kind != "zones" {
			continue
		}
		for _, a := range runs {
			if kind == "accounts" && a.Account.ID == id ||
				kind == "zones" && slices.ContainsFunc(a.Zones, func(z posture.ZoneRef) bool { return z.ID == id }) {
				return a.ID, nil
			}
		}
		return "", posture.Problemf(posture.CodeNotAssessed, "No assessment has looked at %s; start one with POST /api/assess.",
			clip("/"+kind+"/"+id))
	}
	if len(runs) == 0 {
		return "", posture.Problemf(posture.CodeNotAssessed, "Nothing has been assessed yet; start an assessment with POST /api/assess.")
	}
	return runs[0].ID, nil
}

// state returns what an assessment read, judged by the current thresholds. Only one is judged at a
// time, because judging uses all processors.
func (s *Server) state(ctx context.Context, id string) (*whatif.State, error) {
	a, err := s.saved(ctx, "body.assessmentId", id)
	if err != nil {
		return nil, err
	}
	past, err := s.past(ctx, a)
	if err != nil {
		return nil, err
	}
	s.judging.Lock()
	defer s.judging.Unlock()
	key := a.ID + string(past.Policy)
	if state, ok := s.states.Get(key); ok {
		return state, nil
	}
	snap, err := s.then(ctx, past)
	if err != nil {
		return nil, err
	}
	state, err := s.o.Remedy.Runner.Judge(past, snap)
	if err != nil {
		return nil, err
	}
	s.states.Add(key, state)
	return state, nil
}

// terraform adds the changes of a Terraform plan.
func (t *trial) terraform(place int, plan json.RawMessage) error {
	read, err := terraform.Read(plan)
	if err != nil {
		return posture.Invalid(fmt.Sprintf("body.changes[%d].terraformPlan", place), err.Error(), nil)
	}
	t.add(place, read.Steps...)
	t.undecided = append(t.undecided, read.Undecided...)
	t.notJudged = append(t.notJudged, read.NotJudged...)
	return nil
}

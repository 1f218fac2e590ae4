// Package whatif tells what follows from changes before anybody makes them: which findings and attack paths appear and go, and what
// becomes of the score. It makes the changes in what an assessment read and judges again what they can reach. It is pure.
//
// A change is a call of Cloudflare's API. Sections hold less than the API answers, so the body of a call is reduced in the same way
// as an answer; what only a further read would show is not known, and what hangs on it is undecided.
package whatif

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/assessment/score"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// WhatIf is what follows from changes.
type WhatIf struct {
	AssessmentID string    `json:"assessmentId"`
	Applied      []Applied `json:"applied" doc:"The changes, in the order in which they were made."`
	Findings     Findings  `json:"findings"`
	Paths        Paths     `json:"paths"`
	Score        Scores    `json:"score"`
	JudgedAgain  int       `json:"judgedAgain" doc:"How many verdicts of a check on a zone, an account or another unit the changes could reach."`
	Undecided    []Doubt   `json:"undecided" doc:"What is not known, and why."`
}

// Change is what was asked for.
type Change struct {
	PlanID   string `json:"planId,omitempty"`
	ChangeID string `json:"changeId,omitempty"`
	Address  string `json:"address,omitempty" doc:"Of the resource in Terraform."`
	Method   string `json:"method"`
	Path     string `json:"path"`
}

// Applied is a change and what it does to what was read.
type Applied struct {
	Change Change `json:"change"`
	Edits  []Edit `json:"edits"`
}

// Edit is one value that changes.
type Edit struct {
	Source  string `json:"source" doc:"What was read, such as zone/settings."`
	Scope   string `json:"scope" doc:"The id of the zone, of the account or of another object that it was read of."`
	Pointer string `json:"pointer" doc:"JSON pointer; items of a list are named by their ids."`
	Before  any    `json:"before" doc:"null: not there."`
	After   any    `json:"after" doc:"null: not there."`
}

// Findings are those that change. What becomes UNKNOWN is under undecided.
type Findings struct {
	Appear  []drift.Difference `json:"appear" doc:"FAIL or WARNING after the changes and not before."`
	Resolve []drift.Difference `json:"resolve" doc:"FAIL or WARNING before and no longer."`
	Worsen  []drift.Difference `json:"worsen" doc:"WARNING before and FAIL after, or of a higher severity."`
	Improve []drift.Difference `json:"improve" doc:"FAIL before and WARNING after, or of a lower severity."`
}

// Paths are the attack paths that change.
type Paths struct {
	Appear []posture.AttackPath `json:"appear"`
	Break  []posture.AttackPath `json:"break"`
}

// Scores are those of the account.
type Scores struct {
	Before posture.Score `json:"before"`
	After  posture.Score `json:"after"`
}

// Doubt is something that is not known.
type Doubt struct {
	What       string `json:"what"`
	Why        string `json:"why"`
	Permission string `json:"permission,omitempty" doc:"What the token lacks, when that is the reason."`
}

// State is an account as it was read, or as it would be, with what is judged of it. It never changes.
type State struct {
	snap   *snapshot.Snapshot
	judged *check.Judged
	made   []posture.Verdict
	paths  []posture.AttackPath
	score  posture.Score
}

// Judge judges what was read.
func Judge(snap *snapshot.Snapshot, checks []check.Check, policy policy.Policy) *State {
	return state(snap, check.Judge(snap, checks, policy))
}

func state(snap *snapshot.Snapshot, judged *check.Judged) *State {
	s := &State{snap: snap, judged: judged}
	ev := judged.Evaluation()
	s.made = ev.Findings
	s.score, _, _ = score.Of(ev, report.Zones(snap))
	g, nodeOf := graph.Build(snap, s.made)
	s.paths = attackpath.Find(g, snap, s.made, nodeOf)
	return s
}

// Step is a change as it is asked for, with the call that makes it.
type Step struct {
	Change Change
	Call   Call
}

// StepError is a change that cannot be made in what was read.
type StepError struct {
	Place  int // of the step
	Reason string
}

func (e *StepError) Error() string { return e.Reason }

// After makes the changes one after the other and gives what follows from all of them, and the state after them. The error is a
// *StepError.
func (s *State) After(steps []Step) (WhatIf, *State, error) {
	w := newWorld(s.snap)
	out := WhatIf{Applied: []Applied{}}
	for i, step := range steps {
		edits, err := w.step(step.Call)
		if err != nil {
			return WhatIf{}, nil, &StepError{Place: i, Reason: fmt.Sprintf("%s %s: %s", step.Call.Method, step.Call.Path, reasonOf(err))}
		}
		step.Change.Method, step.Change.Path = strings.ToUpper(step.Call.Method), step.Call.Path
		out.Applied = append(out.Applied, Applied{Change: step.Change, Edits: edits})
	}
	w.follow()
	sections := w.sections()
	snap := s.snap.Edited(w.zones, sections...)
	after := state(snap, s.judged.Again(snap, sections))
	out.JudgedAgain = after.judged.JudgedAgain()
	out.Undecided = append([]Doubt{}, w.doubts...)
	out.compare(s, after)
	return out, after, nil
}

func reasonOf(err error) string {
	if refused, is := errors.AsType[*RefusedError](err); is {
		return refused.Reason
	}
	return err.Error()
}

// step makes one change and tells what differs.
func (w *world) step(c Call) ([]Edit, error) {
	r, err := parse(c)
	if err != nil {
		return nil, err
	}
	before := map[key]section{}
	for k, s := range w.edited {
		before[k] = s
	}
	if err := w.apply(r); err != nil {
		return nil, err
	}
	w.zonesAnew()
	edits := []Edit{}
	for _, k := range w.keys() {
		was, edited := before[k]
		if !edited {
			was.value, _ = w.before(k)
		}
		edits = appendEdits(edits, Edit{Source: k.source, Scope: k.scope}, was.value, w.edited[k].value)
	}
	return edits, nil
}

// zonesAnew takes over what the list of zones tells of them.
func (w *world) zonesAnew() {
	k := key{snapshot.ZoneList.Source(), w.snap.Account.ID}
	s, edited := w.edited[k]
	if !edited {
		return
	}
	all, _ := snapshot.Read(w.snap.Edited(w.zones, s.section(k)), snapshot.ZoneList, k.scope)
	w.zones = slices.DeleteFunc(w.zones, func(z snapshot.Zone) bool {
		return !slices.ContainsFunc(all, func(now snapshot.Zone) bool { return now.ID == z.ID })
	})
	for i, z := range w.zones {
		at := slices.IndexFunc(all, func(now snapshot.Zone) bool { return now.ID == z.ID })
		w.zones[i] = all[at]
	}
}

// appendEdits lists where two values differ; items of lists are told apart by their ids.
func appendEdits(to []Edit, at Edit, was, is any) []Edit {
	if reflect.DeepEqual(was, is) {
		return to
	}
	x, y := byName(was), byName(is)
	if x == nil || y == nil {
		at.Before, at.After = was, is
		return append(to, at)
	}
	var all []string
	for name := range x {
		all = append(all, name)
	}
	for name := range y {
		if _, both := x[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for _, name := range all {
		inner := at
		inner.Pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		to = appendEdits(to, inner, x[name], y[name])
	}
	return to
}

// byName gives the members of an object, or the items of a list whose items have ids; nil for any other value.
func byName(v any) map[string]any {
	switch v := v.(type) {
	case object:
		return v
	case []any:
		out := map[string]any{}
		for _, item := range v {
			id := idOf(item)
			if _, twice := out[id]; id == "" || twice {
				return nil
			}
			out[id] = item
		}
		return out
	default:
		return nil
	}
}

// Snapshot is what was read, or what would be.
func (s *State) Snapshot() *snapshot.Snapshot { return s.snap }

// Findings are those of all checks, sorted by check and resource; they must not be changed.
func (s *State) Findings() []posture.Verdict { return s.made }

// Paths are the attack paths; they must not be changed.
func (s *State) Paths() []posture.AttackPath { return s.paths }

// Score is that of the account.
func (s *State) Score() posture.Score { return s.score }

// Steps are the changes of a plan.
func Steps(plan []change.Step) []Step {
	out := make([]Step, len(plan))
	for i, s := range plan {
		out[i] = Step{Change: Change{ChangeID: s.Change.ID}, Call: Call{Method: s.Edit.Do.Method, Path: s.Edit.Do.Path, Body: s.Edit.Do.Body}}
	}
	return out
}

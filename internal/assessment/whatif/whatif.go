// Package whatif predicts the effects of changes before they are made: which findings and attack
// paths appear or disappear, and how the score changes. It applies the changes to the snapshot of
// an assessment and judges again what they can affect. It is pure.
//
// A change is a call of Cloudflare's API. Sections hold less than the API returns, so the body of a
// call is reduced in the same way as an answer. What only another read would show is unknown, and
// whatever depends on it is undecided.
package whatif

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// Trial is a request to predict the effects of changes.
type Trial struct {
	AssessmentID string `json:"assessmentId,omitempty" doc:"UUID. Default: the plan's, or the newest not narrowed of the changed account."`

	Changes []Proposed `json:"changes" minItems:"1" maxItems:"1000" doc:"Made one after the other."`
}

// Proposed is a change to try: from a remediation plan, an API call, or the changes of a Terraform
// plan.
type Proposed struct {
	PlanID   string `json:"planId,omitempty" doc:"UUID of a remediation plan."`
	ChangeID string `json:"changeId,omitempty" doc:"A change of the plan; all of them when absent."`

	Method string `json:"method,omitempty" enum:"POST,PUT,PATCH,DELETE" doc:"Of a call of Cloudflare's API: POST, PUT, PATCH or DELETE."`
	Path   string `json:"path,omitempty" maxLength:"2000" doc:"Of the call, such as /zones/{id}/settings/ssl."`

	Body json.RawMessage `json:"body,omitempty" doc:"What the call sends, as JSON."`

	TerraformPlan json.RawMessage `json:"terraformPlan,omitempty" doc:"Of terraform show -json; at least format_version and resource_changes."`
}

// WhatIf is the predicted effect of changes.
type WhatIf struct {
	AssessmentID string         `json:"assessmentId"`
	Applied      []Applied      `json:"applied" doc:"The changes, in the order in which they were made."`
	Findings     FindingEffects `json:"findings"`
	Paths        PathEffects    `json:"paths"`
	Score        ScoreEffect    `json:"score"`

	// Causes are indexes in Applied of the changes behind findings that appear or worsen.
	Causes map[string][]int `json:"causes" doc:"By id of a finding: the changes it looks at, as places in applied; its own resource's if any."`

	JudgedAgain int         `json:"judgedAgain" doc:"How many verdicts on a zone, an account or another unit the changes could reach."`
	Undecided   []Doubt     `json:"undecided" doc:"What is not known, and why."`
	NotJudged   []NotJudged `json:"notJudged" doc:"Resources of Terraform whose change is not judged, and why."`

	gaps []gap
}

// NotJudged is a Terraform resource whose change is not judged.
type NotJudged struct {
	Address string `json:"address"`
	Type    string `json:"type"`
	Why     string `json:"why"`
}

// ChangeRef identifies a requested change.
type ChangeRef struct {
	PlanID   string `json:"planId,omitempty"`
	ChangeID string `json:"changeId,omitempty"`
	Address  string `json:"address,omitempty" doc:"Of the resource in Terraform."`
	Method   string `json:"method"`
	Path     string `json:"path"`
}

// Applied is a change with its effects on the snapshot.
type Applied struct {
	Change ChangeRef `json:"change"`
	Edits  []Edit    `json:"edits"`
}

// Edit is one value that changes.
type Edit struct {
	Source  string `json:"source" doc:"What was read, such as zone/settings."`
	Scope   string `json:"scope" doc:"The id of the zone, of the account or of another object that it was read of."`
	Pointer string `json:"pointer" doc:"JSON pointer; items of a list are named by their ids."`
	Before  any    `json:"before" doc:"null: not there."`
	After   any    `json:"after" doc:"null: not there."`
}

// FindingEffects are the findings that change. Findings that become UNKNOWN are listed in
// WhatIf.Undecided instead.
type FindingEffects struct {
	Appear  []drift.Difference `json:"appear" doc:"FAIL or WARNING after the changes and not before."`
	Resolve []drift.Difference `json:"resolve" doc:"FAIL or WARNING before and no longer."`
	Worsen  []drift.Difference `json:"worsen" doc:"WARNING before and FAIL after, or of a higher severity."`
	Improve []drift.Difference `json:"improve" doc:"FAIL before and WARNING after, or of a lower severity."`
}

// PathEffects are the attack paths that change.
type PathEffects struct {
	Appear []posture.AttackPath `json:"appear"`
	Break  []posture.AttackPath `json:"break"`
}

// ScoreEffect is the score of the account before and after.
type ScoreEffect struct {
	Before posture.Score `json:"before"`
	After  posture.Score `json:"after"`
}

// Doubt is something that is not known.
type Doubt struct {
	What       string `json:"what"`
	Why        string `json:"why"`
	Permission string `json:"permission,omitempty" doc:"What the token lacks, when that is the reason."`
}

// State is an account as it was read, or as it would be, with the results of judging it. It is
// immutable.
type State struct {
	snap   *snapshot.Snapshot
	judged *check.Judged
	made   []posture.Verdict
	paths  []posture.AttackPath
	score  posture.Score
}

// Judge judges a snapshot.
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

// Step is a requested change with the call that makes it. Unknown are the members that the call
// leaves out because their values are not known yet, such as proxied or rules[0].action.
type Step struct {
	Change  ChangeRef
	Call    change.Call
	Unknown []string
}

// StepError is returned for a change that cannot be applied to the snapshot.
type StepError struct {
	Place  int // index of the step
	Reason string
}

func (e *StepError) Error() string { return e.Reason }

// After applies the changes in order and returns their combined effect and the state after them.
// The error is a *StepError; a Terraform change that cannot be applied is listed in NotJudged
// instead.
func (s *State) After(steps []Step) (WhatIf, *State, error) {
	w := newWorld(s.snap)
	out := WhatIf{Applied: []Applied{}, NotJudged: []NotJudged{}}
	for i, step := range steps {
		edits, err := w.step(step.Call)
		if err != nil && step.Change.Address != "" {
			out.NotJudged = append(out.NotJudged, NotJudged{step.Change.Address, typeOf(step.Change.Address), reasonOf(err)})
			continue
		}
		if err != nil {
			return WhatIf{}, nil, &StepError{Place: i, Reason: fmt.Sprintf("%s %s: %s", step.Call.Method, step.Call.Path, reasonOf(err))}
		}
		step.Change.Method, step.Change.Path = strings.ToUpper(step.Call.Method), step.Call.Path
		out.Applied = append(out.Applied, Applied{Change: step.Change, Edits: edits})
		out.gaps = append(out.gaps, w.opened(step, edits)...)
	}
	w.follow()
	sections := w.sections()
	snap := s.snap.Edited(w.zones, sections...)
	after := state(snap, s.judged.Again(snap, sections))
	out.JudgedAgain = after.judged.JudgedAgain()
	out.Undecided = append([]Doubt{}, w.doubts...)
	out.compare(s, after)
	out.Causes = out.causes(after)
	return out, after, nil
}

// typeOf returns the type of the resource at a Terraform address.
func typeOf(address string) string {
	for part := range strings.SplitSeq(address, ".") {
		if strings.HasPrefix(part, "cloudflare_") {
			return part
		}
	}
	return ""
}

func reasonOf(err error) string {
	if refused, is := errors.AsType[*RefusedError](err); is {
		return refused.Reason
	}
	return err.Error()
}

// step applies one change and returns what differs.
func (w *world) step(c change.Call) ([]Edit, error) {
	r, err := parse(c)
	if err != nil {
		return nil, err
	}
	before := maps.Clone(w.edited)
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

// zonesAnew updates the zones from an edited list of zones.
func (w *world) zonesAnew() {
	k := key{snapshot.ZoneList.Source(), w.snap.Account.ID}
	s, edited := w.edited[k]
	if !edited {
		return
	}
	var all []snapshot.Zone
	if json.Unmarshal(encoded(s.value), &all) != nil {
		return // it was decoded to this type before
	}
	w.zones = slices.DeleteFunc(w.zones, func(z snapshot.Zone) bool {
		return !slices.ContainsFunc(all, func(now snapshot.Zone) bool { return now.ID == z.ID })
	})
	for i, z := range w.zones {
		at := slices.IndexFunc(all, func(now snapshot.Zone) bool { return now.ID == z.ID })
		w.zones[i] = all[at]
	}
}

// appendEdits lists where two values differ; list items are matched by id.
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
	if a, b := order(was, y), order(is, x); !slices.Equal(a, b) {
		moved := at
		moved.Before, moved.After = a, b
		to = append(to, moved)
	}
	for _, name := range all {
		inner := at
		inner.Pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		to = appendEdits(to, inner, x[name], y[name])
	}
	return to
}

// order lists the ids of the items of a list that are also among others.
func order(list any, others map[string]any) (out []string) {
	for _, item := range of(list) {
		if id := idOf(item); others[id] != nil {
			out = append(out, id)
		}
	}
	return out
}

// byName returns the members of an object, or the items of a list by id; nil for any other value.
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

// Snapshot returns the snapshot, as read or as it would be.
func (s *State) Snapshot() *snapshot.Snapshot { return s.snap }

// Findings returns the findings of all checks, sorted by check and resource; they must not be
// modified.
func (s *State) Findings() []posture.Verdict { return s.made }

// Paths returns the attack paths; they must not be modified.
func (s *State) Paths() []posture.AttackPath { return s.paths }

// Score returns the score of the account.
func (s *State) Score() posture.Score { return s.score }

// Steps returns the changes of a plan.
func Steps(plan []change.Step) []Step {
	out := make([]Step, len(plan))
	for i, s := range plan {
		out[i] = Step{Change: ChangeRef{ChangeID: s.Change.ID}, Call: s.Edit.Do}
	}
	return out
}

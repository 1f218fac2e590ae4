// Package remedy closes findings: it plans changes from live values, applies them
// one by one with a backup of each, and rolls them back. What a change is, the
// checks say as data; this package reads, sends, verifies and keeps the books.
//
// The rules: nothing is sent that was not read right before; the backup of a
// change is durable before the change leaves; a change that cannot be verified is
// taken back and ends the run; a value somebody else changed is left alone.
package remedy

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// Provider is what is needed of the provider's API; *cloudflare.Client has it.
type Provider interface {
	// Live gives the complete result of a path, nil when there is no such object.
	Live(ctx context.Context, path string, header map[string]string) (any, error)
	// Write sends one change.
	Write(ctx context.Context, grant gate.Grant, call change.Call) (json.RawMessage, error)
}

// Resolver answers DNS questions; nil means that names are not looked up.
type Resolver interface {
	Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error)
}

// Limits.
const (
	// MaxChanges is how many changes one plan holds; more are skipped, with the
	// advice to narrow the plan.
	MaxChanges = 500
	// PlanAge is how long a plan may be applied. Its values are read again anyway.
	PlanAge = time.Hour
	// settleTries is how often a change is read back before it counts as not made:
	// the provider may show the old value for a moment.
	settleTries = 3
	// endTime is how long a change that is under way may take to be verified or
	// taken back after the job was cancelled.
	endTime = 45 * time.Second
	reads   = 8 // at once
	rounds  = 12
)

// Engine does the work of one job. Its fields are read only.
type Engine struct {
	Checks   []check.Check
	Provider Provider
	Resolver Resolver
	Now      func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	Progress func(posture.Progress)
	// Admit asks the gate again; a Grant lasts a minute.
	Admit func(ctx context.Context) (gate.Grant, error)
	// Keep makes a bundle durable before it returns.
	Keep func(ctx context.Context, b change.Bundle) error
}

// Request is what a plan is made of.
type Request struct {
	Account  posture.AccountRef
	Zones    map[string]string // zone id → plan.legacy_id
	TokenID  string
	Policy   policy.Policy
	Inputs   change.Inputs
	Findings []posture.Finding // those to fix
	Owner    map[string]string // open finding → its check, of all open findings
	Paths    []posture.AttackPath
	Now      time.Time
}

// newCase makes the case of a finding, with nothing read.
func (r Request) newCase(f posture.Finding, facts *propose.Facts) *propose.Case {
	return &propose.Case{Account: r.Account, Finding: f, ZonePlan: r.Zones[f.Resource.ZoneID], Now: r.Now, TokenID: r.TokenID,
		Inputs: r.Inputs[f.CheckID], Policy: r.Policy, Facts: facts}
}

// reason says in our own words why the provider could not be read or refused.
func reason(err error) string {
	var api *cloudflare.APIError
	var problem *posture.Problem
	switch {
	case errors.As(err, &problem):
		return problem.Detail
	case errors.As(err, &api):
		return api.Error()
	default:
		return "Cloudflare gave no usable answer"
	}
}

// unasked reports whether a request did not leave, because of trouble of the service.
func unasked(err error) bool {
	var closed *cloudflare.GateError
	return errors.As(err, &closed)
}

func (e *Engine) progress(phase string, done, total int) {
	if e.Progress != nil {
		e.Progress(posture.Progress{Phase: phase, Done: done, Total: total, Unit: "change"})
	}
}

// Package remedy closes findings: it plans changes from live values, applies them one by one with a
// backup of each, and rolls them back. The checks define the changes as data; this package reads,
// sends, verifies and keeps records.
//
// The rules: nothing is sent that was not read right before; the backup of a change is durable
// before the change is sent; a change that cannot be verified is taken back and ends the run; a
// value that somebody else changed is left alone.
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

// Provider is the required part of the provider's API; *cloudflare.Client implements it.
type Provider interface {
	// Live returns the complete result of a path, or nil when there is no such object.
	Live(ctx context.Context, path string, header map[string]string) (any, error)
	// Write sends one change.
	Write(ctx context.Context, grant gate.Grant, call change.Call) (json.RawMessage, error)
}

// Resolver answers DNS questions; nil disables look-ups.
type Resolver interface {
	Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error)
}

// Limits of the engine.
const (
	// MaxChanges bounds the changes of one plan; more are skipped, with the advice to narrow the plan.
	MaxChanges = 500
	// PlanAge is how long a plan may be applied. Its values are read again in any case.
	PlanAge = time.Hour
	// settleTries is how often a change is read back before it counts as not made, because the
	// provider may show the old value for a moment.
	settleTries = 3
	// endTime bounds how long a running change may take to be verified or taken back after the job
	// was cancelled.
	endTime = 45 * time.Second
	// fresh is how long after it was read a value may be changed; heldTries is how often a change is
	// begun that cannot be sent that soon, or that Cloudflare answers with 429.
	fresh     = 5 * time.Second
	heldTries = 5
	reads     = 8 // concurrent reads
	rounds    = 12
)

// Engine does the work of one job. Its fields must not be modified.
type Engine struct {
	Checks   []check.Check
	Provider Provider
	Resolver Resolver
	Now      func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	Progress func(posture.Progress)
	// Admit asks the gate again; a Grant lasts a minute.
	Admit func(ctx context.Context) (gate.Grant, error)
	// Keep stores a bundle durably before it returns.
	Keep func(ctx context.Context, b change.Bundle) error
}

// Request is the input of a plan.
type Request struct {
	Account  posture.AccountRef
	Zones    map[string]string // plan.legacy_id by zone id
	TokenID  string
	Policy   policy.Policy
	Inputs   change.Inputs
	Findings []posture.Finding // those to fix
	Owner    map[string]string // check id of every open finding, by finding id
	Paths    []posture.AttackPath
	Now      time.Time
}

// newCase returns the case of a finding, without any values read.
func (r Request) newCase(f posture.Finding, facts *propose.Facts) *propose.Case {
	return &propose.Case{Account: r.Account, Finding: f, ZonePlan: r.Zones[f.Resource.ZoneID], Now: r.Now, TokenID: r.TokenID,
		Inputs: r.Inputs[f.CheckID], Policy: r.Policy, Facts: facts}
}

// reason describes in our own words why the provider could not be read or refused.
func reason(err error) string {
	var api *cloudflare.APIError
	var problem *posture.Problem
	switch {
	case errors.As(err, &problem):
		return problem.Detail
	case errors.As(err, &api):
		return api.Error()
	case heldBack(err):
		return "the request budget had no room for it soon enough"
	default:
		return "Cloudflare gave no usable answer"
	}
}

// refused reports whether Cloudflare answered that it did not carry a write out.
func refused(err error) bool {
	var api *cloudflare.APIError
	return errors.As(err, &api) && api.Refused()
}

// heldBack reports whether a write was not carried out and may be sent again, with values that are
// read again.
func heldBack(err error) bool {
	var held *cloudflare.HeldBackError
	return errors.As(err, &held)
}

// errSlow holds a write back whose object was read too long ago.
var errSlow = posture.Problemf(posture.CodeUnavailable, "its backup could not be stored soon enough")

// UnsentError means that nothing was sent, because the store could not first take what has to be there: the bundle, or an
// entry of the audit log. The change is made when the store is back.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return "the change was not sent: " + e.Err.Error() }

func (e *UnsentError) Unwrap() error { return e.Err }

// unasked reports whether a request was not sent, because of a failure of the service.
func unasked(err error) bool {
	var closed *cloudflare.GateError
	var unsent *UnsentError
	return errors.As(err, &closed) || errors.As(err, &unsent)
}

func (e *Engine) progress(phase string, done, total int) {
	if e.Progress != nil {
		e.Progress(posture.Progress{Phase: phase, Done: done, Total: total, Unit: "change"})
	}
}

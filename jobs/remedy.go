package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
)

// Keys of what a caller of remediation sends, sealed on the job.
const (
	BroughtEditToken setting.Key = "editToken"
	BroughtAPIToken  setting.Key = "apiToken"
)

// Remedy is the shared part of the kinds plan, apply and rollback.
type Remedy struct {
	Runner *assess.Runner
	Store  store.Store
	Key    secret.Key
	Gate   *gate.Gate
	// ByTwo requires that somebody else approves a plan before it is applied.
	ByTwo    bool
	AuditLog *auditlog.Log
	// Changed is called for each change of a finished job; optional.
	Changed func(kind posture.JobKind, status change.Status)
	// Span is called for each write to the provider; optional.
	Span     span.Begin
	Checks   []check.Check
	Resolver func(demo bool) assess.Resolver
	// Advise lets the AI planner order and annotate a plan; nil when there is none.
	Advise func(ctx context.Context, k *change.Kept) error
	Random io.Reader
	Now    func() time.Time
	NewID  func() string
	Sleep  func(ctx context.Context, d time.Duration) error
}

// remedySession is one job working on one account.
type remedySession struct {
	remedy.Engine
	client  *cloudflare.Client
	leave   func() // call it when no more requests to the provider follow
	account posture.AccountRef
	policy  policy.Policy
	// registered is our id of the account, "" for a one-off token.
	registered string
}

// open prepares a job's provider client and engine. The caller's edit token is checked by the gate
// again right before each write, here in the process that writes.
func (r Remedy) open(ctx context.Context, a work.Attempt, account posture.AccountRef) (*remedySession, error) {
	own, err := brought(r.Key, a.Row)
	if err != nil {
		return nil, err
	}
	run := assess.Run{Job: a.Row, Account: account, Token: own[BroughtAPIToken]}
	b := &remedySession{account: account, policy: policy.Default(), registered: a.Row.Account}
	if a.Row.Account != "" {
		registered, err := r.Store.Account(ctx, a.Row.Account)
		if err != nil {
			return nil, fmt.Errorf("load the account of the job: %w", err)
		}
		run.Demo = registered.Demo
		if b.policy, err = policy.Parse(registered.Policy); err != nil {
			return nil, posture.Problemf(posture.CodeInvalid, "The thresholds of the account cannot be used: %s.", err)
		}
		if run.Token.IsZero() {
			if run.Token, err = r.tokenOf(ctx, registered); err != nil {
				return nil, err
			}
		}
	}
	if b.client, err = r.Runner.Client(run); err != nil {
		return nil, err
	}
	b.leave = func() { r.Runner.Leave(run) }
	if !own[BroughtAPIToken].IsZero() {
		if err := sees(ctx, b.client, account); err != nil {
			return nil, err
		}
	}
	b.Engine = remedy.Engine{Checks: r.Checks, Provider: recorded{b.client, r.AuditLog, a.Row.ID, r.Span}, Now: r.Now, Sleep: r.Sleep,
		Progress: a.Progress, Admit: r.newGuard(a, own[BroughtEditToken]).admit,
		Keep: func(ctx context.Context, bundle change.Bundle) error {
			row, err := remedy.Seal(r.Key, bundle, r.Random)
			if err != nil {
				return err
			}
			return r.Store.KeepBundle(ctx, row, a.Row.ID, a.Row.Attempt)
		}}
	if r.Resolver != nil {
		if names := r.Resolver(run.Demo); names != nil {
			b.Resolver = names
		}
	}
	return b, nil
}

func (r Remedy) tokenOf(ctx context.Context, account posture.Account) (secret.Text, error) {
	sealed, err := r.Store.SealedToken(ctx, account.ID)
	if err != nil {
		return secret.Text{}, fmt.Errorf("load the token of the account: %w", err)
	}
	token, err := r.Key.Open(sealed, AccountSeal(account.ID))
	return token, sealProblem(err, "the token of account "+account.Name)
}

// sees makes sure that a caller's token belongs to the account: for a token of another account the ids
// of this one do not exist, which would look like deleted objects.
func sees(ctx context.Context, client *cloudflare.Client, account posture.AccountRef) error {
	all, err := client.Accounts(ctx, account.ID)
	if err != nil {
		return posture.Problemf(posture.CodeProvider, "The accounts of apiToken could not be listed (%s); check the token.", err)
	}
	for _, a := range all {
		if a.ID == account.ID {
			return nil
		}
	}
	return posture.Invalid("body.apiToken", "apiToken does not belong to the account that was assessed", "")
}

// request collects the input of a plan: the findings to fix, the check of every open finding, and the
// attack paths.
func (r Remedy) request(ctx context.Context, b *remedySession, a posture.Assessment, chosen remedy.Chosen, paths []posture.AttackPath,
	inputs change.Inputs) (remedy.Request, error) {
	req := remedy.Request{Account: b.account, Zones: map[string]string{}, TokenID: a.TokenInfo.ID, Policy: b.policy, Inputs: inputs,
		Owner: map[string]string{}, Paths: paths, Now: r.Now().UTC()}
	for _, z := range a.Zones {
		req.Zones[z.ID] = z.Plan
	}
	filter := store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning}}
	for f, err := range store.Each(ctx, r.Store, a.ID, filter) {
		if err != nil {
			return req, err
		}
		req.Owner[f.ID] = f.CheckID
		if chosen.Has(f) {
			req.Findings = append(req.Findings, f)
		}
	}
	return req, nil
}

// assessment loads the assessment of a job and its paths.
func (r Remedy) assessment(ctx context.Context, id string) (posture.Assessment, []posture.AttackPath, error) {
	a, err := r.Store.Assessment(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return a, nil, posture.Problemf(posture.CodeNotFound, "There is no assessment %s; GET /api/assessments lists all.", id)
	}
	if err != nil {
		return a, nil, fmt.Errorf("load the assessment: %w", err)
	}
	paths, err := pathsOf(ctx, r.Store, id)
	if err != nil {
		return a, nil, err
	}
	return a, paths, nil
}

// changed reports the outcome of each change of a job.
func (r Remedy) changed(kind posture.JobKind, b change.Bundle) {
	if r.Changed == nil {
		return
	}
	for _, e := range b.Entries {
		r.Changed(kind, e.Status)
	}
}

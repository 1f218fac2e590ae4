package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// AssessArguments are the arguments of an assess job. They hold no credential: it is sealed on the job
// or on the account.
type AssessArguments struct {
	Request posture.AssessRequest `json:"request"`
	// AfterRun, unless nil, replaces the account's setting of what follows its runs.
	AfterRun *posture.AfterRun `json:"afterRun,omitempty"`
}

// after returns what is sent after a run of an account.
func (a AssessArguments) after(account posture.Account) (after posture.AfterRun, err error) {
	if a.AfterRun != nil {
		return *a.AfterRun, nil
	}
	if len(account.AfterRun) == 0 {
		return after, nil
	}
	if err := json.Unmarshal(account.AfterRun, &after); err != nil {
		return after, fmt.Errorf("read what follows the runs of the account: %w", err)
	}
	return after, nil
}

// NewAssess makes a run of a registered account: with the account's zones when the request names none,
// and the active key that allows one unfinished run per account.
func NewAssess(id string, account posture.Account, args AssessArguments, queue string, now time.Time) (store.NewJob, error) {
	args.Request = account.Scoped(args.Request)
	args.Request.Account = account.ID
	raw, err := json.Marshal(args)
	if err != nil {
		return store.NewJob{}, fmt.Errorf("write the arguments of the job: %w", err)
	}
	key := account.AssessKey()
	if account.ProviderID == "" && args.Request.AccountID != "" {
		key = "assess:" + args.Request.AccountID
	}
	return store.NewJob{ID: id, Kind: posture.JobAssess, Queue: queue, Account: account.ID, ActiveKey: key, Arguments: raw,
		BodyHash: bodyHash(account.ID, raw), CreatedAt: now.UTC().Truncate(time.Microsecond)}, nil
}

// NewOneOff makes a run with a token of its own, which the caller seals on the job; who stands for the
// token.
func NewOneOff(id, who string, args AssessArguments, queue string, now time.Time) (store.NewJob, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return store.NewJob{}, fmt.Errorf("write the arguments of the job: %w", err)
	}
	key := who
	if args.Request.AccountID != "" {
		key = args.Request.AccountID
	}
	return store.NewJob{ID: id, Kind: posture.JobAssess, Queue: queue, ActiveKey: "assess:" + key, Arguments: raw,
		BodyHash: bodyHash(who, raw), CreatedAt: now.UTC().Truncate(time.Microsecond)}, nil
}

func bodyHash(who string, arguments []byte) string {
	sum := sha256.Sum256(append([]byte(who+"\x00"), arguments...))
	return hex.EncodeToString(sum[:])
}

// Assess runs one assessment of one account.
type Assess struct {
	Runner   *assess.Runner
	Accounts store.Accounts
	Key      secret.Key
	Now      func() time.Time
	NewID    func() string
	// After adds jobs to those that follow a run, as Ticket.After does; nil adds nothing.
	After func(ctx context.Context, then []store.NewJob, account, assessmentID, id string, now time.Time) ([]store.NewJob, error)
}

// Kind returns the kind of job.
func (Assess) Kind() posture.JobKind { return posture.JobAssess }

// Work reads, judges and saves; the transaction that saves also ends the job.
func (k Assess) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[AssessArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	run := assess.Run{Job: a.Row, Request: args.Request, Progress: a.Progress, Whole: whole(args.Request, posture.Account{})}
	account, err := k.credential(ctx, a.Row, &run)
	if err != nil {
		return work.Result{}, err
	}
	run.Then = func(assessmentID string) ([]store.NewJob, error) {
		now := k.Now().UTC().Truncate(time.Microsecond)
		after, err := args.after(account)
		if err != nil {
			return nil, err
		}
		then, err := follow(after, a.Row.Account, assessmentID, k.NewID, now)
		if err != nil || k.After == nil {
			return then, err
		}
		return k.After(ctx, then, a.Row.Account, assessmentID, k.NewID(), now)
	}
	bound := run.Account.ID
	switch id := args.Request.AccountID; {
	case id == "" || id == bound:
	case bound != "":
		return work.Result{}, posture.Invalid("body.accountId", "The registered account is another one of Cloudflare; leave accountId out.", id)
	default:
		run.Account = posture.AccountRef{ID: id, Name: id}
	}
	if run.OwnerID != "" && bound == "" {
		run.Found = func(ctx context.Context, found posture.AccountRef) error { return k.saveName(ctx, run.OwnerID, found) }
	}
	if _, err := k.Runner.Do(ctx, run); err != nil {
		return work.Result{}, err
	}
	return work.Result{Saved: true}, nil
}

// AfterFailure tells the channels that a summary of the run would have gone to that there is none.
func (k Assess) AfterFailure(ctx context.Context, row store.JobRow) ([]store.NewJob, error) {
	args, err := arguments[AssessArguments](work.Attempt{Row: row})
	if err != nil || row.Account == "" {
		return nil, err
	}
	account, err := k.Accounts.Account(ctx, row.Account)
	if err != nil {
		return nil, fmt.Errorf("load the account of the job: %w", err)
	}
	after, err := args.after(account)
	if err != nil || len(after.Notify) == 0 {
		return nil, err
	}
	n, err := New(posture.JobNotify, k.NewID(), row.Account, "delivery", NotifyArguments{FailedRunID: row.ID, Channels: after.Notify,
		When: after.When, Patient: true}, k.Now().UTC().Truncate(time.Microsecond))
	return []store.NewJob{n}, err
}

// Permissions tries what the token of a registered account may read.
func (k Assess) Permissions(ctx context.Context, account posture.Account) (posture.PermissionReport, error) {
	// The job id identifies the report's share of the request budget.
	row := store.JobRow{Job: posture.Job{ID: "permissions:" + account.ID, Account: account.ID}}
	run := assess.Run{Job: row}
	if _, err := k.credential(ctx, row, &run); err != nil {
		return posture.PermissionReport{}, err
	}
	var report posture.PermissionReport
	err := soon(ctx, func(ctx context.Context) (err error) {
		report, err = k.Runner.Permissions(ctx, run)
		return err
	})
	return report, err
}

// answerWithin is how long a person waits for requests to the provider.
const answerWithin = 30 * time.Second

// soon runs requests to the provider for a person who waits. A run may wait for its budget or for Redis
// as long as it takes; here that becomes a problem.
func soon(ctx context.Context, ask func(ctx context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	err := ask(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return posture.Problemf(posture.CodeUnavailable,
			"Cloudflare could not be asked within %.0f seconds, because its request budget is used up or Redis does not answer; GET /api/health "+
				"tells which; try again later.",
			answerWithin.Seconds())
	}
	return err
}

// saveName stores which provider account the token of a registered account leads to, so that later
// attempts and runs need not ask.
func (k Assess) saveName(ctx context.Context, id string, found posture.AccountRef) error {
	none := ""
	_, err := k.Accounts.ChangeAccount(ctx, id, store.AccountChange{ProviderID: &found.ID, ExpectProviderID: &none},
		k.Now().UTC().Truncate(time.Microsecond))
	if errors.Is(err, store.ErrChanged) || errors.Is(err, store.ErrNotFound) {
		return nil // another attempt was faster, or the account is gone and this run is being cancelled
	}
	if errors.Is(err, store.ErrRegistered) {
		return posture.Problemf(posture.CodeConflict, "Nothing was assessed, because the token leads to an account of Cloudflare that is "+
			"registered here already; assess that registration, and delete this one or give it another token.")
	}
	if err != nil {
		return fmt.Errorf("keep Cloudflare's id of the account: %w", err)
	}
	return nil
}

// Verify asks the provider whether a token works, for a registered account or one to be registered, and
// which account it leads to. A nil error means that the token may be stored.
func (k Assess) Verify(ctx context.Context, account posture.Account, token secret.Text) (posture.AccountRef, error) {
	// Two requests are too few for a share of the request budget of their own.
	run := assess.Run{Job: store.JobRow{Job: posture.Job{Account: account.ID}}, Account: posture.AccountRef{ID: account.ProviderID},
		OwnerID: account.ID, Demo: account.Demo, Token: token}
	var found posture.AccountRef
	err := soon(ctx, func(ctx context.Context) (err error) {
		found, err = k.Runner.Verify(ctx, run)
		return err
	})
	return found, err
}

// credential opens the token of the job or of its account, which it returns.
func (k Assess) credential(ctx context.Context, row store.JobRow, run *assess.Run) (account posture.Account, err error) {
	if len(row.SealedToken) > 0 {
		run.Token, err = k.Key.Open(row.SealedToken, JobSeal(row.ID))
		return account, sealProblem(err, "the one-off token of the job")
	}
	account, err = k.Accounts.Account(ctx, row.Account)
	if errors.Is(err, store.ErrNotFound) {
		return account, posture.Problemf(posture.CodeNotFound, "The account of this job is no longer registered; register it again and start a "+
			"new run.")
	}
	if err != nil {
		return account, fmt.Errorf("load the account of the job: %w", err)
	}
	run.Account = posture.AccountRef{ID: account.ProviderID, Name: account.Name}
	run.OwnerID, run.Demo, run.Policy, run.TokenAt = account.ID, account.Demo, account.Policy, account.TokenAt
	run.Whole = whole(run.Request, account)
	sealed, err := k.Accounts.SealedToken(ctx, account.ID)
	if err != nil {
		return account, fmt.Errorf("load the token of the account: %w", err)
	}
	run.Token, err = k.Key.Open(sealed, AccountSeal(account.ID))
	return account, sealProblem(err, "the token of account "+account.Name)
}

// whole reports whether a request covers everything that the account is meant to show. The zones that
// the account is limited to count as everything.
func whole(r posture.AssessRequest, account posture.Account) bool {
	return len(r.Categories)+len(r.Checks) == 0 && r.Profile != posture.ProfileCore &&
		slices.Equal(r.Zones, account.Zones) && slices.Equal(r.ExcludeZones, account.ExcludeZones)
}

func sealProblem(err error, what string) error {
	if errors.Is(err, secret.ErrSealed) {
		return posture.Problemf(posture.CodeInternal, "The service cannot open %s: it was sealed with another SERVICE_ENCRYPTION_KEY; set that "+
			"key again or enter the token anew.", what)
	}
	return err
}

// AccountSeal is the context that the token of an account is sealed with.
func AccountSeal(id string) string { return "account:" + id }

// JobSeal is the context that the credentials of a job are sealed with.
func JobSeal(id string) string { return "job:" + id }

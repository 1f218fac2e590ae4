package assess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Store is the part of the store that the pipeline uses.
type Store interface {
	store.Sections
	store.Assessments
	store.Exceptions
}

// Options configures a Runner. All fields are required unless a default is named.
type Options struct {
	Store    Store
	Observer Observer
	Requests
	Catalogue
	Process
}

// Requests configures the requests to the provider.
type Requests struct {
	Budget      *budget.Budget
	DemoBudget  *budget.Budget           // of the built-in account, whose provider has no limit; nil: Budget
	BaseURL     func(demo bool) string   // where the provider is
	Transport   http.RoundTripper        // nil: a pool of its own
	Room        *cloudflare.Room         // for answers; nil: one of its own
	Resolver    func(demo bool) Resolver // nil, or returning nil: names are not looked up
	Timeout     time.Duration            // of one request; 0: 30 s
	Concurrency int                      // concurrent reads of one job that are not durable yet; 0: 64
}

// Catalogue is what is judged and read.
type Catalogue struct {
	Checks           []check.Check
	CatalogueVersion string
	Sources          []snapshot.Source
}

// Process is what a runner needs from its process.
type Process struct {
	Version     string // of the service; goes into the evidence of a run
	Fingerprint func(secret.Text) string
	Now         func() time.Time
	NewID       func() string
	Jitter      func() float64
	Sleep       func(ctx context.Context, d time.Duration) error // nil: a timer
}

// Observer is called with the events of runs. Each function may be nil.
type Observer struct {
	// Request is called for each answer of the provider, with the family of the requested source and
	// the status, 0 when there was no answer.
	Request func(family string, status int)
	// Granted is called with how long a request waited for the budget.
	Granted func(class string, waited time.Duration)
	// Span is called for each phase of a run and for each read.
	Span span.Begin
	// Saved is called with the status of each saved assessment.
	Saved func(status posture.AssessmentStatus)
}

// Runner runs assessments. It is safe for concurrent use.
type Runner struct{ o Options }

// New makes a runner.
func New(o Options) *Runner {
	if o.Concurrency == 0 {
		o.Concurrency = maxPace
	}
	if o.Transport == nil {
		o.Transport = cloudflare.NewPool()
	}
	if o.Room == nil {
		o.Room = cloudflare.NewRoom()
	}
	if o.Resolver == nil {
		o.Resolver = func(bool) Resolver { return nil }
	}
	return &Runner{o: o}
}

// Run is one attempt at an assess job.
type Run struct {
	Job     store.JobRow
	Request posture.AssessRequest
	Account posture.AccountRef // the provider's account; empty when the token decides
	OwnerID string             // registered account id, "" for a one-off token
	Demo    bool
	Token   secret.Text
	// TokenAt is when the account got its token: what was read with an earlier token is not carried.
	TokenAt time.Time
	// Whole reports that the request covers the whole account.
	Whole bool
	// Policy holds the thresholds of the account that differ from the defaults.
	Policy   json.RawMessage
	Progress func(posture.Progress)
	// Then returns the jobs that follow the assessment; nil means none. The reconciler adds their tasks
	// to Redis.
	Then func(assessmentID string) ([]store.NewJob, error)
	// Found is called before anything is read, with the account that the token leads to; with it, the token
	// must lead to Account unless that is empty.
	Found func(ctx context.Context, account posture.AccountRef) error
}

// patience is the longest wait for the request budget during which a run keeps its worker.
const patience = time.Second

// Do runs the steps in order and saves the assessment; its findings are in the store only. Its errors
// are problems, the error of ctx, store.ErrFenced, or a *posture.LaterError: the run resumes from what
// it has read when the request budget or the provider allows it.
func (r *Runner) Do(ctx context.Context, run Run) (posture.Assessment, error) {
	progress := r.progress(run)
	made, err := r.do(ctx, run, progress)
	if err != nil {
		progress.flush()
	}
	if later := (*posture.LaterError)(nil); !errors.As(err, &later) {
		r.Leave(run)
	}
	return made, err
}

func (r *Runner) do(ctx context.Context, run Run, progress *progress) (posture.Assessment, error) {
	plan, err := NewPlan(run.Request, r.o.Checks, r.o.Sources)
	if err != nil {
		return posture.Assessment{}, err
	}
	policy, err := thresholds(run.Policy)
	if err != nil {
		return posture.Assessment{}, err
	}
	have, err := r.readBefore(ctx, run)
	if err != nil {
		return posture.Assessment{}, err
	}
	pass := newPass(run.Job, r.o.Store, r.o.Now, progress.waiting, have)
	client, err := r.client(run, progress, patience)
	if err != nil {
		return posture.Assessment{}, err
	}
	if run.Account.ID == "" || run.Found != nil {
		if run.Account, err = r.account(ctx, client, pass, run.Account.ID); err != nil {
			return posture.Assessment{}, err
		}
		if run.Found != nil {
			if err := run.Found(ctx, run.Account); err != nil {
				return posture.Assessment{}, err
			}
		}
	}
	return r.phases(ctx, run, plan, policy, &reading{client, progress, pass, have})
}

// tokenSource is the name prefix of a section that tells with which of the account's tokens a run reads,
// in one that was under way when the account got it; catalogueSource that of one that tells for which
// catalogue it reads.
const (
	tokenSource     = "token#"
	catalogueSource = "catalogue#"
)

// readBefore returns what earlier attempts have read, after dropping what they read with an earlier token,
// since another one may see something else, even another account, or for another catalogue: a worker of
// another version keeps less or more of an answer, and what is missing would be judged as off.
func (r *Runner) readBefore(ctx context.Context, run Run) ([]snapshot.Section, error) {
	have, err := r.o.Store.Sections(ctx, run.Job.ID)
	if err != nil {
		return nil, fmt.Errorf("load what was read before: %w", err)
	}
	notes := []snapshot.Section{{Source: catalogueSource + r.o.CatalogueVersion, Status: snapshot.OK, Value: json.RawMessage("{}")}}
	if run.Job.StartedAt.Before(run.TokenAt) {
		notes = append(notes, snapshot.Section{Source: tokenSource + strconv.FormatInt(run.TokenAt.UnixMicro(), 10), Status: snapshot.OK,
			Value: json.RawMessage("{}")})
	}
	noted := func(n snapshot.Section) bool {
		return slices.ContainsFunc(have, func(s snapshot.Section) bool { return s.Source == n.Source })
	}
	if !slices.ContainsFunc(notes, func(n snapshot.Section) bool { return !noted(n) }) {
		return have, nil
	}
	if len(have) > 0 {
		if err := r.o.Store.DropSections(ctx, run.Job.ID, run.Job.Attempt); err != nil {
			return nil, fmt.Errorf("drop what was read otherwise: %w", err)
		}
	}
	if err := r.o.Store.PutSections(ctx, run.Job.ID, run.Job.Attempt, notes); err != nil {
		return nil, fmt.Errorf("note what the run reads with: %w", err)
	}
	return notes, nil
}

// reading is what one attempt at a run reads with, and what earlier ones have read.
type reading struct {
	client   *cloudflare.Client
	progress *progress
	pass     *pass
	have     []snapshot.Section
}

// phases runs the phases of a run, each in its own span.
func (r *Runner) phases(ctx context.Context, run Run, plan Plan, policy policy.Policy, in *reading) (posture.Assessment, error) {
	progress := in.progress
	var snap *snapshot.Snapshot
	var notCarried string
	var evaluation check.Evaluation
	var made posture.Assessment
	for _, p := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"assess collect", func(ctx context.Context) (err error) {
			snap, notCarried, err = r.snapshot(ctx, run, plan, in)
			return err
		}},
		{"assess look up", func(ctx context.Context) (err error) {
			snap, err = r.lookups(ctx, run, plan.Checks, policy, snap, progress)
			return err
		}},
		{"assess evaluate", func(ctx context.Context) error {
			progress.phase("evaluate", "check", len(plan.Checks))
			evaluation = check.Run(snap, plan.Checks, policy)
			return ctx.Err()
		}},
		{"assess save", func(ctx context.Context) (err error) {
			progress.phase("save", "finding", len(evaluation.Findings))
			read, judged := snap, evaluation
			snap, evaluation, in.have = nil, check.Evaluation{}, nil // frees the memory before writing
			made, err = r.save(ctx, run, policy, read, judged, progress.requests(), notCarried)
			return err
		}},
	} {
		within, end := r.o.Observer.Span.Start(ctx, p.name)
		err := p.do(within)
		end(span.Failed(err))
		if err != nil {
			return posture.Assessment{}, err
		}
	}
	return made, nil
}

// Client returns a client with the token of a run, under the same budget.
func (r *Runner) Client(run Run) (*cloudflare.Client, error) {
	return r.client(run, r.progress(run), 0)
}

func (r *Runner) client(run Run, m *progress, patience time.Duration) (*cloudflare.Client, error) {
	shared, request := r.share(run)
	request.Waiting, request.Patience = m.queued, patience
	gate := &gate{budget: shared, pace: newPace(r.o.Now), progress: m, observer: r.o.Observer, request: request}
	client, err := cloudflare.New(cloudflare.Options{BaseURL: r.o.BaseURL(run.Demo), Token: run.Token, Gate: gate, Transport: r.o.Transport,
		Room: r.o.Room, Span: r.o.Observer.Span, Now: r.o.Now, Jitter: r.o.Jitter, Sleep: r.o.Sleep, Timeout: r.o.Timeout})
	if p, is := errors.AsType[*posture.Problem](err); is {
		return nil, p
	}
	if err != nil {
		return nil, posture.Problemf(posture.CodeProvider, "Cloudflare cannot be asked: %s.", err)
	}
	return client, nil
}

// share returns the budget that a run takes from, and its request to that budget.
func (r *Runner) share(run Run) (*budget.Budget, budget.Request) {
	request := budget.Request{Credential: r.o.Fingerprint(run.Token), Job: run.Job.ID, Class: budget.Interactive}
	if run.Job.Queue == "scheduled" {
		request.Class = budget.Scheduled
	}
	return r.budget(run), request
}

func (r *Runner) budget(run Run) *budget.Budget {
	if run.Demo && r.o.DemoBudget != nil {
		return r.o.DemoBudget
	}
	return r.o.Budget
}

// Leave tells the budget that a run, or the user of its Client, makes no further requests, so that
// other work with its token need not share fairly with it.
func (r *Runner) Leave(run Run) {
	shared, request := r.share(run)
	shared.End(request)
}

// account finds the provider account with the id, or the one account that the token sees when id is "".
// Without a pass it does not wait for the provider.
func (r *Runner) account(ctx context.Context, c *cloudflare.Client, p *pass, id string) (ref posture.AccountRef, err error) {
	began := r.o.Now()
	all, err := c.Accounts(ctx, id)
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ref, ctxErr
	}
	if why := p.limited(sectionKey{source: "accounts"}, err); why != "" {
		return ref, posture.Problemf(posture.CodeProvider, "Cloudflare does not tell the accounts of the token: %s; try again later.", why)
	}
	if _, ok := errors.AsType[*cloudflare.GateError](err); ok {
		return ref, p.pause(ctx, laterOf(err, r.o.Now()))
	}
	why := cloudflare.Unanswered(err)
	if p != nil && why != nil && !cloudflare.Misconfigured(why) {
		if later := p.silent(ctx, began, why); later != nil {
			return ref, later
		}
	}
	if cloudflare.RefusedToken(err) {
		return ref, posture.Problemf(posture.CodeProvider,
			"Cloudflare refuses the token; check that it was copied whole and is not deleted, disabled or expired.")
	}
	if id != "" && cloudflare.Refused(err) {
		return ref, unknownAccount(id)
	}
	if cloudflare.NeedsUserToken(err) {
		return ref, posture.Problemf(posture.CodeProvider,
			"An account owns the token, so it lists no accounts, and it sees no zone; give the account id.")
	}
	if why != nil {
		return ref, posture.Problemf(posture.CodeProvider,
			"The accounts of the token could not be listed (%s); check the network and CLOUDFLARE_BASE_URL.", why)
	}
	if err != nil {
		return ref, posture.Problemf(posture.CodeProvider,
			"The accounts of the token could not be listed (%s); check the token, or give the account id.", err)
	}
	if id == "" && len(all) == 0 {
		return ref, posture.Problemf(posture.CodeProvider,
			"The token sees no account; give it account permissions, or give the account id.")
	}
	return choose(id, all)
}

// snapshot collects what has not been read yet and freezes it. The instant of the snapshot is that of
// the first attempt, so a resumed run judges the same. notCarried is why an incremental run read
// everything.
func (r *Runner) snapshot(ctx context.Context, run Run, plan Plan, in *reading) (_ *snapshot.Snapshot, notCarried string, err error) {
	var from *baseline
	if run.Request.Incremental {
		if from, notCarried, err = r.earlier(ctx, run); err != nil {
			return nil, "", err
		}
	}
	in.progress.phase("collect", "read", 0)
	c := &collector{baseline: from, notCarried: notCarried, jobID: run.Job.ID, attempt: run.Job.Attempt,
		account: run.Account.ID, req: run.Request,
		sources: plan.Sources, client: in.client, store: r.o.Store, slots: make(chan struct{}, r.o.Concurrency), onDone: in.progress.done,
		pass: in.pass}
	zones, sections, err := c.collect(ctx, in.have)
	if errors.Is(err, errProvider) {
		return nil, "", posture.Problemf(posture.CodeProvider,
			"Cloudflare could not be read, %s; check CLOUDFLARE_BASE_URL and the network, then run again.", err)
	}
	if err != nil {
		return nil, "", err
	}
	snap, err := freeze(run.Account, *run.Job.StartedAt, zones, append(sections, lookedUp(in.have)...))
	return snap, c.notCarried, err
}

// freeze makes the snapshot of what was read of an account.
func freeze(account posture.AccountRef, at time.Time, zones []snapshot.Zone, sections []snapshot.Section) (*snapshot.Snapshot, error) {
	snap, err := snapshot.New(snapshot.AccountRef{ID: account.ID, Name: name(account, sections)}, at, zones, otherKindSkipped(sections))
	if err != nil {
		return nil, fmt.Errorf("freeze the snapshot: %w", err)
	}
	return snap, nil
}

// lookedUp returns the names that were looked up.
func lookedUp(sections []snapshot.Section) (out []snapshot.Section) {
	for _, s := range sections {
		if s.Source == snapshot.DNSLookup.Source() {
			out = append(out, s)
		}
	}
	return out
}

// thresholds reads those of an account.
func thresholds(raw json.RawMessage) (policy.Policy, error) {
	out, err := policy.Parse(raw)
	if err != nil {
		return out, posture.Problemf(posture.CodeInvalid, "The thresholds of the account cannot be used: %s.", err)
	}
	return out, nil
}

// otherKindSkipped marks the user's verify call as not needed when the account's
// succeeded: an account-owned token always fails the user endpoint.
func otherKindSkipped(sections []snapshot.Section) []snapshot.Section {
	owned := false
	for _, s := range sections {
		owned = owned || s.Source == snapshot.AccountTokenVerify.Source() && s.Status == snapshot.OK
	}
	for i := range sections {
		if owned && sections[i].Source == snapshot.UserTokenVerify.Source() {
			sections[i] = snapshot.Section{Source: sections[i].Source, Scope: sections[i].Scope, Status: snapshot.Skipped,
				Reason: "the token belongs to the account"}
		}
	}
	return sections
}

// name prefers the provider's name of the account.
func name(ref posture.AccountRef, sections []snapshot.Section) string {
	known := snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) {
		i := slices.IndexFunc(sections, func(s snapshot.Section) bool { return s.Source == source && s.Scope == scope })
		if i < 0 {
			return snapshot.Section{}, false
		}
		return sections[i], true
	})
	list, _ := snapshot.Cached(known, snapshot.AccountList, ref.ID)
	for _, a := range list {
		if a.ID == ref.ID {
			return a.Name
		}
	}
	return ref.Name
}

func (r *Runner) save(ctx context.Context, run Run, policy policy.Policy, snap *snapshot.Snapshot, ev check.Evaluation, requests int,
	notCarried string) (posture.Assessment, error) {
	now := r.o.Now().UTC().Truncate(time.Microsecond)
	exceptions, err := r.o.Store.ActiveExceptions(ctx, now)
	if err != nil {
		return posture.Assessment{}, fmt.Errorf("load the exceptions: %w", err)
	}
	profile := run.Request.Profile
	if profile == "" {
		profile = posture.ProfileFull
	}
	made, err := report.Build(report.Run{AssessmentID: r.o.NewID(), JobID: run.Job.ID, StartedAt: *run.Job.StartedAt, CompletedAt: now,
		Demo: run.Demo, Profile: profile, Sensitivity: run.Request.Sensitivity, Scope: posture.ScopeOf(run.Request, run.Whole),
		Note: run.Request.Note, Requests: requests,
		CatalogueVersion: r.o.CatalogueVersion,
		Incremental:      run.Request.Incremental, NotCarried: notCarried,
		Exceptions: exception.For(exceptions, now, snap.Account.ID, run.OwnerID)}, snap, ev, func(tell func(posture.KnownState)) error {
		return r.o.Store.FindingStates(ctx, snap.Account.ID, tell)
	})
	if err != nil {
		return posture.Assessment{}, fmt.Errorf("load the history of the findings: %w", err)
	}
	var then []store.NewJob
	if run.Then != nil {
		if then, err = run.Then(made.Assessment.ID); err != nil {
			return posture.Assessment{}, err
		}
	}
	evidence, err := r.evidence(run, policy, snap)
	if err != nil {
		return posture.Assessment{}, err
	}
	saved := made.Assessment // the rest belongs to the store from here on, which frees it while writing
	err = r.o.Store.Save(ctx, store.SaveAssessment{JobID: run.Job.ID, Attempt: run.Job.Attempt, AccountID: run.OwnerID, Assessment: saved,
		Verdicts: made.Findings, Graph: made.Graph, Paths: made.Paths, Modifications: made.Modifications, Closed: made.History.Closed,
		Evidence: evidence,
		Tally:    store.RunTotals{Whole: run.Whole, StatusDelta: made.History.Turnover}, Then: then, Now: now})
	if err != nil {
		return posture.Assessment{}, fmt.Errorf("save the assessment: %w", err)
	}
	if r.o.Observer.Saved != nil {
		r.o.Observer.Saved(saved.Status)
	}
	return saved, nil
}

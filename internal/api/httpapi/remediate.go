package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type planInput struct {
	SubmitHeaders
	Body struct {
		AssessmentID string        `json:"assessmentId,omitempty" doc:"UUID of the assessment; the latest when absent."`
		CheckIDs     []string      `json:"checkIds,omitempty" maxItems:"500" doc:"Only findings of these checks."`
		Zones        []string      `json:"zones,omitempty" maxItems:"1000" doc:"Only findings in these zones, by id or name."`
		PathIDs      []string      `json:"pathIds,omitempty" maxItems:"500" doc:"Only findings whose closing breaks one of these attack paths."`
		FindingIDs   []string      `json:"findingIds,omitempty" maxItems:"1000" doc:"Only these findings, by id."`
		AI           bool          `json:"ai,omitempty" doc:"Lets the configured AI planner order and annotate the plan's own changes."`
		Inputs       change.Inputs `json:"inputs,omitempty" doc:"Values to choose, by check id and name; see inputs of GET /api/checks/{id}."`
		APIToken     secret.Text   `json:"apiToken,omitempty" doc:"Reads with this token instead of the account's; sealed until the job ends."`
	}
}

// postPlan is not gated: it reads live values and changes nothing.
func postPlan(s *Server, ctx context.Context, in *planInput) (*submitOutput, error) {
	b := in.Body
	a, err := s.named(ctx, b.AssessmentID)
	if err != nil {
		return nil, err
	}
	if err := s.checkRemedies(b.CheckIDs, b.Inputs); err != nil {
		return nil, err
	}
	args := jobs.PlanArguments{AssessmentID: a.ID, CheckIDs: b.CheckIDs, Zones: b.Zones, PathIDs: b.PathIDs,
		FindingIDs: b.FindingIDs, AI: b.AI, Inputs: b.Inputs, RequestedBy: callOf(ctx).party()}
	return s.remediate(ctx, posture.JobPlan, a.Account, args, nil, jobs.Brought{jobs.BroughtAPIToken: b.APIToken}, in.SubmitHeaders)
}

type applyInput struct {
	SubmitHeaders
	Body struct {
		AssessmentID string `json:"assessmentId,omitempty" doc:"UUID of the assessment whose findings are closed. Required."`
		PlanID       string `json:"planId,omitempty" doc:"The plan that was looked at; 409 plan_stale when a value moved. Default: a new plan."`

		CheckIDs  []string      `json:"checkIds,omitempty" maxItems:"500" doc:"Checks whose findings are closed. Required."`
		Token     secret.Text   `json:"token,omitempty" doc:"The edit scope: the secret or a signed JWT. Required; sealed until the job ends."`
		ChangeIDs []string      `json:"changeIds,omitempty" maxItems:"500" doc:"Only these changes of the plan."`
		Force     bool          `json:"force,omitempty" doc:"Also makes changes of high risk."`
		Inputs    change.Inputs `json:"inputs,omitempty" doc:"Values a person must choose, when there is no planId."`
		APIToken  secret.Text   `json:"apiToken,omitempty" doc:"Writes with this Cloudflare token, not the account's; sealed until the job ends."`
	}
}

func postApply(s *Server, ctx context.Context, in *applyInput) (*submitOutput, error) {
	b := in.Body
	aboutID(ctx, "assessments", b.AssessmentID)
	if err := s.admit(ctx, b.Token); err != nil {
		return nil, err
	}
	if b.AssessmentID == "" {
		return nil, posture.Invalid("body.assessmentId", "name the assessment whose findings are to be closed", "")
	}
	if len(b.CheckIDs) == 0 {
		return nil, posture.Invalid("body.checkIds", "name at least one check; nothing is ever applied for all of them", "")
	}
	a, err := s.named(ctx, b.AssessmentID)
	if err != nil {
		return nil, err
	}
	if err := s.checkRemedies(b.CheckIDs, b.Inputs); err != nil {
		return nil, err
	}
	if b.PlanID != "" {
		if b.PlanID, err = parseID("body.planId", b.PlanID); err != nil {
			return nil, err
		}
		if len(b.Inputs) > 0 {
			return nil, posture.Invalid("body.inputs", "a plan has its inputs already; leave them out, or leave planId out", "")
		}
	}
	approval, err := s.approvalFor(ctx, b.PlanID, a, b.Force)
	if err != nil {
		return nil, err
	}
	args := jobs.ApplyArguments{AssessmentID: a.ID, CheckIDs: b.CheckIDs, PlanID: b.PlanID, ChangeIDs: b.ChangeIDs, Force: b.Force,
		Inputs: b.Inputs}
	return s.remediate(ctx, posture.JobApply, a.Account, args, approval, jobs.Brought{jobs.BroughtEditToken: b.Token,
		jobs.BroughtAPIToken: b.APIToken}, in.SubmitHeaders)
}

type rollbackInput struct {
	SubmitHeaders
	Body struct {
		BundleID  string      `json:"bundleId,omitempty" doc:"The bundle of an apply. Required."`
		Token     secret.Text `json:"token,omitempty" doc:"The edit scope: the secret or a signed JWT. Required; sealed until the job ends."`
		ChangeIDs []string    `json:"changeIds,omitempty" maxItems:"500" doc:"Only these changes of the bundle."`
		Force     bool        `json:"force,omitempty" doc:"Restores also what somebody changed since."`
		APIToken  secret.Text `json:"apiToken,omitempty" doc:"Writes with this Cloudflare token, not the account's; sealed until the job ends."`
	}
}

func postRollback(s *Server, ctx context.Context, in *rollbackInput) (*submitOutput, error) {
	b := in.Body
	aboutID(ctx, "backups", b.BundleID)
	if err := s.admit(ctx, b.Token); err != nil {
		return nil, err
	}
	id, err := parseID("body.bundleId", b.BundleID)
	if err != nil {
		return nil, err
	}
	bundle, err := s.o.Remedy.Bundle(ctx, id)
	if err != nil {
		return nil, err
	}
	// A call with a key may repeat the one that took it back; if it does not, its job says the same.
	if err := bundle.Spent(); err != nil && in.IdempotencyKey == "" {
		return nil, err
	}
	for i, one := range b.ChangeIDs {
		if !slices.ContainsFunc(bundle.Entries, func(e change.BundleStep) bool { return e.Change.ID == one }) {
			return nil, posture.Invalid(fmt.Sprintf("body.changeIds[%d]", i), "the bundle has no such change", clip(one))
		}
	}
	args := jobs.RollbackArguments{BundleID: id, ChangeIDs: b.ChangeIDs, Force: b.Force}
	return s.remediate(ctx, posture.JobRollback, bundle.Account, args, nil, jobs.Brought{jobs.BroughtEditToken: b.Token,
		jobs.BroughtAPIToken: b.APIToken}, in.SubmitHeaders)
}

// admit checks the edit scope before anything else; the worker checks it again right before each
// write. The admission is written to the audit log first, and fails if that write fails.
func (s *Server) admit(ctx context.Context, token secret.Text) error {
	var grant gate.Grant
	var err error
	var refusal *gate.Refusal
	isRefused := false
	tooMany := s.wrongEdits.guess(ctx, []string{callOf(ctx).caller}, s.o.Now, "The change was not made, because too many wrong tokens "+
		"came from you within a minute; wait, and send the right one.", func() bool {
		grant, err = s.o.Remedy.Gate.Admit(ctx, token)
		refusal, isRefused = errors.AsType[*gate.Refusal](err)
		return isRefused && refusal.Reason.Guess()
	})
	if tooMany != nil {
		return tooMany // the token is not even compared
	}
	if err == nil {
		call := callOf(ctx)
		call.admitted, call.entry.Outcome = grant.Token(), audit.Admitted
		return unrecorded(s.o.AuditLog.Must(ctx, call.entry))
	}
	if isRefused {
		id, _ := ctx.Value(requestIDKey).(string)
		s.o.Log.WarnContext(ctx, "a change was refused at the gate", "reason", refusal.Reason, "cause", refusal.Cause, "requestId", id)
	}
	return err
}

// unrecorded tells the caller that the audit log cannot be written. A store that is away speaks for itself.
func unrecorded(err error) error {
	if _, down := errors.AsType[*store.UnavailableError](err); down || err == nil {
		return err
	}
	return posture.Problemf(posture.CodeInternal, "Nothing was done, because the audit log cannot be written and this may not happen "+
		"without it; mend the store, then try again.")
}

// remediate submits the job of a request. Plans of one account may run concurrently; applies and
// rollbacks run one at a time.
func (s *Server) remediate(ctx context.Context, kind posture.JobKind, account posture.AccountRef, args any, approval *store.Approval,
	own jobs.Brought, h SubmitHeaders) (*submitOutput, error) {
	registered, err := s.ofProvider(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	if registered == "" && own[jobs.BroughtAPIToken].IsZero() {
		return nil, posture.Invalid("body.apiToken", "the account is not registered, so no token of it is kept; send apiToken", "")
	}
	n, err := s.newJob(kind, registered, args, own)
	if err != nil {
		return nil, err
	}
	n.Approval = approval
	if kind != posture.JobPlan {
		n.ActiveKey = "remedy:" + account.ID
	}
	if by := callOf(ctx).admitted; kind == posture.JobApply && by.ID != "" {
		n.Once = &store.Once{Key: by.ID, Until: by.Until}
	}
	return s.submit(ctx, n, h)
}

// ofProvider returns the id of the registered account with a provider id, or "" when there is none.
func (s *Server) ofProvider(ctx context.Context, providerID string) (string, error) {
	all, err := s.o.Store.Accounts(ctx)
	if err != nil {
		return "", fmt.Errorf("list the accounts: %w", err)
	}
	i := slices.IndexFunc(all, func(a posture.Account) bool { return a.ProviderID == providerID })
	if i < 0 {
		return "", nil
	}
	return all[i].ID, nil
}

// checkRemedies rejects unknown checks and unknown inputs.
func (s *Server) checkRemedies(ids []string, inputs change.Inputs) error {
	known := map[string]check.Check{}
	for _, c := range s.o.Checks {
		known[c.ID] = c
	}
	for i, id := range ids {
		if _, found := known[id]; !found {
			return posture.Invalid(fmt.Sprintf("body.checkIds[%d]", i), fmt.Sprintf("there is no check %q; GET /api/checks lists all", clip(id)),
				clip(id))
		}
	}
	for id, values := range inputs {
		c, found := known[id]
		if !found || c.Remedy == nil {
			return posture.Invalid("body.inputs", fmt.Sprintf("there is no check %q with a remedy", clip(id)), clip(id))
		}
		for name := range values {
			if !slices.ContainsFunc(c.Remedy.Inputs, func(in change.Input) bool { return in.Name == name }) {
				return posture.Invalid("body.inputs."+id, fmt.Sprintf("the remedy of %s takes no %q", id, clip(name)), clip(name))
			}
		}
	}
	return nil
}

// PlanDetail is a plan as it was shown, with its current approval.
type PlanDetail struct {
	change.Plan
	Approval Approval `json:"approval"`
}

func (s *Server) keptPlan(ctx context.Context, location, ref string) (change.Kept, error) {
	id, err := parseID(location, ref)
	if err != nil {
		return change.Kept{}, err
	}
	return s.o.Remedy.KeptPlan(ctx, id)
}

func getPlan(s *Server, ctx context.Context, in *idInput) (*answer[PlanDetail], error) {
	kept, err := s.keptPlan(ctx, "path.id", in.ID)
	if err != nil {
		return nil, err
	}
	approval, err := s.approval(ctx, kept.Plan.ID)
	return &answer[PlanDetail]{PlanDetail{kept.Plan, approval}}, err
}

type listBackupsInput struct {
	Account string `query:"account" maxLength:"200" doc:"A registered account's id or name, or Cloudflare's id."`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor  string `query:"cursor"`
}

type listBackupsOutput struct {
	Body struct {
		Backups    []change.Backup `json:"backups"`
		NextCursor string          `json:"nextCursor"`
	}
}

func listBackups(s *Server, ctx context.Context, in *listBackupsInput) (*listBackupsOutput, error) {
	accounts, err := s.accountKeys(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	rows, next, err := s.o.Store.Bundles(ctx, accounts, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	out := &listBackupsOutput{}
	out.Body.Backups, out.Body.NextCursor = make([]change.Backup, 0, len(rows)), next
	var atWork map[string]bool
	for _, r := range rows {
		if r.State == change.StateOpen {
			if atWork == nil {
				if atWork, err = s.atWork(ctx); err != nil {
					return nil, err
				}
			}
			b, err := s.asLeft(ctx, r.ID, atWork)
			p, told := errors.AsType[*posture.Problem](err)
			switch {
			case err == nil:
				r.Backup = b.Summary()
			case told && p.Code == posture.CodeConflict: // it was tampered with; whoever opens it reads that
			default:
				return nil, err
			}
		}
		out.Body.Backups = append(out.Body.Backups, r.Backup)
	}
	return out, nil
}

// atWork returns the ids of the jobs that change something, and of the bundles that are being rolled back.
func (s *Server) atWork(ctx context.Context) (map[string]bool, error) {
	rows, _, err := s.o.Store.Jobs(ctx, store.JobFilter{Kinds: []posture.JobKind{posture.JobApply, posture.JobRollback},
		States: []posture.JobState{posture.JobQueued, posture.JobRunning}}, store.Page{})
	if err != nil {
		return nil, fmt.Errorf("look who works on the bundle: %w", err)
	}
	ids := map[string]bool{}
	for _, r := range rows {
		var args jobs.RollbackArguments
		if err := json.Unmarshal(r.Arguments, &args); err != nil {
			return nil, fmt.Errorf("read the arguments of job %s: %w", r.ID, err)
		}
		ids[r.ID], ids[args.BundleID] = true, true
	}
	return ids, nil
}

// asLeft loads a bundle, and tells what a job left that nobody will go on with: its worker died, and it was cancelled or
// given up. The jobs at work are asked for before the bundle is read, because a job that has ended has stored it.
func (s *Server) asLeft(ctx context.Context, id string, atWork map[string]bool) (change.Bundle, error) {
	b, err := s.o.Remedy.Bundle(ctx, id)
	if err == nil && b.State == change.StateOpen && !atWork[b.JobID] && !atWork[b.ID] {
		b = b.Left()
	}
	return b, err
}

// BackupDetail is a bundle whose seal was verified.
type BackupDetail struct {
	change.Backup
	PlanID       string          `json:"planId"`
	JobID        string          `json:"jobId"`
	By           string          `json:"by" doc:"Who was admitted: the subject of the token, or secret."`
	Changes      []change.Change `json:"changes"`
	Results      []change.Result `json:"results"`
	PathsRemoved []string        `json:"pathsRemoved"`
}

func getBackup(s *Server, ctx context.Context, in *idInput) (*answer[BackupDetail], error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	atWork, err := s.atWork(ctx)
	if err != nil {
		return nil, err
	}
	b, err := s.asLeft(ctx, id, atWork)
	if err != nil {
		return nil, err
	}
	d := BackupDetail{Backup: b.Summary(), PlanID: b.PlanID, JobID: b.JobID, By: b.By, Results: b.Results(),
		PathsRemoved: notNil(b.PathsRemoved), Changes: []change.Change{}}
	for _, e := range b.Entries {
		d.Changes = append(d.Changes, e.Change)
	}
	return &answer[BackupDetail]{d}, nil
}

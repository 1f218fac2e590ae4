package scoped

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// PutAccount implements store.Accounts. A caller who sees some accounts only cannot register one.
func (s *Store) PutAccount(ctx context.Context, a posture.Account, sealedToken []byte) error {
	if err := s.may(ctx, a.ID); err != nil {
		return err
	}
	return s.Store.PutAccount(ctx, a, sealedToken)
}

// ChangeAccount implements store.Accounts.
func (s *Store) ChangeAccount(ctx context.Context, accountID string, c store.AccountChange, now time.Time) (posture.Account, error) {
	if err := s.may(ctx, accountID); err != nil {
		return posture.Account{}, err
	}
	return s.Store.ChangeAccount(ctx, accountID, c, now)
}

// Account implements store.Accounts.
func (s *Store) Account(ctx context.Context, idOrName string) (posture.Account, error) {
	a, err := s.Store.Account(ctx, idOrName)
	return checked(ctx, s, a, err, accountOf)
}

// DefaultAccount implements store.Accounts. Whoever sees one account only, means it.
func (s *Store) DefaultAccount(ctx context.Context) (posture.Account, error) {
	if of(ctx) != nil {
		all, err := s.Accounts(ctx)
		if err != nil {
			return posture.Account{}, err
		}
		if len(all) == 1 {
			return all[0], nil
		}
	}
	a, err := s.Store.DefaultAccount(ctx)
	return checked(ctx, s, a, err, accountOf)
}

// Accounts implements store.Accounts.
func (s *Store) Accounts(ctx context.Context) ([]posture.Account, error) {
	all, err := s.Store.Accounts(ctx)
	if seen := of(ctx); seen != nil {
		all = slices.DeleteFunc(all, func(a posture.Account) bool { return !seen.scope.Holds(a.ID, a.Labels) })
	}
	return all, err
}

// SealedToken implements store.Accounts.
func (s *Store) SealedToken(ctx context.Context, accountID string) ([]byte, error) {
	if err := s.may(ctx, accountID); err != nil {
		return nil, err
	}
	return s.Store.SealedToken(ctx, accountID)
}

// DeleteAccount implements store.Accounts.
func (s *Store) DeleteAccount(ctx context.Context, accountID string, now time.Time) error {
	if err := s.may(ctx, accountID); err != nil {
		return err
	}
	return s.Store.DeleteAccount(ctx, accountID, now)
}

// Enqueue implements store.Jobs.
func (s *Store) Enqueue(ctx context.Context, n store.NewJob) (store.Enqueued, error) {
	if err := s.may(ctx, n.Account); err != nil {
		return store.Enqueued{}, err
	}
	if n.Approval != nil {
		if _, err := s.Plan(ctx, n.Approval.PlanID); err != nil {
			return store.Enqueued{}, err
		}
	}
	n.Idempotency = key(ctx, n.Idempotency)
	return s.Store.Enqueue(ctx, n)
}

// Job implements store.Jobs.
func (s *Store) Job(ctx context.Context, jobID string) (store.JobRow, error) {
	j, err := s.Store.Job(ctx, jobID)
	return checked(ctx, s, j, err, func(j store.JobRow) string { return j.Account })
}

// JobsByID implements store.Jobs.
func (s *Store) JobsByID(ctx context.Context, ids []string) ([]store.JobRow, error) {
	all, err := s.Store.JobsByID(ctx, ids)
	return slices.DeleteFunc(all, func(j store.JobRow) bool { return s.may(ctx, j.Account) != nil }), err
}

// Jobs implements store.Jobs.
func (s *Store) Jobs(ctx context.Context, f store.JobFilter, p store.Page) ([]store.JobRow, string, error) {
	if none, err := s.narrow(ctx, &f.Accounts, f.Account); none || err != nil {
		return nil, "", err
	}
	return s.Store.Jobs(ctx, f, p)
}

// RequestCancel implements store.Jobs.
func (s *Store) RequestCancel(ctx context.Context, jobID string, now time.Time) (store.JobRow, error) {
	if _, err := s.Job(ctx, jobID); err != nil {
		return store.JobRow{}, err
	}
	return s.Store.RequestCancel(ctx, jobID, now)
}

// Sections implements store.Sections.
func (s *Store) Sections(ctx context.Context, jobID string) ([]snapshot.Section, error) {
	if err := s.job(ctx, jobID); err != nil {
		return nil, err
	}
	return s.Store.Sections(ctx, jobID)
}

// EachSection implements store.Sections.
func (s *Store) EachSection(ctx context.Context, jobID string) iter.Seq2[snapshot.Section, error] {
	if err := s.job(ctx, jobID); err != nil {
		return func(yield func(snapshot.Section, error) bool) { yield(snapshot.Section{}, err) }
	}
	return s.Store.EachSection(ctx, jobID)
}

// job is may for a job, decided by its assessment if it has one: the assessment may know the account by
// another id.
func (s *Store) job(ctx context.Context, jobID string) error {
	if of(ctx) == nil {
		return nil
	}
	j, err := s.Store.Job(ctx, jobID)
	if err != nil {
		return err
	}
	if j.AssessmentID != "" && s.run(ctx, j.AssessmentID) == nil {
		return nil
	}
	return s.may(ctx, j.Account)
}

// Assessment implements store.Assessments.
func (s *Store) Assessment(ctx context.Context, id string) (posture.Assessment, error) {
	a, err := s.Store.Assessment(ctx, id)
	return checked(ctx, s, a, err, func(a posture.Assessment) string { return a.Account.ID })
}

// LatestAssessment implements store.Assessments.
func (s *Store) LatestAssessment(ctx context.Context, account string) (posture.Assessment, error) {
	account, err := s.newest(ctx, account)
	if err != nil {
		return posture.Assessment{}, err
	}
	return s.Store.LatestAssessment(ctx, account)
}

// LatestSummaries implements store.Assessments.
func (s *Store) LatestSummaries(ctx context.Context, accounts []string) (map[string]posture.AssessmentSummary, error) {
	if len(accounts) == 0 { // narrow takes an empty list as all accounts
		return nil, nil
	}
	if none, err := s.narrow(ctx, &accounts); none || err != nil {
		return nil, err
	}
	return s.Store.LatestSummaries(ctx, accounts)
}

// Pick implements store.Assessments.
func (s *Store) Pick(ctx context.Context, id, account string) (store.AssessmentRef, error) {
	if id == "" {
		var err error
		if account, err = s.newest(ctx, account); err != nil {
			return store.AssessmentRef{}, err
		}
	}
	ref, err := s.Store.Pick(ctx, id, account)
	return checked(ctx, s, ref, err, func(r store.AssessmentRef) string { return r.Account })
}

// NewestWhole implements store.Assessments.
func (s *Store) NewestWhole(ctx context.Context, account string) (string, error) {
	if of(ctx) == nil || account != "" {
		if err := s.may(ctx, account); err != nil {
			return "", err
		}
		return s.Store.NewestWhole(ctx, account)
	}
	for p := (store.Page{Limit: 100}); ; {
		rows, next, err := s.Assessments(ctx, store.AssessmentFilter{}, p)
		if err != nil {
			return "", err
		}
		for _, a := range rows {
			if a.Scope.Whole() {
				return a.ID, nil
			}
		}
		if p.Cursor = next; next == "" {
			return "", store.ErrNotFound
		}
	}
}

// Assessments implements store.Assessments.
func (s *Store) Assessments(ctx context.Context, f store.AssessmentFilter, p store.Page) ([]posture.AssessmentSummary, string, error) {
	if none, err := s.narrow(ctx, &f.Accounts, f.Account); none || err != nil {
		return nil, "", err
	}
	rows, next, err := s.Store.Assessments(ctx, f, p)
	// A run may be of another account than the registration it was made for: then it is not listed, as it is not read.
	return slices.DeleteFunc(rows, func(a posture.AssessmentSummary) bool { return s.may(ctx, a.Account.ID) != nil }), next, err
}

// Findings implements store.Assessments.
func (s *Store) Findings(ctx context.Context, assessmentID string, f store.FindingFilter, p store.Page) ([]posture.Finding, string, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, "", err
	}
	return s.Store.Findings(ctx, assessmentID, f, p)
}

// Outcomes implements store.Assessments.
func (s *Store) Outcomes(ctx context.Context, assessmentID string) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		if err := s.run(ctx, assessmentID); err != nil {
			yield(posture.Finding{}, err)
			return
		}
		s.Store.Outcomes(ctx, assessmentID)(yield)
	}
}

// CountFindings implements store.Assessments.
func (s *Store) CountFindings(ctx context.Context, assessmentID string, f store.FindingFilter) (map[posture.Result]int, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, err
	}
	return s.Store.CountFindings(ctx, assessmentID, f)
}

// Graph implements store.Assessments.
func (s *Store) Graph(ctx context.Context, assessmentID string) (graph.Source, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, err
	}
	return s.Store.Graph(ctx, assessmentID)
}

// Paths implements store.Assessments.
func (s *Store) Paths(ctx context.Context, assessmentID string) (iter.Seq2[posture.AttackPath, error], error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, err
	}
	return s.Store.Paths(ctx, assessmentID)
}

// Modifications implements store.Assessments.
func (s *Store) Modifications(ctx context.Context, assessmentID string) ([]posture.Modification, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, err
	}
	return s.Store.Modifications(ctx, assessmentID)
}

// FindingStates implements store.Assessments.
func (s *Store) FindingStates(ctx context.Context, providerAccountID string, tell func(posture.KnownState)) error {
	if err := s.may(ctx, providerAccountID); err != nil {
		return err
	}
	return s.Store.FindingStates(ctx, providerAccountID, tell)
}

// LatestFindings implements store.Assessments.
func (s *Store) LatestFindings(ctx context.Context, f store.LatestFilter, p store.Page) ([]store.LatestFinding, string, error) {
	if none, err := s.narrowGiven(ctx, &f.Accounts); none || err != nil {
		return nil, "", err
	}
	return s.Store.LatestFindings(ctx, f, p)
}

// CountLatest implements store.Assessments.
func (s *Store) CountLatest(ctx context.Context, f store.LatestFilter) (int, error) {
	if none, err := s.narrowGiven(ctx, &f.Accounts); none || err != nil {
		return 0, err
	}
	return s.Store.CountLatest(ctx, f)
}

// LatestFinding implements store.Assessments.
func (s *Store) LatestFinding(ctx context.Context, findingID string, now time.Time) (store.LatestFinding, error) {
	f, err := s.Store.LatestFinding(ctx, findingID, now)
	return checked(ctx, s, f, err, func(f store.LatestFinding) string { return f.AccountID })
}

// Sightings implements store.Assessments.
func (s *Store) Sightings(ctx context.Context, findingID string, limit int) ([]store.Sighting, error) {
	if of(ctx) != nil {
		if _, err := s.LatestFinding(ctx, findingID, time.Time{}); err != nil {
			return nil, err
		}
	}
	return s.Store.Sightings(ctx, findingID, limit)
}

// AddException implements store.Exceptions. A caller who sees some accounts only can accept risks of
// one account at a time.
func (s *Store) AddException(ctx context.Context, e posture.Exception, callerKey, hash string) (posture.Exception, bool, error) {
	if err := s.may(ctx, e.Account); err != nil {
		return posture.Exception{}, false, err
	}
	return s.Store.AddException(ctx, e, ownKey(ctx, callerKey), hash)
}

// AddExceptions implements store.Exceptions.
func (s *Store) AddExceptions(ctx context.Context, all []posture.Exception, callerKey, hash string,
	now time.Time) ([]posture.Exception, bool, error) {
	for _, e := range all {
		if err := s.may(ctx, e.Account); err != nil {
			return nil, false, err
		}
	}
	return s.Store.AddExceptions(ctx, all, ownKey(ctx, callerKey), hash, now)
}

// ownKey joins a key and its caller. Spaces of the key are doubled, so that none of them begins the name of somebody else; a key
// without spaces is stored as earlier versions stored it.
func ownKey(ctx context.Context, callerKey string) string {
	if by := actorOf(ctx); by != "" && callerKey != "" {
		return strings.ReplaceAll(callerKey, " ", "  ") + " by " + by
	}
	return callerKey
}

// RevokeException implements store.Exceptions.
func (s *Store) RevokeException(ctx context.Context, id string, now time.Time) error {
	if of(ctx) != nil {
		all, _, err := s.Exceptions(ctx, now, store.Page{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(e posture.Exception) bool { return e.ID == id }) {
			return store.ErrNotFound
		}
	}
	return s.Store.RevokeException(ctx, id, now)
}

// Exceptions implements store.Exceptions. Exceptions for all accounts are left out, because their texts
// and counts cover accounts the caller may not see. The cursor is the id of the last exception given.
func (s *Store) Exceptions(ctx context.Context, now time.Time, p store.Page) ([]posture.Exception, string, error) {
	if of(ctx) == nil {
		return s.Store.Exceptions(ctx, now, p)
	}
	all, _, err := s.Store.Exceptions(ctx, now, store.Page{})
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(e posture.Exception) bool { return s.may(ctx, e.Account) != nil })
	if p.Cursor != "" {
		at := slices.IndexFunc(all, func(e posture.Exception) bool { return e.ID == p.Cursor })
		all = all[at+1:]
	}
	if p.Limit == 0 || len(all) <= p.Limit {
		return all, "", nil
	}
	return all[:p.Limit], all[p.Limit-1].ID, nil
}

// ActiveExceptions implements store.Exceptions. Exceptions for all accounts are included, because they
// apply to the visible accounts too.
func (s *Store) ActiveExceptions(ctx context.Context, now time.Time) ([]posture.Exception, error) {
	all, err := s.Store.ActiveExceptions(ctx, now)
	return slices.DeleteFunc(all, func(e posture.Exception) bool { return e.Account != "" && s.may(ctx, e.Account) != nil }), err
}

// Delivery implements store.Deliveries.
func (s *Store) Delivery(ctx context.Context, id string) (posture.Delivery, error) {
	d, err := s.Store.Delivery(ctx, id)
	return checked(ctx, s, d, err, func(d posture.Delivery) string { return d.Account.ID })
}

// Deliveries implements store.Deliveries.
func (s *Store) Deliveries(ctx context.Context, f store.DeliveryFilter, p store.Page) ([]posture.Delivery, string, error) {
	if none, err := s.narrow(ctx, &f.Accounts); none || err != nil {
		return nil, "", err
	}
	return s.Store.Deliveries(ctx, f, p)
}

// Plan implements store.Remediations.
func (s *Store) Plan(ctx context.Context, id string) (store.PlanRow, error) {
	p, err := s.Store.Plan(ctx, id)
	return checked(ctx, s, p, err, func(p store.PlanRow) string { return p.AccountID })
}

// Approve implements store.Remediations.
func (s *Store) Approve(ctx context.Context, a store.ApprovalRow) error {
	if _, err := s.Plan(ctx, a.PlanID); err != nil {
		return err
	}
	return s.Store.Approve(ctx, a)
}

// PlanApproval implements store.Remediations.
func (s *Store) PlanApproval(ctx context.Context, planID string) (store.ApprovalRow, error) {
	if _, err := s.Plan(ctx, planID); err != nil {
		return store.ApprovalRow{}, err
	}
	return s.Store.PlanApproval(ctx, planID)
}

// Bundle implements store.Remediations.
func (s *Store) Bundle(ctx context.Context, id string) (store.BundleRow, error) {
	b, err := s.Store.Bundle(ctx, id)
	return checked(ctx, s, b, err, func(b store.BundleRow) string { return b.Account.ID })
}

// BundleOfJob implements store.Remediations.
func (s *Store) BundleOfJob(ctx context.Context, jobID string) (store.BundleRow, error) {
	b, err := s.Store.BundleOfJob(ctx, jobID)
	return checked(ctx, s, b, err, func(b store.BundleRow) string { return b.Account.ID })
}

// Bundles implements store.Remediations.
func (s *Store) Bundles(ctx context.Context, accounts []string, p store.Page) ([]store.BundleRow, string, error) {
	if none, err := s.narrow(ctx, &accounts); none || err != nil {
		return nil, "", err
	}
	return s.Store.Bundles(ctx, accounts, p)
}

// PutSchedule implements store.Schedules.
func (s *Store) PutSchedule(ctx context.Context, r store.ScheduleRow) error {
	if err := s.may(ctx, r.Account); err != nil {
		return err
	}
	return s.Store.PutSchedule(ctx, r)
}

// ChangeSchedule implements store.Schedules.
func (s *Store) ChangeSchedule(ctx context.Context, r store.ScheduleRow) error {
	if _, err := s.Schedule(ctx, r.ID); err != nil {
		return err
	}
	if err := s.may(ctx, r.Account); err != nil {
		return err
	}
	return s.Store.ChangeSchedule(ctx, r)
}

// DeleteSchedule implements store.Schedules.
func (s *Store) DeleteSchedule(ctx context.Context, id string) error {
	if _, err := s.Schedule(ctx, id); err != nil {
		return err
	}
	return s.Store.DeleteSchedule(ctx, id)
}

// Schedule implements store.Schedules.
func (s *Store) Schedule(ctx context.Context, id string) (store.ScheduleRow, error) {
	r, err := s.Store.Schedule(ctx, id)
	return checked(ctx, s, r, err, func(r store.ScheduleRow) string { return r.Account })
}

// Schedules implements store.Schedules.
func (s *Store) Schedules(ctx context.Context, f store.ScheduleFilter, p store.Page) ([]store.ScheduleRow, string, error) {
	if none, err := s.narrow(ctx, &f.Accounts, f.Account); none || err != nil {
		return nil, "", err
	}
	return s.Store.Schedules(ctx, f, p)
}

// Fires implements store.Schedules.
func (s *Store) Fires(ctx context.Context, scheduleID string, limit int) ([]posture.Fire, error) {
	if of(ctx) != nil {
		if _, err := s.Schedule(ctx, scheduleID); err != nil {
			return nil, err
		}
	}
	return s.Store.Fires(ctx, scheduleID, limit)
}

// Evidence implements store.Evidences.
func (s *Store) Evidence(ctx context.Context, assessmentID string) (store.Evidence, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return store.Evidence{}, err
	}
	return s.Store.Evidence(ctx, assessmentID)
}

// Forgotten implements store.Retentions. It is unknown which account a forgotten assessment belonged
// to.
func (s *Store) Forgotten(ctx context.Context, assessmentID string) (time.Time, error) {
	if of(ctx) != nil {
		return time.Time{}, store.ErrNotFound
	}
	return s.Store.Forgotten(ctx, assessmentID)
}

// Line implements store.Trends.
func (s *Store) Line(ctx context.Context, f store.TrendFilter) (store.Line, error) {
	var err error
	if f.Account, err = s.newest(ctx, f.Account); err != nil {
		return store.Line{}, err
	}
	return s.Store.Line(ctx, f)
}

// ObjectOf implements store.Objects.
func (s *Store) ObjectOf(ctx context.Context, i store.Idempotency, id string, now time.Time) (string, error) {
	return s.Store.ObjectOf(ctx, *key(ctx, &i), id, now)
}

// RunFindings implements store.RunFindings.
func (s *Store) RunFindings(ctx context.Context, assessmentID string, f store.RunFilter, p store.Page) ([]posture.Finding, string, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, "", err
	}
	return s.Store.RunFindings(ctx, assessmentID, f, p)
}

// RunFacets implements store.RunFindings.
func (s *Store) RunFacets(ctx context.Context, assessmentID string, f store.RunFilter) (store.Facets, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return store.Facets{}, err
	}
	return s.Store.RunFacets(ctx, assessmentID, f)
}

// RunGroups implements store.RunFindings.
func (s *Store) RunGroups(ctx context.Context, assessmentID string, f store.RunFilter, by store.Grouping,
	p store.Page) ([]store.FindingGroup, int, string, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, 0, "", err
	}
	return s.Store.RunGroups(ctx, assessmentID, f, by, p)
}

// RunIssues implements store.Issues.
func (s *Store) RunIssues(ctx context.Context, assessmentID string, of store.IssueScope, now time.Time) ([]issue.Issue, error) {
	if err := s.run(ctx, assessmentID); err != nil {
		return nil, err
	}
	return s.Store.RunIssues(ctx, assessmentID, of, now)
}

// IssueWork implements store.IssueDecisions.
func (s *Store) IssueWork(ctx context.Context, issueID string) (store.IssueWork, error) {
	w, err := s.Store.IssueWork(ctx, issueID)
	return checked(ctx, s, w, err, func(w store.IssueWork) string { return w.Issue.AccountID })
}

// ChangeIssue implements store.IssueDecisions.
func (s *Store) ChangeIssue(ctx context.Context, w store.IssueWork, happened []store.IssueEvent) (store.IssueWork, error) {
	if err := s.may(ctx, w.Issue.AccountID); err != nil {
		return store.IssueWork{}, err
	}
	return s.Store.ChangeIssue(ctx, w, happened)
}

// Comment implements store.IssueDecisions.
func (s *Store) Comment(ctx context.Context, w store.IssueWork, e store.IssueEvent, once store.Idempotency) (store.IssueEvent, error) {
	if err := s.may(ctx, w.Issue.AccountID); err != nil {
		return store.IssueEvent{}, err
	}
	return s.Store.Comment(ctx, w, e, *key(ctx, &once))
}

// IssueEvents implements store.IssueDecisions. An issue with events always has work.
func (s *Store) IssueEvents(ctx context.Context, issueID string, most int) ([]store.IssueEvent, error) {
	if of(ctx) != nil {
		if _, err := s.IssueWork(ctx, issueID); errors.Is(err, store.ErrNotFound) {
			return []store.IssueEvent{}, nil
		} else if err != nil {
			return nil, err
		}
	}
	return s.Store.IssueEvents(ctx, issueID, most)
}

// Tickets implements store.Tickets.
func (s *Store) Tickets(ctx context.Context, issueIDs, accounts []string) ([]store.TicketRow, error) {
	if none, err := s.narrow(ctx, &accounts); none || err != nil {
		return nil, err
	}
	return s.Store.Tickets(ctx, issueIDs, accounts)
}

// AddTicket implements store.Tickets.
func (s *Store) AddTicket(ctx context.Context, w store.IssueWork, t store.TicketRow) (store.TicketRow, error) {
	if err := s.may(ctx, t.AccountID); err != nil {
		return store.TicketRow{}, err
	}
	return s.Store.AddTicket(ctx, w, t)
}

// LatestIssues implements store.Issues.
func (s *Store) LatestIssues(ctx context.Context, scope store.IssueScope, now time.Time) ([]issue.Issue, error) {
	if none, err := s.narrowGiven(ctx, &scope.Accounts); none || err != nil {
		return nil, err
	}
	return s.Store.LatestIssues(ctx, scope, now)
}

// IssuesBy implements store.Inbox.
func (s *Store) IssuesBy(ctx context.Context, actor string, accounts []string) ([]string, error) {
	if none, err := s.narrowGiven(ctx, &accounts); none || err != nil {
		return nil, err
	}
	return s.Store.IssuesBy(ctx, actor, accounts)
}

// FoundAt implements store.Inbox.
func (s *Store) FoundAt(ctx context.Context, accounts []string) (map[string]time.Time, error) {
	if none, err := s.narrowGiven(ctx, &accounts); none || err != nil {
		return nil, err
	}
	return s.Store.FoundAt(ctx, accounts)
}

// LastEvents implements store.Inbox.
func (s *Store) LastEvents(ctx context.Context, issueIDs, accounts []string, besides string) (map[string]store.IssueEvent, error) {
	if none, err := s.narrowGiven(ctx, &accounts); none || err != nil {
		return nil, err
	}
	return s.Store.LastEvents(ctx, issueIDs, accounts, besides)
}

// Views implements store.Views. Names and filters of views may reveal any account, so a caller who sees
// some accounts only gets their own views.
func (s *Store) Views(ctx context.Context) ([]store.View, error) {
	all, err := s.Store.Views(ctx)
	if seen := of(ctx); seen != nil {
		all = slices.DeleteFunc(all, func(v store.View) bool { return v.MadeBy != actorOf(ctx) })
	}
	return all, err
}

// DeleteView implements store.Views.
func (s *Store) DeleteView(ctx context.Context, id string) error {
	if of(ctx) != nil {
		own, err := s.Views(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(own, func(v store.View) bool { return v.ID == id }) {
			return store.ErrNotFound
		}
	}
	return s.Store.DeleteView(ctx, id)
}

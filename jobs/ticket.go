package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Ticket makes the ticket of an issue, or updates the tickets of an account after a run.
type Ticket struct {
	Store    store.Store
	Settings *setting.Overlay
	Client   outbound.Doer
	Now      func() time.Time
	// Dashboard is the service's address for browsers, used for links; "" makes no links.
	Dashboard string
}

// TicketArguments are the arguments of a ticket job: either those of one issue, or the run after which
// tickets are updated.
type TicketArguments struct {
	IssueID   string `json:"issueId,omitempty"`
	AccountID string `json:"accountId,omitempty"` // the provider's
	Kind      string `json:"kind,omitempty"`
	// Key and URL identify an existing ticket to link.
	Key   string `json:"key,omitempty"`
	URL   string `json:"url,omitempty"`
	Actor string `json:"actor,omitempty"`

	AssessmentID string `json:"assessmentId,omitempty"`
}

// TicketResult is the result of a ticket job that followed a run; the result for one issue is the
// ticket.
type TicketResult struct {
	Tickets int            `json:"tickets" doc:"How many were looked at."`
	Failed  []TicketFailed `json:"failed"`
}

// TicketFailed says why a ticket is not up to date.
type TicketFailed struct {
	IssueID string `json:"issueId"`
	Reason  string `json:"reason"`
}

// Kind returns the kind of job.
func (Ticket) Kind() posture.JobKind { return posture.JobTicket }

// Work makes or links one ticket, or updates those of an account.
func (k Ticket) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[TicketArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	values, err := k.Settings.Read(ctx)
	if err != nil {
		return work.Result{}, err
	}
	var result any
	if args.AssessmentID != "" {
		result, err = k.follow(ctx, a, values, args.AssessmentID)
	} else {
		result, err = k.one(ctx, a, values, args)
	}
	if err != nil {
		return work.Result{}, err
	}
	return outcome(result)
}

// Tracker returns the tracker of a kind, "" for the configured one. The error is a *posture.Problem
// that names the missing setting.
func (k Ticket) Tracker(values setting.Values, kind string) (ticket.Tracker, error) {
	value := func(key setting.Key) secret.Text { return Brought{}.address(values, key) }
	unset := func(key setting.Key, why string) error {
		return posture.Invalid("body.kind", fmt.Sprintf("No ticket can be made because %s; save %s in the settings.", why, key), nil)
	}
	doer := guarded{k.Client}
	switch cmp.Or(kind, value(setting.TicketKind).Reveal()) {
	case "github":
		at := secret.New(cmp.Or(value(setting.GitHubURL).Reveal(), setting.DefaultGitHubURL))
		token, err := values.Credential(setting.GitHubToken, at.Reveal())
		switch repository := value(setting.GitHubRepository).Reveal(); {
		case err != nil:
			return nil, err
		case repository == "":
			return nil, unset(setting.GitHubRepository, "it is not known in which repository")
		case token.IsZero():
			return nil, unset(setting.GitHubToken, "GitHub needs a token")
		default:
			return ticket.NewGitHub(doer, at.Reveal(), repository, token, k.Now), nil
		}
	case "jira":
		at := value(setting.JiraURL)
		if at.IsZero() {
			return nil, unset(setting.JiraURL, "Jira has no address")
		}
		token, err := values.Credential(setting.JiraToken, at.Reveal())
		email, wrong := values.Credential(setting.JiraEmail, at.Reveal())
		switch project := value(setting.JiraProject).Reveal(); {
		case err != nil || wrong != nil:
			return nil, errors.Join(err, wrong)
		case project == "":
			return nil, unset(setting.JiraProject, "it is not known in which project")
		case email.IsZero():
			return nil, unset(setting.JiraEmail, "Jira needs an email address with the token")
		case token.IsZero():
			return nil, unset(setting.JiraToken, "Jira needs a token")
		default:
			return ticket.NewJira(doer, at.Reveal(), project, cmp.Or(value(setting.JiraIssueType).Reveal(), "Task"), email.Reveal(), token,
				k.Now), nil
		}
	}
	return nil, unset(setting.TicketKind, "no tracker is chosen")
}

// NewTicket makes the row of a requested ticket.
func NewTicket(i issue.Issue, t ticket.Tracker, actor string, now time.Time) store.TicketRow {
	return store.TicketRow{IssueID: i.ID, AccountID: i.AccountID, CheckID: i.CheckID, Place: t.Place(), Actor: actor,
		Ticket: issue.Ticket{Kind: t.Kind(), State: issue.TicketUnknown, CreatedAt: now}}
}

func (k Ticket) now() time.Time { return k.Now().UTC().Truncate(time.Microsecond) }

func (k Ticket) keeper(values setting.Values) ticket.Keeper {
	closes, _ := values.Value(setting.TicketClose)
	return ticket.Keeper{Tickets: k.Store, Now: k.Now, Close: closes.Reveal() == "true"}
}

// one makes or links the ticket of an issue that somebody requested.
func (k Ticket) one(ctx context.Context, a work.Attempt, values setting.Values, args TicketArguments) (issue.Ticket, error) {
	t, err := k.Tracker(values, args.Kind)
	if err != nil {
		return issue.Ticket{}, err
	}
	all, err := k.issues(ctx, args.AccountID)
	if err != nil {
		return issue.Ticket{}, err
	}
	a.Progress(posture.Progress{Phase: "ticket", Total: 1, Unit: "ticket"})
	if args.Key != "" {
		w, err := k.Store.IssueWork(ctx, args.IssueID)
		if errors.Is(err, store.ErrNotFound) {
			w, err = store.IssueWork{Issue: all[args.IssueID], Decision: issue.Decision{State: issue.Open}, UpdatedAt: k.now()}, nil
		}
		if err != nil {
			return issue.Ticket{}, fmt.Errorf("load the issue: %w", err)
		}
		made, err := k.keeper(values).Link(ctx, t, w, NewTicket(w.Issue, t, args.Actor, k.now()), ticket.Ref{Key: args.Key, URL: args.URL})
		return made, k.failed(a, err)
	}
	wish := k.wish(a, args.IssueID, all)
	wish.Anew = true
	made, err := k.keeper(values).Step(ctx, t, wish)
	if err == nil && made.Key == "" {
		err = posture.Problemf(posture.CodeConflict, "No ticket was made, because no open finding belongs to the issue at this moment.")
	}
	return made, k.failed(a, err)
}

// ticketPatience is how long a job retries; the job of the next run takes up what it leaves.
const ticketPatience = 17 * time.Hour

// failed decides about a job whose tracker failed: it waits, or it fails with the tracker's reason.
func (k Ticket) failed(a work.Attempt, err error) error {
	e, is := errors.AsType[*ticket.Error](err)
	if !is {
		return err
	}
	now := k.now()
	if e.Again && now.Before(a.Row.CreatedAt.Add(ticketPatience)) {
		pause := min(15*time.Second<<min(a.Row.Attempt, 8), time.Hour)
		if e.Wait > 0 {
			pause = e.Wait
		}
		return &posture.LaterError{At: now.Add(pause), Err: e}
	}
	return posture.Problemf(e.Code, "%s", e.Reason)
}

// issues returns the current issues of an account, by id.
func (k Ticket) issues(ctx context.Context, account string) (map[string]issue.Issue, error) {
	all, err := k.Store.LatestIssues(ctx, store.IssueScope{Accounts: []string{account}}, k.now())
	if err != nil {
		return nil, fmt.Errorf("sum up the findings: %w", err)
	}
	out := make(map[string]issue.Issue, len(all))
	for _, i := range all {
		out[i.ID] = i
	}
	return out, nil
}

// wish is what the ticket of an issue should look like.
func (k Ticket) wish(a work.Attempt, id string, all map[string]issue.Issue) ticket.Wish {
	i := all[id]
	return ticket.Wish{IssueID: id, Is: i.State.Wants(), Text: func(ctx context.Context) (ticket.Text, error) {
		rows, err := store.IssueFindings(ctx, k.Store, i, store.ExceptedHidden, ticket.Shown, k.now())
		if err != nil {
			return ticket.Text{}, err
		}
		findings := make([]posture.Finding, len(rows))
		for n := range rows {
			findings[n] = rows[n].Finding
		}
		account, err := accountName(ctx, k.Store, i.AccountID)
		if err != nil {
			return ticket.Text{}, err
		}
		return ticket.New(i, account, findings, issueLink(k.Dashboard, cmp.Or(a.Row.Account, i.AccountID), i)), nil
	}}
}

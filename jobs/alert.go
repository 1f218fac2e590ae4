package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Alert sends to a channel what a rule asks for: what has happened since the last message, once.
type Alert struct {
	Notify Notify // how messages are sent
	// Dashboard is the service's address for browsers, used for links; "" makes no links.
	Dashboard string
	// Title returns the title of a check.
	Title func(checkID string) string
}

// AlertArguments are the arguments of an alert job.
type AlertArguments struct {
	RuleID string `json:"ruleId"`
	// Test sends everything that is open, to somebody who waits, and does not count as sent.
	Test bool `json:"test,omitempty"`
}

// AlertResult is the answer of an alert job.
type AlertResult struct {
	Issues     int    `json:"issues" doc:"How many the message tells of. Without any none is sent, but to try a rule."`
	DeliveryID string `json:"deliveryId,omitempty"`
}

// Kind returns the kind of job.
func (Alert) Kind() posture.JobKind { return posture.JobAlert }

// AlertSeal is the id that the address of a rule is sealed with; see Brought.Seal.
func AlertSeal(ruleID string) string { return "alert rule " + ruleID }

// NewAlertJob makes the job of a rule. At most one job of a rule, and one test of it, are unfinished at
// a time.
func NewAlertJob(id, ruleID string, test bool, now time.Time) (store.NewJob, error) {
	queue, key := "delivery", "alert:"
	if test {
		queue, key = "interactive", "alert test:"
	}
	n, err := New(posture.JobAlert, id, "", queue, AlertArguments{RuleID: ruleID, Test: test}, now.UTC().Truncate(time.Microsecond))
	n.ActiveKey = key + ruleID
	return n, err
}

// Work sends one message, or none when there is nothing to send. The message is stored before it is
// sent, so however often the job starts, the same message is sent under one id.
func (k Alert) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[AlertArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	a.Progress(posture.Progress{Phase: "alert", Total: 1, Unit: "channel"})
	out, err := k.tell(ctx, a, args)
	if errors.Is(err, store.ErrNotFound) {
		return work.Result{}, posture.Problemf(posture.CodeNotFound, "The alert rule was deleted, so nothing is sent.")
	}
	if p, is := errors.AsType[*posture.Problem](err); is && !args.Test {
		if err := k.Notify.Store.FailAlert(ctx, args.RuleID, p.Detail); err != nil {
			return work.Result{}, fmt.Errorf("note why the alert failed: %w", err)
		}
	}
	if err != nil {
		return work.Result{}, err
	}
	return outcome(out)
}

func (k Alert) tell(ctx context.Context, a work.Attempt, args AlertArguments) (out AlertResult, err error) {
	rule, m, err := k.message(ctx, a.Row.ID, args)
	if err != nil {
		return out, err
	}
	if out.Issues = m.Issues; len(m.Body) > 0 {
		if out.DeliveryID, err = k.send(ctx, a, rule, args.Test, m.Body); err != nil {
			return out, err
		}
	}
	if args.Test {
		return out, nil
	}
	err = k.Notify.Store.EndAlert(ctx, rule.ID, a.Row.ID, k.now())
	if errors.Is(err, store.ErrChanged) {
		return out, nil // a later job has taken over, or the rule is gone
	}
	if err != nil {
		return out, fmt.Errorf("note what was told: %w", err)
	}
	return out, nil
}

func (k Alert) now() time.Time { return k.Notify.Now().UTC().Truncate(time.Microsecond) }

// errQuiet is why a job waits within the quiet hours of its rule.
var errQuiet = errors.New("the alert rule has quiet hours")

// calm is how often a message is rebuilt because issues changed meanwhile.
const calm = 10

// message returns the message of a job: the one that an earlier attempt stored, or else a new one,
// which it stores. It reflects the state at one change number, unless issues keep changing.
func (k Alert) message(ctx context.Context, jobID string, args AlertArguments) (rule store.AlertRow, m store.AlertMessage, err error) {
	for n := range calm {
		var changes int64
		if rule, m, changes, err = k.Notify.Store.AlertNow(ctx, args.RuleID); err != nil {
			return rule, m, fmt.Errorf("load the alert rule: %w", err)
		}
		now := k.now()
		if until := notify.QuietUntil(rule.AlertRule, now); !args.Test && !until.IsZero() { // it was retried, or comes late
			return rule, m, &posture.LaterError{At: until, Err: errQuiet}
		}
		if !args.Test && m.JobID == jobID {
			return rule, m, nil
		}
		says, err := k.content(ctx, rule, changes, args.Test, now)
		if err != nil {
			return rule, m, err
		}
		m = store.AlertMessage{JobID: jobID, Until: changes, On: now.Format(time.DateOnly), Issues: says.Count()}
		if !says.Empty() {
			channel, err := notify.Find(rule.Channel)
			if err != nil {
				return rule, m, err
			}
			if m.Body, err = channel.Build(says); err != nil {
				return rule, m, fmt.Errorf("make the message of the alert rule: %w", err)
			}
		}
		if args.Test {
			return rule, m, nil
		}
		err = k.Notify.Store.BeginAlert(ctx, rule.ID, m, n == calm-1)
		if err == nil {
			return rule, m, nil
		}
		if !errors.Is(err, store.ErrChanged) {
			return rule, m, fmt.Errorf("keep the message of the alert rule: %w", err)
		}
	}
	return rule, m, store.ErrNotFound // it was deleted meanwhile
}

// content collects what a rule's message contains.
func (k Alert) content(ctx context.Context, rule store.AlertRow, until int64, test bool, now time.Time) (notify.Alert, error) {
	in := notify.AlertInput{Rule: rule.AlertRule, ToldOn: rule.ToldOn, Today: now.Format(time.DateOnly), Title: k.Title, Test: test}
	var err error
	if in.Issues, err = k.Notify.Store.LatestIssues(ctx, store.IssueScope{Accounts: rule.Accounts}, now); err != nil {
		return notify.Alert{}, fmt.Errorf("sum up the findings: %w", err)
	}
	if !test {
		if in.Moved, err = k.Notify.Store.MovedIssues(ctx, rule.Told, until, now); err != nil {
			return notify.Alert{}, fmt.Errorf("look for issues that moved: %w", err)
		}
		from, err := time.Parse(time.DateOnly, rule.ToldOn)
		if err != nil {
			return notify.Alert{}, fmt.Errorf("read the day of the last alert: %w", err)
		}
		if from.Before(rule.CreatedAt) {
			from = rule.CreatedAt // a rule starts from when it was made
		}
		if in.Returned, err = k.Notify.Store.ReturnedIssues(ctx, from, now.Truncate(24*time.Hour)); err != nil {
			return notify.Alert{}, fmt.Errorf("look for exceptions that ended: %w", err)
		}
	}
	accounts, err := k.Notify.Store.Accounts(ctx)
	if err != nil {
		return notify.Alert{}, fmt.Errorf("list the accounts: %w", err)
	}
	ids := map[string]string{}
	for _, account := range accounts {
		ids[account.ProviderID] = account.ID
	}
	newest, err := k.Notify.Store.LatestSummaries(ctx, slices.Collect(maps.Values(ids)))
	if err != nil {
		return notify.Alert{}, fmt.Errorf("load the newest runs of the accounts: %w", err)
	}
	names := map[string]string{}
	for _, account := range accounts {
		names[account.ProviderID] = cmp.Or(newest[account.ID].Account.Name, account.Name)
	}
	in.Account = func(id string) string { return names[id] }
	in.Link = func(i issue.Issue) string { return issueLink(k.Dashboard, cmp.Or(ids[i.AccountID], i.AccountID), i) }
	if k.Dashboard != "" {
		in.Dashboard = strings.TrimSuffix(k.Dashboard, "/") + "/"
	}
	return notify.NewAlert(in), nil
}

// send delivers a message to the channel of a rule.
func (k Alert) send(ctx context.Context, a work.Attempt, rule store.AlertRow, test bool, body []byte) (deliveryID string, err error) {
	own, err := brought(k.Notify.Key, store.JobRow{Job: posture.Job{ID: AlertSeal(rule.ID)}, SealedToken: rule.Sealed})
	if err != nil {
		return "", err
	}
	args := NotifyArguments{Channels: []string{rule.Channel}, Patient: !test}
	targets, err := k.Notify.Targets(ctx, args, own)
	if err != nil {
		return "", err
	}
	about := posture.AssessmentSummary{}
	if len(rule.Accounts) == 1 {
		about.Account.ID = rule.Accounts[0]
	}
	_, result, err := k.Notify.one(ctx, a, args, targets[0], notify.AlertEventName, body, about)
	if err == nil && result.Delivery.State != posture.DeliveryDelivered {
		err = posture.Problemf(posture.CodeDelivery, "The message was not delivered. %s", result.Delivery.Reason)
	}
	if _, waits := errors.AsType[*posture.LaterError](err); waits {
		err = errors.Join(err, k.Notify.Store.FailAlert(ctx, rule.ID, result.Delivery.Reason))
	}
	return result.Delivery.ID, err
}

// issueLink is the page of an issue in the dashboard, "" when the dashboard's address is unknown.
func issueLink(dashboard, account string, i issue.Issue) string {
	if dashboard == "" {
		return ""
	}
	return assessmentLink(dashboard, account, "latest") + "/issues/" + url.PathEscape(i.CheckID)
}

// assessmentLink is the page of an assessment.
func assessmentLink(dashboard, account, id string) string {
	return accountLink(dashboard, account) + "/r/" + id
}

// accountLink is the page of an account.
func accountLink(dashboard, account string) string {
	return strings.TrimSuffix(dashboard, "/") + "/a/" + url.PathEscape(account)
}

// wakeAlerts starts the jobs of due rules. A rule with unreadable times does not block others, and is
// tried again a day later.
func (k Scheduler) wakeAlerts(ctx context.Context, now time.Time) error {
	due, err := k.Alerts.DueAlertRules(ctx, now)
	if err != nil {
		return fmt.Errorf("look for alert rules that are due: %w", err)
	}
	var errs []error
	for _, r := range due {
		next, send, err := notify.Wake(r.AlertRule, now)
		if err != nil {
			next, send = now.AddDate(0, 0, 1), false
			errs = append(errs, fmt.Errorf("read the times of the alert rule %s: %w", r.ID, err))
		}
		var n *store.NewJob
		if send {
			made, err := NewAlertJob(k.NewID(), r.ID, false, now)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			n = &made
		}
		job, err := k.Alerts.WakeAlertRule(ctx, r, next.UTC().Truncate(time.Microsecond), n)
		if err != nil {
			errs = append(errs, fmt.Errorf("wake the alert rule %s: %w", r.ID, err))
			continue
		}
		if job != nil {
			_ = k.Notify(ctx, *job) // see Notify
		}
	}
	return errors.Join(errs...)
}

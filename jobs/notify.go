package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Notify sends messages about an assessment to channels for people and machines.
type Notify struct {
	Store    store.Store
	Settings *setting.Overlay
	Client   outbound.Doer
	Deliver  *deliver.Runner
	Key      secret.Key
	Now      func() time.Time
	// Dashboard is the service's address for browsers, which messages link to unless they are asked for another link; ""
	// makes no links.
	Dashboard string
}

// NotifyResult is the answer of a notify job.
type NotifyResult struct {
	Sent     []NotifySent               `json:"sent"`
	Skipped  []NotifySkipped            `json:"skipped"`
	Failed   []NotifyFailed             `json:"failed"`
	Payloads map[string]json.RawMessage `json:"payloads,omitempty" doc:"What would be sent, by channel; only of a dry run."`
}

// NotifySent is a message that a channel accepted. Status is the receiver's HTTP status.
type NotifySent struct {
	Channel    string `json:"channel"`
	Status     int    `json:"status"`
	DeliveryID string `json:"deliveryId"`
}

// NotifySkipped says why nothing was sent.
type NotifySkipped struct {
	Channel string `json:"channel,omitempty"`
	Reason  string `json:"reason" doc:"below-threshold, nothing-changed, nothing-worse or not-configured."`
}

// NotifyFailed is a message that a channel did not accept.
type NotifyFailed struct {
	Channel    string `json:"channel"`
	Reason     string `json:"reason"`
	DeliveryID string `json:"deliveryId,omitempty"`
}

// Kind returns the kind of job.
func (Notify) Kind() posture.JobKind { return posture.JobNotify }

// Work makes the summary, decides whether to send it, and delivers.
func (k Notify) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[NotifyArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	own, err := brought(k.Key, a.Row)
	if err != nil {
		return work.Result{}, err
	}
	targets, err := k.Targets(ctx, args, own)
	if err != nil {
		return work.Result{}, err
	}
	of := k.ofAssessment
	if args.FailedRunID != "" {
		of = k.ofFailure
	}
	said, err := of(ctx, args)
	if err != nil {
		return work.Result{}, err
	}
	a.Progress(posture.Progress{Phase: "notify", Total: len(targets), Unit: "channel"})
	result, err := k.tell(ctx, a, args, targets, said)
	if err != nil {
		return work.Result{}, err
	}
	return outcome(result)
}

// NotifyReceiver is a channel and the address it sends to.
type NotifyReceiver struct {
	channel notify.Channel
	target  notify.Address
}

// Targets returns the addresses of a request's channels. A named channel must be configured; without
// names all configured channels are meant, and there must be at least one. A dry run needs none. The
// error is a problem that names the field.
func (k Notify) Targets(ctx context.Context, args NotifyArguments, own Brought) ([]NotifyReceiver, error) {
	values, err := k.Settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	var out []NotifyReceiver
	var keys []string // of the addresses that are missing
	for _, c := range notify.Channels() {
		if len(args.Channels) > 0 && !slices.Contains(args.Channels, c.Name) {
			continue
		}
		t := NotifyReceiver{channel: c, target: notify.Address{URL: own.address(values, setting.Key(c.URLKey))}}
		if c.SecretKey != "" && !t.target.URL.IsZero() {
			if t.target.Secret, err = own.credential(values, setting.Key(c.SecretKey), t.target.URL); err != nil {
				return nil, err
			}
		}
		if err := c.Check(t.target); err != nil && !args.DryRun {
			if len(args.Channels) > 0 || !t.target.URL.IsZero() {
				return nil, err
			}
			keys = append(keys, c.URLKey)
			continue
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		last := len(keys) - 1
		return nil, posture.Invalid("body.channels", "No channel has an address, so nothing can be sent; set "+strings.Join(keys[:last], ", ")+
			" or "+keys[last]+" in the settings", nil)
	}
	return out, nil
}

// said is what a job tells; quiet is the reason not to, or "".
type said struct {
	content notify.Content
	event   string
	about   posture.AssessmentSummary
	quiet   string
}

func (k Notify) ofAssessment(ctx context.Context, args NotifyArguments) (said, error) {
	a, err := k.Store.Assessment(ctx, args.AssessmentID)
	if err != nil {
		return said{}, fmt.Errorf("load the assessment: %w", err)
	}
	paths, err := pathsOf(ctx, k.Store, a.ID)
	if err != nil {
		return said{}, err
	}
	since, err := sincePrevious(ctx, k.Store, a)
	if err != nil {
		return said{}, err
	}
	if a.Account.Name == "" { // the token could not read it
		if a.Account.Name, err = accountName(ctx, k.Store, a.Account.ID); err != nil {
			return said{}, err
		}
	}
	link := args.Link
	if link == "" && k.Dashboard != "" {
		link = assessmentLink(k.Dashboard, a.Account.ID, a.ID)
	}
	s, err := notify.New(notify.Input{Assessment: a.AssessmentSummary, Paths: paths, Drift: since, Link: link,
		Findings: store.Each(ctx, k.Store, a.ID, store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning}})})
	if err != nil {
		return said{}, err
	}
	quiet, err := k.quiet(ctx, args, s, since)
	return said{s, notify.Event, s.Assessment, quiet}, err
}

// ofFailure makes the message about a run that failed. Where only changes are asked for, the first of several
// failures in a row is one.
func (k Notify) ofFailure(ctx context.Context, args NotifyArguments) (said, error) {
	row, err := k.Store.Job(ctx, args.FailedRunID)
	var account posture.Account
	if err == nil {
		account, err = k.Store.Account(ctx, row.Account)
	}
	if errors.Is(err, store.ErrNotFound) {
		return said{}, posture.Problemf(posture.CodeNotFound, "Nothing is sent, because the account whose run failed was deleted, or the run "+
			"is too old to be kept.")
	}
	if err != nil {
		return said{}, fmt.Errorf("load the run that failed: %w", err)
	}
	f := notify.Failure{Run: row.Job}
	f.Account = posture.AccountRef{ID: account.ProviderID, Name: account.Name}
	last, err := k.Store.LatestSummaries(ctx, []string{row.Account})
	if err != nil {
		return said{}, fmt.Errorf("load the newest assessment of the account: %w", err)
	}
	if a, is := last[row.Account]; is {
		f.Last, f.Account.Name = &a, cmp.Or(a.Account.Name, account.Name)
	}
	if k.Dashboard != "" {
		f.Link = accountLink(k.Dashboard, row.Account)
	}
	out := said{content: f, event: notify.FailureEvent, about: posture.AssessmentSummary{Account: f.Account}}
	if args.When == "" || args.When == "always" {
		return out, nil
	}
	ended, _, err := k.Store.Jobs(ctx, store.JobFilter{Account: row.Account, Kinds: []posture.JobKind{posture.JobAssess},
		States: []posture.JobState{posture.JobSucceeded, posture.JobFailed}}, store.Page{Limit: 100})
	if err != nil {
		return said{}, fmt.Errorf("look for the run before: %w", err)
	}
	at := slices.IndexFunc(ended, func(j store.JobRow) bool { return j.ID == row.ID })
	if at >= 0 && at+1 < len(ended) && ended[at+1].State == posture.JobFailed {
		out.quiet = "nothing-changed"
	}
	return out, nil
}

// quiet returns the reason not to send a summary, or "". Whoever hears nothing after a run takes it that nothing is
// wrong, so a run that could no longer judge the most of it is always told of.
func (k Notify) quiet(ctx context.Context, args NotifyArguments, s notify.Summary, since *drift.Drift) (string, error) {
	if args.Patient && since != nil && len(since.Unknown) > s.Assessment.Coverage.Evaluated {
		return "", nil
	}
	word := args.Threshold
	if word == "" {
		values, err := k.Settings.Read(ctx)
		if err != nil {
			return "", err
		}
		saved, _ := values.Value(setting.NotifyThreshold)
		word = saved.Reveal()
	}
	if word != "" {
		threshold, err := notify.ParseThreshold(word)
		if err != nil {
			return "", err
		}
		if !notify.Threshold(s, threshold) {
			return "below-threshold", nil
		}
	}
	switch {
	case since == nil:
		return "", nil
	case args.When == "changed" && len(since.New)+len(since.Regressed)+len(since.Resolved)+len(since.Improved)+len(since.Changed)+
		len(since.Unknown) == 0:
		return "nothing-changed", nil
	case args.When == "worse" && len(since.New)+len(since.Regressed) == 0:
		return "nothing-worse", nil
	}
	return "", nil
}

func (k Notify) tell(ctx context.Context, a work.Attempt, args NotifyArguments, targets []NotifyReceiver, says said) (NotifyResult, error) {
	out := NotifyResult{Sent: []NotifySent{}, Skipped: []NotifySkipped{}, Failed: []NotifyFailed{}}
	if says.quiet != "" && args.Replay == "" {
		out.Skipped = append(out.Skipped, NotifySkipped{Reason: says.quiet})
		return out, nil
	}
	if args.DryRun {
		out.Payloads = map[string]json.RawMessage{}
		for _, t := range targets {
			body, err := t.channel.Build(says.content)
			if err != nil {
				return out, fmt.Errorf("make the message for %s: %w", t.channel.Name, err)
			}
			out.Payloads[t.channel.Name] = body
			if t.target.URL.IsZero() {
				out.Skipped = append(out.Skipped, NotifySkipped{Channel: t.channel.Name, Reason: "not-configured"})
			}
		}
		return out, nil
	}
	var later *posture.LaterError
	for _, t := range targets {
		body, err := t.channel.Build(says.content)
		if err != nil {
			return out, fmt.Errorf("make the message for %s: %w", t.channel.Name, err)
		}
		status, result, err := k.one(ctx, a, args, t, says.event, body, says.about)
		var wait *posture.LaterError
		switch {
		case errors.As(err, &wait):
			if later == nil || wait.At.Before(later.At) {
				later = wait
			}
		case err != nil:
			return out, err
		case result.Delivery.State == posture.DeliveryDelivered:
			out.Sent = append(out.Sent, NotifySent{Channel: t.channel.Name, Status: status, DeliveryID: result.Delivery.ID})
		default:
			out.Failed = append(out.Failed, NotifyFailed{Channel: t.channel.Name, Reason: result.Delivery.Reason, DeliveryID: result.Delivery.ID})
		}
	}
	if later != nil {
		return out, later
	}
	if len(out.Sent) == 0 && len(out.Failed) > 0 {
		return out, undelivered(out.Failed)
	}
	return out, nil
}

// undelivered lists for each channel why nothing was sent.
func undelivered(failed []NotifyFailed) error {
	p := posture.Problemf(posture.CodeDelivery, "No channel took the message. %s GET /api/deliveries has the details, and a replay sends it "+
		"again.", failed[0].Reason)
	for _, f := range failed {
		p.Errors = append(p.Errors, posture.FieldError{Location: "channels." + f.Channel, Message: f.Reason})
	}
	return p
}

// one delivers the message of one channel. Its id is derived from the job, so that every attempt uses
// the same id.
func (k Notify) one(ctx context.Context, a work.Attempt, args NotifyArguments, t NotifyReceiver,
	event string, body []byte, of posture.AssessmentSummary) (status int, _ deliver.Result, _ error) {
	id := args.Replay
	if id == "" {
		id = deliveryID(a.Row.ID, t.channel.Name)
	}
	job := deliver.Job{Row: a.Row, Assessment: of, Patience: patience(args.Patient), Replay: args.Replay, ID: id}
	result, err := deliver.Run(ctx, k.Deliver, job, deliver.Receiver[[]byte]{Name: t.channel.Name, Destination: origin(t.target.URL),
		ID: func([]byte) string { return id },
		Documents: func() iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) { yield(body, nil) }
		},
		Send: func(ctx context.Context, _ [][]byte) []deliver.Verdict {
			o := t.channel.Send(ctx, guarded{k.Client}, t.target, body, notify.Delivery{ID: id, At: k.Now(), Event: event})
			status = o.Status
			return []deliver.Verdict{{Sent: o.State == notify.Sent, Again: o.State == notify.Retry, Reason: o.Reason, Wait: o.Wait}}
		}})
	return status, result, err
}

// deliveryID is the id of a job's delivery to a target.
func deliveryID(jobID, target string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(jobID+"/"+target)).String()
}

func patience(patient bool) deliver.Patience {
	if patient {
		return deliver.Patient()
	}
	return deliver.Prompt()
}

package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// maxAlertRules bounds the number of alert rules.
const maxAlertRules = 200

// AlertRuleFields are the fields that POST and PATCH share; an absent field keeps its value.
type AlertRuleFields struct {
	Events []posture.AlertEvent `json:"events,omitempty" enum:"opened,worse,returned,overdue,resolved" maxItems:"5" doc:"All but resolved."`

	Severity posture.Severity `json:"severity,omitempty" enum:"critical,high,medium,low,informational" doc:"Least to tell. Default high."`

	Accounts *[]string `json:"accounts,omitempty" maxItems:"1000" doc:"Cloudflare account ids, or registered ids or names; [] for all."`
	Owners   *[]string `json:"owners,omitempty" maxItems:"200" doc:"Owners of issues, none for those without; [] for all."`

	Daily *string `json:"daily,omitempty" maxLength:"5" doc:"Time, as 08:30, of one message about all since the last; \"\": at once."`

	Quiet    *posture.QuietHours `json:"quiet,omitempty" doc:"When nothing is sent; empty from and to: at no time, or weekends alone if set."`
	TimeZone *string             `json:"timeZone,omitempty" maxLength:"100" doc:"An IANA name, for the times. Default UTC."`
	Paused   *bool               `json:"paused,omitempty" doc:"While it is true nothing is sent, and what comes meanwhile is never told."`

	Channel string       `json:"channel,omitempty" enum:"chat_a,chat_b,webhook"`
	URL     *secret.Text `json:"url,omitempty" doc:"Its own address for the channel, sealed and never shown; \"\": that of the settings."`
	Secret  secret.Text  `json:"secret,omitempty" doc:"Signs what goes to the url of a webhook; needed with it."`
}

type postAlertRuleInput struct {
	OnceHeader
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100" doc:"No two rules have the same."`
		AlertRuleFields
	}
}

// postAlertRule creates a rule, which reports only what happens from now on.
func postAlertRule(s *Server, ctx context.Context, in *postAlertRuleInput) (*object[posture.AlertRule], error) {
	all, err := s.o.Store.AlertRules(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the alert rules: %w", err)
	}
	if len(all) >= maxAlertRules {
		return nil, posture.Problemf(posture.CodeConflict, "There are %d alert rules, which is the most there may be; delete one that nobody "+
			"needs.", maxAlertRules)
	}
	row := store.AlertRow{AlertRule: posture.AlertRule{ID: s.o.NewID(), CreatedAt: s.now(), Severity: posture.High, TimeZone: "UTC",
		Events:   []posture.AlertEvent{posture.AlertOpened, posture.AlertWorse, posture.AlertReturned, posture.AlertOverdue},
		Accounts: []string{}, Owners: []string{}}}
	if err := s.fillAlertRule(ctx, &row, &in.Body.Name, in.Body.AlertRuleFields); err != nil {
		return nil, err
	}
	if err := s.o.Store.AddAlertRule(ctx, row); err != nil {
		return nil, alertRuleKept(row, err)
	}
	about(ctx, "alert-rules", row.ID)
	return &object[posture.AlertRule]{Status: http.StatusCreated, Location: "/api/alert-rules/" + row.ID, Body: row.AlertRule}, nil
}

func alertRuleKept(row store.AlertRow, err error) error {
	if errors.Is(err, store.ErrNameTaken) {
		return posture.Problemf(posture.CodeConflict, "There is an alert rule %q; choose another name.", clip(row.Name))
	}
	return orMissing(err, "alert rule", row.ID, "/api/alert-rules")
}

// fillAlertRule applies the caller's fields to a rule.
func (s *Server) fillAlertRule(ctx context.Context, row *store.AlertRow, name *string, f AlertRuleFields) (err error) {
	r := &row.AlertRule
	if name != nil {
		r.Name = strings.TrimSpace(*name)
		if err := shown("body.name", r.Name); err != nil {
			return err
		}
	}
	if len(f.Events) > 0 {
		r.Events = slices.DeleteFunc(posture.AlertEvents(), func(e posture.AlertEvent) bool { return !slices.Contains(f.Events, e) })
	}
	if f.Severity != "" {
		r.Severity = f.Severity
	}
	account := func(at, ref string) (string, error) { return s.assessedAccount(ctx, at, strings.TrimSpace(ref)) }
	if r.Accounts, err = chosen(r.Accounts, f.Accounts, "body.accounts", account); err != nil {
		return err
	}
	if r.Owners, err = chosen(r.Owners, f.Owners, "body.owners", ownerOf); err != nil {
		return err
	}
	if f.Daily != nil {
		r.Daily = *f.Daily
	}
	if f.Quiet != nil {
		if r.Quiet = f.Quiet; *f.Quiet == (posture.QuietHours{}) {
			r.Quiet = nil
		}
	}
	if f.TimeZone != nil {
		r.TimeZone = *f.TimeZone
	}
	if f.Paused != nil {
		r.Paused = *f.Paused
	}
	r.UpdatedAt = following(r.UpdatedAt, s.now())
	if row.WakeAt, err = notify.FirstWake(*r, r.UpdatedAt); err != nil {
		return err
	}
	return s.alertChannel(ctx, row, f)
}

// chosen returns the caller's names in normal form and without duplicates, or the current ones when
// the caller sent none.
func chosen(there []string, names *[]string, field string, normal func(at, name string) (string, error)) ([]string, error) {
	if names == nil {
		return there, nil
	}
	out := []string{}
	for i, name := range *names {
		name, err := normal(fmt.Sprintf("%s[%d]", field, i), name)
		if err != nil {
			return there, err
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// ownerOf validates the owner of issues, where issue.Nobody stands for issues without an owner.
func ownerOf(at, name string) (string, error) {
	if name == issue.Nobody {
		return name, nil
	}
	return nameOf(at, name)
}

// alertChannel sets where a rule sends to. A rule's own address belongs to its channel: changing
// the channel falls back to the address in the settings, unless the call brings a new one.
func (s *Server) alertChannel(ctx context.Context, row *store.AlertRow, f AlertRuleFields) error {
	if f.Channel != "" && f.Channel != row.Channel {
		row.Channel, row.OwnAddress, row.Sealed = f.Channel, false, nil
	}
	if row.Channel == "" {
		return posture.Invalid("body.channel", "is missing; choose chat_a for Slack, chat_b for Microsoft Teams, or webhook", nil)
	}
	if f.URL == nil {
		if !f.Secret.IsZero() {
			return posture.Invalid("body.secret", "goes with a url of the rule; send both", nil)
		}
		return s.reachable(ctx, *row, nil)
	}
	row.OwnAddress, row.Sealed = false, nil
	if f.URL.IsZero() {
		return s.reachable(ctx, *row, nil)
	}
	channel, err := notify.Find(row.Channel)
	if err != nil {
		return err
	}
	own := jobs.Brought{setting.Key(channel.URLKey): *f.URL}
	if channel.SecretKey != "" {
		own[setting.Key(channel.SecretKey)] = f.Secret
	}
	err = s.reachable(ctx, *row, own)
	if p, is := errors.AsType[*posture.Problem](err); is { // it names the settings that these replace
		of := strings.NewReplacer(channel.URLKey, "url", cmp.Or(channel.SecretKey, channel.URLKey), "secret")
		p.Detail = of.Replace(p.Detail)
		for i := range p.Errors {
			p.Errors[i].Location, p.Errors[i].Message = of.Replace(p.Errors[i].Location), of.Replace(p.Errors[i].Message)
		}
	}
	if err != nil {
		return err
	}
	if row.Sealed, err = own.Seal(s.o.Key, jobs.AlertSeal(row.ID), s.o.Random); err != nil {
		return fmt.Errorf("keep the address of the alert rule: %w", err)
	}
	row.OwnAddress = true
	return nil
}

// reachable refuses an active rule that has no address to send to.
func (s *Server) reachable(ctx context.Context, row store.AlertRow, own jobs.Brought) error {
	if row.OwnAddress && own == nil || row.Paused {
		return nil
	}
	_, err := s.o.Notify.Targets(ctx, jobs.NotifyArguments{Channels: []string{row.Channel}}, own)
	return err
}

type alertRulesOutput page[posture.AlertRule]

func listAlertRules(s *Server, ctx context.Context, in *partInput) (*alertRulesOutput, error) {
	all, err := s.o.Store.AlertRules(ctx)
	if err != nil {
		return nil, err
	}
	out, err := partOf(all, in, func(row store.AlertRow) posture.AlertRule { return row.AlertRule })
	return (*alertRulesOutput)(out), err
}

func (s *Server) alertRule(ctx context.Context, ref string) (store.AlertRow, error) {
	return byID(ctx, ref, "alert rule", "/api/alert-rules", s.o.Store.AlertRule)
}

func getAlertRule(s *Server, ctx context.Context, in *idInput) (*object[posture.AlertRule], error) {
	row, err := s.alertRule(ctx, in.ID)
	return &object[posture.AlertRule]{Status: http.StatusOK, Body: row.AlertRule}, err
}

type patchAlertRuleInput struct {
	ID   string `path:"id"`
	Body struct {
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
		AlertRuleFields
		AsRead
	}
}

// patchAlertRule changes a rule; what it has already reported is not reported again.
func patchAlertRule(s *Server, ctx context.Context, in *patchAlertRuleInput) (*object[posture.AlertRule], error) {
	for range 10 { // retry when a concurrent call changed the rule
		row, err := s.alertRule(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !in.Body.still(row.UpdatedAt) {
			break
		}
		if err := s.fillAlertRule(ctx, &row, in.Body.Name, in.Body.AlertRuleFields); err != nil {
			return nil, err
		}
		err = s.o.Store.ChangeAlertRule(ctx, row)
		if errors.Is(err, store.ErrChanged) {
			continue
		}
		if err != nil {
			return nil, alertRuleKept(row, err)
		}
		return &object[posture.AlertRule]{Status: http.StatusOK, Body: row.AlertRule}, nil
	}
	return nil, posture.Problemf(posture.CodeConflict, "The alert rule was changed by somebody else since it was read; read it again "+
		"and repeat the change.")
}

// testAlertRule sends all open issues of a rule to its channel, even while the rule is paused. It
// does not change what the rule has already reported.
func testAlertRule(s *Server, ctx context.Context, in *idSubmitInput) (*submitOutput, error) {
	row, err := s.alertRule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	n, err := jobs.NewAlertJob(s.o.NewID(), row.ID, true, s.o.Now())
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, n, in.SubmitHeaders)
}

package relational

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type alertRow struct {
	bun.BaseModel `bun:"table:alert_rule"`

	ID           string `bun:"id,pk"`
	Name         string `bun:"name"`
	Body         []byte `bun:"body"` // posture.AlertRule as JSON
	Paused       bool   `bun:"paused"`
	AtOnce       bool   `bun:"at_once"`
	Address      []byte `bun:"address"`
	Secret       []byte `bun:"secret"`
	Told         int64  `bun:"told"`
	ToldOn       string `bun:"told_on"`
	TellingJob   string `bun:"telling_job"`
	TellingUntil int64  `bun:"telling_until"`
	SentAt       int64  `bun:"sent_at"`
	Problem      string `bun:"problem"`
	WakeAt       int64  `bun:"wake_at"`
	CreatedAt    int64  `bun:"created_at"`
	UpdatedAt    int64  `bun:"updated_at"`
	Revision     int64  `bun:"revision"`
}

func newAlertRow(r store.AlertRow) (alertRow, error) {
	body, err := encoded("an alert rule", r.AlertRule)
	return alertRow{ID: clean(r.ID), Name: clean(r.Name), Body: body, Paused: r.Paused, AtOnce: r.Daily == "", Address: notNull(r.Address),
		Secret: notNull(r.Secret), ToldOn: dayOf(r.CreatedAt), WakeAt: micros(r.WakeAt), CreatedAt: micros(r.CreatedAt),
		UpdatedAt: micros(r.UpdatedAt), Revision: r.Revision}, err
}

func notNull(b []byte) []byte { return append([]byte{}, b...) }

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func (r alertRow) alert() (store.AlertRow, error) {
	out := store.AlertRow{Address: r.Address, Secret: r.Secret, Told: r.Told, ToldOn: r.ToldOn, WakeAt: instant(r.WakeAt),
		Revision: r.Revision}
	if err := json.Unmarshal(r.Body, &out.AlertRule); err != nil {
		return out, fmt.Errorf("decode the alert rule %s: %w", r.ID, err)
	}
	out.ID, out.Name, out.Paused, out.Problem, out.LastSentAt = r.ID, r.Name, r.Paused, r.Problem, nil
	out.CreatedAt, out.UpdatedAt = instant(r.CreatedAt), instant(r.UpdatedAt)
	if r.SentAt != 0 {
		at := instant(r.SentAt)
		out.LastSentAt = &at
	}
	return out, nil
}

const issueChangesNow = "(SELECT changes FROM issue_guard)"

func alertNameFree(ctx context.Context, tx bun.Tx, r alertRow) error {
	taken, err := tx.NewSelect().Model((*alertRow)(nil)).Where("id <> ? AND name = ?", r.ID, r.Name).Exists(ctx)
	if err == nil && taken {
		err = store.ErrNameTaken
	}
	return err
}

// AddAlertRule implements store.Alerts.
func (s *Store) AddAlertRule(ctx context.Context, in store.AlertRow) error {
	in.Revision = 1
	row, err := newAlertRow(in)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "keep an alert rule", func(tx bun.Tx) error {
		if err := alertNameFree(ctx, tx, row); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(&row).Value("told", issueChangesNow).Exec(ctx)
		return err
	})
}

// ChangeAlertRule implements store.Alerts.
func (s *Store) ChangeAlertRule(ctx context.Context, in store.AlertRow) error {
	row, err := newAlertRow(in)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "change an alert rule", func(tx bun.Tx) error {
		if err := alertNameFree(ctx, tx, row); err != nil {
			return err
		}
		n, err := affected(tx.NewRaw(`UPDATE alert_rule SET name = ?, body = ?, at_once = ?, address = ?, secret = ?, wake_at = ?,
			updated_at = ?, revision = revision + 1, told = CASE WHEN paused AND NOT ? THEN `+issueChangesNow+` ELSE told END,
			told_on = CASE WHEN paused AND NOT ? THEN ? ELSE told_on END, paused = ? WHERE id = ? AND revision = ?`, row.Name, row.Body,
			row.AtOnce, row.Address, row.Secret, row.WakeAt, row.UpdatedAt, row.Paused, row.Paused, dayOf(in.UpdatedAt), row.Paused, row.ID,
			row.Revision).Exec(ctx))
		if err != nil || n > 0 {
			return err
		}
		there, err := tx.NewSelect().Model((*alertRow)(nil)).Where("id = ?", row.ID).Exists(ctx)
		switch {
		case err != nil:
			return err
		case there:
			return store.ErrChanged
		}
		return store.ErrNotFound
	})
}

// AlertRule implements store.Alerts.
func (s *Store) AlertRule(ctx context.Context, id string) (store.AlertRow, error) {
	var row alertRow
	err := s.read(ctx, "read an alert rule", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Where("id = ?", clean(id)).Scan(ctx))
	})
	if err != nil {
		return store.AlertRow{}, err
	}
	return row.alert()
}

// AlertRules implements store.Alerts.
func (s *Store) AlertRules(ctx context.Context) ([]store.AlertRow, error) {
	return s.alertRules(ctx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("name") })
}

// DueAlertRules implements store.Alerts.
func (s *Store) DueAlertRules(ctx context.Context, now time.Time) ([]store.AlertRow, error) {
	return s.alertRules(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("NOT paused AND wake_at <= ?", micros(now)).Order("wake_at", "id")
	})
}

func (s *Store) alertRules(ctx context.Context, choose func(*bun.SelectQuery) *bun.SelectQuery) ([]store.AlertRow, error) {
	var rows []alertRow
	err := s.read(ctx, "list the alert rules", func(db bun.IDB) error {
		rows = nil
		return choose(db.NewSelect().Model(&rows)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	return decoded(rows, alertRow.alert)
}

// DeleteAlertRule implements store.Alerts.
func (s *Store) DeleteAlertRule(ctx context.Context, id string) error {
	return s.write(ctx, "delete an alert rule", func(db bun.IDB) error {
		n, err := affected(db.NewRaw("DELETE FROM alert_rule WHERE id = ?", clean(id)).Exec(ctx))
		return orElse(err, missing(n))
	})
}

// WakeAlertRule implements store.Alerts. Moving the rule on is the lock, as in Fire.
func (s *Store) WakeAlertRule(ctx context.Context, r store.AlertRow, next time.Time, n *store.NewJob) (*store.JobRow, error) {
	var job *jobRow
	err := s.inTx(ctx, "wake an alert rule", func(tx bun.Tx) error {
		job = nil
		moved, err := affected(tx.NewRaw("UPDATE alert_rule SET wake_at = ? WHERE id = ? AND revision = ? AND wake_at = ? AND NOT paused",
			micros(next), clean(r.ID), r.Revision, micros(r.WakeAt)).Exec(ctx))
		if err != nil || moved == 0 || n == nil {
			return err
		}
		row := newRow(s.traced(ctx, *n))
		inserted, err := affected(tx.NewInsert().Model(&row).
			On("CONFLICT (active_key) WHERE active_key <> '' AND state IN ('queued', 'running') DO NOTHING").Exec(ctx))
		if err == nil && inserted == 0 {
			return errStillTelling
		}
		job = &row
		return err
	})
	if errors.Is(err, errStillTelling) {
		return nil, nil
	}
	if err != nil || job == nil {
		return nil, err
	}
	queued, err := job.job()
	return &queued, err
}

// errStillTelling takes back that a rule was moved on: its job is unfinished.
var errStillTelling = errors.New("the job of the alert rule is unfinished")

// BeginAlert implements store.Alerts.
func (s *Store) BeginAlert(ctx context.Context, ruleID, jobID string) (out store.Alerting, err error) {
	var row alertRow
	err = s.inTx(ctx, "begin an alert", func(tx bun.Tx) error {
		if _, err := tx.NewRaw("UPDATE alert_rule SET telling_job = ?, telling_until = "+issueChangesNow+" WHERE id = ? AND telling_job <> ?",
			clean(jobID), clean(ruleID), clean(jobID)).Exec(ctx); err != nil {
			return err
		}
		return orNotFound(tx.NewSelect().Model(&row).Where("id = ?", clean(ruleID)).Scan(ctx))
	})
	if err != nil {
		return out, err
	}
	out.Rule, err = row.alert()
	out.Until = row.TellingUntil
	return out, err
}

// EndAlert implements store.Alerts.
func (s *Store) EndAlert(ctx context.Context, a store.Alerting, jobID string, now time.Time, sent bool) error {
	sentAt := int64(0)
	if sent {
		sentAt = micros(now)
	}
	return s.write(ctx, "end an alert", func(db bun.IDB) error {
		n, err := affected(db.NewRaw(`UPDATE alert_rule SET told = ?, told_on = ?, problem = '', sent_at = CASE WHEN ? > 0 THEN ? ELSE sent_at END
			WHERE id = ? AND telling_job = ?`, a.Until, dayOf(now), sentAt, sentAt, clean(a.Rule.ID), clean(jobID)).Exec(ctx))
		if err == nil && n == 0 {
			return store.ErrChanged
		}
		return err
	})
}

// FailAlert implements store.Alerts.
func (s *Store) FailAlert(ctx context.Context, ruleID, problem string) error {
	return s.write(ctx, "note why an alert failed", func(db bun.IDB) error {
		_, err := db.NewRaw("UPDATE alert_rule SET problem = ? WHERE id = ?", clean(problem), clean(ruleID)).Exec(ctx)
		return err
	})
}

// ResolvedIssues implements store.Alerts.
func (s *Store) ResolvedIssues(ctx context.Context, after, until int64, now time.Time) ([]issue.Issue, error) {
	var rows []struct {
		ProviderAccountID, CheckID, ZoneID, Zone, Category string
		Severity                                           int
	}
	err := s.read(ctx, "look for resolved issues", func(db bun.IDB) error {
		rows = nil
		return db.NewRaw(`SELECT DISTINCT i.provider_account_id, i.check_id, i.severity, f.zone_id, f.zone, f.category FROM issue_status AS i
			JOIN finding_state AS f ON f.provider_account_id = i.provider_account_id AND f.check_id = i.check_id AND f.opened
			WHERE i.closed_no > ? AND i.closed_no <= ? AND i.opened_no <= ? AND i.closed_no > 0`, after, until, after).Scan(ctx, &rows)
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var sum issue.Sum
	for _, r := range rows {
		sum.AddFact(r.ProviderAccountID, issue.Fact{CheckID: r.CheckID, ZoneID: r.ZoneID, Zone: r.Zone, Category: posture.Category(r.Category),
			Severity: posture.Severities()[len(posture.Severities())-1-r.Severity], Result: posture.Fail})
	}
	d, _, err := s.decisions(ctx, nil, now)
	if err != nil {
		return nil, err
	}
	all := d.Over(sum.Issues())
	for i := range all {
		all[i].State, all[i].Overdue = issue.Resolved, false
	}
	return all, nil
}

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
	Sealed       []byte `bun:"sealed"`
	Told         int64  `bun:"told"`
	ToldOn       string `bun:"told_on"`
	TellingJob   string `bun:"telling_job"`
	TellingUntil int64  `bun:"telling_until"`
	TellingOn    string `bun:"telling_on"`
	TellingCount int    `bun:"telling_count"`
	TellingBody  []byte `bun:"telling_body"`
	SentAt       int64  `bun:"sent_at"`
	Problem      string `bun:"problem"`
	WakeAt       int64  `bun:"wake_at"`
	CreatedAt    int64  `bun:"created_at"`
	UpdatedAt    int64  `bun:"updated_at"`
	Revision     int64  `bun:"revision"`
}

func newAlertRow(r store.AlertRow) (alertRow, error) {
	body, err := encoded("an alert rule", r.AlertRule)
	return alertRow{ID: clean(r.ID), Name: clean(r.Name), Body: body, Paused: r.Paused, AtOnce: r.Daily == "",
		Sealed: append([]byte{}, r.Sealed...), TellingBody: []byte{}, ToldOn: dayOf(r.CreatedAt), WakeAt: micros(r.WakeAt),
		CreatedAt: micros(r.CreatedAt), UpdatedAt: micros(r.UpdatedAt), Revision: r.Revision}, err
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func (r alertRow) alert() (store.AlertRow, error) {
	out := store.AlertRow{Sealed: r.Sealed, Told: r.Told, ToldOn: r.ToldOn, WakeAt: instant(r.WakeAt), Revision: r.Revision}
	if err := json.Unmarshal(r.Body, &out.AlertRule); err != nil {
		return out, fmt.Errorf("decode the alert rule %s: %w", r.ID, err)
	}
	out.ID, out.Name, out.Paused, out.Problem, out.LastSentAt = r.ID, r.Name, r.Paused, r.Problem, instantPtr(r.SentAt)
	out.CreatedAt, out.UpdatedAt = instant(r.CreatedAt), instant(r.UpdatedAt)
	return out, nil
}

const issueChangesNow = "(SELECT changes FROM issue_guard)"

func alertNameFree(ctx context.Context, tx bun.Tx, r alertRow) error {
	return unlessFound(ctx, tx.NewSelect().Model((*alertRow)(nil)).Where("id <> ? AND name = ?", r.ID, r.Name), store.ErrNameTaken)
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
		return ran(tx.NewInsert().Model(&row).Value("told", issueChangesNow).Exec(ctx))
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
		n, err := affected(tx.NewRaw(`UPDATE alert_rule SET name = ?, body = ?, at_once = ?, sealed = ?, wake_at = ?,
			updated_at = ?, revision = revision + 1, told = CASE WHEN paused AND NOT ? THEN `+issueChangesNow+` ELSE told END,
			told_on = CASE WHEN paused AND NOT ? THEN ? ELSE told_on END, paused = ? WHERE id = ? AND revision = ?`, row.Name, row.Body,
			row.AtOnce, row.Sealed, row.WakeAt, row.UpdatedAt, row.Paused, row.Paused, dayOf(in.UpdatedAt), row.Paused, row.ID,
			row.Revision).Exec(ctx))
		if err != nil || n > 0 {
			return err
		}
		return changedOrGone(ctx, tx, (*alertRow)(nil), row.ID)
	})
}

// AlertRule implements store.Alerts.
func (s *Store) AlertRule(ctx context.Context, id string) (store.AlertRow, error) {
	return decodedRow(ctx, s, "read an alert rule", alertRow.alert, "id = ?", clean(id))
}

// AlertRules implements store.Alerts.
func (s *Store) AlertRules(ctx context.Context) ([]store.AlertRow, error) {
	return s.alertRules(ctx, orderedBy("name"))
}

// DueAlertRules implements store.Alerts.
func (s *Store) DueAlertRules(ctx context.Context, now time.Time) ([]store.AlertRow, error) {
	return s.alertRules(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("NOT paused AND wake_at <= ?", micros(now)).Order("wake_at", "id")
	})
}

func (s *Store) alertRules(ctx context.Context, choose choice) ([]store.AlertRow, error) {
	return decodedRows(ctx, s, "list the alert rules", alertRow.alert, choose)
}

// DeleteAlertRule implements store.Alerts.
func (s *Store) DeleteAlertRule(ctx context.Context, id string) error {
	return s.execute(ctx, "delete an alert rule", store.ErrNotFound, "DELETE FROM alert_rule WHERE id = ?", clean(id))
}

// WakeAlertRule implements store.Alerts. As in Fire, the update of wake_at is the lock.
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
		inserted, err := insertUnlessActive(ctx, tx, &row)
		if err == nil && !inserted {
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

// errStillTelling rolls the update of wake_at back: the previous job of the rule is unfinished.
var errStillTelling = errors.New("the job of the alert rule is unfinished")

// AlertNow implements store.Alerts.
func (s *Store) AlertNow(ctx context.Context, ruleID string) (r store.AlertRow, last store.AlertMessage, changes int64, err error) {
	var row struct {
		alertRow
		Changes int64 `bun:"changes,scanonly"`
	}
	err = s.read(ctx, "read an alert rule", func(db bun.IDB) error {
		return orNotFound(db.NewRaw("SELECT r.*, i.changes FROM alert_rule AS r, issue_guard AS i WHERE r.id = ?", clean(ruleID)).Scan(ctx, &row))
	})
	if err != nil {
		return r, last, 0, err
	}
	r, err = row.alert()
	last = store.AlertMessage{JobID: row.TellingJob, Until: row.TellingUntil, On: row.TellingOn, Issues: row.TellingCount,
		Body: row.TellingBody}
	return r, last, row.Changes, err
}

// BeginAlert implements store.Alerts.
func (s *Store) BeginAlert(ctx context.Context, ruleID string, m store.AlertMessage, any bool) error {
	return s.execute(ctx, "begin an alert", store.ErrChanged,
		`UPDATE alert_rule SET telling_job = ?, telling_until = ?, telling_on = ?, telling_count = ?,
			telling_body = ? WHERE id = ?
			AND (? OR ? = `+issueChangesNow+`)`, clean(m.JobID), m.Until, clean(m.On), m.Issues, append([]byte{}, m.Body...), clean(ruleID), any,
		m.Until)
}

// EndAlert implements store.Alerts.
func (s *Store) EndAlert(ctx context.Context, ruleID, jobID string, now time.Time) error {
	return s.execute(ctx, "end an alert", store.ErrChanged,
		`UPDATE alert_rule SET told = telling_until, told_on = telling_on, problem = '',
			sent_at = CASE WHEN length(telling_body) > 0 THEN ? ELSE sent_at END WHERE id = ? AND telling_job = ?`, micros(now),
		clean(ruleID), clean(jobID))
}

// FailAlert implements store.Alerts.
func (s *Store) FailAlert(ctx context.Context, ruleID, problem string) error {
	return s.execute(ctx, "note why an alert failed", nil, "UPDATE alert_rule SET problem = ? WHERE id = ?", clean(problem), clean(ruleID))
}

// MovedIssues implements store.Alerts.
func (s *Store) MovedIssues(ctx context.Context, after, until int64, now time.Time) (out []issue.Moved, err error) {
	var turns []issueTurnRow
	var places []stateRow
	err = s.read(ctx, "look for issues that moved", func(db bun.IDB) error {
		turns, places = nil, nil
		moved := db.NewSelect().Model((*issueTurnRow)(nil)).Column("provider_account_id", "check_id").Where("no > ? AND no <= ?", after, until)
		err := db.NewSelect().Model(&turns).Where("no <= ? AND (provider_account_id, check_id) IN (?)", until, moved).Order("no").Scan(ctx)
		if err != nil || len(turns) == 0 {
			return err
		}
		return db.NewSelect().Model(&places).Distinct().Column("provider_account_id", "check_id", "zone_id", "zone", "category").
			Where("opened AND (provider_account_id, check_id) IN (?)", moved).Scan(ctx)
	})
	if err != nil || len(turns) == 0 {
		return nil, err
	}
	was, is, unaccepted := map[string]issueTurnRow{}, map[string]issueTurnRow{}, map[string]bool{}
	for _, r := range turns {
		id := issue.ID(r.ProviderAccountID, r.CheckID)
		if is[id] = r; r.No <= after {
			was[id] = r
		} else if r.Unaccepted {
			unaccepted[id] = true
		}
	}
	var sum issue.Sum
	for _, p := range places {
		id := issue.ID(p.ProviderAccountID, p.CheckID)
		sum.AddFact(p.ProviderAccountID, issue.Fact{CheckID: p.CheckID, ZoneID: p.ZoneID, Zone: p.Zone, Category: posture.Category(p.Category),
			Severity: severityOf(is[id].Severity), Result: posture.Fail})
	}
	d, _, err := s.decisions(ctx, nil, now)
	if err != nil {
		return nil, err
	}
	for _, i := range d.Over(sum.Issues()) {
		before, after := was[i.ID], is[i.ID]
		if i.Title, i.Overdue = "", false; !after.Open {
			i.State = issue.Resolved
		}
		again := unaccepted[i.ID] && after.Open
		if before.Open != after.Open || before.Open && before.Severity < after.Severity || again {
			out = append(out, issue.Moved{Issue: i, Was: before.Open && !again, WasSeverity: severityOf(before.Severity)})
		}
	}
	return out, nil
}

// severityOf gives the severity of a rank; rank 0 is the mildest.
func severityOf(rank int) posture.Severity {
	all := posture.Severities() // worst first
	return all[len(all)-1-rank]
}

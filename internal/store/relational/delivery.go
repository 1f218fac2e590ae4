package relational

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type deliveryRow struct {
	bun.BaseModel `bun:"table:delivery"`

	ID           string `bun:"id,pk"`
	JobID        string `bun:"job_id"`
	Target       string `bun:"target"`
	AssessmentID string `bun:"assessment_id"`
	AccountID    string `bun:"account_id"`
	AccountName  string `bun:"account_name"`
	Kind         string `bun:"kind"`
	Destination  string `bun:"destination"`
	State        string `bun:"state"`
	Attempts     int    `bun:"attempts"`
	Documents    int    `bun:"documents"`
	Sent         int    `bun:"sent"`
	Failed       int    `bun:"failed"`
	Reason       string `bun:"reason"`
	CreatedAt    int64  `bun:"created_at"`
	UpdatedAt    int64  `bun:"updated_at"`
	NextAt       int64  `bun:"next_at"`
	Progress     []byte `bun:"progress"`
}

func newDeliveryRow(d posture.Delivery) deliveryRow {
	next := int64(0)
	if d.NextAt != nil {
		next = micros(*d.NextAt)
	}
	return deliveryRow{ID: clean(d.ID), JobID: clean(d.JobID), Target: clean(d.Target), AssessmentID: clean(d.AssessmentID),
		AccountID: clean(d.Account.ID), AccountName: clean(d.Account.Name), Kind: string(d.Kind), Destination: clean(d.Destination),
		State: string(d.State), Attempts: d.Attempts,
		Documents: d.Documents, Sent: d.Sent, Failed: d.Failed, Reason: clean(d.Reason), CreatedAt: micros(d.CreatedAt),
		UpdatedAt: micros(d.UpdatedAt), NextAt: next}
}

func (r deliveryRow) delivery() posture.Delivery {
	return posture.Delivery{ID: r.ID, JobID: r.JobID, AssessmentID: r.AssessmentID, Account: posture.AccountRef{ID: r.AccountID,
		Name: r.AccountName}, Kind: posture.JobKind(r.Kind), Target: r.Target, Destination: r.Destination, State: posture.DeliveryState(r.State),
		Attempts:  r.Attempts,
		Documents: r.Documents, Sent: r.Sent, Failed: r.Failed, Reason: r.Reason, CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt), NextAt: instantPtr(r.NextAt)}
}

// standing is the effective state of a delivery: one under way counts as failed once its job has failed
// or was cancelled, because nothing is left to send it.
const standing = `CASE WHEN delivery_row.state IN ('pending', 'retrying') AND EXISTS (SELECT 1 FROM job WHERE job.id = delivery_row.job_id
	AND job.state IN ('failed', 'cancelled')) THEN 'failed' ELSE delivery_row.state END`

// held is the condition that the caller still holds the job of a delivery.
const held = " AND EXISTS (SELECT 1 FROM job WHERE job.id = ? AND job.attempt = ? AND job.state = 'running')"

// OpenDelivery implements store.Deliveries.
func (s *Store) OpenDelivery(ctx context.Context, d posture.Delivery, attempt int) (posture.Delivery, []byte, error) {
	row := newDeliveryRow(d)
	err := s.inTx(ctx, "open a delivery", func(tx bun.Tx) error {
		n := 0
		if err := tx.NewRaw("SELECT COUNT(*) FROM job WHERE id = ? AND attempt = ? AND state = 'running'", row.JobID, attempt).Scan(ctx,
			&n); err != nil {
			return err
		}
		if n == 0 {
			return store.ErrFenced
		}
		if _, err := tx.NewInsert().Model(&row).On("CONFLICT (job_id, target) DO NOTHING").Exec(ctx); err != nil {
			return err
		}
		return tx.NewSelect().Model(&row).Where("job_id = ? AND target = ?", row.JobID, row.Target).Scan(ctx)
	})
	if err != nil {
		return posture.Delivery{}, nil, err
	}
	return row.delivery(), row.Progress, nil
}

// MarkDelivery implements store.Deliveries.
func (s *Store) MarkDelivery(ctx context.Context, d posture.Delivery, attempt int, progress []byte) error {
	row := newDeliveryRow(d)
	return s.execute(ctx, "keep how far a delivery is", store.ErrFenced,
		`UPDATE delivery SET state = ?, attempts = ?, documents = ?, sent = ?, failed = ?, reason = ?, updated_at =
			?, next_at = ?,
			progress = ?, destination = ? WHERE id = ? AND job_id = ?`+held, row.State, row.Attempts, row.Documents, row.Sent, row.Failed,
		row.Reason,
		row.UpdatedAt, row.NextAt, progress, row.Destination, row.ID, row.JobID, row.JobID, attempt)
}

// AdoptDelivery implements store.Deliveries.
func (s *Store) AdoptDelivery(ctx context.Context, id, jobID string, attempt int) (posture.Delivery, []byte, error) {
	var row deliveryRow
	err := s.write(ctx, "take a delivery over", func(db bun.IDB) error {
		return whenNone(db.NewRaw(`UPDATE delivery SET job_id = ?, state = CASE WHEN state = 'delivered' THEN state ELSE 'pending' END
			WHERE id = ?`+held+" RETURNING *", clean(jobID), clean(id), clean(jobID), attempt).Scan(ctx, &row), store.ErrFenced)
	})
	return row.delivery(), row.Progress, err
}

func asStanding(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ExcludeColumn("progress", "state").ColumnExpr(standing + " AS state")
}

// Delivery implements store.Deliveries.
func (s *Store) Delivery(ctx context.Context, id string) (posture.Delivery, error) {
	var row deliveryRow
	err := s.read(ctx, "read a delivery", func(db bun.IDB) error {
		return orNotFound(asStanding(db.NewSelect().Model(&row)).Where("id = ?", clean(id)).Scan(ctx))
	})
	return row.delivery(), err
}

// Deliveries implements store.Deliveries. A limit of 0 means no limit.
func (s *Store) Deliveries(ctx context.Context, f store.DeliveryFilter, p store.Page) ([]posture.Delivery, string, error) {
	after, paged, err := decodeCursor(listDeliveries, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	rows, err := readRows[deliveryRow](ctx, s, "list deliveries", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = newest(asStanding(q), "created_at", after, paged, ask(p.Limit))
		q = among(among(q, "assessment_id", f.Assessments), "account_id", f.Accounts)
		q = among(among(q, "target", f.Targets), "job_id", f.Jobs)
		if len(f.States) > 0 {
			q = q.Where("("+standing+") IN (?)", bun.List(cleanAll(f.States)))
			if !slices.Contains(f.States, posture.DeliveryDelivered) { // so there is an index of the others
				q = q.Where("delivery_row.state <> 'delivered'")
			}
		}
		return q
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listDeliveries, rows, p.Limit, func(r deliveryRow) sortKey { return sortKey{at: r.CreatedAt, id: r.ID} })
	return mapped(rows, deliveryRow.delivery), next, nil
}

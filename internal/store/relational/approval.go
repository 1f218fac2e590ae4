package relational

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/store"
)

type approvalRow struct {
	bun.BaseModel `bun:"table:plan_approval"`

	PlanID    string `bun:"plan_id,pk"`
	Digest    string `bun:"digest"`
	ByKind    string `bun:"by_kind"`
	ByID      string `bun:"by_id"`
	ByActor   string `bun:"by_actor"`
	Note      string `bun:"note"`
	Forced    bool   `bun:"forced"`
	At        int64  `bun:"at"`
	ExpiresAt int64  `bun:"expires_at"`
	UsedBy    string `bun:"used_by"`
	UsedAt    int64  `bun:"used_at"`
}

// Approve implements store.Remediations.
func (s *Store) Approve(ctx context.Context, a store.ApprovalRow) error {
	row := approvalRow{PlanID: clean(a.PlanID), Digest: clean(a.Digest), ByKind: string(a.By.Kind), ByID: clean(a.By.ID),
		ByActor: clean(a.By.Actor), Note: clean(a.Note), Forced: a.Force, At: micros(a.At), ExpiresAt: micros(a.ExpiresAt)}
	return s.inTx(ctx, "keep the approval of a plan", func(tx bun.Tx) error {
		there, err := tx.NewSelect().Model((*planRow)(nil)).Where("id = ?", row.PlanID).Exists(ctx)
		if err == nil && !there {
			err = store.ErrNotFound
		}
		if err != nil {
			return err
		}
		return execute(ctx, tx.NewInsert().Model(&row).On(`CONFLICT (plan_id) DO UPDATE SET digest = EXCLUDED.digest, by_kind = EXCLUDED.by_kind,
			by_id = EXCLUDED.by_id, by_actor = EXCLUDED.by_actor, note = EXCLUDED.note, forced = EXCLUDED.forced, at = EXCLUDED.at,
			expires_at = EXCLUDED.expires_at WHERE approval_row.used_by = ''`), store.ErrUsed)
	})
}

// PlanApproval implements store.Remediations.
func (s *Store) PlanApproval(ctx context.Context, planID string) (store.ApprovalRow, error) {
	r, err := readRow[approvalRow](ctx, s, "read the approval of a plan", "plan_id = ?", clean(planID))
	return store.ApprovalRow{Approval: store.Approval{PlanID: r.PlanID, Digest: r.Digest, Force: r.Forced},
		By: access.Party{Kind: access.Kind(r.ByKind), ID: r.ByID, Actor: r.ByActor}, Note: r.Note, At: instant(r.At),
		ExpiresAt: instant(r.ExpiresAt), UsedBy: r.UsedBy, UsedAt: instant(r.UsedAt)}, err
}

// takeApproval hands the approval of a plan to a job that does no more than was approved. The row
// update decides between concurrent jobs.
func takeApproval(ctx context.Context, tx bun.Tx, n store.NewJob) error {
	return execute(ctx, tx.NewRaw(`UPDATE plan_approval SET used_by = ?, used_at = ? WHERE plan_id = ? AND digest = ? AND used_by = ''
		AND expires_at > ? AND (forced OR NOT ?)`, clean(n.ID), micros(n.CreatedAt), clean(n.Approval.PlanID), clean(n.Approval.Digest),
		micros(n.CreatedAt), n.Approval.Force), store.ErrNotApproved)
}

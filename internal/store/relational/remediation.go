package relational

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type planRow struct {
	bun.BaseModel `bun:"table:plan"`

	ID           string `bun:"id,pk"`
	AssessmentID string `bun:"assessment_id"`
	AccountID    string `bun:"account_id"`
	CreatedAt    int64  `bun:"created_at"`
	ExpiresAt    int64  `bun:"expires_at"`
	Sealed       []byte `bun:"sealed"`
}

type bundleRow struct {
	bun.BaseModel `bun:"table:bundle"`

	ID           string `bun:"id,pk"`
	JobID        string `bun:"job_id"`
	AssessmentID string `bun:"assessment_id"`
	AccountID    string `bun:"account_id"`
	AccountName  string `bun:"account_name"`
	State        string `bun:"state"`
	Entries      int    `bun:"entries"`
	Applied      int    `bun:"applied"`
	Verified     int    `bun:"verified"`
	CreatedAt    int64  `bun:"created_at"`
	Sealed       []byte `bun:"sealed"`
	Mac          []byte `bun:"mac"`
}

func (r bundleRow) row() store.BundleRow {
	return store.BundleRow{JobID: r.JobID, Sealed: r.Sealed, Mac: r.Mac, Backup: change.Backup{ID: r.ID, CreatedAt: instant(r.CreatedAt),
		AssessmentID: r.AssessmentID, Account: posture.AccountRef{ID: r.AccountID, Name: r.AccountName}, State: change.State(r.State),
		Entries: r.Entries, Applied: r.Applied, Verified: r.Verified}}
}

// KeepPlan implements store.Remediations.
func (s *Store) KeepPlan(ctx context.Context, p store.PlanRow) error {
	row := planRow{ID: clean(p.ID), AssessmentID: clean(p.AssessmentID), AccountID: clean(p.AccountID), CreatedAt: micros(p.CreatedAt),
		ExpiresAt: micros(p.ExpiresAt), Sealed: p.Sealed}
	return s.inTx(ctx, "keep a plan", func(tx bun.Tx) error {
		if _, err := tx.NewDelete().Model((*planRow)(nil)).Where("expires_at < ?", micros(p.CreatedAt.Add(-24*time.Hour))).Exec(ctx); err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
}

// Plan implements store.Remediations.
func (s *Store) Plan(ctx context.Context, id string) (store.PlanRow, error) {
	row, err := readRow[planRow](ctx, s, "read a plan", "id = ?", clean(id))
	return store.PlanRow{ID: row.ID, AssessmentID: row.AssessmentID, AccountID: row.AccountID, CreatedAt: instant(row.CreatedAt),
		ExpiresAt: instant(row.ExpiresAt), Sealed: row.Sealed}, err
}

// KeepBundle implements store.Remediations.
func (s *Store) KeepBundle(ctx context.Context, b store.BundleRow, jobID string, attempt int) error {
	row := bundleRow{ID: clean(b.ID), JobID: clean(b.JobID), AssessmentID: clean(b.AssessmentID), AccountID: clean(b.Account.ID),
		AccountName: clean(b.Account.Name), State: string(b.State), Entries: b.Entries, Applied: b.Applied, Verified: b.Verified,
		CreatedAt: micros(b.CreatedAt), Sealed: b.Sealed, Mac: b.Mac}
	return s.inTx(ctx, "keep a bundle of changes", func(tx bun.Tx) error {
		// The update locks the row, so that nobody takes the job while this commits.
		if err := fenced(ctx, tx, "attempt = attempt", jobID, attempt); err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").Set("state = EXCLUDED.state, entries = EXCLUDED.entries, applied = " +
			"EXCLUDED.applied").
			Set("verified = EXCLUDED.verified, sealed = EXCLUDED.sealed, mac = EXCLUDED.mac").Exec(ctx))
	})
}

// Bundle implements store.Remediations.
func (s *Store) Bundle(ctx context.Context, id string) (store.BundleRow, error) {
	return s.bundle(ctx, "id", id)
}

// BundleOfJob implements store.Remediations.
func (s *Store) BundleOfJob(ctx context.Context, jobID string) (store.BundleRow, error) {
	return s.bundle(ctx, "job_id", jobID)
}

func (s *Store) bundle(ctx context.Context, column, value string) (store.BundleRow, error) {
	row, err := readRow[bundleRow](ctx, s, "read a bundle of changes", "? = ?", bun.Ident(column), clean(value))
	return row.row(), err
}

// Bundles implements store.Remediations. A limit of 0 means no limit.
func (s *Store) Bundles(ctx context.Context, accounts []string, p store.Page) ([]store.BundleRow, string, error) {
	after, paged, err := decodeCursor(listBundles, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	rows, err := readRows[bundleRow](ctx, s, "list bundles of changes", func(q *bun.SelectQuery) *bun.SelectQuery {
		return newest(among(q.ExcludeColumn("sealed", "mac"), "account_id", accounts), "created_at", after, paged, ask(p.Limit))
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listBundles, rows, p.Limit, func(r bundleRow) sortKey { return sortKey{at: r.CreatedAt, id: r.ID} })
	return mapped(rows, bundleRow.row), next, nil
}

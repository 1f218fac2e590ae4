package relational

import (
	"bytes"
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// atOnce is how many assessments are hidden, or jobs deleted, in one transaction.
const atOnce = 500

// notDeleted is the condition that an assessment is visible: it is not being forgotten. Every read of
// assessments has it.
const notDeleted = "no NOT IN (SELECT assessment_no FROM assessment_forgetting)"

// unreferenced is the condition that no reference keeps an assessment whatever its age; unfinished jobs
// and open findings are checked elsewhere. A new kind of reference to assessments must be added here.
const unreferenced = `NOT EXISTS (SELECT 1 FROM "plan" WHERE assessment_id = a.id) AND NOT EXISTS (SELECT 1 FROM bundle WHERE
	assessment_id = a.id)
	AND NOT EXISTS (SELECT 1 FROM delivery WHERE assessment_id = a.id AND state IN ('pending', 'retrying'))`

// dated is what decides whether an assessment is past its time.
type dated struct {
	No                int64
	ID                string
	ProviderAccountID string
	CompletedAt       int64
	Newer             int64 // when the next newer one of the account was completed
}

// newerOfAccount selects the assessments of the account that are newer than a, oldest first.
const newerOfAccount = `FROM assessment AS n WHERE n.provider_account_id = a.provider_account_id AND (n.completed_at, n.id) >
	(a.completed_at, a.id)
	ORDER BY n.completed_at, n.id`

// forgetAssessments deletes some rows of assessments that are being forgotten, or hides more
// assessments when none is left to delete.
func (s *Store) forgetAssessments(ctx context.Context, before, now int64) (n int, err error) {
	err = s.inTx(ctx, "forget assessments", func(tx bun.Tx) (err error) {
		n, err = forgetRows(ctx, tx)
		return err
	})
	if err != nil || n > 0 {
		return n, err
	}
	if n, err = s.sweep(ctx); err != nil || n > 0 {
		return n, err
	}
	old, err := s.outlived(ctx, before)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = s.inTx(ctx, "take assessments out of sight", func(tx bun.Tx) (err error) {
		n, err = hide(ctx, tx, old, now)
		return err
	})
	return n, err
}

func (s *Store) sweep(ctx context.Context) (n int, err error) {
	err = s.inTx(ctx, "sweep the parts of forgotten assessments", func(tx bun.Tx) (err error) {
		n, err = sweepPieces(ctx, tx)
		return err
	})
	return n, err
}

// forgetRows deletes findings by range, and the remaining rows of assessments that have no findings
// left.
func forgetRows(ctx context.Context, tx bun.Tx) (rows int, err error) {
	var nos, empty []int64
	if err := tx.NewRaw("SELECT assessment_no FROM assessment_forgetting ORDER BY assessment_no LIMIT ?", atOnce).Scan(ctx, &nos); err != nil {
		return 0, err
	}
	for _, no := range nos {
		n, err := affected(tx.NewRaw("DELETE FROM finding WHERE assessment_no = ? AND seq < (SELECT MIN(seq) FROM finding WHERE assessment_no "+
			"= ?) + ?",
			no, no, store.ForgetRows-rows).Exec(ctx))
		if err != nil {
			return 0, err
		}
		if rows += n; rows == store.ForgetRows {
			break // there may be more
		}
		empty = append(empty, no)
		rows++
		if rows == store.ForgetRows {
			break
		}
	}
	if len(empty) == 0 {
		return rows, nil
	}
	if _, err := tx.NewRaw("INSERT INTO piece_unused (provider_account_id) SELECT DISTINCT provider_account_id FROM assessment WHERE no IN "+
		"(?) AND pieces IS NOT NULL ON CONFLICT DO NOTHING",
		bun.List(empty)).Exec(ctx); err != nil {
		return 0, err
	}
	for _, of := range []string{"assessment_graph WHERE assessment_no", "assessment_text WHERE assessment_no",
		"assessment_evidence WHERE assessment_no",
		"assessment_point WHERE assessment_no", "assessment_forgetting WHERE assessment_no", "assessment WHERE no"} {
		if _, err := tx.NewRaw("DELETE FROM "+of+" IN (?)", bun.List(empty)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// outlived gives up to atOnce assessments that are older than before, that nothing references, and that
// are neither among the newest of their account nor the newest of a month. Each older assessment costs
// two index look-ups.
func (s *Store) outlived(ctx context.Context, before int64) (out []dated, err error) {
	var after dated
	var named func(string) bool
	err = s.read(ctx, "look for what jobs name", func(db bun.IDB) (err error) {
		named, err = namedByJobs(ctx, db)
		return err
	})
	open := map[string]map[int64]bool{}
	for err == nil && len(out) < atOnce {
		rows, err := selected[[]dated](ctx, s, "look for assessments that are past their time",
			`SELECT no, id, provider_account_id, completed_at, (SELECT n.completed_at `+newerOfAccount+` LIMIT 1) AS newer
				FROM assessment AS a WHERE completed_at < ? AND (completed_at, id) > (?, ?) AND `+notDeleted+` AND `+unreferenced+`
				AND (SELECT n.no `+newerOfAccount+` LIMIT 1 OFFSET ?) IS NOT NULL ORDER BY completed_at, id LIMIT ?`,
			before, after.CompletedAt, after.ID, store.KeptPerAccount-1, atOnce)
		if err != nil || len(rows) == 0 {
			return out, err
		}
		after = rows[len(rows)-1]
		for _, r := range rows {
			if instant(r.CompletedAt).Format("2006-01") != instant(r.Newer).Format("2006-01") {
				continue
			}
			if open[r.ProviderAccountID] == nil {
				if open[r.ProviderAccountID], err = s.holdOpen(ctx, r.ProviderAccountID); err != nil {
					return nil, err
				}
			}
			if !named(r.ID) && !open[r.ProviderAccountID][r.No] {
				out = append(out, r)
			}
		}
	}
	return out, err
}

// holdOpen gives the assessments of an account in which open findings were last seen. The newest
// assessment is always among them or holds none; an older one never joins them later.
func (s *Store) holdOpen(ctx context.Context, providerAccountID string) (map[int64]bool, error) {
	nos, err := selected[[]int64](ctx, s, "look for assessments that hold open findings",
		"SELECT DISTINCT assessment_no FROM finding_state WHERE provider_account_id = ? AND class = ?", providerAccountID, classOpen)
	out := make(map[int64]bool, len(nos))
	for _, no := range nos {
		out[no] = true
	}
	return out, err
}

// hide hides the assessments that nothing references by now.
func hide(ctx context.Context, tx bun.Tx, old []dated, now int64) (n int, err error) {
	named, err := namedByJobs(ctx, tx)
	if err != nil {
		return 0, err
	}
	var nos []int64
	for _, r := range old {
		if !named(r.ID) {
			nos = append(nos, r.No)
		}
	}
	if len(nos) == 0 {
		return 0, nil
	}
	var hidden []int64
	if err := tx.NewRaw("INSERT INTO assessment_forgetting (assessment_no) SELECT a.no FROM assessment AS a WHERE a.no IN (?) AND "+
		notDeleted+" AND "+unreferenced+
		" RETURNING assessment_no", bun.List(nos)).Scan(ctx, &hidden); err != nil || len(hidden) == 0 {
		return 0, err
	}
	return affected(tx.NewRaw("INSERT INTO assessment_forgotten (id, forgotten_at) SELECT id, ? FROM assessment WHERE no IN (?)", now,
		bun.List(hidden)).Exec(ctx))
}

// namedByJobs returns a function that reports whether an unfinished job names an assessment in its
// arguments.
func namedByJobs(ctx context.Context, db bun.IDB) (func(assessmentID string) bool, error) {
	var arguments [][]byte
	if err := db.NewRaw("SELECT arguments FROM job WHERE state IN ('queued', 'running')").Scan(ctx, &arguments); err != nil {
		return nil, err
	}
	all := bytes.Join(arguments, []byte{0})
	return func(id string) bool { return id != "" && bytes.Contains(all, []byte(id)) }, nil
}

// stillThere returns an error when an assessment is being forgotten: what was just read of it may then
// be incomplete. Rows are deleted only after the assessment is hidden.
func (s *Store) stillThere(ctx context.Context, assessmentNo int64) error {
	_, err := selected[int](ctx, s, "look for an assessment", "SELECT 1 FROM assessment WHERE no = ? AND "+notDeleted, assessmentNo)
	return err
}

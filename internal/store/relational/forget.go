package relational

import (
	"bytes"
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// atOnce is how many assessments or jobs are taken out of sight in one transaction.
const atOnce = 50

// inSight is the condition under which an assessment is there: it is not being
// forgotten. Every read of assessments has it.
const inSight = "no NOT IN (SELECT assessment_no FROM assessment_forgetting)"

// unreferenced holds what keeps an assessment whatever its age, but for unfinished
// jobs. Who adds a reference to assessments adds it here.
const unreferenced = `NOT EXISTS (SELECT 1 FROM "plan" WHERE assessment_id = a.id) AND NOT EXISTS (SELECT 1 FROM bundle WHERE assessment_id = a.id)
	AND NOT EXISTS (SELECT 1 FROM delivery WHERE assessment_id = a.id AND state IN ('pending', 'retrying'))
	AND NOT EXISTS (SELECT 1 FROM finding_state AS s WHERE s.provider_account_id = a.provider_account_id AND s.class = 0 AND s.assessment_no = a.no)`

// dated is what is asked of an assessment to tell whether its time is over.
type dated struct {
	No                int64
	ID                string
	ProviderAccountID string
	CompletedAt       int64
}

// outlived gives those of rows that are older than before and neither among the newest
// of their account nor the newest of a month. Rows come by account, newest first. The
// newest assessment of an account is the run in which its open findings were last seen,
// so it never goes.
func outlived(rows []dated, before int64) []dated {
	var out []dated
	place := 0
	var month string
	for i, r := range rows {
		if i == 0 || rows[i-1].ProviderAccountID != r.ProviderAccountID {
			place, month = 0, ""
		}
		place++
		newest := month
		month = instant(r.CompletedAt).Format("2006-01")
		if r.CompletedAt < before && place > store.KeptPerAccount && month == newest {
			out = append(out, r)
		}
	}
	return out
}

// forgetAssessments deletes some rows of an assessment that is being forgotten, or takes
// more out of sight when there is none.
func forgetAssessments(ctx context.Context, tx bun.Tx, before, now int64) (int, error) {
	var no int64
	err := orNotFound(tx.NewRaw("SELECT assessment_no FROM assessment_forgetting ORDER BY assessment_no LIMIT 1").Scan(ctx, &no))
	switch {
	case err == nil:
		return forgetRows(ctx, tx, no)
	case !errors.Is(err, store.ErrNotFound):
		return 0, err
	default:
		return hide(ctx, tx, before, now)
	}
}

// forgetRows deletes findings of an assessment, and when there are none left the rest.
func forgetRows(ctx context.Context, tx bun.Tx, no int64) (int, error) {
	n, err := affected(tx.NewRaw("DELETE FROM finding WHERE assessment_no = ? AND seq IN (SELECT seq FROM finding WHERE assessment_no = ? ORDER BY seq LIMIT ?)", no, no, store.ForgetRows).Exec(ctx))
	if err != nil || n > 0 {
		return n, err
	}
	for _, statement := range []string{"DELETE FROM assessment_graph WHERE assessment_no = ?", "DELETE FROM assessment_text WHERE assessment_no = ?", "DELETE FROM assessment_evidence WHERE assessment_no = ?", "DELETE FROM assessment_point WHERE assessment_no = ?",
		"DELETE FROM assessment_forgetting WHERE assessment_no = ?", "DELETE FROM assessment WHERE no = ?"} {
		if _, err := tx.NewRaw(statement, no).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// hide takes assessments that nothing needs any more out of sight.
func hide(ctx context.Context, tx bun.Tx, before, now int64) (n int, err error) {
	var rows []dated
	err = tx.NewRaw("SELECT no, id, provider_account_id, completed_at FROM assessment ORDER BY provider_account_id, completed_at DESC, id DESC").Scan(ctx, &rows)
	if err != nil {
		return 0, err
	}
	old := outlived(rows, before)
	if len(old) == 0 {
		return 0, nil
	}
	named, err := namedByJobs(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, r := range old {
		if n == atOnce {
			break
		}
		if named(r.ID) {
			continue
		}
		hidden, err := affected(tx.NewRaw("INSERT INTO assessment_forgetting (assessment_no) SELECT a.no FROM assessment AS a WHERE a.no = ? AND "+unreferenced, r.No).Exec(ctx))
		if err != nil {
			return 0, err
		}
		if hidden == 0 {
			continue
		}
		if _, err := tx.NewRaw("INSERT INTO assessment_forgotten (id, forgotten_at) VALUES (?, ?)", r.ID, now).Exec(ctx); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// namedByJobs tells whether an unfinished job names an assessment in its arguments.
func namedByJobs(ctx context.Context, tx bun.Tx) (func(assessmentID string) bool, error) {
	var arguments [][]byte
	if err := tx.NewRaw("SELECT arguments FROM job WHERE state IN ('queued', 'running')").Scan(ctx, &arguments); err != nil {
		return nil, err
	}
	all := bytes.Join(arguments, []byte{0})
	return func(id string) bool { return id != "" && bytes.Contains(all, []byte(id)) }, nil
}

// stillThere is an error when an assessment is being forgotten: then what was just read
// of its rows may be a part. Rows go only after the assessment is out of sight.
func (s *Store) stillThere(ctx context.Context, assessmentNo int64) error {
	var one int
	return s.read(ctx, "look for an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewRaw("SELECT 1 FROM assessment WHERE no = ? AND "+inSight, assessmentNo).Scan(ctx, &one))
	})
}

package relational

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

// settleIssues notes which issues a run resolved, and which it found again. Of what nobody has decided anything nothing is noted, so
// that most saves ask for no more than that. A check that fails in the run is not looked at again.
func (s *Store) settleIssues(ctx context.Context, tx bun.Tx, in *store.SaveAssessment) error {
	account := clean(in.Assessment.Account.ID)
	var rows []issueWorkRow
	if err := tx.NewRaw("SELECT * FROM issue_work WHERE provider_account_id = ? ORDER BY issue_id"+s.engine.Lock, account).Scan(ctx,
		&rows); err != nil || len(rows) == 0 {
		return err
	}
	fails := failing(in)
	rows = slices.DeleteFunc(rows, func(r issueWorkRow) bool { return fails[r.CheckID] == (r.State != string(issue.Resolved)) })
	if len(rows) == 0 {
		return nil
	}
	left, err := openChecks(ctx, tx, account, rows)
	if err != nil {
		return err
	}
	var happened []issueEventRow
	for i := range rows {
		r := &rows[i]
		fails, open := left[r.CheckID]
		became := issue.Resolved
		switch was := issue.State(r.State); {
		case was == issue.Resolved && fails:
			became = issue.Open
		case was == issue.Resolved || open:
			continue
		}
		happened = append(happened, newIssueEventRow(r.IssueID, store.IssueEvent{At: in.Now, Actor: store.ByRun, Kind: store.IssueState,
			From: r.State, To: string(became), AssessmentID: in.Assessment.ID}))
		if _, err := tx.NewRaw("UPDATE issue_work SET state = ?, updated_at = ?, revision = revision + 1 WHERE issue_id = ?", string(became),
			micros(in.Now), r.IssueID).Exec(ctx); err != nil {
			return err
		}
	}
	if len(happened) == 0 {
		return nil
	}
	return noteIssueChange(ctx, tx, happened)
}

// failing are the checks that fail or warn in a run.
func failing(in *store.SaveAssessment) map[string]bool {
	out := map[string]bool{}
	for i := range in.Verdicts {
		if v := &in.Verdicts[i]; issue.Counts(v.Result) {
			out[clean(v.CheckID)] = true
		}
	}
	for i := range in.Assessment.Findings {
		if f := &in.Assessment.Findings[i]; in.Verdicts == nil && issue.Counts(f.Result) {
			out[clean(f.CheckID)] = true
		}
	}
	return out
}

// openChecks tells of which checks an account has open findings: true where one fails or warns, false where what failed cannot be
// read any more, so that nobody knows.
func openChecks(ctx context.Context, tx bun.Tx, account string, of []issueWorkRow) (map[string]bool, error) {
	checks := make([]string, len(of))
	for i := range of {
		checks[i] = of[i].CheckID
	}
	var rows []struct {
		CheckID string `bun:"check_id"`
		Fails   int    `bun:"fails"`
	}
	err := tx.NewRaw(`SELECT check_id, MAX(CASE WHEN result IN ('FAIL', 'WARNING') THEN 1 ELSE 0 END) AS fails FROM finding_state
		WHERE provider_account_id = ? AND class = ? AND opened AND check_id IN (?) GROUP BY check_id`, account, classOpen,
		bun.List(checks)).Scan(ctx, &rows)
	out := make(map[string]bool, len(rows))
	for _, r := range rows {
		out[r.CheckID] = r.Fails > 0
	}
	return out, err
}

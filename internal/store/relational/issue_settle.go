package relational

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

// issueStatusRow is the status of an issue according to runs; the migration documents the columns.
type issueStatusRow struct {
	bun.BaseModel `bun:"table:issue_status"`

	ProviderAccountID string `bun:"provider_account_id,pk"`
	CheckID           string `bun:"check_id,pk"`
	Open              bool   `bun:"open"`
	Severity          int    `bun:"severity"`
	OpenedAt          int64  `bun:"opened_at"`
}

// issueTurnRow is one change of an issue's status.
type issueTurnRow struct {
	bun.BaseModel `bun:"table:issue_turn"`

	ProviderAccountID string `bun:"provider_account_id,pk"`
	CheckID           string `bun:"check_id,pk"`
	No                int64  `bun:"no,pk"`
	Open              bool   `bun:"open"`
	Severity          int    `bun:"severity"`
	Unaccepted        bool   `bun:"unaccepted"`
}

// settleIssues records which issues a run found, found more severe, found more of than what is accepted, or no longer
// found; for issues with decisions it also adds this to their activity. It wakes the alert rules that send at once. It looks
// at the states of all findings after the run, so a run that covers only part of an account, or could
// not read something, resolves nothing by that.
func (s *Store) settleIssues(ctx context.Context, tx bun.Tx, in *store.SaveAssessment, changed atRiskChanges) error {
	account := clean(in.Assessment.Account.ID)
	var there []issueStatusRow
	if err := tx.NewRaw("SELECT * FROM issue_status WHERE provider_account_id = ? ORDER BY check_id"+s.engine.Lock, account).Scan(ctx,
		&there); err != nil {
		return err
	}
	var work []issueWorkRow
	if err := tx.NewRaw("SELECT * FROM issue_work WHERE provider_account_id = ? ORDER BY issue_id"+s.engine.Lock, account).Scan(ctx,
		&work); err != nil {
		return err
	}
	fails := failing(in)
	differs := map[string]bool{}
	status := make(map[string]issueStatusRow, len(there))
	for _, r := range there {
		_, open := fails[r.CheckID]
		status[r.CheckID] = r
		differs[r.CheckID] = open != r.Open || changed[r.CheckID].came
	}
	for check, severity := range fails {
		r, known := status[check]
		differs[check] = differs[check] || !known || severity > r.Severity
	}
	for _, r := range work {
		_, open := fails[r.CheckID]
		differs[r.CheckID] = differs[r.CheckID] || open != (r.State != string(issue.Resolved))
	}
	maps.DeleteFunc(differs, func(_ string, differs bool) bool { return !differs })
	if len(differs) == 0 {
		return nil
	}
	left, err := openChecks(ctx, tx, account, slices.Sorted(maps.Keys(differs)), micros(in.Now))
	if err != nil {
		return err
	}
	moved := map[string]issueStatusRow{}
	for check := range differs {
		r, known := status[check]
		open, now := known && r.Open, left[check]
		now.unaccepted = open && changed[check].came && now.atRisk == changed[check].more
		if !open && now.fails || open && !now.open || open && now.fails && now.severity > r.Severity || now.unaccepted {
			r.ProviderAccountID, r.CheckID = account, check
			moved[check], left[check] = r, now
		}
	}
	return s.noteSettled(ctx, tx, in, moved, work, left)
}

// noteSettled writes the changes of issues under one change number.
func (s *Store) noteSettled(ctx context.Context, tx bun.Tx, in *store.SaveAssessment, moved map[string]issueStatusRow, work []issueWorkRow,
	left map[string]openCheck) error {
	var happened []issueEventRow
	for _, r := range work {
		now := left[r.CheckID]
		became := issue.Resolved
		switch was := issue.State(r.State); {
		case was == issue.Resolved && now.fails:
			became = issue.Open
		case was == issue.Resolved || now.open || !now.asked:
			continue
		}
		happened = append(happened, newIssueEventRow(r.IssueID, store.IssueEvent{At: in.Now, Actor: store.ByRun, Kind: store.IssueState,
			From: r.State, To: string(became), AssessmentID: in.Assessment.ID}))
		if _, err := tx.NewRaw("UPDATE issue_work SET state = ?, updated_at = ?, revision = revision + 1 WHERE issue_id = ?", string(became),
			micros(in.Now), r.IssueID).Exec(ctx); err != nil {
			return err
		}
	}
	if len(happened)+len(moved) == 0 {
		return nil
	}
	no, err := noteIssueChange(ctx, tx, happened)
	if err != nil || len(moved) == 0 {
		return err
	}
	rows, turns := make([]issueStatusRow, 0, len(moved)), make([]issueTurnRow, 0, len(moved))
	for _, check := range slices.Sorted(maps.Keys(moved)) {
		r, now := moved[check], left[check]
		if now.open {
			if !r.Open {
				r.OpenedAt, r.Severity = micros(in.Now), 0
			}
			r.Severity = max(r.Severity, now.severity)
		}
		r.Open = now.open
		rows = append(rows, r)
		turns = append(turns, issueTurnRow{ProviderAccountID: r.ProviderAccountID, CheckID: check, No: no, Open: r.Open, Severity: r.Severity,
			Unaccepted: now.unaccepted})
	}
	if _, err := tx.NewInsert().Model(&rows).On("CONFLICT (provider_account_id, check_id) DO UPDATE").
		Set("open = EXCLUDED.open, severity = EXCLUDED.severity, opened_at = EXCLUDED.opened_at").Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewInsert().Model(&turns).Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewRaw(`DELETE FROM issue_turn WHERE provider_account_id = ? AND check_id IN (?) AND no < (SELECT MAX(t.no)
		FROM issue_turn AS t WHERE t.provider_account_id = issue_turn.provider_account_id AND t.check_id = issue_turn.check_id
		AND t.no <= COALESCE((SELECT MIN(told) FROM alert_rule WHERE NOT paused), ?))`, rows[0].ProviderAccountID,
		bun.List(slices.Collect(maps.Keys(moved))), no).Exec(ctx); err != nil {
		return err
	}
	return ran(tx.NewRaw("UPDATE alert_rule SET wake_at = ? WHERE at_once AND NOT paused AND wake_at > ?", micros(in.Now),
		micros(in.Now)).Exec(ctx))
}

// failing gives the checks for which a run found a FAIL or WARNING, with the worst severity rank.
func failing(in *store.SaveAssessment) map[string]int {
	out := map[string]int{}
	note := func(check string, rank int) {
		check = clean(check)
		out[check] = max(out[check], rank)
	}
	for i := range in.Verdicts {
		if v := &in.Verdicts[i]; issue.Counts(v.Result) {
			note(v.CheckID, v.Severity.Rank())
		}
	}
	for i := range in.Assessment.Findings {
		if f := &in.Assessment.Findings[i]; in.Verdicts == nil && issue.Counts(f.Result) {
			note(f.CheckID, f.Severity.Rank())
		}
	}
	return out
}

// openCheck sums up the open findings of a check: whether there are any, whether one of them fails or
// warns, the worst severity rank, how many are at risk, and whether a run found these beside others that are all accepted.
type openCheck struct {
	asked, open, fails bool
	severity, atRisk   int
	unaccepted         bool
}

// openChecks reads the openCheck of some checks of an account; a finding that could not be read is open
// but does not fail.
func openChecks(ctx context.Context, tx bun.Tx, account string, checks []string, now int64) (map[string]openCheck, error) {
	var rows []struct {
		CheckID  string `bun:"check_id"`
		Fails    int    `bun:"fails"`
		Severity int    `bun:"severity"`
		AtRisk   int    `bun:"at_risk"`
	}
	err := tx.NewRaw(`SELECT check_id, SUM(CASE WHEN excepted_until <= ? THEN 1 ELSE 0 END) AS at_risk,
		MAX(CASE WHEN result IN ('FAIL', 'WARNING') THEN 1 ELSE 0 END) AS fails,
		MAX(CASE WHEN result NOT IN ('FAIL', 'WARNING') THEN 0 WHEN severity = 'critical' THEN 4 WHEN severity = 'high' THEN 3
			WHEN severity = 'medium' THEN 2 WHEN severity = 'low' THEN 1 ELSE 0 END) AS severity
		FROM finding_state WHERE provider_account_id = ? AND class = ? AND opened AND check_id IN (?) GROUP BY check_id`, now, account, classOpen,
		bun.List(checks)).Scan(ctx, &rows)
	out := make(map[string]openCheck, len(checks))
	for _, check := range checks {
		out[check] = openCheck{asked: true}
	}
	for _, r := range rows {
		out[r.CheckID] = openCheck{asked: true, open: true, fails: r.Fails > 0, severity: r.Severity, atRisk: r.AtRisk}
	}
	return out, err
}

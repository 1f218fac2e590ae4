package relational

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// stateBefore is a finding state as versions before migration 00013 stored it.
type stateBefore struct {
	bun.BaseModel `bun:"table:finding_state_before"`

	ProviderAccountID string `bun:"provider_account_id"`
	FindingID         string `bun:"finding_id"`
	Result            string `bun:"result"`
	Status            string `bun:"status"`
	FirstSeen         int64  `bun:"first_seen"`
	LastSeen          int64  `bun:"last_seen"`
}

// FillStates is migration 00013. The statements of schema, separated by empty lines, move the old
// states to finding_state_before. Each state is then completed from the newest assessment that holds
// the finding, and that table is dropped. It reads the assessments newest first and holds 1,000
// findings at a time. A state whose finding is in no assessment keeps its history and is not listed.
func FillStates(ctx context.Context, db *bun.DB, tx *sql.Tx, schema string) error {
	for statement := range strings.SplitSeq(schema, "\n\n") {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	f := filler{db: db, tx: tx}
	at, no := int64(1)<<62, int64(0)
	for {
		var a assessmentRow
		err := f.NewSelect().Model(&a).Column("no", "provider_account_id", "completed_at", "catalogue").
			Where("(completed_at, no) < (?, ?)", at, no).OrderExpr("completed_at DESC, no DESC").Limit(1).Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		at, no = a.CompletedAt, a.No
		if err := f.assessment(ctx, a); err != nil {
			return err
		}
	}
	for _, q := range []string{
		// The states of findings that no assessment holds: only their history is left.
		`INSERT INTO finding_state (provider_account_id, finding_id, result, status, resolution, opened, first_seen, last_seen, class,
			judged_at, place,
			assessment_no, seq, check_id, category, severity, resource_type, resource_id, resource_key, resource_name, zone_id, zone)
			SELECT provider_account_id, finding_id, result, status, '', TRUE, first_seen, last_seen, 2, last_seen, 0, 0, 0, '', '', '', '', '', 0,
			'', '', ''
			FROM finding_state_before`,
		"DROP TABLE finding_state_before",
	} {
		if _, err := f.NewRaw(q).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

type filler struct {
	db *bun.DB
	tx *sql.Tx
}

// queries is the part of a database handle or transaction that starts statements; filler implements it
// on a transaction of the migrations.
type queries interface {
	NewSelect() *bun.SelectQuery
	NewInsert() *bun.InsertQuery
	NewRaw(query string, args ...any) *bun.RawQuery
}

// NewSelect implements queries.
func (f filler) NewSelect() *bun.SelectQuery { return f.db.NewSelect().Conn(f.tx) }

// NewInsert implements queries.
func (f filler) NewInsert() *bun.InsertQuery { return f.db.NewInsert().Conn(f.tx) }

// NewRaw implements queries.
func (f filler) NewRaw(query string, args ...any) *bun.RawQuery {
	return f.db.NewRaw(query, args...).Conn(f.tx)
}

// assessment completes the account's remaining states whose finding is in this assessment, and then
// marks the findings it saw FAIL or WARNING as opened.
func (f filler) assessment(ctx context.Context, a assessmentRow) error {
	var cat catalogue
	if err := unpackJSON(a.Catalogue, &cat); err != nil {
		return err
	}
	for seq := -1; ; {
		var left int
		if err := f.NewRaw("SELECT COUNT(*) FROM (SELECT 1 FROM finding_state_before WHERE provider_account_id = ? LIMIT 1) AS x",
			a.ProviderAccountID).Scan(ctx, &left); err != nil {
			return err
		}
		if left == 0 {
			break
		}
		var rows []findingRow
		if err := f.NewSelect().Model(&rows).Where("assessment_no = ? AND seq > ?", a.No,
			seq).Order("seq").Limit(findingsAtOnce).Scan(ctx); err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		seq = rows[len(rows)-1].Seq
		if err := f.page(ctx, a, &cat, rows); err != nil {
			return err
		}
	}
	return ran(f.NewRaw(`UPDATE finding_state SET opened = TRUE, class = CASE WHEN class = ? THEN ? ELSE class END, resolution = CASE WHEN
		class = ? THEN 'fixed' ELSE '' END
		WHERE provider_account_id = ? AND NOT opened AND finding_id IN (SELECT finding_id FROM finding WHERE assessment_no = ? AND result IN
		('FAIL', 'WARNING'))`,
		classQuiet, classResolved, classQuiet, a.ProviderAccountID, a.No).Exec(ctx))
}

// page completes the states of one page of findings.
func (f filler) page(ctx context.Context, a assessmentRow, cat *catalogue, rows []findingRow) error {
	ids, at := make([]string, 0, len(rows)), make(map[string]int, len(rows))
	for i := range rows {
		ids, at[rows[i].FindingID] = append(ids, rows[i].FindingID), i
	}
	var old []stateBefore
	if err := f.NewRaw("DELETE FROM finding_state_before WHERE provider_account_id = ? AND finding_id IN (?) RETURNING *",
		a.ProviderAccountID, bun.List(ids)).
		Scan(ctx, &old); err != nil {
		return err
	}
	if len(old) == 0 {
		return nil
	}
	states := make([]stateRow, 0, len(old))
	for _, o := range old {
		row := rows[at[o.FindingID]]
		finding, err := row.finding(cat)
		if err != nil {
			return err
		}
		r := stateRow{ProviderAccountID: o.ProviderAccountID, FindingID: o.FindingID, Result: o.Result, Status: o.Status, FirstSeen: o.FirstSeen,
			LastSeen: o.LastSeen, JudgedAt: o.LastSeen, AssessmentNo: a.No}
		r.Opened = r.class() == classOpen && r.Result != string(posture.Unknown) || r.Status == string(posture.StatusReopened)
		r.describe(&finding, row.Seq)
		r.setOrder()
		states = append(states, r)
	}
	// Which of them were ever open is known only later; all get search texts until the next run decides
	// anew.
	if _, err := f.NewInsert().Model(&states).ExcludeColumn("search").Returning("NULL").Exec(ctx); err != nil {
		return err
	}
	if err := addTexts(ctx, f, states, func(*stateRow) bool { return true }); err != nil {
		return err
	}
	zones := map[zoneRow]bool{}
	for i := range states {
		states[i].noteZone(zones)
	}
	return putZones(ctx, f, zones)
}

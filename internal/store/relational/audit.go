package relational

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/store"
)

type auditRow struct {
	bun.BaseModel `bun:"table:audit"`

	Seq        int64  `bun:"seq,pk"`
	At         int64  `bun:"at"`
	Actor      string `bun:"actor"`
	Address    string `bun:"address"`
	Action     string `bun:"action"`
	Method     string `bun:"method"`
	TargetType string `bun:"target_type"`
	TargetID   string `bun:"target_id"`
	Outcome    string `bun:"outcome"`
	Status     int    `bun:"status"`
	Code       string `bun:"code"`
	RequestID  string `bun:"request_id"`
	JobID      string `bun:"job_id"`
	Detail     string `bun:"detail"`
	Number     int    `bun:"number"`
	Previous   string `bun:"previous"`
	Hash       string `bun:"hash"`
}

func newAuditRow(e audit.Entry) auditRow {
	return auditRow{Seq: e.Seq, At: micros(e.At), Actor: e.Actor, Address: e.Address, Action: string(e.Action), Method: e.Method,
		TargetType: e.Target.Type, TargetID: e.Target.ID, Outcome: string(e.Outcome), Status: e.Status, Code: e.Code, RequestID: e.RequestID,
		JobID: e.JobID, Detail: e.Detail, Number: e.Count,
		Previous: e.Previous, Hash: e.Hash}
}

func (r auditRow) entry() audit.Entry {
	return audit.Entry{Seq: r.Seq, At: time.UnixMicro(r.At).UTC(), Actor: r.Actor, Address: r.Address, Action: audit.Action(r.Action),
		Method: r.Method, Target: audit.Target{Type: r.TargetType, ID: r.TargetID}, Outcome: audit.Ending(r.Outcome), Status: r.Status,
		Code: r.Code, RequestID: r.RequestID,
		JobID: r.JobID, Detail: r.Detail, Count: r.Number, Previous: r.Previous, Hash: r.Hash}
}

// AuditHead implements store.Audits.
func (s *Store) AuditHead(ctx context.Context) (audit.Head, error) {
	var head audit.Head
	err := s.read(ctx, "read the head of the audit log", func(db bun.IDB) error {
		return orNotFound(db.NewRaw("SELECT seq, hash FROM audit_head WHERE id = 1").Scan(ctx, &head.Seq, &head.Hash))
	})
	return head, err
}

// Audit implements store.Audits. A limit of 0 means no limit.
func (s *Store) Audit(ctx context.Context, f store.AuditFilter, p store.Page) ([]audit.Entry, string, error) {
	after, paged, err := decodeCursor(listAudit, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	rows, err := readRows[auditRow](ctx, s, "list the audit log", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.OrderExpr("seq DESC").Limit(ask(p.Limit))
		q = among(among(among(q, "action", f.Actions), "outcome", f.Outcomes), "actor", f.Actors)
		if f.Job != "" {
			q = q.Where("job_id = ?", clean(f.Job))
		}
		if !f.Since.IsZero() {
			q = q.Where("at >= ?", micros(f.Since))
		}
		if !f.Until.IsZero() {
			q = q.Where("at < ?", micros(f.Until))
		}
		if paged {
			q = q.Where("seq < ?", after.at)
		}
		return q
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listAudit, rows, p.Limit, func(r auditRow) sortKey { return sortKey{at: r.Seq} })
	return mapped(rows, auditRow.entry), next, nil
}

// CutAudit implements store.Audits. The clocks of processes differ, so an entry may be younger than the
// one that follows it: removal ends before the first entry that must stay, and the newest entry always
// stays.
func (s *Store) CutAudit(ctx context.Context, before time.Time, checkpoint audit.Entry) (int, error) {
	removed := 0
	err := s.inTx(ctx, "cut the audit log", func(tx bun.Tx) error {
		removed = 0
		// Locking the head row keeps other writers out before anything is read.
		if _, err := tx.NewRaw("UPDATE audit_head SET seq = seq WHERE id = 1").Exec(ctx); err != nil {
			return err
		}
		var rows []auditRow
		err := tx.NewSelect().Model(&rows).Where("seq < (SELECT COALESCE(MIN(seq), (SELECT MAX(seq) FROM audit)) FROM audit WHERE at >= ?)",
			micros(before)).
			OrderExpr("seq DESC").Limit(1).Scan(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		last := rows[0]
		if removed, err = affected(tx.NewDelete().Model((*auditRow)(nil)).Where("seq <= ?", last.Seq).Exec(ctx)); err != nil {
			return err
		}
		_, err = chainLink(ctx, tx, audit.Checkpoint(checkpoint, audit.Head{Seq: last.Seq, Hash: last.Hash}))
		return err
	})
	return removed, err
}

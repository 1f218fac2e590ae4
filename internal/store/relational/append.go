package relational

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// AppendAudit implements store.Audits. Entries that arrive while others are being written are batched,
// so that the head row is locked once for all of them. A caller whose context ends first does not learn
// whether its entry was written.
func (s *Store) AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	const attempted = "write to the audit log"
	return s.entries.do(ctx, attempted, e, func(ctx context.Context, entries []audit.Entry) error {
		var linked []audit.Entry
		err := s.inTx(ctx, attempted, func(tx bun.Tx) (err error) {
			linked, err = chainLink(ctx, tx, entries...)
			return err
		})
		if err == nil {
			copy(entries, linked)
		}
		return err
	})
}

// chainLink appends entries within a transaction. Incrementing the head's counter locks its row until
// the commit, so that no other writer links to the same entry.
func chainLink(ctx context.Context, tx bun.Tx, entries ...audit.Entry) ([]audit.Entry, error) {
	var head audit.Head
	if err := tx.NewRaw("UPDATE audit_head SET seq = seq + ? WHERE id = 1 RETURNING seq, hash", len(entries)).Scan(ctx, &head.Seq,
		&head.Hash); err != nil {
		return nil, err
	}
	head.Seq -= int64(len(entries))
	out, rows := make([]audit.Entry, len(entries)), make([]auditRow, len(entries))
	for i, e := range entries {
		out[i] = audit.Chained(head, e)
		rows[i] = newAuditRow(out[i])
		head = audit.Head{Seq: out[i].Seq, Hash: out[i].Hash}
	}
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return nil, err
	}
	_, err := tx.NewRaw("UPDATE audit_head SET hash = ? WHERE id = 1", head.Hash).Exec(ctx)
	return out, err
}

package relational

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type passkeyRow struct {
	bun.BaseModel `bun:"table:passkey"`

	ID             string `bun:"id,pk"`
	UserID         string `bun:"user_id"`
	Name           string `bun:"name"`
	CredentialID   []byte `bun:"credential_id"`
	PublicKey      []byte `bun:"public_key"`
	SignCount      int64  `bun:"sign_count"`
	BackupEligible bool   `bun:"backup_eligible"`
	BackedUp       bool   `bun:"backed_up"`
	CreatedAt      int64  `bun:"created_at"`
	UsedAt         int64  `bun:"used_at"`
}

func (r passkeyRow) passkey() store.PasskeyRow {
	return store.PasskeyRow{ID: r.ID, UserID: r.UserID, Name: r.Name, CredentialID: r.CredentialID, PublicKey: r.PublicKey,
		SignCount: uint32(r.SignCount), BackupEligible: r.BackupEligible, BackedUp: r.BackedUp,
		CreatedAt: instant(r.CreatedAt), UsedAt: instant(r.UsedAt)}
}

// AddPasskey implements store.Passkeys.
func (s *Store) AddPasskey(ctx context.Context, p store.PasskeyRow, session string, once store.Once, most int) error {
	row := passkeyRow{ID: clean(p.ID), UserID: clean(p.UserID), Name: clean(p.Name), CredentialID: p.CredentialID, PublicKey: p.PublicKey,
		SignCount: int64(p.SignCount), BackupEligible: p.BackupEligible, BackedUp: p.BackedUp, CreatedAt: micros(p.CreatedAt),
		UsedAt: micros(p.UsedAt)}
	return s.inTx(ctx, "keep a passkey", func(tx bun.Tx) error {
		if err := takeOnce(ctx, tx, once, p.CreatedAt); err != nil {
			return err
		}
		if err := s.inSession(ctx, tx, row.UserID, session); err != nil {
			return err
		}
		_, has, err := s.waysIn(ctx, tx, row.UserID)
		if err == nil && has >= most {
			err = store.ErrTooMany
		}
		if err != nil {
			return err
		}
		return execute(ctx, tx.NewInsert().Model(&row).On("CONFLICT (credential_id) DO NOTHING"), store.ErrNameTaken)
	})
}

// waysIn reports how a person can sign in. It locks the person's row until the transaction ends.
func (s *Store) waysIn(ctx context.Context, tx bun.Tx, userID string) (password bool, passkeys int, err error) {
	var hash string
	if err := orNotFound(tx.NewRaw("SELECT password_hash FROM person WHERE id = ?"+s.engine.Lock, userID).Scan(ctx, &hash)); err != nil {
		return false, 0, err
	}
	n, err := tx.NewSelect().Model((*passkeyRow)(nil)).Where("user_id = ?", userID).Count(ctx)
	return hash != "", int(n), err
}

// UsePasskey implements store.Passkeys.
func (s *Store) UsePasskey(ctx context.Context, p store.PasskeyRow, once store.Once) error {
	return s.inTx(ctx, "note the use of a passkey", func(tx bun.Tx) error {
		if err := takeOnce(ctx, tx, once, p.UsedAt); err != nil {
			return err
		}
		return execute(ctx, tx.NewRaw(`UPDATE passkey SET sign_count = ?, backed_up = ?, used_at = ?
			WHERE id = ? AND (sign_count < ? OR sign_count = 0 AND ? = 0)`,
			p.SignCount, p.BackedUp, micros(p.UsedAt), clean(p.ID), p.SignCount, p.SignCount), store.ErrNotFound)
	})
}

// Passkeys implements store.Passkeys.
func (s *Store) Passkeys(ctx context.Context, userID string) ([]store.PasskeyRow, error) {
	rows, err := readRows[passkeyRow](ctx, s, "list the passkeys", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("user_id = ?", clean(userID)).Order("created_at", "id")
	})
	return mapped(rows, passkeyRow.passkey), err
}

// PasskeyByCredential implements store.Passkeys.
func (s *Store) PasskeyByCredential(ctx context.Context, credentialID []byte) (store.PasskeyRow, error) {
	row, err := readRow[passkeyRow](ctx, s, "look for a passkey", "credential_id = ?", credentialID)
	return row.passkey(), err
}

// DeletePasskey implements store.Passkeys.
func (s *Store) DeletePasskey(ctx context.Context, userID, id string) error {
	return s.inTx(ctx, "remove a passkey", func(tx bun.Tx) error {
		password, has, err := s.waysIn(ctx, tx, clean(userID))
		if err != nil {
			return err
		}
		removal := tx.NewRaw("DELETE FROM passkey WHERE id = ? AND user_id = ?", clean(id), clean(userID))
		if err := execute(ctx, removal, store.ErrNotFound); err != nil {
			return err
		}
		if !password && has == 1 {
			return store.ErrLastWay
		}
		return nil
	})
}

// DeletePasskeysOf implements store.Passkeys.
func (s *Store) DeletePasskeysOf(ctx context.Context, userID string) error {
	return s.write(ctx, "remove the passkeys of a person", func(db bun.IDB) error { return deletePasskeysOf(ctx, db, userID) })
}

func deletePasskeysOf(ctx context.Context, db bun.IDB, userID string) error {
	return ran(db.NewRaw("DELETE FROM passkey WHERE user_id = ?", clean(userID)).Exec(ctx))
}

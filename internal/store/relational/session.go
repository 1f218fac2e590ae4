package relational

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type sessionRow struct {
	bun.BaseModel `bun:"table:session"`

	ID         string `bun:"id,pk"`
	SecretHash []byte `bun:"secret_hash"`
	Actor      string `bun:"actor"`
	Credential string `bun:"credential"`
	UserID     string `bun:"user_id"`
	CreatedAt  int64  `bun:"created_at"`
	UsedAt     int64  `bun:"used_at"`
	EndsAt     int64  `bun:"ends_at"`
	Address    string `bun:"address"`
	UserAgent  string `bun:"user_agent"`
}

func (r sessionRow) session() store.SessionRow {
	return store.SessionRow{ID: r.ID, SecretHash: r.SecretHash, Actor: r.Actor, Credential: r.Credential, UserID: r.UserID,
		CreatedAt: instant(r.CreatedAt),
		UsedAt:    instant(r.UsedAt), EndsAt: instant(r.EndsAt), Address: r.Address, UserAgent: r.UserAgent}
}

// AddSession implements store.Sessions.
func (s *Store) AddSession(ctx context.Context, in store.SessionRow, replaced []byte, most int) error {
	return s.inTx(ctx, "keep a session", func(tx bun.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM session WHERE secret_hash = ?", replaced).Exec(ctx); err != nil {
			return err
		}
		return addSession(ctx, tx, in, most)
	})
}

// AddSessionBeside implements store.Sessions.
func (s *Store) AddSessionBeside(ctx context.Context, in store.SessionRow, beside string, most int) error {
	return s.inTx(ctx, "keep a second session", func(tx bun.Tx) error {
		if err := s.inSession(ctx, tx, in.UserID, beside); err != nil {
			return err
		}
		return addSession(ctx, tx, in, most)
	})
}

func addSession(ctx context.Context, tx bun.Tx, in store.SessionRow, most int) error {
	row := sessionRow{ID: clean(in.ID), SecretHash: in.SecretHash, Actor: clean(in.Actor), Credential: clean(in.Credential),
		UserID:    clean(in.UserID),
		CreatedAt: micros(in.CreatedAt), UsedAt: micros(in.UsedAt), EndsAt: micros(in.EndsAt), Address: clean(in.Address),
		UserAgent: clean(in.UserAgent)}
	if _, err := tx.NewRaw(`DELETE FROM session WHERE user_id = ? AND credential = ? AND id NOT IN
		(SELECT id FROM session WHERE user_id = ? AND credential = ? ORDER BY used_at DESC, id DESC LIMIT ?)`,
		row.UserID, row.Credential, row.UserID, row.Credential, most-1).Exec(ctx); err != nil {
		return err
	}
	return ran(tx.NewInsert().Model(&row).Exec(ctx))
}

// inSession returns store.ErrNotFound when a session has ended. It locks the person's row, so that
// whoever ends their sessions finds what the transaction adds.
func (s *Store) inSession(ctx context.Context, tx bun.Tx, userID, id string) error {
	if _, err := tx.NewRaw("SELECT id FROM person WHERE id = ?"+s.engine.Lock, clean(userID)).Exec(ctx); err != nil {
		return err
	}
	return orNotFound(tx.NewRaw("SELECT id FROM session WHERE id = ? AND user_id = ?", clean(id), clean(userID)).Scan(ctx, &id))
}

// SessionBySecret implements store.Sessions.
func (s *Store) SessionBySecret(ctx context.Context, hash []byte) (store.SessionRow, error) {
	row, err := readRow[sessionRow](ctx, s, "look for a session", "secret_hash = ?", hash)
	return row.session(), err
}

// UseSession implements store.Sessions.
func (s *Store) UseSession(ctx context.Context, row store.SessionRow, usedAt, endsAt time.Time) error {
	return s.execute(ctx, "note the use of a session", nil,
		"UPDATE session SET used_at = ?, ends_at = ? WHERE id = ? AND used_at = ?", micros(usedAt), micros(endsAt),
		clean(row.ID), micros(row.UsedAt))
}

// Sessions implements store.Sessions.
func (s *Store) Sessions(ctx context.Context) ([]store.SessionRow, error) {
	rows, err := readRows[sessionRow](ctx, s, "list the sessions", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.OrderExpr("used_at DESC, id DESC")
	})
	return mapped(rows, sessionRow.session), err
}

// EndSession implements store.Sessions.
func (s *Store) EndSession(ctx context.Context, id string) error {
	return s.execute(ctx, "end a session", store.ErrNotFound, "DELETE FROM session WHERE id = ?", clean(id))
}

// EndSessionsOf implements store.Sessions.
func (s *Store) EndSessionsOf(ctx context.Context, userID string) error {
	return s.inTx(ctx, "end the sessions of a person", func(tx bun.Tx) error {
		if _, err := tx.NewRaw("SELECT id FROM person WHERE id = ?"+s.engine.Lock, clean(userID)).Exec(ctx); err != nil {
			return err
		}
		return endSessionsOf(ctx, tx, userID)
	})
}

func endSessionsOf(ctx context.Context, db bun.IDB, userID string) error {
	return ran(db.NewRaw("DELETE FROM session WHERE user_id = ? AND user_id <> ''", clean(userID)).Exec(ctx))
}

package relational

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// PutAccount implements store.Accounts.
func (s *Store) PutAccount(ctx context.Context, a posture.Account, sealedToken []byte) error {
	scope, err := encodeScope(a)
	if err != nil {
		return err
	}
	row := accountRow{ID: clean(a.ID), Name: clean(a.Name), ProviderID: clean(a.ProviderID), Demo: a.Demo, CreatedAt: micros(a.CreatedAt),
		UpdatedAt: micros(a.UpdatedAt), SealedToken: sealedToken, TokenAt: micros(a.TokenAt), Policy: a.Policy, AfterRun: a.AfterRun,
		Scope: scope}
	return s.inTx(ctx, "keep an account", func(tx bun.Tx) error {
		if err := nameFree(ctx, tx, row.Name, row.ID); err != nil {
			return err
		}
		var before string
		err := tx.NewRaw("SELECT provider_id FROM account WHERE id = ?", row.ID).Scan(ctx, &before)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.NewInsert().Model(&row).On(`CONFLICT (id) DO UPDATE SET name = EXCLUDED.name,
			provider_id = EXCLUDED.provider_id, demo = EXCLUDED.demo, created_at = EXCLUDED.created_at,
			updated_at = EXCLUDED.updated_at,
			token_at = CASE WHEN EXCLUDED.sealed_token IS NULL THEN account_row.token_at ELSE EXCLUDED.token_at END,
			sealed_token = COALESCE(EXCLUDED.sealed_token, account_row.sealed_token)`).Exec(ctx)
		if err == nil {
			err = s.readAnew(ctx, tx, row.ID, sealedToken)
		}
		// Writing an account changes account_guard, so of two at once the later sees here what the first wrote.
		if err == nil && row.ProviderID != "" && row.ProviderID != before {
			err = unlessTaken(ctx, tx, "provider_id", row.ProviderID, row.ID, store.ErrRegistered)
		}
		if err != nil {
			return err
		}
		return setDefault(ctx, tx, row.ID, a.Default)
	})
}

// readAnew drops what the waiting runs of an account have read when it gets another token: it may see
// something else, even another account. Without a token it does nothing.
func (s *Store) readAnew(ctx context.Context, tx bun.Tx, account string, token []byte) error {
	if len(token) == 0 {
		return nil
	}
	var ids []string
	err := tx.NewRaw("SELECT id FROM job WHERE account = ? AND kind = ? AND state = 'queued' ORDER BY id"+s.engine.Lock, account,
		string(posture.JobAssess)).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	return ran(tx.NewRaw("DELETE FROM section WHERE job_id IN (?)", bun.List(ids)).Exec(ctx))
}

// nameFree refuses a name that another account has.
func nameFree(ctx context.Context, tx bun.Tx, name, id string) error {
	return unlessTaken(ctx, tx, "name", name, id, store.ErrNameTaken)
}

// unlessTaken returns an error when another account has a value in a column.
func unlessTaken(ctx context.Context, tx bun.Tx, column, value, id string, refusal error) error {
	return unlessFound(ctx, tx.NewSelect().Model((*accountRow)(nil)).Where("? = ? AND id <> ?", bun.Ident(column), value, id), refusal)
}

// setDefault makes an account the default one, or removes that mark.
func setDefault(ctx context.Context, tx bun.Tx, id string, isDefault bool) error {
	if !isDefault {
		return ran(tx.NewRaw("DELETE FROM account_default WHERE account_id = ?", id).Exec(ctx))
	}
	return ran(tx.NewRaw(`INSERT INTO account_default (only_row, account_id) VALUES (1, ?)
		ON CONFLICT (only_row) DO UPDATE SET account_id = EXCLUDED.account_id`, id).Exec(ctx))
}

// selectAccounts reads accounts without their tokens.
func selectAccounts(db bun.IDB, into any) *bun.SelectQuery {
	return db.NewSelect().Model(into).ExcludeColumn("sealed_token").
		ColumnExpr("EXISTS (SELECT 1 FROM account_default WHERE account_id = account_row.id) AS is_default")
}

// Account implements store.Accounts. A match by id wins over a match by name.
func (s *Store) Account(ctx context.Context, idOrName string) (posture.Account, error) {
	word := clean(idOrName)
	return s.account(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id = ? OR name = ?", word, word).OrderExpr("CASE WHEN id = ? THEN 0 ELSE 1 END", word)
	})
}

// DefaultAccount implements store.Accounts.
func (s *Store) DefaultAccount(ctx context.Context) (posture.Account, error) {
	return s.account(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id = (SELECT account_id FROM account_default)")
	})
}

func (s *Store) account(ctx context.Context, choose choice) (posture.Account, error) {
	var row accountRow
	err := s.read(ctx, "read an account", func(db bun.IDB) error {
		return orNotFound(choose(selectAccounts(db, &row)).Limit(1).Scan(ctx))
	})
	if err != nil {
		return posture.Account{}, err
	}
	return row.account()
}

// accounts is the cached list of all accounts, valid while the change counter of account_guard equals
// changes.
type accounts struct {
	changes int64
	all     []posture.Account
}

// Accounts implements store.Accounts. The cached list is reused until some process changes an account.
func (s *Store) Accounts(ctx context.Context) ([]posture.Account, error) {
	kept := s.accounts.Load()
	var changes int64
	var rows []accountRow
	err := s.read(ctx, "list the accounts", func(db bun.IDB) error {
		rows = nil
		if err := db.NewRaw("SELECT changes FROM account_guard").Scan(ctx, &changes); err != nil || kept != nil && kept.changes == changes {
			return err
		}
		return selectAccounts(db, &rows).Order("name").Scan(ctx) // at least as new as the counter read above
	})
	if err != nil {
		return nil, err
	}
	if kept == nil || kept.changes != changes {
		all, err := decoded(rows, accountRow.account)
		if err != nil {
			return nil, err
		}
		kept = &accounts{changes, all}
		s.accounts.Store(kept)
	}
	return slices.Clone(kept.all), nil
}

// SealedToken implements store.Accounts. ErrNotFound also for an account without a token.
func (s *Store) SealedToken(ctx context.Context, accountID string) ([]byte, error) {
	return selected[[]byte](ctx, s, "read the token of an account",
		"SELECT sealed_token FROM account WHERE id = ? AND sealed_token IS NOT NULL", clean(accountID))
}

package relational

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// ChangeAccount implements store.Accounts.
func (s *Store) ChangeAccount(ctx context.Context, accountID string, c store.AccountChange, now time.Time) (posture.Account, error) {
	var row accountRow
	id := clean(accountID)
	err := s.inTx(ctx, "change an account", func(tx bun.Tx) error {
		row = accountRow{}
		// The first write locks the row, so that what is read next cannot change.
		if err := execute(ctx, tx.NewRaw("UPDATE account SET updated_at = updated_at WHERE id = ?", id), store.ErrNotFound); err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&row).ExcludeColumn("sealed_token").Where("id = ?", id).Scan(ctx); err != nil {
			return orNotFound(err)
		}
		if !expected(row, c) {
			return store.ErrChanged
		}
		if c.Name != nil {
			if err := nameFree(ctx, tx, clean(*c.Name), id); err != nil {
				return err
			}
		}
		if err := apply(&row, c, now); err != nil {
			return err
		}
		row.UpdatedAt = max(micros(now), row.UpdatedAt+1)
		if c.ProviderID != nil && row.ProviderID != "" {
			if err := unlessTaken(ctx, tx, "provider_id", row.ProviderID, id, store.ErrRegistered); err != nil {
				return err
			}
			if err := rekey(ctx, tx, row); err != nil {
				return err
			}
		}
		q := tx.NewUpdate().Model(&row).Column("updated_at", "name", "provider_id", "policy", "after_run", "scope", "token_at").WherePK()
		if c.SealedToken != nil {
			q = q.Column("sealed_token")
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
		if err := s.readAnew(ctx, tx, id, c.SealedToken); err != nil {
			return err
		}
		if c.Default != nil {
			return setDefault(ctx, tx, id, *c.Default)
		}
		return nil
	})
	if err != nil {
		return posture.Account{}, err
	}
	return s.Account(ctx, accountID)
}

// rekey lets the unfinished run of an account whose id at the provider is new keep others from
// starting beside it.
func rekey(ctx context.Context, tx bun.Tx, row accountRow) error {
	before, now := posture.Account{ID: row.ID}.AssessKey(), posture.Account{ID: row.ID, ProviderID: row.ProviderID}.AssessKey()
	return ran(tx.NewRaw(`UPDATE job SET active_key = ? WHERE active_key = ? AND state IN ('queued', 'running')
		AND NOT EXISTS (SELECT 1 FROM job WHERE active_key = ? AND state IN ('queued', 'running'))`, now, before, now).Exec(ctx))
}

// expected reports whether the row is what the change was made from.
func expected(row accountRow, c store.AccountChange) bool {
	return (c.ExpectProviderID == nil || row.ProviderID == clean(*c.ExpectProviderID)) &&
		(c.ExpectUpdatedAt == nil || row.UpdatedAt == micros(*c.ExpectUpdatedAt)) &&
		(c.ExpectPolicy == nil || bytes.Equal(row.Policy, *c.ExpectPolicy))
}

// apply applies the changes to the row.
func apply(row *accountRow, c store.AccountChange, now time.Time) error {
	if c.Name != nil {
		row.Name = clean(*c.Name)
	}
	if c.ProviderID != nil {
		row.ProviderID = clean(*c.ProviderID)
	}
	if c.SealedToken != nil {
		row.SealedToken, row.TokenAt = c.SealedToken, micros(now)
	}
	if c.Policy != nil {
		row.Policy = orNil(*c.Policy)
	}
	if c.AfterRun != nil {
		row.AfterRun = orNil(*c.AfterRun)
	}
	if c.Zones == nil && c.ExcludeZones == nil && c.Labels == nil {
		return nil
	}
	before, err := row.account()
	if err != nil {
		return err
	}
	scope := posture.Account{Zones: before.Zones, ExcludeZones: before.ExcludeZones, Labels: before.Labels}
	if c.Zones != nil {
		scope.Zones = *c.Zones
	}
	if c.ExcludeZones != nil {
		scope.ExcludeZones = *c.ExcludeZones
	}
	if c.Labels != nil {
		scope.Labels = *c.Labels
	}
	row.Scope, err = encodeScope(scope)
	return err
}

// encodeScope gives the stored form of the zones and labels of an account; nil when there are none.
func encodeScope(a posture.Account) ([]byte, error) {
	if len(a.Zones)+len(a.ExcludeZones)+len(a.Labels) == 0 {
		return nil, nil
	}
	return encoded("the zones of an account", accountScope{Zones: a.Zones, ExcludeZones: a.ExcludeZones, Labels: a.Labels})
}

func orNil(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// DeleteAccount implements store.Accounts. The account row is deleted first: a concurrent Fire of one
// of its schedules commits before that, so its job is among those cancelled here.
func (s *Store) DeleteAccount(ctx context.Context, accountID string, now time.Time) error {
	id := clean(accountID)
	kinds := []posture.JobKind{posture.JobAssess, posture.JobPlan, posture.JobApply, posture.JobRollback}
	return s.inTx(ctx, "delete an account", func(tx bun.Tx) error {
		if err := execute(ctx, tx.NewRaw("DELETE FROM account WHERE id = ?", id), store.ErrNotFound); err != nil {
			return err
		}
		return ran(tx.NewRaw(`UPDATE job SET cancel_requested = TRUE, sealed_token = NULL,
			finished_at = CASE WHEN state = 'queued' THEN ? ELSE finished_at END,
			state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
			WHERE account = ? AND state IN ('queued', 'running') AND kind IN (?)`, micros(now), id, bun.List(kinds)).Exec(ctx))
	})
}

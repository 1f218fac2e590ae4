package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type exceptionRow struct {
	bun.BaseModel `bun:"table:exception"`

	ID          string `bun:"id,pk"`
	RevokedAt   int64  `bun:"revoked_at"`
	ExpiresAt   int64  `bun:"expires_at"`
	CreatedAt   int64  `bun:"created_at"`
	RequestKey  string `bun:"request_key"`
	RequestHash string `bun:"request_hash"`
	Body        []byte `bun:"body"` // posture.Exception as JSON
}

func newExceptionRow(e posture.Exception, key, hash string) (exceptionRow, error) {
	body, err := encoded("an exception", e)
	row := exceptionRow{ID: clean(e.ID), CreatedAt: micros(e.CreatedAt), RequestKey: clean(key), RequestHash: clean(hash), Body: body}
	if e.ExpiresAt != nil {
		row.ExpiresAt = micros(*e.ExpiresAt)
	}
	return row, err
}

// exception decodes the row for callers; where body and columns hold the same field, the columns win.
func (r exceptionRow) exception(now time.Time) (posture.Exception, error) {
	var e posture.Exception
	if err := json.Unmarshal(r.Body, &e); err != nil {
		return e, fmt.Errorf("decode the exception %s: %w", r.ID, err)
	}
	e.ID, e.CreatedAt, e.ExpiresAt, e.RevokedAt, e.Hides = r.ID, instant(r.CreatedAt), instantPtr(r.ExpiresAt), instantPtr(r.RevokedAt), 0
	return e.At(now), nil
}

// except records which exception applies to a state; nil means none.
func (r *stateRow) except(e *posture.Exception) {
	r.ExceptionID, r.ExceptedUntil = "", 0
	if e == nil {
		return
	}
	r.ExceptionID, r.ExceptedUntil = clean(e.ID), math.MaxInt64
	if e.ExpiresAt != nil {
		r.ExceptedUntil = micros(*e.ExpiresAt)
	}
}

// subject gives the part of a state that exceptions match on.
func (r *stateRow) subject() *posture.Finding {
	return &posture.Finding{CheckID: r.CheckID, Severity: posture.Severity(r.Severity), Result: posture.Result(r.Result),
		Resource: posture.Resource{Type: posture.ResourceType(r.ResourceType), ID: r.ResourceID, Name: r.ResourceName, ZoneID: r.ZoneID,
			Zone: r.Zone}}
}

// activeAt reads the exceptions that are active at an instant.
func activeAt(ctx context.Context, db queries, now time.Time) ([]posture.Exception, error) {
	var rows []exceptionRow
	err := db.NewSelect().Model(&rows).Where("revoked_at = 0 AND (expires_at = 0 OR expires_at > ?)", micros(now)).Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return decoded(rows, func(r exceptionRow) (posture.Exception, error) { return r.exception(now) })
}

// accepted returns the active exceptions for the account of a run. Until the commit, none can be added
// or revoked.
func (s *Store) accepted(ctx context.Context, tx queries, in store.SaveAssessment) (exception.Set, error) {
	var changes int64
	if err := tx.NewRaw("SELECT changes FROM exception_guard"+s.engine.Share).Scan(ctx, &changes); err != nil {
		return exception.Set{}, err
	}
	all, err := activeAt(ctx, tx, in.Now)
	return exception.For(all, in.Now, in.Assessment.Account.ID, in.AccountID), err
}

// guarded runs a change of exceptions; it excludes concurrent saves of runs.
func (s *Store) guarded(ctx context.Context, attempted string, fn func(tx bun.Tx) error) error {
	return s.inTx(ctx, attempted, func(tx bun.Tx) error {
		if _, err := tx.NewRaw("UPDATE exception_guard SET changes = changes + 1").Exec(ctx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// AddException implements store.Exceptions.
func (s *Store) AddException(ctx context.Context, e posture.Exception, key, hash string) (made posture.Exception, added bool, err error) {
	all, added, err := s.AddExceptions(ctx, []posture.Exception{e}, key, hash, e.CreatedAt)
	if err != nil {
		return made, false, err
	}
	return all[0], added, nil
}

// AddExceptions implements store.Exceptions.
func (s *Store) AddExceptions(ctx context.Context, all []posture.Exception, key, hash string,
	now time.Time) (made []posture.Exception, added bool, err error) {
	err = s.guarded(ctx, "add exceptions", func(tx bun.Tx) error {
		made, added = nil, false
		if key != "" {
			made, err = madeWith(ctx, tx, clean(key), clean(hash), now)
			if err != nil || len(made) > 0 {
				return err
			}
		}
		for _, e := range all {
			row, err := newExceptionRow(e, key, hash)
			if err != nil {
				return err
			}
			if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
				return err
			}
			if e, err = row.exception(now); err != nil {
				return err
			}
			if err := s.hide(ctx, tx, &e); err != nil {
				return err
			}
			made, added = append(made, e), true
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return made, added, nil
}

// madeWith gives the exceptions that the newest call with a key made; none when no call in the last 24
// hours used the key.
func madeWith(ctx context.Context, tx bun.Tx, key, hash string, now time.Time) ([]posture.Exception, error) {
	var rows []exceptionRow
	err := tx.NewSelect().Model(&rows).Where("request_key = ? AND request_key <> '' AND created_at >= ?", key,
		micros(now.Add(-idempotencyLife))).
		OrderExpr("created_at DESC, id").Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if rows[0].RequestHash != hash {
		return nil, store.ErrIdempotencyConflict
	}
	at := rows[0].CreatedAt
	return counted(ctx, tx, slices.DeleteFunc(rows, func(r exceptionRow) bool { return r.CreatedAt != at }), now)
}

// hide applies the exception to the open states it matches, and counts them.
func (s *Store) hide(ctx context.Context, tx bun.Tx, e *posture.Exception) error {
	var mark stateRow
	mark.except(e)
	l, none, err := s.latest(ctx, tx, matchFilter(*e))
	if err != nil || none {
		return err
	}
	return s.eachState(ctx, tx, l, func(rows []stateRow) error {
		var nos []int64
		for i := range rows {
			r := &rows[i]
			if !exception.Accepts(posture.Result(r.Result)) || !exception.Matches(e.Match, r.subject()) {
				continue
			}
			if r.ExceptedUntil < mark.ExceptedUntil || r.ExceptedUntil == mark.ExceptedUntil && mark.ExceptionID < r.ExceptionID {
				nos = append(nos, r.No)
			}
		}
		e.Hides += len(nos)
		return markStates(ctx, tx, nos, mark)
	})
}

// matchFilter selects the open findings that an exception may match, as far as columns can tell. The
// exception may spell a zone in other letter case, so zones are left to exception.Matches.
func matchFilter(e posture.Exception) store.LatestFilter {
	f := store.LatestFilter{Statuses: openStatuses()}
	f.Checks, f.Severities, f.Resources = e.Match.CheckIDs, e.Match.Severities, e.Match.ResourceIDs
	if e.Account != "" {
		f.Accounts = []string{e.Account}
	}
	return f
}

func openStatuses() []posture.FindingStatus {
	return []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}
}

// eachState calls do with the states of a list in batches, in order of their numbers.
func (s *Store) eachState(ctx context.Context, db queries, l *latestList, do func([]stateRow) error) error {
	l.flatten()
	q := "SELECT * FROM finding_state WHERE " + strings.Join(append(l.conds, "no > ?"), " AND ") + " ORDER BY no LIMIT ?"
	for from := int64(0); ; {
		var rows []stateRow
		if err := db.NewRaw(q, append(slices.Clone(l.args), from, findingsAtOnce)...).Scan(ctx, &rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		from = rows[len(rows)-1].No
		if err := do(rows); err != nil {
			return err
		}
	}
}

func markStates(ctx context.Context, tx bun.Tx, nos []int64, mark stateRow) error {
	if len(nos) == 0 {
		return nil
	}
	return ran(tx.NewRaw("UPDATE finding_state SET exception_id = ?, excepted_until = ? WHERE no IN (?)", mark.ExceptionID, mark.ExceptedUntil,
		bun.List(nos)).Exec(ctx))
}

// RevokeException implements store.Exceptions. A state it hid goes to the next exception that applies,
// or to none.
func (s *Store) RevokeException(ctx context.Context, id string, now time.Time) error {
	return s.guarded(ctx, "revoke an exception", func(tx bun.Tx) error {
		var row exceptionRow
		if err := orNotFound(tx.NewSelect().Model(&row).Where("id = ?", clean(id)).Scan(ctx)); err != nil || row.RevokedAt != 0 {
			return err
		}
		if _, err := tx.NewRaw("UPDATE exception SET revoked_at = ? WHERE id = ?", micros(now), row.ID).Exec(ctx); err != nil {
			return err
		}
		all, err := activeAt(ctx, tx, now)
		if err != nil {
			return err
		}
		names, err := registeredOf(ctx, tx)
		if err != nil {
			return err
		}
		l := &latestList{conds: []string{"exception_id = ?", "exception_id <> ''"}, args: []any{row.ID}}
		sets := map[string]exception.Set{}
		return s.eachState(ctx, tx, l, func(rows []stateRow) error {
			next := map[stateRow][]int64{}
			for i := range rows {
				account := rows[i].ProviderAccountID
				if _, have := sets[account]; !have {
					sets[account] = exception.For(all, now, append(names[account], account)...)
				}
				var mark stateRow
				mark.except(sets[account].Of(rows[i].subject()))
				next[mark] = append(next[mark], rows[i].No)
			}
			for mark, nos := range next {
				if err := markStates(ctx, tx, nos, mark); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// registeredOf gives the ids of registered accounts by provider account.
func registeredOf(ctx context.Context, db queries) (map[string][]string, error) {
	var rows []accountRow
	if err := db.NewSelect().Model(&rows).Column("id", "provider_id").Scan(ctx); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, r := range rows {
		if r.ProviderID != "" {
			out[r.ProviderID] = append(out[r.ProviderID], r.ID)
		}
	}
	return out, nil
}

// Exceptions implements store.Exceptions.
func (s *Store) Exceptions(ctx context.Context, now time.Time, p store.Page) ([]posture.Exception, string, error) {
	after, paged, err := decodeCursor(listExceptions, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	var all []posture.Exception
	err = s.read(ctx, "list exceptions", func(db bun.IDB) error {
		all = []posture.Exception{}
		var rows []exceptionRow
		err := newest(db.NewSelect().Model(&rows), "created_at", after, paged, ask(p.Limit)).Scan(ctx)
		if err == nil && len(rows) > 0 {
			all, err = counted(ctx, db, rows, now)
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	all, next := cut(listExceptions, all, p.Limit, func(e posture.Exception) sortKey { return sortKey{at: micros(e.CreatedAt), id: e.ID} })
	return all, next, nil
}

// counted decodes exceptions, with how many findings each hides now.
func counted(ctx context.Context, db bun.IDB, rows []exceptionRow, now time.Time) ([]posture.Exception, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	var counts []struct {
		ExceptionID string
		N           int
	}
	if err := db.NewRaw(`SELECT exception_id, COUNT(*) AS n FROM finding_state WHERE exception_id <> '' AND exception_id IN (?) AND
		excepted_until > ? AND class = ?
		GROUP BY exception_id`, bun.List(ids), micros(now), classOpen).Scan(ctx, &counts); err != nil {
		return nil, err
	}
	hides := map[string]int{}
	for _, c := range counts {
		hides[c.ExceptionID] = c.N
	}
	return decoded(rows, func(r exceptionRow) (posture.Exception, error) {
		e, err := r.exception(now)
		e.Hides = hides[e.ID]
		return e, err
	})
}

// ActiveExceptions implements store.Exceptions.
func (s *Store) ActiveExceptions(ctx context.Context, now time.Time) (out []posture.Exception, err error) {
	err = s.read(ctx, "read the active exceptions", func(db bun.IDB) error {
		out, err = activeAt(ctx, db, now)
		return err
	})
	return out, err
}

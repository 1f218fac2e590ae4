// Package relational is the one implementation of store.Store. It speaks SQL through bun and knows no
// driver: store/sqlite and store/postgres open the database, apply their migrations and pass it on with
// an Engine that describes what differs between them.
package relational

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// tries bounds how often a transaction that lost to another one is run.
const tries = 20

// errAgain makes a transaction roll back and run once more.
var errAgain = errors.New("another transaction came first")

// Engine is what differs between the databases.
type Engine struct {
	// Name is "sqlite" or "postgres".
	Name string
	// Find is the SQL function (text, part) that gives a positive position when
	// part occurs in text, taking part literally.
	Find string
	// Match gives the condition that a text of finding_text contains part, using the trigram index
	// where there is one.
	Match func(part string) (condition, argument string)
	// Lock ends a query whose rows nobody else may change before the commit, Share one
	// whose rows nobody else may change but others may share.
	Lock, Share string
	// Keep ends a query whose rows nobody else may lock with Lock before the commit, while they may still be changed.
	Keep string
	// Skip ends a query that locks the rows it returns and skips rows that others have locked.
	Skip string
	// Arrays reports that unnest turns arrays, one per column, into rows.
	Arrays bool
	// Clock is the SQL expression of the server's clock in microseconds since 1970; "" when the local
	// clock is the only one.
	Clock string
	// Again reports whether the transaction that gave err was rolled back only because of another one:
	// a deadlock, a serialization failure, a unique key that was just taken or a row that was just
	// deleted. Running it again then sees the new state.
	Again func(err error) bool
	// Explain turns a driver's error into a sentence for an operator where it knows one, and returns
	// err otherwise. It keeps err in the chain.
	Explain func(err error) error
}

// Store implements store.Store. Make one with New.
type Store struct {
	engine         Engine
	writer, reader *bun.DB
	opens          opens
	observe        func(ctx context.Context, operation string) func(error)
	texts          *recent[int64, *texts]
	tallies        *recent[int64, *tallies]
	facetRows      *recent[int64, *facetRows]
	chunks         *recent[int64, *chunk]
	resources      *recent[int64, *resources]
	places         *recent[placesOf, *places]
	issueFacts     *recent[factsOf, *issueFacts]
	accountSums    *recent[string, *accountSum]
	issueSums      *recent[string, *issueSum]
	accounts       atomic.Pointer[accounts]
	acceptance     atomic.Pointer[acceptance]
	summing        chan struct{} // a semaphore: one sum is made at a time
	trace          func(ctx context.Context) string
	entries        together[audit.Entry]  // the audit log
	sections       together[sectionsRead] // sections that jobs have read
}

var _ store.Store = (*Store)(nil)

// New makes a store on two pools of one migrated database; writer and reader
// may be the same. The store owns both and closes them.
func New(engine Engine, writer, reader *bun.DB) *Store {
	return &Store{engine: engine, writer: writer, reader: reader, opens: newOpens(),
		texts: newRecent[int64, *texts](textsKept), tallies: newRecent[int64, *tallies](talliesKept),
		facetRows: newRecent[int64, *facetRows](facetRowsKept),
		chunks:    newRecent[int64, *chunk](chunksKept), resources: newRecent[int64, *resources](resourcesKept),
		places:      newRecent[placesOf, *places](placesKept),
		issueFacts:  newRecent[factsOf, *issueFacts](issueFactsKept),
		accountSums: newRecent[string, *accountSum](accountSumsKept),
		issueSums:   newRecent[string, *issueSum](issueSumsKept), summing: make(chan struct{}, 1)}
}

// Engine returns "sqlite" or "postgres".
func (s *Store) Engine() string { return s.engine.Name }

// Close closes the pools. Calls in progress end with an error.
func (s *Store) Close() error {
	err := s.writer.Close()
	if s.reader != s.writer {
		err = errors.Join(err, s.reader.Close())
	}
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

// Ping implements store.Store.
func (s *Store) Ping(ctx context.Context) error {
	return s.execute(ctx, "write to the store", nil,
		`INSERT INTO turn (name, begun_at) VALUES ('ping', 1)
			ON CONFLICT (name) DO UPDATE SET begun_at = turn.begun_at + 1`)
}

// Now implements store.Store.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if s.engine.Clock == "" {
		return time.Now().UTC(), nil
	}
	us, err := selected[int64](ctx, s, "ask for the time", "SELECT "+s.engine.Clock)
	return instant(us), err
}

// inTx runs fn in one transaction of the writer pool, again when it lost
// against another one. fn must not change anything outside of the transaction
// that a second run would not set again.
func (s *Store) inTx(ctx context.Context, attempted string, fn func(tx bun.Tx) error) error {
	commits := false
	err := s.repeat(ctx, attempted, func() error {
		commits = false
		return s.writer.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
			err := fn(tx)
			commits = err == nil
			return err
		})
	})
	return unsure(err, commits)
}

// unsure notes whether something may have been written before the connection broke.
func unsure(err error, wrote bool) error {
	if down, ok := errors.AsType[*store.UnavailableError](err); ok {
		down.Unsure = down.Unsure && wrote
	}
	return err
}

// write runs statements of the writer pool, each in its own implicit transaction.
func (s *Store) write(ctx context.Context, attempted string, fn func(db bun.IDB) error) error {
	return s.repeat(ctx, attempted, func() error { return fn(s.writer) })
}

// read runs queries on the reader pool.
func (s *Store) read(ctx context.Context, attempted string, fn func(db bun.IDB) error) error {
	return unsure(s.repeat(ctx, attempted, func() error { return fn(s.reader) }), false)
}

// Observe implements store.Store.
func (s *Store) Observe(begin func(context.Context, string) func(error)) { s.observe = begin }

// Carry implements store.Store.
func (s *Store) Carry(of func(context.Context) string) { s.trace = of }

// traced gives a job the trace of the context it is queued in.
func (s *Store) traced(ctx context.Context, n store.NewJob) store.NewJob {
	if n.Trace == "" && s.trace != nil {
		n.Trace = s.trace(ctx)
	}
	return n
}

// Stats implements store.Store.
func (s *Store) Stats() map[string]sql.DBStats {
	out := map[string]sql.DBStats{"writer": s.writer.Stats()}
	if s.reader != s.writer {
		out["reader"] = s.reader.Stats()
	}
	return out
}

func (s *Store) repeat(ctx context.Context, attempted string, fn func() error) (err error) {
	if s.observe != nil {
		end := s.observe(ctx, attempted)
		defer func() {
			if answered(err) {
				end(nil)
				return
			}
			end(err)
		}()
	}
	for range tries {
		if err = fn(); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", attempted, context.Cause(ctx))
		}
		if !errors.Is(err, errAgain) && !s.engine.Again(err) {
			break
		}
	}
	if ofContract(err) {
		return err
	}
	return fmt.Errorf("%s: %w", attempted, s.engine.Explain(err))
}

// answered reports whether err is an answer of the store and no failure: that nothing was found, or another of the contract.
func answered(err error) bool {
	return errors.Is(err, sql.ErrNoRows) || ofContract(err) && !errors.Is(err, store.ErrTampered)
}

// ofContract reports whether err is one that callers compare or show, which must reach them unwrapped.
func ofContract(err error) bool {
	var known store.Error
	var active *store.ActiveJobError
	var problem *posture.Problem
	return errors.As(err, &known) || errors.As(err, &active) || errors.As(err, &problem)
}

// whenNone maps "no rows" to another error.
func whenNone(err, other error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return other
	}
	return err
}

// orNotFound maps "no rows" to the contract's error.
func orNotFound(err error) error { return whenNone(err, store.ErrNotFound) }

// orElse returns err, or other when err is nil.
func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// affected gives the number of rows that a statement changed.
func affected(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// changedOrGone tells why a change of a row by id and revision matched nothing.
func changedOrGone(ctx context.Context, tx bun.Tx, model any, id string) error {
	there, err := tx.NewSelect().Model(model).Where("id = ?", id).Exists(ctx)
	switch {
	case err != nil:
		return err
	case there:
		return store.ErrChanged
	}
	return store.ErrNotFound
}

// clean makes text acceptable to both databases: PostgreSQL allows no zero byte in text. Identifiers in
// a path or query come from outside, so such a byte must lead to "not found" and not to a failing
// statement.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// cleanAll is clean for the values of a filter.
func cleanAll[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = clean(string(v))
	}
	return out
}

// cut gives up to limit rows of a list and the cursor of the next page, "" when there is none; the
// query asked for limit+1 rows. at is the sort key of a row. A limit of 0 or less means no limit.
func cut[T any](list string, rows []T, limit int, at func(T) sortKey) ([]T, string) {
	if limit <= 0 || len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], encodeCursor(list, at(rows[limit-1]))
}

// ask is how many rows a query must read so that cut can tell whether more follow; 0 means no limit.
func ask(limit int) int64 {
	if limit <= 0 {
		return 0
	}
	return int64(limit) + 1
}

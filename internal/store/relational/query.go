package relational

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// choice narrows or orders a query.
type choice func(*bun.SelectQuery) *bun.SelectQuery

// orderedBy orders rows by columns.
func orderedBy(columns ...string) choice {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order(columns...) }
}

// readRow reads the row for which a condition holds; ErrNotFound when there is none.
func readRow[R any](ctx context.Context, s *Store, attempted, where string, args ...any) (row R, err error) {
	err = s.read(ctx, attempted, func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Where(where, args...).Scan(ctx))
	})
	return row, err
}

// decodedRow is readRow for rows that must be decoded.
func decodedRow[R, T any](ctx context.Context, s *Store, attempted string, of func(R) (T, error), where string,
	args ...any) (out T, err error) {
	row, err := readRow[R](ctx, s, attempted, where, args...)
	if err != nil {
		return out, err
	}
	return of(row)
}

// readRows reads the chosen rows.
func readRows[R any](ctx context.Context, s *Store, attempted string, choose choice) (rows []R, err error) {
	err = s.read(ctx, attempted, func(db bun.IDB) error {
		rows = nil // a try before this one may have read some
		return choose(db.NewSelect().Model(&rows)).Scan(ctx)
	})
	return rows, err
}

// decodedRows is readRows for rows that must be decoded.
func decodedRows[R, T any](ctx context.Context, s *Store, attempted string, of func(R) (T, error), choose choice) ([]T, error) {
	rows, err := readRows[R](ctx, s, attempted, choose)
	if err != nil {
		return nil, err
	}
	return decoded(rows, of)
}

// selected reads what a statement selects: one value, ErrNotFound when there is none, or a list of all rows.
func selected[T any](ctx context.Context, s *Store, attempted, statement string, args ...any) (out T, err error) {
	err = s.read(ctx, attempted, func(db bun.IDB) error {
		var found T // anew in each try
		err := orNotFound(db.NewRaw(statement, args...).Scan(ctx, &found))
		out = found
		return err
	})
	return out, err
}

// among narrows to the rows with one of these values in a column; without values it narrows nothing.
func among[T ~string](q *bun.SelectQuery, column string, values []T) *bun.SelectQuery {
	if len(values) == 0 {
		return q
	}
	return q.Where("? IN (?)", bun.Ident(column), bun.List(cleanAll(values)))
}

// newest bounds a list to the newest rows by a column and the id, those after a sort key when paged; a limit of 0 means
// no limit.
func newest(q *bun.SelectQuery, column string, after sortKey, paged bool, limit int64) *bun.SelectQuery {
	if paged {
		q = q.Where("(?, id) < (?, ?)", bun.Ident(column), after.at, after.id)
	}
	return q.OrderExpr("? DESC, id DESC", bun.Ident(column)).Limit(limit)
}

// execute runs a statement and returns none when it changed no row.
func execute(ctx context.Context, q interface {
	Exec(ctx context.Context, into ...any) (sql.Result, error)
}, none error) error {
	n, err := affected(q.Exec(ctx))
	if err == nil && n == 0 {
		err = none
	}
	return err
}

// execute runs one statement of the writer pool. It returns none when no row was changed, unless none is nil.
func (s *Store) execute(ctx context.Context, attempted string, none error, statement string, args ...any) error {
	return s.write(ctx, attempted, func(db bun.IDB) error { return execute(ctx, db.NewRaw(statement, args...), none) })
}

// ran is the error of a statement whose result is of no interest.
func ran(_ sql.Result, err error) error { return err }

// unlessFound returns refusal when a query finds a row. Where it guards a name, the unique key is the real guarantee:
// asking first tells which key was violated without knowing the driver, and the loser of a race has its transaction
// repeated and gets the error here.
func unlessFound(ctx context.Context, q *bun.SelectQuery, refusal error) error {
	found, err := q.Exists(ctx)
	if err == nil && found {
		err = refusal
	}
	return err
}

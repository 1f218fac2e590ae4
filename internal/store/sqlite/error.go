package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
)

// The result codes of SQLite this package acts on (https://sqlite.org/rescode.html).
const (
	codePerm       = 3
	codeBusy       = 5
	codeReadOnly   = 8
	codeIO         = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeConstraint = 19
	codeNotADB     = 26

	codePrimaryKey = codeConstraint | 6<<8
	codeUnique     = codeConstraint | 8<<8
)

// code gives the extended result code of err, or 0.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// primary is the part of a result code that names the kind of failure.
func primary(err error) int { return code(err) & 0xff }

func isBusy(err error) bool { return primary(err) == codeBusy }

// again: there is one writer at a time, so only another process can come
// between, and then by a unique key.
func again(err error) bool {
	c := code(err)
	return c == codeUnique || c == codePrimaryKey
}

// explain says in words what an operator can do.
func explain(err error) error {
	switch primary(err) {
	case codeBusy:
		return fmt.Errorf("another process holds the database file locked; stop it or wait for it: %w", err)
	case codeFull:
		return fmt.Errorf("the disk of the database file is full; free some space: %w", err)
	case codeCorrupt:
		return fmt.Errorf("the database file is damaged; restore it from a backup: %w", err)
	case codeNotADB:
		return fmt.Errorf("the file is not a SQLite database; choose another path or move the file away: %w", err)
	case codeReadOnly, codePerm:
		return fmt.Errorf("the database file or its directory cannot be written by this user: %w", err)
	case codeCantOpen:
		return fmt.Errorf("the database file cannot be opened; look at the path and the rights of its directory: %w", err)
	case codeIO:
		return fmt.Errorf("the disk of the database file failed or is full: %w", err)
	default:
		return err
	}
}

package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"

	"github.com/edgeposture/edgeposture/internal/store"
)

// The SQLite result codes that this package acts on (https://sqlite.org/rescode.html).
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
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code()
	}
	return 0
}

// primary is the primary result code, without the extension.
func primary(err error) int { return code(err) & 0xff }

func isBusy(err error) bool { return primary(err) == codeBusy }

// again reports whether the transaction lost to another one. There is one writer at a time, so only
// another process can interfere, and only by taking a unique key.
func again(err error) bool {
	c := code(err)
	return c == codeUnique || c == codePrimaryKey
}

// explain tells an operator what to do about an error.
func explain(err error) error {
	switch primary(err) {
	case codeBusy:
		return &store.UnavailableError{Reason: "another process holds the database file locked; stop it or wait for it", Err: err}
	case codeFull:
		return &store.UnavailableError{Reason: "the disk of the database file is full; free some space", Err: err}
	case codeCorrupt:
		return &store.UnavailableError{Reason: "the database file is damaged; restore it from a backup", Err: err}
	case codeNotADB:
		return &store.UnavailableError{Reason: "the file is not a SQLite database; choose another path or move the file away", Err: err}
	case codeReadOnly, codePerm:
		return &store.UnavailableError{Reason: "the database file or its directory cannot be written by this user", Err: err}
	case codeCantOpen:
		return &store.UnavailableError{Reason: "the database file cannot be opened; look at the path and the rights of its directory", Err: err}
	case codeIO:
		return &store.UnavailableError{Reason: "the disk of the database file failed or is full", Err: err}
	default:
		return err
	}
}

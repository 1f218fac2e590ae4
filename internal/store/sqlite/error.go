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
	const notWritable = "the database file or its directory cannot be written by this user"
	reason, known := map[int]string{
		codeBusy:     "another process holds the database file locked; stop it or wait for it",
		codeFull:     "the disk of the database file is full; free some space",
		codeCorrupt:  "the database file is damaged; restore it from a backup",
		codeNotADB:   "the file is not a SQLite database; choose another path or move the file away",
		codeReadOnly: notWritable,
		codePerm:     notWritable,
		codeCantOpen: "the database file cannot be opened; look at the path and the rights of its directory",
		codeIO:       "the disk of the database file failed or is full",
	}[primary(err)]
	if !known {
		return err
	}
	return &store.UnavailableError{Reason: reason, Err: err}
}

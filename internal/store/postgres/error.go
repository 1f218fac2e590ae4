package postgres

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/edgeposture/edgeposture/internal/store"
)

// The SQLSTATE codes this package acts on.
const (
	codeReference     = "23503"
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeDiskFull      = "53100"
	codeConnections   = "53300"
	codeLocked        = "55P03"
	codeIdle          = "25P03"
	codeCancelled     = "57014"
	codeReadOnly      = "25006"
	codeNoLogin       = "28000"
	codePassword      = "28P01"
	codeNoDatabase    = "3D000"
	codeNoRight       = "42501"
	codeShutdown      = "57P01"
	codeCrashed       = "57P02"
	codeNotYet        = "57P03"
	codeProtocol      = "08P01"
)

// code returns the SQLSTATE of err, or "".
func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// again reports whether the server rolled the transaction back because of another one.
func again(err error) bool {
	switch code(err) {
	case codeReference, codeUnique, codeSerialization, codeDeadlock:
		return true
	default:
		return false
	}
}

// explain tells an operator what to do about an error.
func explain(err error) error {
	switch code(err) {
	case codeDiskFull:
		return &store.UnavailableError{Reason: "the disk of the database server is full; free some space", Err: err}
	case codeConnections:
		return &store.UnavailableError{Reason: "the database server has no connection left; raise max_connections or run fewer processes",
			Err: err}
	case codeCancelled:
		return &store.UnavailableError{Reason: "the database server gave up because the statement took too long", Err: err}
	case codeLocked:
		return &store.UnavailableError{Reason: "the database server gave up waiting for a lock that somebody holds", Err: err}
	case codeIdle:
		return &store.UnavailableError{Reason: "the database server gave up because a transaction was idle for too long", Err: err}
	case codeReadOnly:
		return &store.UnavailableError{Reason: "the database server only reads now; point the URL at the primary", Err: err}
	case codePassword, codeNoLogin:
		return &store.UnavailableError{Reason: "the database server refused the user or the password of the URL", Err: err}
	case codeNoDatabase:
		return &store.UnavailableError{Reason: "the database of the URL does not exist; create it first", Err: err}
	case codeNoRight:
		return &store.UnavailableError{Reason: "the user of the URL may not do this; grant it the right to create tables in its schema", Err: err}
	case codeShutdown, codeCrashed, codeNotYet:
		return &store.UnavailableError{Reason: "the database server is stopping or starting; wait for it", Err: err,
			Unsure: code(err) == codeCrashed}
	}
	var connect *pgconn.ConnectError
	var broken net.Error
	if errors.As(err, &connect) || errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed) {
		return &store.UnavailableError{Reason: "the database server cannot be reached; look at the host and port of the URL", Err: err,
			Unsure: connect == nil && !errors.Is(err, driver.ErrBadConn) && !pgconn.SafeToRetry(err)}
	}
	return err
}

// refusesLimits reports whether err is PgBouncer's refusal of a session setting that it does not track.
func refusesLimits(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == codeProtocol && strings.Contains(e.Message, "startup parameter")
}

// redacted is an error whose text no longer contains the password.
type redacted struct {
	error
	text string
}

func (r redacted) Error() string { return r.text }

func (r redacted) Unwrap() error { return r.error }

// redact removes the password from the text of err, should a driver have put it there. The chain stays
// intact, so that codes are still found.
func redact(err error, password string) error {
	if err == nil || password == "" || !strings.Contains(err.Error(), password) {
		return err
	}
	return redacted{error: err, text: strings.ReplaceAll(err.Error(), password, "xxxxx")}
}

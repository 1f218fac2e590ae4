package cloudflare

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// APIError is an unsuccessful answer of the provider. Code is the first error code of the envelope, or 0.
type APIError struct {
	Status  int
	Code    int
	Message string
	Path    string
}

// Error says what the provider refused and why.
func (e *APIError) Error() string {
	switch {
	case e.Code != 0:
		return fmt.Sprintf("Cloudflare answered %d to %s: %s (code %d)", e.Status, e.Path, e.Message, e.Code)
	case e.Message != "":
		return fmt.Sprintf("Cloudflare answered %d to %s: %s", e.Status, e.Path, e.Message)
	default:
		return fmt.Sprintf("Cloudflare answered %d to %s", e.Status, e.Path)
	}
}

// Refused reports whether Cloudflare itself said that a request was not carried out: with an error of
// its own in the answer. After a 5xx, or an answer of something in between, it may have been.
func (e *APIError) Refused() bool { return e.Code != 0 && e.Status < http.StatusInternalServerError }

// Unanswered returns the reason why a request got no usable answer, which may be temporary: no
// answer in time, an invalid one, or a 5xx status. It returns nil for every other error.
func Unanswered(err error) error {
	if t, ok := errors.AsType[*transportError](err); ok {
		return t
	}
	return nil
}

// Misconfigured reports whether a request got no answer because of the address: an unknown name, a
// refused connection or a wrong certificate. As long as the provider has never answered, waiting
// does not help.
func Misconfigured(err error) bool {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &name) && name.IsNotFound || errors.As(err, &certificate) || errors.As(err, &record) ||
		errors.Is(err, syscall.ECONNREFUSED)
}

// readFailure is how a failed read is stored.
type readFailure struct {
	status snapshot.Status
	code   int
	reason string
}

// classify returns how an error of a read is stored.
func classify(err error) readFailure {
	var e *APIError
	var t *transportError
	var i *incompleteError
	switch {
	case errors.As(err, &t):
		return readFailure{snapshot.Failed, 0, t.Error()}
	case errors.As(err, &i):
		return readFailure{snapshot.Failed, 0, i.Error()}
	case !errors.As(err, &e):
		return readFailure{snapshot.Failed, 0, "the answer could not be understood"}
	}
	o := readFailure{e.meaning(), e.Code, e.Error()}
	switch {
	case o.status == snapshot.NeedsUserToken:
		o.reason = needsUserToken(e.Path)
	case e.Status == http.StatusGone:
		o.reason = "Cloudflare has retired " + e.Path
	}
	return o
}

// retired reports whether an address no longer exists, whatever else the answer says.
func retired(err error) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// NeedsUserToken reports whether a read was refused because the token is owned by an account.
func NeedsUserToken(err error) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && e.meaning() == snapshot.NeedsUserToken
}

// Refused reports whether a read was refused because the token lacks a permission for it.
func Refused(err error) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && e.meaning() == snapshot.Denied
}

func needsUserToken(path string) string {
	return path + " does not support account-owned tokens; register a user token to have it read"
}

package cloudflare

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// APIError is an unsuccessful answer of the provider. Code is the first error code of the envelope, or 0.
type APIError struct {
	Status  int
	Code    int
	Message string
	Path    string
	// RetryAfter is how long a 429 told to wait.
	RetryAfter time.Duration
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

// badToken reports whether the token itself was refused. Code 9109 also refuses single resources, with another message.
func (e *APIError) badToken() bool {
	return e.Code == 1000 && e.Status == http.StatusUnauthorized ||
		e.Code == 9109 && strings.HasPrefix(strings.ToLower(e.Message), "invalid access token")
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
	status   snapshot.Status
	code     int
	reason   string
	badToken bool // the token works nowhere, so it lacks no permission
}

// classify returns how an error of a read is stored.
func classify(err error) readFailure {
	var e *APIError
	var t *transportError
	var i *incompleteError
	switch {
	case errors.As(err, &t):
		return readFailure{status: snapshot.Failed, reason: t.Error()}
	case errors.As(err, &i):
		return readFailure{status: snapshot.Failed, reason: i.Error()}
	case !errors.As(err, &e):
		return readFailure{status: snapshot.Failed, reason: "the answer could not be understood"}
	}
	o := readFailure{status: e.meaning(), code: e.Code, reason: e.Error()}
	switch {
	case o.status == snapshot.NeedsUserToken:
		o.reason = needsUserToken(e.Path)
	case e.badToken():
		o.badToken = true
		o.reason = fmt.Sprintf("Cloudflare refuses the token as a whole (%s, code %d): it is probably deleted, disabled or expired",
			e.Message, e.Code)
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

// RefusedToken reports whether Cloudflare refused the token itself, whatever was asked with it.
func RefusedToken(err error) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && e.badToken()
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

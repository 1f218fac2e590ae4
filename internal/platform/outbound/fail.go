package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// FailedError means that no complete answer came from a host that may be reached. Whether the
// request arrived is unknown. Its sentence holds nothing that the other side sent; the cause may,
// and is only for errors.Is.
type FailedError struct {
	Host   string
	Reason string
	// Timeout means that a deadline of the client or of the caller passed.
	Timeout bool
	cause   error
}

// Error returns one sentence.
func (e *FailedError) Error() string {
	return fmt.Sprintf("%s gave no answer: %s", posture.Clip(e.Host, 100), e.Reason)
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.cause }

// failed describes an error in our own words.
func failed(host string, err error) error {
	if denied, ok := errors.AsType[*DeniedError](err); ok {
		return denied
	}
	f := &FailedError{Host: host, Reason: reasonOf(err), cause: err}
	var timeout net.Error
	f.Timeout = errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) &&
		timeout.Timeout()
	if f.Timeout && !isLookup(err) {
		f.Reason = "it took too long; try again, or check that it works"
	}
	return f
}

// errSwitched is a protocol switch that was not requested.
var errSwitched = errors.New("101 Switching Protocols")

func isLookup(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}

func reasonOf(err error) string {
	var (
		verify *tls.CertificateVerificationError
		host   x509.HostnameError
		record tls.RecordHeaderError
		alert  tls.AlertError
	)
	switch {
	case isLookup(err):
		return "its name could not be resolved; check the name and the resolver"
	case errors.As(err, &host):
		return "its certificate is for another name; check the address"
	case errors.As(err, &verify):
		return "its certificate is not trusted; give it one of an authority this machine knows"
	case errors.As(err, &record):
		return "it does not speak TLS on this port; check scheme and port"
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return "no secure connection could be agreed; it must offer TLS 1.2 or newer"
	case errors.Is(err, context.Canceled):
		return "the request was given up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection; check the port and that it runs"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route leads there; check the network"
	case strings.Contains(err.Error(), "headers exceeded"):
		return "the header of its answer is larger than 64 KiB; check what answers there"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "it closed the connection before a whole answer; try again, or check that it works"
	default:
		return "the exchange was not HTTP as standards have it; check what answers there"
	}
}

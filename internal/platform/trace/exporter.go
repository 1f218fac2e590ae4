package trace

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// complainEvery is the minimum time between log lines about a collector that does not accept spans.
const complainEvery = time.Minute

// exporter sends spans and logs failures in our own words, so that the collector's answers and
// address stay out of the log.
type exporter struct {
	next  sdk.SpanExporter
	wire  *wire
	now   func() time.Time
	log   *slog.Logger
	life  context.Context //nolint:containedctx // ends with the tracer
	end   context.CancelFunc
	ended chan struct{}
	once  sync.Once

	mu     sync.Mutex
	logged time.Time
	lost   int
}

// ExportSpans implements sdk.SpanExporter. It always returns nil, because the library would write
// the error to stderr.
func (x *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(x.life, cancel)() //nolint:contextcheck // a stop ends what is under way
	x.wire.status.Store(0)
	if err := x.next.ExportSpans(ctx, spans); err != nil {
		x.complain(err, len(spans))
	}
	return nil
}

// Shutdown implements sdk.SpanExporter; nothing is exported afterwards.
func (x *exporter) Shutdown(ctx context.Context) error {
	defer x.once.Do(func() { close(x.ended) })
	_ = x.next.Shutdown(ctx) // it only ends running exports
	return nil
}

func (x *exporter) complain(err error, spans int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lost += spans
	now := x.now()
	if !x.logged.IsZero() && now.Sub(x.logged) < complainEvery {
		return
	}
	x.log.Warn("spans could not be sent to the collector and are lost; check OTEL_EXPORTER_OTLP_ENDPOINT", "reason",
		reason(err, int(x.wire.status.Load())), "spans", x.lost)
	x.logged, x.lost = now, 0
}

func reason(err error, status int) string {
	var netErr net.Error
	var op *net.OpError
	switch {
	case status >= 300:
		return fmt.Sprintf("it answers %d", status)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return "it timed out"
	case errors.Is(err, context.Canceled):
		return "the process stops"
	case errors.As(err, &op):
		return "the connection failed (" + op.Op + ")"
	default:
		return "its answer is not understood"
	}
}

// wire is the connection to the collector. It does not follow redirects, because the headers are
// meant for one address.
type wire struct {
	transport *http.Transport
	status    atomic.Int64 // of the last response
}

func newWire(authorities *x509.CertPool) *wire {
	return &wire{transport: &http.Transport{Proxy: http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second,
		IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: authorities,
			MinVersion: tls.VersionTLS12}}}
}

func (w *wire) client(timeout time.Duration) *http.Client {
	return &http.Client{Transport: w, Timeout: timeout, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.transport.RoundTrip(req)
	if err == nil {
		w.status.Store(int64(resp.StatusCode))
	}
	return resp, err
}

func (w *wire) close() { w.transport.CloseIdleConnections() }

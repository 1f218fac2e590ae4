// Package trace sends spans of what the service does to an OpenTelemetry collector. It is the only
// package that uses OpenTelemetry; others have a hook from internal/core/span. It sets nothing
// global except for Gather. Work is never delayed: spans wait in a bounded queue and are dropped
// when the collector does not accept them.
package trace

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/span"
)

// Options configures a Tracer. The library reads the other standard variables (batches, limits of
// spans, compression) itself.
type Options struct {
	URL         string                 // where spans are posted, including the path
	Headers     map[string]secret.Text // sent with them
	Certificate string                 // file of authorities to trust; "" is the system's
	Timeout     time.Duration          // of one post; 0 is 10 s
	Service     string                 // service.name
	About       map[string]string      // further attributes of the process
	Version     string                 // service.version
	Role        string                 // service.role: api, worker or all
	Sampler     string                 // as in OTEL_TRACES_SAMPLER; "" is parentbased_always_on
	SamplerArg  string
	Random      io.Reader
	Now         func() time.Time
	Log         *slog.Logger
}

// Tracer creates spans and sends them. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   api.Tracer
	exporter *exporter
}

// New returns a tracer. It contacts no collector before the first span has ended.
func New(ctx context.Context, o Options) (*Tracer, error) {
	sampler, err := samplerOf(o.Sampler, o.SamplerArg)
	if err != nil {
		return nil, err
	}
	ids, err := newIDs(o.Random)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(attributesOf(o)...))
	if err != nil {
		return nil, fmt.Errorf("say whose spans these are: %w", err)
	}
	x, err := newExporter(ctx, o)
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithSampler(sampler), sdk.WithIDGenerator(ids), sdk.WithResource(about), sdk.WithBatcher(x))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/edgeposture/edgeposture"), exporter: x}, nil
}

// attributesOf returns the attributes of the process; our own override those of the options.
func attributesOf(o Options) []attribute.KeyValue {
	var out []attribute.KeyValue
	for name, value := range o.About {
		out = append(out, attribute.String(name, value))
	}
	return append(out, attribute.String("service.name", o.Service), attribute.String("service.version", o.Version),
		attribute.String("service.role", o.Role))
}

func newExporter(ctx context.Context, o Options) (*exporter, error) {
	pool, err := trusted(o.Certificate)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	x := &exporter{now: o.Now, log: o.Log, wire: newWire(pool), ended: make(chan struct{})}
	x.life, x.end = context.WithCancel(context.WithoutCancel(ctx))
	headers := make(map[string]string, len(o.Headers))
	for name, value := range o.Headers {
		headers[name] = value.Reveal()
	}
	x.next, err = otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.URL), otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithTimeout(o.Timeout), otlptracehttp.WithHTTPClient(x.wire.client(o.Timeout)))
	if err != nil {
		return nil, fmt.Errorf("prepare to send spans: %w", err)
	}
	return x, nil
}

func trusted(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(raw) {
		return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE names no file with certificates that can be read; name one in PEM, or leave it " +
			"unset")
	}
	return pool, nil
}

// Begin begins an internal span; it is a span.Begin.
func (t *Tracer) Begin(ctx context.Context, name string, about ...slog.Attr) (context.Context, span.End) {
	return t.begin(ctx, name, api.SpanKindInternal, about)
}

// BeginServer is Begin for an incoming request.
func (t *Tracer) BeginServer(ctx context.Context, name string, about ...slog.Attr) (context.Context, span.End) {
	return t.begin(ctx, name, api.SpanKindServer, about)
}

// BeginConsumer is Begin for an attempt at a job.
func (t *Tracer) BeginConsumer(ctx context.Context, name string, about ...slog.Attr) (context.Context, span.End) {
	return t.begin(ctx, name, api.SpanKindConsumer, about)
}

func (t *Tracer) begin(ctx context.Context, name string, kind api.SpanKind, about []slog.Attr) (context.Context, span.End) {
	ctx, s := t.tracer.Start(ctx, name, api.WithSpanKind(kind))
	tell(s, about)
	return ctx, func(about ...slog.Attr) {
		tell(s, about)
		s.End()
	}
}

func tell(s api.Span, about []slog.Attr) {
	if !s.IsRecording() {
		return
	}
	for _, a := range about {
		switch a.Value.Kind() {
		case slog.KindInt64:
			s.SetAttributes(attribute.Int64(a.Key, a.Value.Int64()))
		case slog.KindFloat64:
			s.SetAttributes(attribute.Float64(a.Key, a.Value.Float64()))
		case slog.KindDuration:
			s.SetAttributes(attribute.Float64(a.Key, a.Value.Duration().Seconds()))
		case slog.KindString:
			if text := a.Value.String(); text != "" {
				s.SetAttributes(attribute.String(a.Key, text))
			}
		default: // other kinds could hold more than was meant
		}
		if a.Key == span.ErrorKey {
			s.SetStatus(codes.Error, "")
		}
	}
}

// Job returns the context in which an attempt at a job begins: in the trace that the job was queued
// in, or else in a trace whose id derives from the job's id, so that all attempts in all processes
// share it.
func Job(ctx context.Context, traceparent, jobID string) context.Context {
	if parent := parentOf(traceparent); parent.IsValid() {
		return api.ContextWithRemoteSpanContext(ctx, parent)
	}
	sum := sha256.Sum256([]byte("job " + jobID))
	return context.WithValue(ctx, rootKey{}, api.TraceID(sum[:16]))
}

// Fields returns the trace id of a log line's context.
func Fields(ctx context.Context) []slog.Attr {
	sc := api.SpanContextFromContext(ctx)
	if !sc.HasTraceID() {
		return nil
	}
	return []slog.Attr{slog.String("traceId", sc.TraceID().String())}
}

// Close sends the remaining spans until ctx ends, and drops the rest.
func (t *Tracer) Close(ctx context.Context) error {
	err := t.provider.Shutdown(ctx)
	t.exporter.end() // ends running exports now
	<-t.exporter.ended
	t.exporter.wire.close()
	if err != nil {
		return errors.New("not all spans could be sent before the process stopped")
	}
	return nil
}

package trace

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	api "go.opentelemetry.io/otel/trace"
)

// longest is the maximum length of a traceparent (W3C Trace Context, section 3.2; version 00 has 55 bytes).
const longest = 64

// Extract adds the caller's span to a context. An invalid traceparent changes nothing; tracestate
// and baggage are ignored.
func Extract(ctx context.Context, traceparent string) context.Context {
	if parent := parentOf(traceparent); parent.IsValid() {
		return api.ContextWithRemoteSpanContext(ctx, parent)
	}
	return ctx
}

func parentOf(traceparent string) api.SpanContext {
	if traceparent == "" || len(traceparent) > longest {
		return api.SpanContext{}
	}
	got := api.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(),
		propagation.MapCarrier{"traceparent": traceparent}))
	return api.NewSpanContext(api.SpanContextConfig{TraceID: got.TraceID(), SpanID: got.SpanID(),
		TraceFlags: got.TraceFlags() & api.FlagsSampled, Remote: true})
}

// Traceparent returns the traceparent of a context's span, "" when there is none.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

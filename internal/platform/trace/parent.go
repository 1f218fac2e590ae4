package trace

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	api "go.opentelemetry.io/otel/trace"
)

// longest is how long a traceparent may be (W3C Trace Context, section 3.2; that of
// version 00 has 55 bytes).
const longest = 64

// Extract puts the caller's span into a context. What is no traceparent changes
// nothing; tracestate and baggage are not looked at.
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

// Traceparent gives what leads others to the span of a context, "" when there is none.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

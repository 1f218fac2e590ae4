package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/platform/metric"
	"github.com/edgeposture/edgeposture/internal/platform/trace"
	"github.com/edgeposture/edgeposture/internal/store"
)

// flushWithin bounds how long a stop waits for the trace collector.
const flushWithin = time.Second

// telemetry counts and traces what the process does.
type telemetry struct {
	metrics *metric.Metrics // counts even when metrics are not served
	address string          // where metrics are served, "" when they are not
	tracer  *trace.Tracer   // nil when tracing is off
	now     func() time.Time
}

// openTelemetry creates the metrics, and a tracer if an endpoint is configured.
func (a *App) openTelemetry(ctx context.Context, role Role) error {
	a.telemetry = telemetry{metrics: metric.New(a.o.Version, a.backend.store.Engine()), now: a.o.Now}
	o, wanted := a.cfg.Traces()
	if !wanted {
		return nil
	}
	o.Version, o.Role, o.Random, o.Now, o.Log = a.o.Version, roleName(role), a.o.Random, a.o.Now, a.o.Log
	var err error
	if a.telemetry.tracer, err = trace.New(ctx, o); err != nil {
		return err
	}
	a.backend.store.Carry(trace.Traceparent)
	a.closers = append(a.closers, func() error {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
		defer cancel()
		if err := a.telemetry.tracer.Close(stop); err != nil {
			a.o.Log.Warn("spans are lost", "reason", err) // lost spans do not make the stop unclean
		}
		return nil
	})
	return nil
}

func roleName(r Role) string {
	switch {
	case r.API && r.Worker:
		return "all"
	case r.API:
		return "api"
	default:
		return "worker"
	}
}

// span returns the hook for everything that is traced, nil when tracing is off.
func (t *telemetry) span() span.Begin {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.Begin
}

// serving counts a request, and traces it if it has a route. Health probes are not traced, because
// they would drown everything else.
func (t *telemetry) serving(ctx context.Context, r httpapi.Request) (context.Context, func(status int)) {
	began, end := t.now(), span.End(nil)
	if t.tracer != nil && r.Route != "other" && r.Route != "/healthz" && r.Route != "/readyz" {
		ctx, end = t.tracer.BeginServer(trace.Extract(ctx, r.Traceparent), r.Method+" "+r.Route, slog.String("http.request.method", r.Method),
			slog.String("http.route", r.Route), slog.String("request.id", r.ID))
	}
	return ctx, func(status int) {
		t.metrics.Request(r.Method, r.Route, status, t.now().Sub(began))
		if end == nil {
			return
		}
		about := []slog.Attr{slog.Int("http.response.status_code", status)}
		if status >= 500 {
			about = append(about, slog.String(span.ErrorKey, "failed"))
		}
		end(about...)
	}
}

// working counts an attempt at a job and adds it to the trace of the job.
func (t *telemetry) working(ctx context.Context, row store.JobRow) (context.Context, func(how string)) {
	began, end := t.now(), span.End(nil)
	if t.tracer != nil {
		ctx, end = t.tracer.BeginConsumer(trace.Job(ctx, row.Trace, row.ID), "job "+string(row.Kind), slog.String("job.id", row.ID),
			slog.String("job.kind", string(row.Kind)), slog.Int("job.attempt", row.Attempt), slog.String("job.queue", row.Queue),
			slog.Duration("job.queue_wait_seconds", max(began.Sub(row.DueAt), 0)))
	}
	return ctx, func(how string) {
		t.metrics.Job(string(row.Kind), how, t.now().Sub(began))
		if end == nil {
			return
		}
		about := []slog.Attr{slog.String("job.outcome", how)}
		if how == "failed" || how == "again" || how == "lease_lost" {
			about = append(about, slog.String(span.ErrorKey, how))
		}
		end(about...)
	}
}

// stored traces saving an assessment, which ends a run; all other store operations are only counted.
func (t *telemetry) stored(ctx context.Context, engine, operation string) span.End {
	if t.tracer == nil || operation != "save an assessment" {
		return func(...slog.Attr) {}
	}
	_, end := t.tracer.Begin(ctx, "store save", slog.String("store.engine", engine))
	return end
}

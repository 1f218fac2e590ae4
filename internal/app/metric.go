package app

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/platform/metric"
	"github.com/edgeposture/edgeposture/internal/store"
)

// countOperations counts and traces the operations of the store.
func (t *telemetry) countOperations(s store.Store) {
	s.Observe(func(ctx context.Context, operation string) func(error) {
		began, end := time.Now(), t.stored(ctx, s.Engine(), operation)
		return func(err error) {
			t.metrics.Operation(s.Engine(), operation, time.Since(began), err != nil)
			end(span.Failed(err))
		}
	})
}

func (t *telemetry) delivered(d posture.Delivery) {
	t.metrics.Delivery(string(d.Kind), d.Target, string(d.State))
}

func (t *telemetry) changed(kind posture.JobKind, status change.Status) {
	t.metrics.Change(string(kind), string(status))
}

func (t *telemetry) observer() assess.Observer {
	return assess.Observer{Request: t.metrics.Provider, Granted: t.metrics.Granted, Span: t.span(),
		Saved: func(status posture.AssessmentStatus) { t.metrics.Assessment(string(status)) }}
}

// serveMetrics serves metrics on a separate listener, if one is configured.
func (a *App) serveMetrics(ctx context.Context) error {
	if a.cfg.MetricsAddr == "" {
		return nil
	}
	a.telemetry.metrics.Watch(metric.Sources{Jobs: a.countJobs, Findings: a.countFindings, Queues: a.waiting,
		Workers: queue.Workers(a.backend.redis), Schedules: a.lateness,
		Pools: func() map[string]sql.DBStats { return a.backend.store.Stats() }}, a.o.Now)
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", a.cfg.MetricsAddr)
	if err != nil {
		return fmt.Errorf("cannot serve metrics on %s (%w); stop what uses it, or choose another METRICS_ADDR", a.cfg.MetricsAddr, rootOf(err))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.ownPages(a.scrapes(a.telemetry.metrics.Handler())))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(a.o.Log.Handler(), slog.LevelDebug),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	a.telemetry.address = l.Addr().String()
	a.o.Log.Info("metrics are served", "address", a.telemetry.address)
	a.closers = append(a.closers, func() error {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(stop) != nil {
			_ = server.Close() // a hanging scrape must not delay the stop
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve metrics: %w", err)
		}
		return nil
	})
	return nil
}

// ownPages refuses requests that a web page could make a browser send, as the API does: a Host that
// is not ours on the loopback address, and any cross-site request.
func (a *App) ownPages(next http.Handler) http.Handler {
	bound, _, _ := net.SplitHostPort(a.cfg.MetricsAddr)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case httpapi.OtherHost(bound, r.Host):
			http.Error(w, "Metrics answer on the loopback address only, and the request names another host.", http.StatusForbidden)
		case slices.ContainsFunc(r.Header.Values("Sec-Fetch-Site"), httpapi.OtherSite), r.Header.Get("Origin") != "":
			http.Error(w, "The request comes from a web page; metrics are for scrapers.", http.StatusForbidden)
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
			next.ServeHTTP(w, r)
		}
	})
}

// scrapes requires the API key when the address is reachable by others and was not declared trusted.
func (a *App) scrapes(next http.Handler) http.Handler {
	if !a.cfg.MetricsKey() {
		return next
	}
	keys := a.cfg.Keys()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, found := r.Header.Get("X-API-Key"), false
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && sent == "" {
			sent = bearer
		}
		for _, k := range keys {
			found = k.Equal(sent) || found
		}
		if !found {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "This needs the API key; send it in X-API-Key or as a bearer token.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// MetricsAddr returns the address that metrics are served on, "" when they are not served.
func (a *App) MetricsAddr() string { return a.telemetry.address }

func (a *App) countJobs(ctx context.Context) ([]metric.Count, error) {
	kinds, err := a.backend.store.CountKinds(ctx)
	var out []metric.Count
	for kind, states := range kinds {
		for state, n := range states {
			out = append(out, metric.Count{Labels: [2]string{string(kind), string(state)}, N: n})
		}
	}
	return out, err
}

// countFindings counts the findings of the newest run of each account, for the 200 oldest accounts.
func (a *App) countFindings(ctx context.Context) ([]metric.Count, error) {
	accounts, err := a.backend.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(accounts, func(x, y posture.Account) int { return strings.Compare(x.ID, y.ID) })
	var out []metric.Count
	for _, account := range accounts[:min(len(accounts), 200)] {
		rows, _, err := a.backend.store.Assessments(ctx, store.AssessmentFilter{Account: account.ID}, store.Page{Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, run := range rows {
			for severity, n := range run.Summary.BySeverity {
				out = append(out, metric.Count{Labels: [2]string{account.ID, string(severity)}, N: n})
			}
		}
	}
	return out, nil
}

func (a *App) waiting(ctx context.Context) ([]metric.Queue, error) {
	now := a.o.Now()
	queues, err := a.backend.store.Waiting(ctx, now)
	out := []metric.Queue{}
	for _, name := range []string{queue.Interactive, queue.Delivery, queue.Scheduled} {
		q := metric.Queue{Name: name, Size: queues[name].Jobs}
		if q.Size > 0 {
			q.Delay = max(now.Sub(queues[name].Since), 0)
		}
		out = append(out, q)
	}
	return out, err
}

func (a *App) lateness(ctx context.Context) (time.Duration, error) {
	now := a.o.Now()
	due, err := a.backend.store.DueSchedules(ctx, now, 1)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return now.Sub(due[0].Wake), nil
}

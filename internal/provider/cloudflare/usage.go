package cloudflare

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/core/span"
)

// usage counts the requests of one read, and how long they waited for the budget or for a retry. A
// nil usage counts nothing.
type usage struct{ requests, waited atomic.Int64 }

type usageKey struct{}

func usageOf(ctx context.Context) *usage {
	t, _ := ctx.Value(usageKey{}).(*usage)
	return t
}

func (t *usage) request() {
	if t != nil {
		t.requests.Add(1)
	}
}

// waits begins a wait, which ends when done is called.
func (t *usage) waits(now func() time.Time) (done func()) {
	if t == nil {
		return func() {}
	}
	began := now()
	return func() { t.waited.Add(int64(now().Sub(began))) }
}

// begin begins the span of a read, if spans are enabled. The span has neither the address nor the answer.
func (c *Client) begin(ctx context.Context) (_ context.Context, end func(source, zone, status string)) {
	if c.span == nil {
		return ctx, func(string, string, string) {}
	}
	sent := &usage{}
	ctx, over := c.span(context.WithValue(ctx, usageKey{}, sent), "provider read")
	return ctx, func(source, zone, status string) {
		about := []slog.Attr{slog.String("read.source", source), slog.String("read.zone", zone), slog.String("read.status", status),
			slog.Int64("read.requests", sent.requests.Load()), slog.Duration("read.waited_seconds", time.Duration(sent.waited.Load()))}
		if status == string(snapshot.Failed) || status == interrupted {
			about = append(about, slog.String(span.ErrorKey, status))
		}
		over(about...)
	}
}

// interrupted is the status of a read that ended with its job.
const interrupted = "interrupted"

func sectionStatus(sec snapshot.Section, err error) string {
	if err != nil {
		return interrupted
	}
	return string(sec.Status)
}

// statusOf returns the status of a read that produces no section.
func statusOf(err error) string {
	switch {
	case err == nil:
		return string(snapshot.OK)
	case errors.Is(err, context.Canceled):
		return interrupted
	default:
		return string(classify(err).status)
	}
}

// zoneOf returns the zone id in a path, or "" when there is none or it does not have the form of an id.
func zoneOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/zones/")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	id, _, _ = strings.Cut(id, "?")
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

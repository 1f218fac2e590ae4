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

// usage counts the requests of one read, and how long they waited for the budget or
// for the next try. A nil one counts nothing.
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

// waits begins a wait, which ends with the call of what it gives.
func (t *usage) waits(now func() time.Time) (done func()) {
	if t == nil {
		return func() {}
	}
	began := now()
	return func() { t.waited.Add(int64(now().Sub(began))) }
}

// begin tells of a read, when somebody listens. Neither its address nor what it
// answers is told.
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

// statusOf is the status of a read that makes no section.
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

// zoneOf gives the zone a path is of, "" when it is of none or is not one by its form.
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

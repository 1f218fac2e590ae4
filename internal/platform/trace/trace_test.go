package trace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	api "go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/platform/trace/tracetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options(url string, log *bytes.Buffer) Options {
	return Options{URL: url + "/v1/traces", Service: "edgeposture", Version: "v1", Role: "all", Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(log, nil)), Headers: map[string]secret.Text{"X-Key": secret.New("canary-header")}}
}

func started(t *testing.T, o Options) *Tracer {
	t.Helper()
	tr, err := New(t.Context(), o)
	require.NoError(t, err)
	return tr
}

func TestSpansArrive(t *testing.T) {
	c := tracetest.Start(t)
	var log bytes.Buffer
	tr := started(t, options(c.URL, &log))
	begin := span.Begin(tr.Begin)
	ctx, end := tr.BeginServer(t.Context(), "outer", slog.Int("a.count", 3), slog.String("a.word", "w"), slog.String("a.nothing", ""),
		slog.Any("a.thing", t), slog.Duration("a.wait", 1500*time.Millisecond))
	_, inner := begin.Start(ctx, "inner")
	inner(slog.String(span.ErrorKey, "failed"))
	require.Equal(t, api.SpanContextFromContext(ctx).TraceID().String(), Fields(ctx)[0].Value.String())
	end(span.Failed(nil))
	require.NoError(t, tr.Close(t.Context()))
	got := c.Spans()
	require.Len(t, got, 2)
	require.Equal(t, "inner", got[0].Name)
	require.True(t, got[0].Failed)
	require.False(t, got[1].Failed)
	require.Equal(t, got[1].ID, got[0].Parent)
	require.Equal(t, got[1].Trace, got[0].Trace)
	require.Equal(t, map[string]string{"a.count": "3", "a.word": "w", "a.wait": "1.5"}, got[1].About)
	require.Equal(t, "edgeposture", got[1].Resource["service.name"])
	require.Equal(t, "v1", got[1].Resource["service.version"])
	require.Equal(t, "canary-header", c.Headers()[0].Get("X-Key"))
	require.Empty(t, log.String())
	require.Empty(t, Fields(t.Context()))
	require.Empty(t, Traceparent(t.Context()))
}

// TestJobsKeepTheirTrace: each attempt at a job, whichever process makes it.
func TestJobsKeepTheirTrace(t *testing.T) {
	c := tracetest.Start(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, traceparent := range []string{parent, "", "00-nonsense"} {
		for range 2 {
			tr := started(t, options(c.URL, &bytes.Buffer{}))
			_, end := tr.BeginConsumer(Job(t.Context(), traceparent, "01a2028f"), "job")
			end()
			require.NoError(t, tr.Close(t.Context()))
		}
	}
	got := c.Spans()
	require.Len(t, got, 6)
	require.Equal(t, "0af7651916cd43dd8448eb211c80319c", got[0].Trace)
	require.Equal(t, "b7ad6b7169203331", got[0].Parent)
	require.Equal(t, got[0].Trace, got[1].Trace)
	require.NotEqual(t, got[0].ID, got[1].ID)
	require.NotEqual(t, got[0].Trace, got[2].Trace)
	for _, s := range got[3:] {
		require.Equal(t, got[2].Trace, s.Trace)
		require.Empty(t, s.Parent)
	}
}

// TestSampling: what the caller did not want is not sent, nor is what the job's own
// trace leaves out.
func TestSampling(t *testing.T) {
	for _, tc := range []struct {
		sampler, arg, flags string
		want                int
	}{{"", "", "01", 1}, {"", "", "00", 0}, {"always_off", "", "01", 0}, {"always_on", "", "00", 1}, {"parentbased_traceidratio", "0", "01",
		1}, {"traceidratio", "0", "01", 0}, {"traceidratio", "1", "00", 1}, {"parentbased_always_off", "", "01", 1}} {
		c := tracetest.Start(t)
		o := options(c.URL, &bytes.Buffer{})
		o.Sampler, o.SamplerArg = tc.sampler, tc.arg
		tr := started(t, o)
		ctx, end := tr.Begin(Extract(t.Context(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"+tc.flags), "x")
		require.Equal(t, tc.want == 1, strings.HasSuffix(Traceparent(ctx), "-01"), tc)
		end()
		require.NoError(t, tr.Close(t.Context()))
		require.Len(t, c.Spans(), tc.want, tc)
	}
	require.Error(t, CheckSampler("sometimes", ""))
	require.Error(t, CheckSampler("traceidratio", "-1"))
}

// TestCollectorInTrouble: one that is dead, hangs or refuses slows nothing, is told of
// once without a word of its own, and holds no stop up.
func TestCollectorInTrouble(t *testing.T) {
	for name, arrange := range map[string]func(c *tracetest.Collector, o *Options){
		"dead":     func(_ *tracetest.Collector, o *Options) { o.URL = "http://127.0.0.1:1/v1/traces" },
		"hangs":    func(c *tracetest.Collector, _ *Options) { c.Hang() },
		"500":      func(c *tracetest.Collector, _ *Options) { c.Answer(500) },
		"503":      func(c *tracetest.Collector, _ *Options) { c.Answer(503) },
		"redirect": func(c *tracetest.Collector, _ *Options) { c.Answer(307) },
	} {
		t.Run(name, func(t *testing.T) {
			c := tracetest.Start(t)
			var log bytes.Buffer
			o := options(c.URL, &log)
			arrange(c, &o)
			tr := started(t, o)
			for range 5000 { // more than the queue holds
				_, end := tr.Begin(t.Context(), "x")
				end()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_ = tr.Close(ctx) // it may tell that not all was sent
			require.Empty(t, c.Spans())
			require.Zero(t, c.Astray(), "the headers are meant for one address")
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			require.Len(t, lines, 1, log.String())
			var line struct{ Msg, Reason string }
			require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
			require.Contains(t, line.Msg, "lost")
			require.NotEmpty(t, line.Reason)
			require.NotContains(t, log.String(), "127.0.0.1")
			require.NotContains(t, log.String(), "canary")
		})
	}
}

func TestBadOptions(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Certificate = "/nowhere" },
		func(o *Options) { o.Sampler = "x" },
		func(o *Options) { o.Random = strings.NewReader("short") },
	} {
		o := options("http://127.0.0.1:1", &bytes.Buffer{})
		change(&o)
		_, err := New(t.Context(), o)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "\n")
	}
}

var valid = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`)

func FuzzTraceparent(f *testing.F) {
	const id, sp = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, s := range []string{"", "00-" + id + "-" + sp + "-01", "00-" + id + "-" + sp + "-ff", "cc-" + id + "-" + sp + "-01-more",
		"ff-" + id + "-" + sp + "-01", "00-" + id + "-" + sp + "-01-more", "00-" + strings.Repeat("0", 32) + "-" + sp + "-01",
		"00-" + id + "-0000000000000000-01", "00-" + strings.ToUpper(id) + "-" + sp + "-01", "00-" + id + "-" + sp, "00-" + id + "-" + sp +
			"-01\r\nX: y",
		"00_" + id + "_" + sp + "_01", strings.Repeat("0", 100_000), "00-" + id + "-" + sp + "-01 ", "\x00", "é0-" + id + "-" + sp + "-01",
		"cc-" + id + "-" + sp + "-01-" + strings.Repeat("x", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		sc := api.SpanContextFromContext(Extract(context.Background(), s))
		if !sc.IsValid() {
			require.Empty(t, Traceparent(Extract(context.Background(), s)))
			return
		}
		require.LessOrEqual(t, len(s), longest)
		require.Regexp(t, valid, s)
		require.True(t, sc.IsRemote())
		require.Empty(t, sc.TraceState().String())
		again := Traceparent(Extract(context.Background(), s))
		require.Regexp(t, "^00-"+s[3:35]+"-"+s[36:52]+"-0[01]$", again)
		require.Equal(t, again, Traceparent(Extract(context.Background(), again)))
	})
}

// TestTraceparents are the ones that count and the ones that do not.
func TestTraceparents(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for s, want := range map[string]string{good: good, strings.Replace(good, "-01", "-03", 1): good, strings.Replace(good, "-01", "-00",
		1): strings.Replace(good, "-01", "-00", 1),
		"": "", good + "-x": "", strings.ToUpper(good): "", " " + good: "", "ff" + good[2:]: "", "00-" + strings.Repeat("0", 32) + good[35:]: "",
		good[:36] + strings.Repeat("0", 16) + "-01": "", good[:54]: "", "cc" + good[2:] + "-" + strings.Repeat("x", 20): ""} {
		require.Equal(t, want, Traceparent(Extract(t.Context(), s)), "%q", s)
	}
}

// BenchmarkSpan is what one read costs: nobody listens, it is left out, it is sent.
func BenchmarkSpan(b *testing.B) {
	for _, sampler := range []string{"off", "always_off", "always_on"} {
		b.Run(sampler, func(b *testing.B) {
			var begin span.Begin
			if sampler != "off" {
				c := tracetest.Start(b)
				o := Options{URL: c.URL + "/v1/traces", Service: "x", Random: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler),
					Sampler: sampler}
				tr, err := New(b.Context(), o)
				require.NoError(b, err)
				defer func() { _ = tr.Close(context.Background()) }()
				begin = tr.Begin
			}
			b.ReportAllocs()
			for b.Loop() {
				_, end := begin.Start(b.Context(), "provider read")
				if begin != nil {
					end(slog.String("read.source", "zone.dns_records"), slog.String("read.zone", "0af7651916cd43dd8448eb211c80319c"),
						slog.String("read.status", "ok"), slog.Int64("read.requests", 1), slog.Duration("read.waited_seconds", time.Millisecond))
				}
			}
		})
	}
}

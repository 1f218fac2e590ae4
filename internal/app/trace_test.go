package app_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/trace/tracetest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// traceSet is what a collector got of one trace.
type traceSet []tracetest.Span

func traceOf(c *tracetest.Collector, id string) (out traceSet) {
	for _, s := range c.Spans() {
		if s.Trace == id {
			out = append(out, s)
		}
	}
	return out
}

func (s traceSet) named(name string) (out traceSet) {
	for _, one := range s {
		if one.Name == name {
			out = append(out, one)
		}
	}
	return out
}

func (s traceSet) one(t *testing.T, name string) tracetest.Span {
	t.Helper()
	got := s.named(name)
	require.Len(t, got, 1, name)
	return got[0]
}

// connected holds that every span hangs on another of the trace, but the first.
func (s traceSet) connected(t *testing.T, parent string) {
	t.Helper()
	for _, one := range s {
		if one.Parent != parent {
			require.True(t, slices.ContainsFunc(s, func(other tracetest.Span) bool { return other.ID == one.Parent }), "%s hangs on nothing",
				one.Name)
		}
	}
}

// assessment holds one run to be one trace from the call to the provider.
func (s traceSet) assessment(t *testing.T, role string) {
	t.Helper()
	s.connected(t, callersSpan)
	call := s.one(t, "POST /api/assess")
	require.Equal(t, callersSpan, call.Parent)
	require.Equal(t, "/api/assess", call.About["http.route"])
	require.NotEmpty(t, call.About["request.id"])
	job := s.one(t, "job assess")
	require.Equal(t, call.ID, job.Parent)
	require.Equal(t, "1", job.About["job.attempt"])
	require.Equal(t, "succeeded", job.About["job.outcome"])
	require.Contains(t, job.About, "job.queue_wait_seconds")
	require.Equal(t, role, job.Resource["service.role"])
	for _, phase := range []string{"assess collect", "assess look up", "assess evaluate", "assess save"} {
		require.Equal(t, job.ID, s.one(t, phase).Parent, phase)
	}
	require.Equal(t, s.one(t, "assess save").ID, s.one(t, "store save").Parent)
	collect := s.one(t, "assess collect").ID
	zones := 0
	reads := s.named("provider read")
	require.Greater(t, len(reads), 30)
	for _, r := range reads {
		require.NotEmpty(t, r.About["read.source"])
		require.Contains(t, []string{"ok", "denied", "absent", "not_entitled", "failed"}, r.About["read.status"])
		require.NotEqual(t, "0", r.About["read.requests"])
		require.Contains(t, r.About, "read.waited_seconds")
		if r.About["read.zone"] != "" {
			zones++
			require.Equal(t, collect, r.Parent)
		}
	}
	require.Positive(t, zones)
}

// TestTraceEmbedded: a call is one trace down to the provider, and so is what follows;
// no span holds a secret, a name or an address.
func TestTraceEmbedded(t *testing.T) {
	t.Parallel()
	c := tracetest.Start(t)
	o := fixable()
	cloud, url := simulate(t, o)
	token := cloud.Tokens()[0].Secret
	cfg, err := config.Load([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + token,
		names(t, cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000",
		"SERVICE_API_KEY=" + apiKey, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE=" + editSecret,
		"SERVICE_WEBHOOK_SECRET=canary-webhook-secret-16", "SERVICE_WEBHOOK_URL=https://127.0.0.1:1/canary-hook",
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-key=canary-of-the-collector"})
	require.NoError(t, err)
	var log lockedBuffer
	a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	s := &system{t: t, cloud: cloud, url: "http://" + a.Addr(), app: a, key: apiKey}
	got := s.call("POST", "/api/assess", map[string]any{}, "Traceparent", traceparent, "Tracestate", "canary-state=1", "Baggage",
		"canary-baggage=1")
	require.Equal(t, 200, got.status, string(got.body))
	var run posture.Assessment
	got.into(t, &run)
	s.changes("apply", map[string]any{"assessmentId": run.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret})
	require.Equal(t, 200, s.call("POST", "/api/integrations/ship", map[string]any{"target": "file"}).status)
	s.call("POST", "/api/notify", map[string]any{"channels": []string{"webhook"}}, "Prefer", "respond-async")
	for _, r := range httpapi.Routes() {
		path := strings.NewReplacer("{id}", "canary-in-a-path", "{format}", "canary-in-a-path", "{name}", "canary-in-a-path", "{framework}",
			"canary-in-a-path").Replace(r.Path)
		s.call(r.Method, path+"?canary=in-a-query", `{"token":"canary-in-a-body","note":"canary-in-a-body"}`, "Authorization",
			"Bearer canary-in-a-header", "Traceparent", "00-canary", "Prefer", "respond-async")
	}
	require.NoError(t, a.Close(t.Context()))
	require.NoError(t, <-served)

	traceOf(c, callersTrace).assessment(t, "all")
	require.Contains(t, log.String(), `"traceId":"`+callersTrace+`"`)
	all := traceSet(c.Spans())
	applied := traceOf(c, all.one(t, "job apply").Trace)
	applied.connected(t, "")
	require.Len(t, applied.named("POST /api/remediate/apply"), 1)
	writes := applied.named("provider write")
	require.Len(t, writes, 3)
	for _, w := range writes {
		require.Equal(t, map[string]string{"write.method": "PATCH", "write.product": "settings", "write.outcome": "succeeded"}, w.About)
	}
	live := slices.IndexFunc(applied, func(r tracetest.Span) bool { return r.About["read.source"] == "live" })
	require.GreaterOrEqual(t, live, 0)
	require.Len(t, applied[live].About["read.zone"], 32)
	shipped := all.named("deliver")
	require.NotEmpty(t, shipped)
	require.NotEmpty(t, shipped[0].About["delivery.target"])
	traceOf(c, shipped[0].Trace).connected(t, "")
	require.Empty(t, all.named("GET /healthz"))

	secrets := append(simcloud.Canaries(), apiKey, editSecret, token, "canary", "in-a-query", "127.0.0.1", cloud.Accounts()[0])
	for _, z := range run.Zones {
		secrets = append(secrets, z.Name)
	}
	text := c.Text()
	for _, secret := range secrets {
		require.NotContains(t, text, secret)
	}
	require.NotContains(t, log.String(), "canary-of-the-collector")
	for _, h := range c.Headers() {
		require.Equal(t, "canary-of-the-collector", h.Get("X-Key"))
	}
	known := regexp.MustCompile(`^((GET|POST|PUT|PATCH|DELETE) /[a-z/{}.-]+|job [a-z]+|assess (collect|look up|evaluate|save)|provider ` +
		`(read|write)|store save|deliver)$`)
	for _, one := range all {
		require.Regexp(t, known, one.Name)
	}
}

// TestSweepTraceDistributed: the trace goes with the job through PostgreSQL to another
// process, and stays with it when that is killed.
func TestSweepTraceDistributed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	c := tracetest.Start(t)
	l, url := newLane(t, 7)
	environ := append(shared(t, l.cloud, url, redistest.Start(t)), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_BSP_SCHEDULE_DELAY=100")
	api := spawn(t, "serve", environ...)
	l.url = api.says(t, "listening on ")
	worker := spawn(t, "worker", environ...)
	worker.says(t, "worker ready")
	got := l.call("POST", "/api/assess", map[string]any{}, "Traceparent", traceparent)
	require.Equal(t, 200, got.status, string(got.body))
	arrived := func(id, outcome string) func() bool {
		return func() bool {
			jobs := traceOf(c, id).named("job assess")
			return len(jobs) == 1 && jobs[0].About["job.outcome"] == outcome && len(traceOf(c, id).named("POST /api/assess")) == 1
		}
	}
	eventually(t, 30*time.Second, "the trace arrives", arrived(callersTrace, "succeeded"))
	traceOf(c, callersTrace).assessment(t, "worker")
	require.Equal(t, "api", traceOf(c, callersTrace).one(t, "POST /api/assess").Resource["service.role"])

	second := strings.Replace(callersTrace, "0af", "0bf", 1)
	l.at.Store(40)
	got = l.call("POST", "/api/assess", map[string]any{}, "Traceparent", "00-"+second+"-"+callersSpan+"-01", "Prefer", "respond-async")
	require.Equal(t, 202, got.status)
	var job posture.Job
	got.into(t, &job)
	<-l.moment
	worker.kill()
	spawn(t, "worker", environ...)
	l.finished(job.ID)
	eventually(t, 30*time.Second, "the trace arrives", arrived(second, "succeeded"))
	again := traceOf(c, second).one(t, "job assess") // the killed attempt took its own span along
	require.NotEqual(t, "1", again.About["job.attempt"])
	require.Equal(t, job.ID, again.About["job.id"])
	require.Equal(t, traceOf(c, second).one(t, "POST /api/assess").ID, again.Parent)
}

// tracedBy opens the service with a collector and gives what stops it.
func tracedBy(t *testing.T, collector string, o simcloud.Options, now func() time.Time) (*system, func()) {
	t.Helper()
	cloud, url := simulate(t, o)
	cfg, err := config.Load([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" +
		cloud.Tokens()[0].Secret, "SERVICE_DNS_RESOLVER=off", "CLOUDFLARE_REQUESTS_PER_5M=1000000", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector})
	require.NoError(t, err)
	a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	return &system{t: t, cloud: cloud, url: "http://" + a.Addr(), app: a}, func() {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		require.NoError(t, a.Close(ctx))
		require.NoError(t, ctx.Err())
		require.NoError(t, <-served)
	}
}

// TestTraceOfASchedule: nobody calls, so the run begins a trace of its own, which what
// follows the run is part of.
func TestTraceOfASchedule(t *testing.T) {
	t.Parallel()
	c := tracetest.Start(t)
	var ahead atomic.Int64
	s, stop := tracedBy(t, c.URL, small(), func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	s.schedule(map[string]any{"cron": "* * * * *", "request": map[string]any{"checks": []string{"CFL-SSL-002"}},
		"afterRun": map[string]any{"ship": "file"}})
	ahead.Store(int64(time.Minute))
	var list struct{ Items []posture.Job }
	eventually(t, 30*time.Second, "what follows the run ends", func() bool {
		s.get("/api/jobs?kind=ship&state=succeeded", &list)
		return len(list.Items) > 0
	})
	stop()
	all := traceSet(c.Spans())
	i := slices.IndexFunc(all, func(one tracetest.Span) bool { return one.About["job.id"] == list.Items[0].ID })
	require.GreaterOrEqual(t, i, 0)
	run := traceOf(c, all[i].Trace)
	run.connected(t, "")
	require.Empty(t, run.one(t, "job assess").Parent)
	require.Equal(t, run.one(t, "assess save").ID, run.one(t, "job ship").Parent)
	require.Len(t, run.named("deliver"), 1)
}

// TestTroubledCollectorHoldsNothingUp: runs end and the process stops as without one.
func TestTroubledCollectorHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*tracetest.Collector) string{
		"dead":  func(*tracetest.Collector) string { return "http://127.0.0.1:1" },
		"hangs": func(c *tracetest.Collector) string { c.Hang(); return c.URL },
		"500":   func(c *tracetest.Collector) string { c.Answer(500); return c.URL },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tracetest.Start(t)
			s, stop := tracedBy(t, arrange(c), small(), time.Now)
			s.assessed()
			stop()
			require.Empty(t, c.Spans())
		})
	}
}

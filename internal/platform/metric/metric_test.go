package metric

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is a registry in which everything was counted once.
func told(t *testing.T, s Sources) *Metrics {
	t.Helper()
	m := New("v1", "sqlite")
	now := time.Unix(0, 0)
	m.Watch(s, func() time.Time { return now })
	m.Request("GET", "/api/assessments/{id}", 200, time.Second)
	m.Job("assess", "lease_lost", time.Second)
	m.Provider("zone_dns", 429)
	m.Provider("zone_dns", 0)
	m.Granted("interactive", time.Second)
	m.Operation("sqlite", "claim a job", time.Second, true)
	m.Delivery("ship", "search", "delivered")
	m.Change("apply", "applied")
	m.Assessment("completed")
	m.AuditFailed()
	return m
}

func full() Sources {
	return Sources{
		Jobs:      func(context.Context) ([]Count, error) { return []Count{{[2]string{"assess", "queued"}, 3}}, nil },
		Findings:  func(context.Context) ([]Count, error) { return []Count{{[2]string{"id", "high"}, 4}}, nil },
		Queues:    func(context.Context) ([]Queue, error) { return []Queue{{"interactive", 5, time.Second}}, nil },
		Workers:   func(context.Context) (int, error) { return 2, nil },
		Schedules: func(context.Context) (time.Duration, error) { return time.Minute, nil },
		Pools:     func() map[string]sql.DBStats { return map[string]sql.DBStats{"writer": {InUse: 1}} },
	}
}

func scrape(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	b, _ := io.ReadAll(w.Result().Body)
	return string(b)
}

func TestNamesAreAsPrometheusWantsThem(t *testing.T) {
	problems, err := testutil.GatherAndLint(told(t, full()).Registry())
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestWhatIsTold(t *testing.T) {
	got := scrape(told(t, full()))
	for _, want := range []string{
		`edgeposture_http_request_duration_seconds_count{method="GET",route="/api/assessments/{id}",status="2xx"} 1`,
		`edgeposture_job_lease_losses_total{kind="assess"} 1`,
		`edgeposture_provider_requests_total{source="zone_dns",status="4xx"} 1`,
		`edgeposture_provider_requests_total{source="zone_dns",status="none"} 1`, `edgeposture_provider_rate_limited_total 1`,
		`edgeposture_budget_grants_total{class="interactive"} 1`,
		`edgeposture_store_operation_failures_total{engine="sqlite",operation="claim a job"} 1`,
		`edgeposture_deliveries_total{kind="ship",outcome="delivered",target="search"} 1`,
		`edgeposture_remediation_changes_total{kind="apply",outcome="applied"} 1`,
		`edgeposture_assessments_total{outcome="completed"} 1`, `edgeposture_audit_failures_total 1`,
		`edgeposture_jobs{kind="assess",state="queued"} 3`, `edgeposture_findings{account="id",severity="high"} 4`,
		`edgeposture_queue_size{queue="interactive"} 5`, `edgeposture_queue_latency_seconds{queue="interactive"} 1`, `edgeposture_workers 2`,
		`edgeposture_schedule_latency_seconds 60`,
		`edgeposture_store_connections_in_use{pool="writer"} 1`,
		`edgeposture_build_info{store="sqlite",version="v1"} 1`, "go_goroutines",
	} {
		require.Contains(t, got, want)
	}
}

// TestSeriesStayBounded passes labels nobody should pass.
func TestSeriesStayBounded(t *testing.T) {
	many := func(context.Context) ([]Count, error) {
		var out []Count
		for i := range 1000 {
			for _, severity := range []string{"critical", "high", "medium", "low", "informational"} {
				out = append(out, Count{[2]string{fmt.Sprint(i), severity}, 1})
			}
		}
		return out, nil
	}
	m := told(t, Sources{Findings: many})
	for i := range 5000 {
		word := fmt.Sprintf("word-%d", i)
		m.Request("GET", word, 200+i%300, time.Second)
		m.Provider(word, 200)
		m.Operation("sqlite", word, time.Second, false)
		m.Delivery("ship", word, "failed")
		m.Job(word, "failed", time.Second)
	}
	m.Request("GET", strings.Repeat("x", 500), 200, time.Second)
	families, err := m.Registry().Gather()
	require.NoError(t, err)
	for _, f := range families {
		require.LessOrEqual(t, len(f.GetMetric()), maxSeries*4, f.GetName())
		if f.GetName() == "edgeposture_findings" {
			require.Len(t, f.GetMetric(), maxAccounts*5)
		}
	}
	got := scrape(m)
	require.NotContains(t, got, "word-4999")
	require.NotContains(t, got, "xxxx")
}

// TestWhatCannotBeAskedIsLeftOut: a missing series is not a zero, and the rest is told.
func TestWhatCannotBeAskedIsLeftOut(t *testing.T) {
	asked := 0
	broken := func(context.Context) ([]Count, error) { asked++; return nil, errors.New("the store is gone") }
	s := full()
	s.Jobs = broken
	s.Queues = func(context.Context) ([]Queue, error) { return nil, errors.New("gone") }
	got := scrape(told(t, s))
	require.NotContains(t, got, "edgeposture_jobs{")
	require.NotContains(t, got, "edgeposture_queue_size{")
	require.Contains(t, got, "edgeposture_workers 2")
}

// TestScrapesDoNotPressTheStore: who scrapes all the time asks the store seldom.
func TestScrapesDoNotPressTheStore(t *testing.T) {
	asked, now := 0, time.Unix(100, 0)
	m := New("v1", "sqlite")
	m.Watch(Sources{Jobs: func(context.Context) ([]Count, error) { asked++; return nil, nil }}, func() time.Time { return now })
	for range 10 {
		scrape(m)
	}
	require.Equal(t, 1, asked)
	now = now.Add(askEvery)
	scrape(m)
	require.Equal(t, 2, asked)
}

var update = flag.Bool("update", false, "write the list of metrics")

// TestMetricsAreCommitted writes the names of what is told, with the labels, to a file that charts/ holds its alerts and
// its dashboard against. docs/observe.md has a row for each.
func TestMetricsAreCommitted(t *testing.T) {
	m := told(t, full())
	m.Refused("jobs")
	families, err := m.Registry().Gather()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "observe.md"))
	require.NoError(t, err)
	metrics := map[string][]string{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), namespace+"_") {
			continue
		}
		require.Contains(t, string(page), "`"+f.GetName()+"`")
		labels := []string{}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		names := []string{f.GetName()}
		if f.GetType().String() == "HISTOGRAM" {
			names = []string{f.GetName() + "_bucket", f.GetName() + "_sum", f.GetName() + "_count"}
		}
		for _, name := range names {
			metrics[name] = labels
			if strings.HasSuffix(name, "_bucket") {
				metrics[name] = append(slices.Clone(labels), "le")
			}
		}
	}
	raw, err := json.MarshalIndent(metrics, "", " ")
	require.NoError(t, err)
	path := filepath.Join("..", "..", "..", "charts", "testdata", "metrics.json")
	if *update {
		require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(raw)+"\n", "run make gen")
}

package assess_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

// watched is a connection pool that adds up how long some request was on its way.
type watched struct {
	pool *http.Transport
	mu   sync.Mutex
	now  int
	from time.Time
	busy time.Duration
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	w.step(1)
	defer w.step(-1)
	return w.pool.RoundTrip(r)
}

func (w *watched) step(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == 0 {
		w.from = time.Now()
	}
	if w.now += by; w.now == 0 {
		w.busy += time.Since(w.from)
	}
}

// known answers every name at once: this measures the provider, not the names.
type known struct{}

func (known) Lookup(context.Context, snapshot.Question) (snapshot.Lookup, error) {
	return snapshot.Lookup{Rcode: "NOERROR", Answers: []string{}}, nil
}

// BenchmarkInFlight runs one assessment of 1,000 zones against a provider that
// takes 20 ms for an answer, and tells for which share of the run some request
// was on its way: the rest is what this program adds.
func BenchmarkInFlight(b *testing.B) {
	cloud := simcloud.New(simcloud.Options{Seed: 6, Limit: simcloud.Limit{Disabled: true}, Latency: 20 * time.Millisecond,
		Accounts: []simcloud.AccountSpec{{Zones: 1000, RecordsPerZone: 20, Plant: 0.1}}})
	server, err := cloud.Start("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	// A real Redis: with so many grants the one in the process would be measured.
	options, err := redis.ParseURL(redistest.Start(b))
	if err != nil {
		b.Fatal(err)
	}
	rdb := redis.NewClient(options)
	defer func() { _ = rdb.Close() }()
	w := &watched{pool: cloudflare.NewPool()}
	defer w.pool.CloseIdleConnections()
	runner := assess.New(assess.Options{Store: db,
		Requests: assess.Requests{Budget: budget.New(rdb, budget.Options{Limit: 1_000_000}), BaseURL: func(bool) string { return server.URL },
			Transport: w, Resolver: func(bool) assess.Resolver { return known{} }, Timeout: 30 * time.Second},
		Catalogue: assess.Catalogue{Checks: checks.All(), Sources: snapshot.Sources(), CatalogueVersion: "bench"},
		Process:   assess.Process{Fingerprint: secret.Key{}.Fingerprint, Now: time.Now, NewID: newID, Jitter: rand.Float64}})
	var spent time.Duration
	for b.Loop() {
		spent += runOnce(b, db, runner, cloud)
	}
	b.ReportMetric(100*w.busy.Seconds()/spent.Seconds(), "%-in-flight")
	b.ReportMetric(float64(cloud.Requests().Total)/float64(b.N), "requests/run")
}

func runOnce(b *testing.B, db store.Store, runner *assess.Runner, cloud *simcloud.Cloud) time.Duration {
	b.Helper()
	now := time.Now()
	row, err := db.Claim(b.Context(), enqueued(b, db, now), "bench", now, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if _, err := runner.Do(b.Context(), assess.Run{Job: row, Account: posture.AccountRef{ID: cloud.Accounts()[0]},
		Token: secret.New(cloud.Tokens()[0].Secret)}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

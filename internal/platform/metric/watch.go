package metric

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// maxAccounts bounds the accounts with metrics of their findings.
const maxAccounts = 200

// askEvery is how long results of the store are reused, so that scrapes cost the store at most one
// query in this time.
const askEvery = 15 * time.Second

// askWithin bounds one collection.
const askWithin = 5 * time.Second

// Count is a number with its labels.
type Count struct {
	Labels [2]string
	N      int
}

// Queue is the number of due jobs in a queue.
type Queue struct {
	Name  string
	Size  int
	Delay time.Duration // age of the oldest due job
}

// Sources are the functions that are called at a scrape. Any may be nil.
type Sources struct {
	Jobs     func(ctx context.Context) ([]Count, error) // by kind and state
	Findings func(ctx context.Context) ([]Count, error) // by account id and severity, of the newest run
	Queues   func(ctx context.Context) ([]Queue, error)
	Workers  func(ctx context.Context) (int, error)
	// Schedules tells for how long the schedule that waits longest has been due.
	Schedules func(ctx context.Context) (time.Duration, error)
	Pools     func() map[string]sql.DBStats
}

// Watch adds metrics that are collected at each scrape.
func (m *Metrics) Watch(s Sources, now func() time.Time) {
	m.registry.MustRegister(&watch{s: s, now: now, jobs: &cached{}, findings: &cached{}})
}

// cached is the last result of the store.
type cached struct {
	at   time.Time
	rows []Count
}

type watch struct {
	s              Sources
	now            func() time.Time
	mu             sync.Mutex
	jobs, findings *cached
}

type descriptions struct{ jobs, findings, size, delay, workers, late, open, used, waits, waited *prometheus.Desc }

func describe() descriptions {
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
	}
	return descriptions{
		jobs:     d("jobs", "Jobs in the store, by kind and state.", "kind", "state"),
		findings: d("findings", "Findings of the newest run of each account, by severity; 200 accounts at most.", "account", "severity"),
		size:     d("queue_size", "Jobs that are due in a queue.", "queue"),
		delay:    d("queue_latency_seconds", "How long the first of them has been due.", "queue"),
		workers:  d("workers", "Worker processes that are alive."),
		late:     d("schedule_latency_seconds", "How long the schedule that waits longest has been due; 0 when none is."),
		open:     d("store_connections", "Open connections to the database.", "pool"),
		used:     d("store_connections_in_use", "Connections to the database that are in use.", "pool"),
		waits:    d("store_connection_waits_total", "How often a connection had to be waited for.", "pool"),
		waited:   d("store_connection_wait_seconds_total", "How long connections were waited for.", "pool"),
	}
}

// Describe implements prometheus.Collector.
func (w *watch) Describe(out chan<- *prometheus.Desc) {
	d := describe()
	for _, one := range []*prometheus.Desc{d.jobs, d.findings, d.size, d.delay, d.workers, d.late, d.open, d.used, d.waits, d.waited} {
		out <- one
	}
}

// Collect implements prometheus.Collector. A source that fails is left out, because a missing
// series is not a zero.
func (w *watch) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	d := describe()
	gauge := func(desc *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, labels...)
	}
	for _, c := range w.ask(ctx, w.jobs, w.s.Jobs) {
		gauge(d.jobs, float64(c.N), c.Labels[:]...)
	}
	for _, c := range bounded(w.ask(ctx, w.findings, w.s.Findings)) {
		gauge(d.findings, float64(c.N), c.Labels[:]...)
	}
	if w.s.Queues != nil {
		queues, err := w.s.Queues(ctx)
		for _, q := range queues {
			if err == nil {
				gauge(d.size, float64(q.Size), q.Name)
				gauge(d.delay, q.Delay.Seconds(), q.Name)
			}
		}
	}
	if w.s.Workers != nil {
		if n, err := w.s.Workers(ctx); err == nil {
			gauge(d.workers, float64(n))
		}
	}
	if w.s.Schedules != nil {
		if late, err := w.s.Schedules(ctx); err == nil {
			gauge(d.late, late.Seconds())
		}
	}
	if w.s.Pools != nil {
		for name, p := range w.s.Pools() {
			gauge(d.open, float64(p.OpenConnections), name)
			gauge(d.used, float64(p.InUse), name)
			out <- prometheus.MustNewConstMetric(d.waits, prometheus.CounterValue, float64(p.WaitCount), name)
			out <- prometheus.MustNewConstMetric(d.waited, prometheus.CounterValue, p.WaitDuration.Seconds(), name)
		}
	}
}

// ask returns the last result while it is fresh.
func (w *watch) ask(ctx context.Context, last *cached, from func(context.Context) ([]Count, error)) []Count {
	if from == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if !last.at.IsZero() && now.Sub(last.at) < askEvery {
		return last.rows
	}
	rows, err := from(ctx)
	if err != nil {
		return nil
	}
	last.at, last.rows = now, rows
	return rows
}

// bounded keeps the rows of the first maxAccounts accounts.
func bounded(rows []Count) []Count {
	accounts := map[string]bool{}
	var out []Count
	for _, r := range rows {
		if accounts[r.Labels[0]] || len(accounts) < maxAccounts {
			accounts[r.Labels[0]] = true
			out = append(out, r)
		}
	}
	return out
}

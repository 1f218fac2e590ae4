// Package metric holds the Prometheus metrics of the service. It is fed by hooks and reads through
// functions that the wiring passes in; no other package depends on it. Labels come from closed
// lists, so the number of series is bounded: paths, names, addresses and error texts are never
// labels.
package metric

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const namespace = "edgeposture"

// maxSeries bounds the values of one label; further values are counted as "other".
const maxSeries = 300

// Metrics counts what the service does. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	bounds   bounds

	requests    *prometheus.HistogramVec
	jobs        *prometheus.HistogramVec
	leases      *prometheus.CounterVec
	provider    *prometheus.CounterVec
	limited     prometheus.Counter
	grants      *prometheus.CounterVec
	waited      *prometheus.HistogramVec
	queries     *prometheus.HistogramVec
	failures    *prometheus.CounterVec
	deliveries  *prometheus.CounterVec
	changes     *prometheus.CounterVec
	assessments *prometheus.CounterVec
	audit       prometheus.Counter
	refusals    *prometheus.CounterVec
}

// New returns metrics with a registry of their own. version and engine are labels of build_info.
func New(version, engine string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), bounds: newBounds()}
	m.requests = m.histogram("http_request_duration_seconds", "How long requests took, by route pattern.", span(0.005, 60), "method", "route",
		"status")
	m.jobs = m.histogram("job_duration_seconds", "How long attempts at jobs took, by how they ended.", span(0.05, 3600), "kind", "outcome")
	m.leases = m.counter("job_lease_losses_total", "Attempts that lost their lease.", "kind")
	m.provider = m.counter("provider_requests_total",
		"Requests to Cloudflare, by family of source and class of status; none means that no answer came.", "source", "status")
	m.limited = m.counter("provider_rate_limited_total", "Answers 429 of Cloudflare.").WithLabelValues()
	m.grants = m.counter("budget_grants_total", "Requests the shared budget let through.", "class")
	m.waited = m.histogram("budget_wait_seconds", "How long a request waited for the shared budget.", span(0.001, 600), "class")
	m.queries = m.histogram("store_operation_duration_seconds", "How long operations of the store took, repeats included.", span(0.0005, 30),
		"operation", "engine")
	m.failures = m.counter("store_operation_failures_total",
		"Operations of the store that failed; one that found nothing, or refused what it was given, did not.", "operation", "engine")
	m.deliveries = m.counter("deliveries_total", "Passes over deliveries and notifications, by how they ended.", "kind", "target", "outcome")
	m.changes = m.counter("remediation_changes_total", "Changes of finished apply and rollback jobs, by what became of them.", "kind",
		"outcome")
	m.assessments = m.counter("assessments_total", "Assessments that were saved.", "outcome")
	m.audit = m.counter("audit_failures_total", "Entries of the audit log that could not be written.").WithLabelValues()
	m.refusals = m.counter("limit_refusals_total", "Calls that were refused because their caller, or all callers, held too many of a kind.",
		"kind")
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info",
		Help: "Always 1; the labels tell the build."}, []string{"version", "store"})
	build.WithLabelValues(version, engine).Set(1)
	m.registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// span returns eight bucket bounds from least to most, evenly spaced on a logarithmic scale.
func span(least, most float64) []float64 { return prometheus.ExponentialBucketsRange(least, most, 8) }

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

// Handler serves scrapes. A source that fails is left out of that response.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4,
		Timeout: 20 * time.Second})
}

// Registry returns the registry, for tests.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Request counts a request to the API. route is the path pattern of its row.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(m.bounds.of("method", method), m.bounds.of("route", route), class(status)).Observe(took.Seconds())
}

// Job counts an attempt that has ended.
func (m *Metrics) Job(kind, outcome string, took time.Duration) {
	kind = m.bounds.of("kind", kind)
	m.jobs.WithLabelValues(kind, outcome).Observe(took.Seconds())
	if outcome == "lease_lost" {
		m.leases.WithLabelValues(kind).Inc()
	}
}

// Provider counts a request to the provider; a status of 0 means that no answer came.
func (m *Metrics) Provider(source string, status int) {
	m.provider.WithLabelValues(m.bounds.of("source", source), class(status)).Inc()
	if status == http.StatusTooManyRequests {
		m.limited.Inc()
	}
}

// Granted counts a request that the budget admitted, and how long it waited.
func (m *Metrics) Granted(class string, waited time.Duration) {
	m.grants.WithLabelValues(class).Inc()
	m.waited.WithLabelValues(class).Observe(waited.Seconds())
}

// Operation counts an operation of the store.
func (m *Metrics) Operation(engine, operation string, took time.Duration, failed bool) {
	operation = m.bounds.of("operation", operation)
	m.queries.WithLabelValues(operation, engine).Observe(took.Seconds())
	if failed {
		m.failures.WithLabelValues(operation, engine).Inc()
	}
}

// Delivery counts a pass over a delivery.
func (m *Metrics) Delivery(kind, target, outcome string) {
	m.deliveries.WithLabelValues(m.bounds.of("kind", kind), m.bounds.of("target", target), outcome).Inc()
}

// Change counts a change of a finished job.
func (m *Metrics) Change(kind, outcome string) { m.changes.WithLabelValues(kind, outcome).Inc() }

// Assessment counts a saved assessment.
func (m *Metrics) Assessment(outcome string) { m.assessments.WithLabelValues(outcome).Inc() }

// AuditFailed counts an entry of the audit log that could not be written.
func (m *Metrics) AuditFailed() { m.audit.Inc() }

// Refused counts a call that was refused because too many of a kind are held.
func (m *Metrics) Refused(kind string) { m.refusals.WithLabelValues(kind).Inc() }

func class(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

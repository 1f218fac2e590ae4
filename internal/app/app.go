// Package app wires the system, once for both deployments: embedded (SQLite, an in-process Redis
// protocol server, a worker in the same process) and distributed (PostgreSQL, Redis, any number of
// workers). Only the two URLs of the configuration decide which.
//
// In: the environment. Out: a running system that ends when its context does.
//
// It imports core, platform, provider, assessment, store, delivery, remediation, engine, api, web,
// and must never import any other package of this module.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/record"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
	"github.com/edgeposture/edgeposture/jobs"
	"github.com/edgeposture/edgeposture/web"
)

// Options are what a process supplies. Open needs all but NoFirstLook and Recorder.
type Options struct {
	Version string
	Log     *slog.Logger
	Now     func() time.Time
	Random  io.Reader
	// NoFirstLook skips the first assessment of the demo account, for processes that run a single command.
	NoFirstLook bool
	// Recorder records the answers of the provider and of the DNS; nil records nothing.
	Recorder *record.Recorder
}

// App is a wired system. Close must be called.
type App struct {
	cfg       config.Config
	o         Options
	backend   backend
	key       secret.Key
	demo      *demoAccount // nil: real accounts are served
	telemetry telemetry
	auditLog  *auditlog.Log
	sending   sending
	jobs      jobs.Parts
	worker    *queue.Worker
	server    *httpapi.Server
	listener  net.Listener
	closers   []func() error
}

// sending is what sending messages to anybody but the provider needs.
type sending struct {
	settings *setting.Overlay
	guard    outbound.Options
	client   *outbound.Client
}

// Role says which parts a process runs.
type Role struct{ API, Worker bool }

// Open wires a system for a role and starts its workers. An error is one sentence for the person
// who starts the process.
func Open(ctx context.Context, cfg config.Config, role Role, o Options) (*App, error) {
	o.Log = redacted(cfg, o.Log.Handler())
	a := &App{cfg: cfg, o: o}
	if err := a.open(ctx, role); err != nil {
		_ = a.Close(context.WithoutCancel(ctx)) // closes what was opened; the first error is the one to report
		return nil, err
	}
	a.auditLog.Note(ctx, audit.Entry{Action: audit.Start, Outcome: audit.Succeeded, Target: a.build()})
	a.closers = append(a.closers, func() error {
		a.auditLog.Note(ctx, audit.Entry{Action: audit.Stop, Outcome: audit.Succeeded, Target: a.build()})
		return nil
	})
	return a, nil
}

// build identifies the version of the process in the audit log.
func (a *App) build() audit.Target { return audit.Target{Type: "version", ID: a.o.Version} }

func (a *App) open(ctx context.Context, role Role) error {
	if err := a.openBackend(ctx); err != nil {
		return err
	}
	if err := a.openClock(ctx); err != nil {
		return err
	}
	if err := a.openTelemetry(ctx, role); err != nil {
		return err
	}
	a.telemetry.countOperations(a.backend.store)
	a.openAuditLog(role) //nolint:contextcheck // the audit log lives as long as the process
	if err := a.openOutbound(ctx); err != nil {
		return err
	}
	if err := a.register(ctx); err != nil {
		return err
	}
	a.newDelivery()
	a.jobs.Assess = a.newAssess()
	if err := a.newRemedy(); err != nil {
		return err
	}
	if role.API {
		// The port is taken before jobs start, so that a process that cannot serve changes nothing.
		if err := a.listen(ctx); err != nil {
			return err
		}
		if err := a.keyring().Ensure(ctx); err != nil {
			return err
		}
		if err := a.newServer(); err != nil {
			return err
		}
	}
	if err := a.serveMetrics(ctx); err != nil {
		return err
	}
	if role.Worker {
		if err := a.startWorker(ctx); err != nil {
			return err
		}
	}
	if role.API && a.demo != nil && !a.o.NoFirstLook {
		return a.assessDemo(ctx)
	}
	return nil
}

// Addr returns the address that the API listens on.
func (a *App) Addr() string {
	_, port, _ := net.SplitHostPort(a.listener.Addr().String()) // a listener's address has both
	return net.JoinHostPort(a.cfg.Host, port)
}

// Demo reports whether the built-in demo account is served.
func (a *App) Demo() bool { return a.demo != nil }

// Serve serves HTTP until Close.
func (a *App) Serve() error { return a.server.Serve(a.listener) }

// Close stops taking requests, hands running jobs back, and then closes the connections.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	if a.server != nil {
		// A connection that has sent nothing yet, as browsers open to spare, is given five seconds.
		stop, cancel := context.WithTimeout(ctx, 10*time.Second)
		errs = append(errs, a.server.Shutdown(stop))
		cancel()
	}
	if a.listener != nil {
		_ = a.listener.Close() // already closed if it was served
	}
	if a.worker != nil {
		a.worker.Stop()
	}
	for _, v := range slices.Backward(a.closers) {
		errs = append(errs, v())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// noAddress reports whether listening failed because a host is none of this machine's.
func noAddress(err error) bool {
	_, malformed := errors.AsType[*net.AddrError](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	return malformed || unknown || errors.Is(err, syscall.EADDRNOTAVAIL)
}

func (a *App) listen(ctx context.Context) error {
	address := net.JoinHostPort(a.cfg.Host, strconv.Itoa(a.cfg.Port))
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if noAddress(err) {
		return fmt.Errorf("HOST is %s, on which this machine cannot listen (%w); use one of its addresses, such as 127.0.0.1", a.cfg.Host,
			rootOf(err))
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s (%w); stop what uses it, choose another PORT, or leave PORT unset for a free one", address,
			rootOf(err))
	}
	a.listener = l
	return nil
}

func rootOf(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func (a *App) keyring() jobs.Keyring {
	return jobs.Keyring{Store: a.backend.store, Key: a.key, Now: a.o.Now}
}

func (a *App) newServer() error {
	dashboard, err := web.FS()
	if err != nil {
		return fmt.Errorf("open the built-in dashboard: %w", err)
	}
	tools, err := a.newTools()
	if err != nil {
		return err
	}
	limits, err := a.cfg.Limits.Table()
	if err != nil {
		return err
	}
	proxies, err := a.cfg.Proxies()
	if err != nil {
		return err
	}
	a.server = httpapi.New(httpapi.Options{
		Store: a.backend.store, Settings: a.sending.settings, Dashboard: dashboard, Tools: tools,
		Work: httpapi.Work{NotifyWorkers: a.backend.notifier.Notify, Workers: queue.Workers(a.backend.redis),
			Queue: queue.Writable(a.backend.redis), QueueName: a.backend.queueName, Notify: a.jobs.Notify, Ship: a.jobs.Ship, Ticket: a.jobs.Ticket,
			Remedy: a.jobs.Remedy},
		Provider: httpapi.Provider{Checks: checks.All(), Sources: snapshot.Sources(), Permissions: a.jobs.Assess.Permissions,
			Verify: a.jobs.Assess.Verify},
		Access: httpapi.Access{Key: a.key, Keyring: a.keyring(), APIKeys: a.cfg.Keys(), Providers: a.signIn(), PublicURL: a.cfg.PublicURL,
			BindHost: a.cfg.Host, Proxies: proxies, Remediation: a.cfg.Remediation(),
			Limits: limit.New(limits, func(k limit.Kind) { a.telemetry.metrics.Refused(string(k)) })},
		Process: httpapi.Process{Version: a.o.Version, Now: a.o.Now, NewID: newID, Random: a.o.Random, Log: a.o.Log, AuditLog: a.auditLog,
			Begin: a.telemetry.serving},
	})
	return nil
}

// FirstInvitation returns the server's path for the first administrator; see
// httpapi.Server.FirstInvitation.
func (a *App) FirstInvitation(ctx context.Context) (string, error) {
	return a.server.FirstInvitation(ctx)
}

// signIn returns the OpenID Connect providers, which send nothing before somebody signs in. They
// are often on private networks and named by the operator, so their client is not limited to public
// addresses.
func (a *App) signIn() (out []*oidc.Provider) {
	transport, _ := http.DefaultTransport.(*http.Transport)
	transport = transport.Clone()
	a.closers = append(a.closers, func() error { transport.CloseIdleConnections(); return nil })
	for _, c := range a.cfg.SignIn {
		out = append(out, oidc.New(c, &http.Client{Transport: transport, Timeout: 10 * time.Second}, a.o.Now, a.o.Random))
	}
	return out
}

// openOutbound prepares the settings and the client for sending messages. The settings are read on
// use, so that a broken settings file stops only what needs it, not the service.
func (a *App) openOutbound(ctx context.Context) error {
	prefixes, pairs, err := a.cfg.Outbound()
	if err != nil {
		return err
	}
	a.sending.guard = outbound.Options{Allow: prefixes, AllowPairs: pairs, UserAgent: "Edgeposture/" + a.o.Version}
	a.sending.settings = setting.New(setting.Options{Path: filepath.Join(a.cfg.DataDir, "settings.json"), Key: a.key,
		Environment: a.cfg.Settings, Random: a.o.Random, Numbers: a.backend.store})
	if a.sending.settings.Elsewhere(ctx) {
		a.o.Log.Warn("settings were saved over the API and this DATA_DIR does not have them, so this process sends nothing with them; give all "+
			"processes one DATA_DIR, or set the variables instead", "directory", a.cfg.DataDir)
	}
	a.sending.client = outbound.New(a.sending.guard)
	a.closers = append(a.closers, func() error { a.sending.client.Close(); return nil })
	return nil
}

func (a *App) startWorker(ctx context.Context) error {
	retention, err := a.newRetention()
	if err != nil {
		return err
	}
	a.worker = queue.NewWorker(queue.Options{
		Retention: retention,
		Redis:     a.backend.redis, Store: a.backend.store, Owner: owner(), Concurrency: a.cfg.Concurrency, Now: a.o.Now, Log: a.o.Log,
		Begin: a.telemetry.working,
		Schedules: jobs.Scheduler{Accounts: a.backend.store, Schedules: a.backend.store, Now: a.o.Now, NewID: newID,
			Notify: a.backend.notifier.Notify, Fired: a.fired, Alerts: a.backend.store},
		Kinds: jobs.Kinds(a.jobs),
	})
	if a.cfg.Embedded() {
		if err := a.takeUp(ctx); err != nil {
			return fmt.Errorf("take up unfinished jobs: %w", err)
		}
	}
	return a.worker.Start()
}

// demoRequests is the request budget of the demo account for five minutes. It is so large that
// people who try the product never wait for a limit that the simulation does not have.
const demoRequests = 1_000_000

// newAssess builds the only kind of job that assesses the provider; the API also uses it to test
// permissions.
func (a *App) newAssess() jobs.Assess {
	trouble := func(err error, again time.Duration) {
		a.o.Log.Warn("the request budget cannot be asked for in Redis; nothing is sent to Cloudflare meanwhile", "error", err, "again", again)
	}
	var transport http.RoundTripper // nil: the service's own connections
	if a.o.Recorder != nil {
		transport = a.o.Recorder
	}
	runner := assess.New(assess.Options{
		Store: a.backend.store, Observer: a.telemetry.observer(),
		Requests: assess.Requests{Budget: budget.New(a.backend.redis, budget.Options{Limit: a.cfg.RequestsPer5M, Trouble: trouble}),
			DemoBudget: budget.New(a.backend.redis, budget.Options{Limit: demoRequests, Trouble: trouble}),
			BaseURL:    a.baseURL, Transport: transport, Resolver: a.resolver(), Timeout: a.cfg.RequestTimeout},
		Catalogue: assess.Catalogue{Checks: checks.All(), CatalogueVersion: checks.Version, Sources: snapshot.Sources()},
		Process:   assess.Process{Version: a.o.Version, Fingerprint: a.key.Fingerprint, Now: a.o.Now, NewID: newID, Jitter: rand.Float64},
	})
	return jobs.Assess{Runner: runner, Accounts: a.backend.store, Key: a.key, Now: a.o.Now, NewID: newID,
		After: a.jobs.Ticket.After}
}

// answerOfBatch bounds the response to a batch of 1,000 documents, which tells what became of each.
const answerOfBatch = 4 << 20

// newDelivery builds the kinds of jobs that send something.
func (a *App) newDelivery() {
	runner := &deliver.Runner{Ledger: a.backend.store, Now: a.o.Now, NewID: newID, Jitter: rand.Float64, Sleep: clock.Sleep,
		Ended: a.telemetry.delivered, Span: a.telemetry.span()}
	long := a.sending.guard
	long.MaxBody = answerOfBatch
	batches := outbound.New(long)
	a.closers = append(a.closers, func() error { batches.Close(); return nil })
	a.jobs.Notify = jobs.Notify{Store: a.backend.store, Settings: a.sending.settings, Client: a.sending.client, Deliver: runner, Key: a.key,
		Now: a.o.Now, Dashboard: a.cfg.PublicURL}
	a.jobs.Ticket = jobs.Ticket{Store: a.backend.store, Settings: a.sending.settings, Client: batches, Now: a.o.Now,
		Dashboard: a.cfg.PublicURL}
	titles := checkTitles()
	a.jobs.Alert = jobs.Alert{Notify: a.jobs.Notify, Dashboard: a.cfg.PublicURL, Title: func(id string) string { return titles[id] }}
	a.jobs.Ship = jobs.Ship{Store: a.backend.store, Settings: a.sending.settings, Client: batches, Deliver: runner, Key: a.key,
		Version: a.o.Version, Files: a.exports()}
}

func (a *App) exports() jobs.Files { return jobs.Files{Dir: filepath.Join(a.cfg.DataDir, "exports")} }

// checkTitles returns the title of each check, which states the desired condition.
func checkTitles() map[string]string {
	out := map[string]string{}
	for _, c := range checks.All() {
		out[c.ID] = c.Title
	}
	return out
}

// takeUp re-queues the jobs that the last process left unfinished. This process holds the lock of
// the data directory, so no other one is working and every running job is free.
func (a *App) takeUp(ctx context.Context) error {
	n, err := a.backend.store.Orphans(ctx, a.o.Now())
	if n > 0 {
		a.o.Log.Info("unfinished jobs are taken up again", "jobs", n)
	}
	return err
}

func (a *App) baseURL(demo bool) string {
	if demo && a.demo != nil {
		return a.demo.url
	}
	return a.cfg.BaseURL
}

func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

// newID returns a UUID v7; these sort by creation time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

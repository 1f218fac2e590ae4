// Package httpapi is the HTTP surface: one route table, from which routing,
// validation and the OpenAPI document come (huma on fiber), and the fences every
// request passes once. Handlers turn requests into store calls and jobs; they
// hold no other logic.
//
// fiber's traps are dealt with here and nowhere else: strings of a context would
// alias a reused buffer (Immutable), a client that leaves does not end the
// request's context, and there is no read timeout by default.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"
	"github.com/gofiber/fiber/v2/middleware/recover"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/valyala/fasthttp"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/document"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/platform/passkey"
	"github.com/edgeposture/edgeposture/internal/platform/password"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
	"github.com/edgeposture/edgeposture/jobs"
)

// Limits of the API.
const (
	maxBody      = 1 << 20  // bytes
	maxHeader    = 16 << 10 // bytes, the request line included
	maxBatch     = 20       // calls of the tool server in one body
	maxErrors    = 50       // places a problem names
	defaultWait  = 60 * time.Second
	longestWait  = 300 * time.Second
	defaultLimit = 100
	maxLimit     = 1000
)

// Options wires a Server. All fields are needed unless noted.
type Options struct {
	Store    store.Store
	Settings *setting.Overlay
	Work
	Provider
	Access
	Process
	Dashboard fs.FS        // the built web application; may lack index.html
	Tools     http.Handler // the tool server, behind the same fences; nil: there is none
}

// Work is what becomes of jobs.
type Work struct {
	NotifyWorkers func(ctx context.Context, j store.JobRow) error
	Workers       func(ctx context.Context) (int, error)
	// Queue reports whether what rings for jobs can be written now.
	Queue     func(ctx context.Context) error
	QueueName string // "embedded" or "redis"
	Notify    jobs.Notify
	Ship      jobs.Ship
	Ticket    jobs.Ticket
	Remedy    jobs.Remedy
}

// Provider is what is known of it, and what is asked of it before an answer.
type Provider struct {
	Checks  []check.Check
	Sources []snapshot.Source
	// Permissions tries what the token of a registered account may read.
	Permissions func(ctx context.Context, account posture.Account) (posture.PermissionReport, error)
	// Verify asks the provider whether a token works, and which account it leads to.
	Verify func(ctx context.Context, account posture.Account, token secret.Text) (posture.AccountRef, error)
}

// Access is who may do what, and how much of it.
type Access struct {
	Key         secret.Key
	Keyring     jobs.Keyring
	APIKeys     []secret.Text // without any, and without providers, callers are not asked who they are
	Providers   []*oidc.Provider
	PublicURL   string // of the service, as browsers reach it; "": as they say
	BindHost    string
	Remediation bool
	Limits      *limit.Limiter
}

// Process is what the server has of the process it runs in.
type Process struct {
	Version  string
	Now      func() time.Time
	NewID    func() string
	Random   io.Reader
	Log      *slog.Logger
	AuditLog *auditlog.Log
	// Begin is called for each request and gives the context it is served in, and a function that is
	// called with the status once its answer begins. It may be nil.
	Begin func(ctx context.Context, r Request) (_ context.Context, ended func(status int))
}

// Request describes a request while it is served.
type Request struct {
	// Method and Route, the path of its row, come from closed lists; both are "other"
	// for what no row takes.
	Method, Route string
	ID            string
	Traceparent   string // as the caller sent it: held against nothing
}

// Server serves the API and the dashboard.
type Server struct {
	o       Options
	app     *fiber.App
	handler fasthttp.RequestHandler // of all that app serves
	api     huma.API
	started time.Time
	// credentials are the fingerprints of the API keys.
	credentials    []string
	wrong          *attempts // at the API key, by address
	wrongPasswords *attempts // by address and by who it is meant to be; invitations and passkeys too
	// wrongEdits are attempts at the edit scope, by caller.
	wrongEdits *attempts
	passwords  *password.Hasher
	passkeys   *passkey.Party  // nil: browsers make none for this address
	private    map[string]bool // paths outside of /api that not anyone may call
	store      *probe
	queue      *probe
	watch      *watch
	limits     *limit.Limiter
	pending    *pending
	// permissions are those of tokens at the provider.
	permissions *permissions
	documents   *document.Cache
	pages       *document.Cache                        // of the findings of runs
	snapshots   *lru.Cache[string, *snapshot.Snapshot] // by assessment
	states      *lru.Cache[string, *whatif.State]      // by assessment and thresholds
	judging     sync.Mutex
	closing     context.Context //nolint:containedctx // ends when the server drains, so that waits end too
	close       context.CancelFunc
}

// New builds a server that is not yet listening.
func New(o Options) *Server {
	s := &Server{o: o, started: o.Now(), private: map[string]bool{}, wrong: newAttempts(20, time.Minute),
		wrongEdits: newAttempts(5, time.Minute), wrongPasswords: newAttempts(20, time.Minute),
		passwords: password.New(o.Random), passkeys: passkey.New(o.PublicURL, o.Random)}
	s.queue = &probe{part: o.QueueName, look: o.Queue, now: o.Now, log: o.Log}
	s.store = &probe{part: "store", look: func(ctx context.Context) error { return o.Store.Ping(ctx) }, now: o.Now, log: o.Log}
	for _, k := range o.APIKeys {
		s.credentials = append(s.credentials, o.Key.Fingerprint(k))
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.watch = &watch{ctx: s.closing, store: o.Store, jobs: map[string]*watched{}}
	s.limits, s.pending = o.Limits, &pending{limits: o.Limits, store: o.Store, now: o.Now, jobs: map[string]func(){}}
	s.permissions = &permissions{ask: o.Permissions, now: o.Now, limits: o.Limits, closing: s.closing, known: map[string]permitted{}}
	s.documents = document.New(document.Options{Bytes: keptBytes, AtOnce: madeAtOnce})
	s.snapshots, _ = lru.New[string, *snapshot.Snapshot](snapshotsKept) // fails for no size at all
	s.states, _ = lru.New[string, *whatif.State](snapshotsKept)
	s.pages = document.New(document.Options{Bytes: pagesBytes, AtOnce: pagesMadeAtOnce})
	s.app = fiber.New(fiber.Config{
		Immutable: true, DisableStartupMessage: true, ReduceMemoryUsage: true, BodyLimit: maxBody, ReadBufferSize: maxHeader,
		AppName:     "edgeposture",
		ReadTimeout: 30 * time.Second, IdleTimeout: 120 * time.Second, WriteTimeout: longestWait + 30*time.Second,
		ErrorHandler: s.fiberError,
	})
	s.app.Server().Logger = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug) // of callers that are no HTTP or leave
	s.app.Use(head)
	s.markRows()
	s.app.Use(s.identify, s.record, recover.New(), s.message, s.origin, s.authenticate, s.share, s.bodyRules)
	s.app.Use(compress.New(compress.Config{Level: compress.LevelBestSpeed, Next: unpacked}))
	s.api = humafiber.New(s.app, s.humaConfig())
	s.mount()
	s.handler = s.app.Handler()
	return s
}

// Serve answers on a listener until Shutdown.
func (s *Server) Serve(l net.Listener) error {
	if err := s.app.Listener(lingerer{l}); err != nil {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// Shutdown stops accepting, ends waits and streams, and lets the rest finish.
func (s *Server) Shutdown(ctx context.Context) error {
	s.close()
	if err := errors.Join(s.app.ShutdownWithContext(ctx), s.documents.Close(), s.pages.Close()); err != nil {
		return fmt.Errorf("stop serving HTTP: %w", err)
	}
	return nil
}

// OpenAPI gives the generated document.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

// App gives the router to tests of this module.
func (s *Server) App() *fiber.App { return s.app }

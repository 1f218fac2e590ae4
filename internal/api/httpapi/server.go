// Package httpapi is the HTTP surface: one route table, which drives routing, validation and the
// OpenAPI document (huma on fiber), and the middleware that every request passes once. Handlers
// turn requests into store calls and jobs; they hold no other logic.
//
// The pitfalls of fiber are handled in this package only: strings of a context would alias a reused
// buffer (hence Immutable), a client that disconnects does not end the request's context, and there
// is no read timeout by default.
package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
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
	maxHeader    = 16 << 10 // bytes, including the request line
	maxBatch     = 20       // tool server calls in one body
	maxErrors    = 50       // field errors in a problem
	defaultWait  = 60 * time.Second
	longestWait  = 300 * time.Second
	defaultLimit = 100
	maxLimit     = 1000
)

// Options configures a Server. All fields are required unless noted.
type Options struct {
	Store    store.Store
	Settings *setting.Overlay
	Work
	Provider
	Access
	Process
	Dashboard fs.FS        // the built web application; may lack index.html
	Tools     http.Handler // the tool server, behind the same middleware; nil when there is none
}

// Work is how jobs are queued and what they run with.
type Work struct {
	NotifyWorkers func(ctx context.Context, j store.JobRow) error
	Workers       func(ctx context.Context) (int, error)
	// Queue reports whether the queue that notifies workers can be written now.
	Queue     func(ctx context.Context) error
	QueueName string // "embedded" or "redis"
	Notify    jobs.Notify
	Ship      jobs.Ship
	Ticket    jobs.Ticket
	Remedy    jobs.Remedy
}

// Provider is the catalogue, and the provider requests that are made before responding.
type Provider struct {
	Checks  []check.Check
	Sources []snapshot.Source
	// Permissions tests what the token of a registered account may read.
	Permissions func(ctx context.Context, account posture.Account) (posture.PermissionReport, error)
	// Verify asks the provider whether a token works and which account it belongs to.
	Verify func(ctx context.Context, account posture.Account, token secret.Text) (posture.AccountRef, error)
}

// Access is who may do what, and how much of it.
type Access struct {
	Key         secret.Key
	Keyring     jobs.Keyring
	APIKeys     []secret.Text // without any API key or provider, callers need not authenticate
	Providers   []*oidc.Provider
	PublicURL   string // the service's address for browsers; "" uses the Host header
	BindHost    string
	Proxies     []netip.Prefix // in front of the service: their X-Forwarded-For is believed
	Remediation bool
	Limits      *limit.Limiter
}

// Process is what the server needs from its process.
type Process struct {
	Version  string
	Now      func() time.Time
	NewID    func() string
	Random   io.Reader
	Log      *slog.Logger
	AuditLog *auditlog.Log
	// Begin may be nil. It is called for each request and returns the context to serve it in, and a
	// function to call with the status once the response is ready.
	Begin func(ctx context.Context, r Request) (_ context.Context, ended func(status int))
}

// Request describes a request while it is served.
type Request struct {
	// Method and Route, the path of its row, come from closed lists; both are "other" when no row
	// handles the request.
	Method, Route string
	ID            string
	Traceparent   string // as the caller sent it, not validated
}

// Server serves the API and the dashboard.
type Server struct {
	o       Options
	public  *url.URL // SERVICE_PUBLIC_URL; empty when unset
	app     *fiber.App
	handler fasthttp.RequestHandler // serves everything that app serves
	api     huma.API
	started time.Time
	// credentials are the fingerprints of the API keys.
	credentials    []string
	wrong          *attempts // wrong API keys, by address
	wrongPasswords *attempts // wrong passwords, passkeys and invitations, by address and by claimed identity
	// wrongEdits counts wrong edit-scope tokens by caller.
	wrongEdits *attempts
	passwords  *password.Hasher
	passkeys   *passkey.Party  // nil when browsers cannot create passkeys for this address
	private    map[string]bool // paths outside /api that not everyone may call
	store      *probe
	queue      *probe
	watch      *watch
	limits     *limit.Limiter
	pending    *pending
	// permissions are those of tokens at the provider.
	permissions *permissions
	documents   *document.Cache
	pages       *document.Cache                        // pages of the findings of runs
	snapshots   *lru.Cache[string, *snapshot.Snapshot] // by assessment id
	states      *lru.Cache[string, *whatif.State]      // by assessment id and thresholds
	judging     sync.Mutex
	twins       twins
	closing     context.Context //nolint:containedctx // ends when the server drains, so that waits end too
	close       context.CancelFunc
}

// New builds a server that is not yet listening.
func New(o Options) *Server {
	public, err := url.Parse(o.PublicURL)
	if err != nil { // the configuration refuses one that is none
		public = &url.URL{}
	}
	s := &Server{o: o, public: public, started: o.Now(), private: map[string]bool{}, wrong: newAttempts(20, time.Minute),
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
	s.snapshots, _ = lru.New[string, *snapshot.Snapshot](snapshotsKept) // fails only for a size below 1
	s.states, _ = lru.New[string, *whatif.State](snapshotsKept)
	s.pages = document.New(document.Options{Bytes: pagesBytes, AtOnce: pagesMadeAtOnce})
	s.app = fiber.New(fiber.Config{
		Immutable: true, DisableStartupMessage: true, ReduceMemoryUsage: true, BodyLimit: maxBody, ReadBufferSize: maxHeader,
		AppName: "edgeposture", StreamRequestBody: true, DisablePreParseMultipartForm: true, // see wholeBody
		ReadTimeout: 30 * time.Second, IdleTimeout: 120 * time.Second, WriteTimeout: longestWait + 30*time.Second,
		ErrorHandler: s.fiberError,
	})
	s.app.Server().Logger = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug) // mostly about broken clients
	s.app.Use(head)
	s.markRows()
	s.app.Use(s.identify, s.record, recover.New(), s.message, s.origin, s.authenticate, s.share, s.unconditional, s.bodyRules, bodyAgain)
	s.app.Use(compress.New(compress.Config{Level: compress.LevelBestSpeed, Next: unpacked}))
	exactFieldNames()
	s.api = humafiber.New(s.app, s.humaConfig())
	s.api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) { next(pathContext{ctx}) })
	s.mount()
	s.handler = s.app.Handler()
	s.app.Server().Handler = s.wholeBody(knownMethods(s.handler))
	return s
}

// exactFieldNames lets huma refuse a field whose name differs in case from that of the document, as
// it does any unknown one; it has this setting for all of its APIs only.
var exactFieldNames = sync.OnceFunc(func() { huma.ValidateStrictCasing = true })

// wholeBody reads a body before anything else does, as it arrives: the server itself would set aside as much memory as
// the header announces, of which 2,500 callers without a key took 2 GB for 130 bytes each.
func (s *Server) wholeBody(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if stream := c.RequestBodyStream(); stream != nil {
			body, err := io.ReadAll(io.LimitReader(stream, maxBody+1))
			if err == nil && (len(body) > maxBody || c.Request.Header.ContentLength() > maxBody) {
				err = fasthttp.ErrBodyTooLarge
			}
			if err != nil {
				s.app.Server().ErrorHandler(c, err)
				c.SetConnectionClose() // what is left of the body is no request
				return
			}
			c.Request.SetBody(body)
		}
		next(c)
	}
}

// bodyAgain gives the body to huma, which reads it as a stream wherever the server does.
func bodyAgain(c *fiber.Ctx) error {
	body := bytes.Clone(c.BodyRaw())
	c.Request().SetBodyStream(bytes.NewReader(body), len(body))
	return c.Next()
}

// knownMethods lets requests with a method that the router has never heard of through to it as
// TRACE, which no route has either, so that they are refused as every other is.
func knownMethods(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		next(c)
	}
}

// Serve serves a listener until Shutdown.
func (s *Server) Serve(l net.Listener) error {
	if err := s.app.Listener(lingerer{l}); err != nil {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// Shutdown stops accepting connections, ends waits and streams, and lets other requests finish.
func (s *Server) Shutdown(ctx context.Context) error {
	s.close()
	if err := errors.Join(s.app.ShutdownWithContext(ctx), s.documents.Close(), s.pages.Close()); err != nil {
		return fmt.Errorf("stop serving HTTP: %w", err)
	}
	return nil
}

// OpenAPI returns the generated document.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

// App returns the router, for tests of this module.
func (s *Server) App() *fiber.App { return s.app }

package httpapi

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

const requestIDKey = "requestId"

func requestID(c *fiber.Ctx) string { id, _ := c.Locals(requestIDKey).(string); return id }

// pathContext decodes what a path holds: the router gives it as it was sent, and a name has blanks and other letters.
type pathContext struct{ humaContext }

type humaContext = huma.Context // embedded as huma.Context, it would hide the method Context

// Param returns the value of a parameter of the path.
func (c pathContext) Param(name string) string { return unescaped(c.humaContext.Param(name)) }

// Unwrap gives humafiber its own context back.
func (c pathContext) Unwrap() huma.Context { return c.humaContext }

func unescaped(s string) string {
	if v, err := url.PathUnescape(s); err == nil {
		return v
	}
	return s
}

func humaCtx(ctx huma.Context) *fiber.Ctx { return humafiber.Unwrap(ctx) }

func itoa(n int) string { return strconv.Itoa(n) }

// identify gives every request an id of our own, because one sent by the caller would end up in logs.
func (s *Server) identify(c *fiber.Ctx) error {
	s.label(c)
	return c.Next()
}

func (s *Server) label(c *fiber.Ctx) {
	id := s.o.NewID()
	c.Locals(requestIDKey, id)
	c.Set("X-Request-Id", id)
	s.headers(c)
}

// contentPolicy lets the dashboard load its own files and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src " +
	"'self'; " +
	"worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// headers sets the headers of every response.
func (s *Server) headers(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", contentPolicy)
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("X-Frame-Options", "DENY")
	c.Set("Referrer-Policy", "no-referrer")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
	c.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	if s.guarded(c.Path()) {
		c.Set("Cache-Control", "no-store")
	}
}

// origin refuses requests that a foreign web page could send: a Host that is not ours (DNS
// rebinding), an Origin other than the page itself, and anything that the browser marks as sent for
// another site. A person may still follow a link to the dashboard or the report.
func (s *Server) origin(c *fiber.Ctx) error {
	host := string(c.Request().Host())
	proxied := s.secured() && s.publicHost(host) // by a proxy on this machine
	if OtherHost(s.o.BindHost, host) && !proxied {
		return s.fence(c, posture.Problemf(posture.CodeOriginDenied, "This service answers on the loopback address only, and the request names "+
			"another host; open it as http://127.0.0.1, or name the address of a proxy in SERVICE_PUBLIC_URL and set SERVICE_API_KEY."))
	}
	if o := c.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		if err != nil || !strings.EqualFold(u.Host, host) || !s.ownScheme(u) {
			return s.fence(c, posture.Problemf(posture.CodeOriginDenied,
				"The request comes from another web page; only this service's own pages may use it from a browser."))
		}
	}
	if foreign(c) && !s.visit(c) {
		return s.fence(c, posture.Problemf(posture.CodeOriginDenied,
			"The request comes from another web site; only this service's own pages may use it from a browser."))
	}
	return c.Next()
}

// ownScheme reports whether a page of our host has the scheme of SERVICE_PUBLIC_URL. Without one, or at another address than that,
// a proxy in front decides between http and https.
func (s *Server) ownScheme(page *url.URL) bool {
	if s.publicHost(page.Host) {
		return page.Scheme == s.public.Scheme
	}
	return page.Scheme == "https" || page.Scheme == "http"
}

// publicHost reports whether a host is that of SERVICE_PUBLIC_URL.
func (s *Server) publicHost(host string) bool {
	return host != "" && strings.EqualFold(s.public.Host, host)
}

// OtherHost reports whether a Host header names another machine although the service is bound to
// the loopback address, as happens after DNS rebinding.
func OtherHost(bound, header string) bool {
	if name, _, err := net.SplitHostPort(header); err == nil {
		header = name
	}
	return config.Loopback(bound) && !config.Loopback(header)
}

// OtherSite reports whether a Sec-Fetch-Site header says that another site, or another origin of
// the same site, caused the request (W3C Fetch Metadata). Clients other than browsers do not send
// the header.
func OtherSite(header string) bool {
	switch strings.ToLower(strings.TrimSpace(header)) {
	case "", "none", "same-origin":
		return false
	default:
		return true
	}
}

func foreign(c *fiber.Ctx) bool {
	return slices.ContainsFunc(c.Request().Header.PeekAll("Sec-Fetch-Site"), func(site []byte) bool { return OtherSite(string(site)) })
}

// visit reports whether a person navigates to a page: the dashboard or the report as a top-level
// document. Prefetching does not count, because nobody sees the page yet.
func (s *Server) visit(c *fiber.Ctx) bool {
	p := strings.TrimRight(strings.ToLower(c.Path()), "/")
	row := callIn(c).row
	page := !s.guarded(p) && p != "/api" || row != nil && row.Page
	ahead := c.Get("Sec-Purpose") + c.Get("Purpose")
	return page && c.Method() == fiber.MethodGet && c.Get("Sec-Fetch-Mode") == "navigate" && c.Get("Sec-Fetch-Dest") == "document" &&
		!strings.Contains(ahead, "prefetch") && !strings.Contains(ahead, "prerender")
}

// guarded reports whether a path exposes or does something: everything below /api, routed or not,
// and the paths of rows that not everyone may call, whatever the method. Routes match in any letter
// case and with a trailing slash, so this does too.
func (s *Server) guarded(path string) bool {
	p := strings.TrimRight(strings.ToLower(path), "/")
	return strings.HasPrefix(p, "/api/") || s.private[p]
}

// fence refuses a request before any of it is processed.
func (s *Server) fence(c *fiber.Ctx, p *posture.Problem) error {
	callIn(c).fenced = true
	return s.refuse(c, p)
}

// unconditional refuses a change that is to be made only to one version: what can be changed here has no ETag,
// so no version matches (RFC 9110, 13.1.1), and making it anyway could overwrite what somebody else did.
func (s *Server) unconditional(c *fiber.Ctx) error {
	match := strings.TrimSpace(c.Get("If-Match"))
	if match == "" || match == "*" || c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return c.Next()
	}
	return s.refuse(c, posture.Problemf(posture.CodePrecondition, "Nothing was changed, because what can be changed here has no versions "+
		"that If-Match could name; send the request without it. A field that the body leaves out keeps its value; updatedAt or "+
		"revision in the body, where there is one, makes the change only to what was read."))
}

// bodyRules requires JSON bodies before any handler reads them. An empty body counts as {}.
func (s *Server) bodyRules(c *fiber.Ctx) error {
	switch c.Method() {
	case fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch:
	default:
		return c.Next()
	}
	if !strings.HasPrefix(strings.ToLower(c.Path()), "/api/") && callIn(c).row == nil {
		return c.Next()
	}
	body := c.BodyRaw()
	kind, _, err := mime.ParseMediaType(c.Get("Content-Type"))
	if len(body) == 0 && c.Get("Content-Type") == "" {
		c.Request().Header.SetContentType("application/json")
		kind, err = "application/json", nil
	}
	if err != nil || kind != "application/json" {
		return s.refuse(c, posture.Problemf(posture.CodeMalformed, "The body must be JSON; send it with Content-Type: application/json."))
	}
	if c.Get("Idempotency-Key") != "" {
		// With our key: bodies have passwords, which could be guessed from a plain hash.
		callIn(c).bodyHash = hex.EncodeToString(s.o.Key.Mac("repeated body", body))
	}
	c.Request().Header.SetContentType(kind) // in lower case and without parameters, which is all that the decoder knows
	if len(bytes.TrimSpace(body)) == 0 {
		c.Request().SetBodyRaw([]byte("{}"))
		return c.Next()
	}
	if p := ambiguous(body); p != nil {
		return s.refuse(c, p)
	}
	return c.Next()
}

// callsIn counts the messages of a JSON-RPC batch up to the first invalid one, and at most one more
// than maxBatch. Anything but a batch counts as one.
func callsIn(body []byte) int {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return 1
	}
	n := 0
	for ; n <= maxBatch && d.More(); n++ {
		var message json.RawMessage
		if d.Decode(&message) != nil {
			break
		}
	}
	return n
}

// ambiguous returns a problem for a body that two readers may understand differently: one that is not JSON, not
// UTF-8, or has an object with a name twice, of which encoding/json takes the last and others the first.
func ambiguous(body []byte) *posture.Problem {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	err := d.SkipValue()
	if err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return nil
		}
	}
	at := d.InputOffset()
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = se.ByteOffset
		if errors.Is(err, jsontext.ErrDuplicateName) {
			p := posture.Problemf(posture.CodeMalformed, "An object of the body has a name twice; send it once.")
			p.Errors = []posture.FieldError{{Location: "body", Message: "repeated name", Value: clip(string(se.JSONPointer))}}
			return p
		}
	}
	return posture.Problemf(posture.CodeMalformed, "The body is not valid JSON in UTF-8 (at byte %d); correct it and send it again.", at)
}

// attempts counts wrong secrets per sender in a sliding window. It holds at most 10,000 senders and
// forgets the one that was silent longest.
type attempts struct {
	mu    sync.Mutex
	max   int
	in    time.Duration
	byKey *simplelru.LRU[string, []time.Time]
	open  map[string]int // secrets that are being compared, by sender
	ended chan struct{}  // closed and replaced when a comparison ends
}

func newAttempts(max int, in time.Duration) *attempts {
	byKey, _ := simplelru.NewLRU[string, []time.Time](10_000, nil) // fails for a size of 0 only
	return &attempts{max: max, in: in, byKey: byKey, open: map[string]int{}, ended: make(chan struct{})}
}

func (a *attempts) add(key string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byKey.Add(key, append(a.recent(key, now), now))
}

// guessWait bounds how long a secret waits for others of its sender that are being compared.
const guessWait = 10 * time.Second

// guess admits the comparison of a secret for each of the keys. Those being compared may all be wrong, so they
// never exceed what is left of the limit; one more waits until it is known how one of them ended. compare
// tells whether the secret was wrong; it is not called when there is an error.
func (a *attempts) guess(ctx context.Context, keys []string, now func() time.Time, detail string, compare func() (wrong bool)) error {
	limit := time.NewTimer(guessWait)
	defer limit.Stop()
	for {
		ended, err := a.begin(keys, now(), detail)
		if err != nil {
			return err
		}
		if ended == nil {
			wrong := false
			defer func() { a.end(keys, now(), wrong) }()
			wrong = compare()
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return fmt.Errorf("wait for other secrets to be compared: %w", context.Cause(ctx))
		case <-limit.C:
			return tooMany(time.Second, "Others that came with yours are still being checked; try again in some seconds.")
		}
	}
}

// begin counts a comparison, or returns what is closed when it may be asked again.
func (a *attempts) begin(keys []string, now time.Time, detail string) (<-chan struct{}, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	full := false
	for _, key := range keys {
		if wait := a.wait(key, now); wait > 0 {
			return nil, tooMany(wait, detail)
		}
		full = full || len(a.recent(key, now))+a.open[key] >= a.max
	}
	if full {
		return a.ended, nil
	}
	for _, key := range keys {
		a.open[key]++
	}
	return nil, nil
}

func (a *attempts) end(keys []string, now time.Time, wrong bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range keys {
		if a.open[key]--; a.open[key] <= 0 {
			delete(a.open, key)
		}
		if wrong {
			a.byKey.Add(key, append(a.recent(key, now), now))
		}
	}
	close(a.ended)
	a.ended = make(chan struct{})
}

// refuses returns a problem when key must wait, and nil otherwise.
func (a *attempts) refuses(key string, now time.Time, detail string) *posture.Problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := a.wait(key, now); wait > 0 {
		return tooMany(wait, detail)
	}
	return nil
}

func tooMany(wait time.Duration, detail string) *posture.Problem {
	return &posture.Problem{Code: posture.CodeRateLimited, RetryAfterSeconds: int(wait.Seconds()) + 1, Detail: detail}
}

func (a *attempts) wait(key string, now time.Time) time.Duration {
	at := a.recent(key, now)
	if len(at) < a.max {
		return 0
	}
	return at[len(at)-a.max].Add(a.in).Sub(now)
}

func (a *attempts) recent(key string, now time.Time) []time.Time {
	at, _ := a.byKey.Peek(key)
	for len(at) > 0 && now.Sub(at[0]) > a.in {
		at = at[1:]
	}
	return at
}

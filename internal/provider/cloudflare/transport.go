package cloudflare

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/redact"
)

// Limiter is called before each request, and with its answer, to keep the budget and to count the
// requests of a job. Enter waits until the request may be sent, including the Retry-After of an
// earlier answer; leave must be called exactly once. An error of Enter is not the provider's fault:
// every call of a Client that gets one ends with a *GateError.
type Limiter interface {
	Enter(ctx context.Context) (leave func(Answer), err error)
}

// Answer is what the response to one attempt says about the budget. Remaining is -1 when it had no
// Ratelimit header; RetryAfter is set only on 429.
type Answer struct {
	Status     int
	Remaining  int
	Reset      time.Duration
	RetryAfter time.Duration
}

const (
	defaultBlock  = 300 * time.Second
	maxRetryAfter = time.Hour
	// mostLimited is how often one read may be answered with 429: some addresses have a limit of their own,
	// which the gate does not know, and one that always answers so would hold its run for ever. Nor does one
	// read wait for longer than maxRetryAfter in all.
	mostLimited = 30
)

// transport adds to a connection pool what the vendor's client lacks: the host allow-list, the
// gate, a deadline per attempt, complete and valid bodies, retries with jitter that respect
// cancellation, and typed errors.
type transport struct {
	host string
	o    Options
	next http.RoundTripper
	// echoes are the texts that are masked in answers.
	echoes []string
}

func newTransport(host string, o Options) *transport {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 5
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 0.5 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = clock.Sleep
	}
	next := o.Transport
	if next == nil {
		next = NewPool()
	}
	return &transport{host: host, o: o, next: next, echoes: echoes(o.Token.Reveal())}
}

// NewPool returns a connection pool sized for one process. It takes nothing from the environment,
// because a proxy must not see the token.
func NewPool() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 30 * time.Second, IdleConnTimeout: 90 * time.Second,
		MaxIdleConns: 512, MaxIdleConnsPerHost: 512, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
	}
}

// transportError is a request that got no usable answer.
type transportError struct {
	path   string
	reason string
	tries  int
	cause  error
}

func (e *transportError) Error() string {
	return fmt.Sprintf("%s got no usable answer in %d tries: %s", e.path, e.tries, e.reason)
}

func (e *transportError) Unwrap() error { return e.cause }

// latest is how old the grant of a write may be, and how long the write may then wait for the gate.
// What it changes was read right before; somebody else may change it during a longer wait.
const latest = 5 * time.Second

// HeldBackError means that Cloudflare did not carry a write out and that it may be sent again, once
// the values that it rests on were read again: it would have waited too long for the budget, or was
// answered with 429.
type HeldBackError struct{ Cause error }

// Error says what held the write back.
func (e *HeldBackError) Error() string { return e.Cause.Error() }

// Unwrap returns the answer of Cloudflare, if there was one.
func (e *HeldBackError) Unwrap() error { return e.Cause }

// errLate means that a write could not be sent soon enough.
var errLate = errors.New("the request budget had no room for the change soon enough")

// GateError means that the gate refused a request, which was not sent.
type GateError struct {
	err error
	// Limited is how long Cloudflare told to wait when it answered the same request with 429 before; 0: it
	// did not.
	Limited time.Duration
}

// Error returns the reason of the gate.
func (e *GateError) Error() string { return "the request was not sent: " + e.err.Error() }

// Unwrap returns the error of the gate.
func (e *GateError) Unwrap() error { return e.err }

// RoundTrip sends one request, and retries it while that may help.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != t.host {
		return nil, fmt.Errorf("refused to send the token to %s: it is not Cloudflare's address", req.URL.Host)
	}
	path := req.URL.Path
	hold, release := t.o.Room.holdingOf(req.Context())
	defer release()
	var last error
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	for try, refused, waits := 1, 0, time.Duration(0); try <= t.o.Tries; {
		resp, err := t.try(req, hold)
		if err == nil {
			return resp, nil
		}
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		var apiErr *APIError
		var closed *GateError
		limited := errors.As(err, &apiErr) && apiErr.Status == http.StatusTooManyRequests
		if limited && req.Method != http.MethodGet {
			return nil, &HeldBackError{err}
		}
		if errors.As(err, &closed) || apiErr != nil && apiErr.Status < 500 && !limited {
			return nil, err
		}
		if limited {
			waits += apiErr.RetryAfter
			if refused++; refused == mostLimited || waits > maxRetryAfter {
				return nil, &transportError{path: path, reason: reasonFor(err), tries: refused, cause: err}
			}
			if x != nil {
				x.limited = apiErr.RetryAfter
			}
			continue // the gate knows how long to wait
		}
		if req.Method != http.MethodGet {
			return nil, err // a write may have taken effect; only the caller can find out
		}
		if errors.Is(err, errCrowded) {
			if err := hold.whole(req.Context()); err != nil {
				return nil, err
			}
			continue
		}
		last = err
		if try++; try <= t.o.Tries {
			done := usageOf(req.Context()).waits(t.o.Now)
			err := t.o.Sleep(req.Context(), t.backoff(try-1))
			done()
			if err != nil {
				return nil, err
			}
		}
	}
	return nil, &transportError{path: path, reason: reasonFor(last), tries: t.o.Tries, cause: last}
}

// backoff is exponential with jitter: at most 250 ms, 500 ms, … up to 8 s, and at least half of that.
func (t *transport) backoff(try int) time.Duration {
	d := min(250*time.Millisecond<<(try-1), 8*time.Second)
	return time.Duration(float64(d) * (0.5 + t.o.Jitter()/2))
}

func (t *transport) try(req *http.Request, hold *holding) (*http.Response, error) {
	sent := usageOf(req.Context())
	done := sent.waits(t.o.Now)
	leave, err := t.enter(req)
	done()
	if err != nil {
		if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok {
			x.refused = err
		}
		return nil, &GateError{err: err}
	}
	sent.request()
	answer := Answer{Remaining: -1}
	defer func() { leave(answer) }()
	ctx, cancel := context.WithTimeout(req.Context(), t.o.Timeout)
	defer cancel()
	resp, err := t.next.RoundTrip(req.Clone(ctx))
	if err != nil {
		return nil, t.hush(err)
	}
	body, readErr := hold.read(resp)
	_ = resp.Body.Close()
	// Something in between may repeat what it was sent.
	for _, echo := range t.echoes {
		if bytes.Contains(body, []byte(echo)) {
			body = bytes.ReplaceAll(body, []byte(echo), []byte(masked))
		}
	}
	size := len(body)
	if readErr == nil && !wantsFiles(req) {
		if size = weight(body); size <= maxBody {
			readErr = hold.grow(size)
		}
	}
	answer = readAnswer(resp)
	switch {
	case readErr != nil:
		return nil, fmt.Errorf("the answer broke off: %w", readErr)
	case len(body) > maxBody:
		return nil, &APIError{Status: http.StatusRequestEntityTooLarge, Message: "the answer is larger than 16 MiB", Path: req.URL.Path}
	case size > maxBody:
		return nil, &APIError{Status: http.StatusRequestEntityTooLarge, Message: "the answer has too many values", Path: req.URL.Path}
	case resp.StatusCode >= 300:
		refused := errorOf(resp.StatusCode, body, req.URL.Path)
		refused.RetryAfter = answer.RetryAfter
		return nil, refused
	case len(body) == 0 && req.Method != http.MethodGet:
		body = []byte(`{"success":true}`) // 204 has no body
	case wantsFiles(req):
		if body, err = enclose(resp.Header.Get("Content-Type"), body); err != nil {
			return nil, err
		}
	case !jsontext.Value(body).IsValid(jsontext.AllowInvalidUTF8(true)):
		// Of two values with one name, encoding/json takes the last and others the first.
		return nil, errors.New("the answer is not whole JSON, or an object of it has a name twice")
	}
	if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok {
		x.body, body = body, []byte(`{"success":true}`) // spares the vendor's client from parsing it too
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

const (
	masked = "••••" // stands where the other side repeated the token
	// shortest is the length from which a text is taken for the token; those of Cloudflare have 40 characters or more.
	shortest = 20
)

// hushedError is an error of the network whose text had the token.
type hushedError struct {
	text  string
	cause error
}

func (e *hushedError) Error() string { return e.text }

func (e *hushedError) Unwrap() error { return e.cause }

// hush removes the token from the text of an error, which may quote what was answered.
func (t *transport) hush(err error) error {
	text := err.Error()
	for _, echo := range t.echoes {
		text = strings.ReplaceAll(text, echo, masked)
	}
	if text == err.Error() {
		return err
	}
	return &hushedError{text, err}
}

// echoes returns the texts in which a token may come back: itself, and its base64 at each position it can have in a longer text,
// without the characters at the ends that hold bits of its neighbours.
func echoes(token string) []string {
	if len(token) < shortest {
		return nil
	}
	out := []string{token}
	for before := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat(" ", before) + token))
			out = append(out, text[(before*8+5)/6:(before+len(token))*8/6])
		}
	}
	return slices.Compact(out)
}

// enter waits at the gate, for a write not longer than latest.
func (t *transport) enter(req *http.Request) (func(Answer), error) {
	if req.Method == http.MethodGet {
		return t.o.Gate.Enter(req.Context())
	}
	ctx, cancel := context.WithTimeoutCause(req.Context(), latest, errLate)
	defer cancel()
	leave, err := t.o.Gate.Enter(ctx)
	if err != nil && req.Context().Err() == nil && errors.Is(context.Cause(ctx), errLate) {
		return nil, errLate
	}
	return leave, err
}

func errorOf(status int, body []byte, path string) *APIError {
	var refusal struct {
		Errors []apiProblem `json:"errors"`
	}
	e := &APIError{Status: status, Path: path}
	if json.Unmarshal(body, &refusal) == nil && len(refusal.Errors) > 0 {
		e.Code, e.Message = int(refusal.Errors[0].Code), oneLine(refusal.Errors[0].Message)
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	return e
}

var secrets = sync.OnceValue(func() *redact.Redactor { return redact.New() }) //nolint:gochecknoglobals // compiled once, never changed

// oneLine makes a foreign message short and puts it on one line, without what may be a secret: it is stored and shown.
func oneLine(s string) string {
	s = secrets().Text(s)
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return posture.Clip(s, 200)
}

func reasonFor(err error) string {
	var apiErr *APIError
	var netErr net.Error
	switch {
	case errors.As(err, &apiErr):
		return apiErr.Error()
	case errors.As(err, &netErr) && netErr.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "it timed out"
	case err != nil:
		return oneLine(err.Error())
	default:
		return "unknown"
	}
}

func readAnswer(resp *http.Response) Answer {
	a := Answer{Status: resp.StatusCode, Remaining: -1}
	if r, s, ok := ParseRatelimit(resp.Header.Get("Ratelimit")); ok {
		a.Remaining, a.Reset = r, s
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		a.RetryAfter = ParseRetryAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date"))
	}
	return a
}

// ParseRatelimit parses the Ratelimit header, such as "default";r=50;t=30: remaining requests and
// seconds to the reset (developers.cloudflare.com/fundamentals/api/reference/limits/), at most an hour: with none left, a job rests for
// as long.
func ParseRatelimit(h string) (remaining int, reset time.Duration, ok bool) {
	first, _, _ := strings.Cut(h, ",")
	remaining = -1
	for part := range strings.SplitSeq(first, ";") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if !found || err != nil || n < 0 || n > 1<<30 {
			continue
		}
		switch strings.TrimSpace(name) {
		case "r":
			remaining = n
		case "t":
			reset = min(time.Duration(n)*time.Second, maxRetryAfter)
		}
	}
	return remaining, reset, remaining >= 0 && reset > 0
}

// ParseRetryAfter parses Retry-After (RFC 9110, section 10.2.3): seconds, or a date relative to the
// Date header of the same answer. Missing or invalid values count as the provider's full block of
// 300 s; more than an hour counts as an hour.
func ParseRetryAfter(h, date string) time.Duration {
	h = strings.TrimSpace(h)
	if n, err := strconv.Atoi(h); err == nil && n >= 0 {
		if n > int(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return max(time.Duration(n)*time.Second, time.Second)
	}
	if at, err := http.ParseTime(h); err == nil {
		if now, err := http.ParseTime(date); err == nil && at.After(now) {
			return min(at.Sub(now), maxRetryAfter)
		}
	}
	return defaultBlock
}

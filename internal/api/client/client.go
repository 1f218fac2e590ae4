// Package client calls the service's own HTTP API. It is small and typed. The command line and the
// tool server do all their work through it, so that every way into the service passes the same
// validation, gate and jobs. A problem of the API is returned as *posture.Problem with its one
// sentence.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// maxAnswer bounds a JSON answer in bytes; 50,000 findings take some 100 MB. Downloads are streamed
// and not bounded.
const maxAnswer = 512 << 20

// Doer sends a request, as *http.Client does. It must not follow redirects (see NewDoer), because
// the key would be sent along.
type Doer interface {
	Do(req *http.Request) (*http.Response, error)
}

// NewDoer returns the HTTP client for a Client. It returns redirects as responses and requires a
// response to begin within six minutes, because a call may wait five minutes for its job. proxy is
// as in http.Transport, nil for none.
func NewDoer(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Transport: &http.Transport{Proxy: proxy, DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second,
			ResponseHeaderTimeout: 6 * time.Minute, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address returns the address of the service, without a final slash.
func (c *Client) Address() string { return c.base }

// Options configures a Client. Key may be zero; URL, HTTP and Pause are required.
type Options struct {
	URL string // the address of the service, without /api
	// Own means that the address is this process itself, so that plain http exposes nothing to a network.
	Own   bool
	Key   secret.Text
	HTTP  Doer
	Pause func(ctx context.Context, d time.Duration) error // waits for d or until the context ends
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	base  string
	key   secret.Text
	http  Doer
	pause func(ctx context.Context, d time.Duration) error
}

// New returns a client. The address must be http or https with nothing but a path after the host.
// It must be https for another machine, because keys and edit tokens are sent to it.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of the service is not understood; use for example https://posture.example.com or " +
			"http://127.0.0.1:8080")
	}
	if u.Scheme == "http" && !o.Own && !config.Loopback(u.Hostname()) {
		return nil, fmt.Errorf("the address %s uses http to another machine, which would show the key to the network; use https", u.Host)
	}
	return &Client{base: strings.TrimRight(u.Scheme+"://"+u.Host+u.Path, "/"), key: o.Key, http: o.HTTP, pause: o.Pause}, nil
}

// WithKey returns a client of the same service with another key.
func (c *Client) WithKey(key secret.Text) *Client {
	other := *c
	other.key = key
	return &other
}

// UnreachableError means that no complete answer arrived, so it is unknown whether the service
// handled the request.
type UnreachableError struct {
	base string
	err  error
}

// Error names the service and the cause, but never the query.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the service at %s cannot be reached (%s); check the address, or start the service", e.base, withoutAddress(e.err))
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.err }

// withoutAddress removes the address that net/http adds to a cause.
func withoutAddress(err error) string {
	if sys, ok := errors.AsType[syscall.Errno](err); ok {
		return sys.Error()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

// Answer is a value with the JSON it was decoded from, which may hold more members.
type Answer[T any] struct {
	Value T
	Raw   json.RawMessage
}

// get reads JSON from a path.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (a Answer[T], err error) {
	_, a.Raw, err = c.call(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return a, err
	}
	return a, c.Decode(a.Raw, &a.Value)
}

// post sends a body as JSON and decodes the answer.
func post[T any](ctx context.Context, c *Client, path string, body any) (a Answer[T], err error) {
	_, a.Raw, err = c.call(ctx, http.MethodPost, path, nil, body, nil)
	if err != nil {
		return a, err
	}
	return a, c.Decode(a.Raw, &a.Value)
}

// Decode reads an answer of the service, or a part of one. What does not fit comes from another version, or from something else.
func (c *Client) Decode(raw json.RawMessage, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the answer of %s is not what this version understands (%w); use a command line and a service of the same version",
			c.base, err)
	}
	return nil
}

// call sends a request and returns the status and the whole body. A status other than 2xx is an error.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, body any,
	header http.Header) (int, json.RawMessage, error) {
	resp, err := c.send(ctx, method, path, query, body, header)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return 0, nil, c.elsewhere()
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, &UnreachableError{base: c.base, err: err}
	}
	if len(raw) > maxAnswer {
		return 0, nil, fmt.Errorf("the answer of %s is larger than %d MiB; ask for less", c.base, maxAnswer>>20)
	}
	return resp.StatusCode, raw, nil
}

// elsewhere is the error of a page for people in place of an answer: that of a proxy that wants a
// login, or of a wrong path.
func (c *Client) elsewhere() error {
	return fmt.Errorf("%s answered with a page and not as the service does; check that the address is that of the service, and that "+
		"nothing in front of it asks for a login", c.base)
}

// send returns an open 2xx response, or the problem as an error. The caller closes the body.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body any, header http.Header) (*http.Response, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var reader io.Reader
	if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, reader)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	maps.Copy(req.Header, header)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !c.key.IsZero() {
		req.Header.Set("X-API-Key", c.key.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &UnreachableError{base: c.base, err: err}
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, c.refusal(resp)
}

// maxProblem bounds how much of an error body is read.
const maxProblem = 1 << 20

// refusal reads the problem in a response. It does not repeat the text of anything else that may
// have answered, such as a proxy.
func (c *Client) refusal(resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // a truncated body fails to parse below
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var p struct {
		posture.Problem
		RequestID string `json:"requestId"`
	}
	if kind != "application/problem+json" || json.Unmarshal(raw, &p) != nil || p.Code == "" || p.Detail == "" {
		return fmt.Errorf("%s answered %d without saying why; check that the address is that of the service", c.base, resp.StatusCode)
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.RetryAfterSeconds = seconds
	}
	if p.Code == posture.CodeInternal && p.RequestID != "" {
		p.Detail = strings.TrimSuffix(p.Detail, ".") + " (request " + p.RequestID + ")."
	}
	return &p.Problem
}

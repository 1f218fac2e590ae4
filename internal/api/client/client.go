// Package client calls the service's own HTTP API. It is small and typed: the
// command line and the tool server do all their work through it, so that every
// way into the service passes the same validation, gate and jobs. A problem of
// the API comes back as *posture.Problem with its one sentence.
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

// maxAnswer bounds a JSON answer in bytes; 50,000 findings are some 100 MB.
// Downloads are streamed and have no bound.
const maxAnswer = 512 << 20

// Doer sends a request; *http.Client is one. It must not follow redirects (see
// NewDoer), because the key would travel with them.
type Doer interface {
	Do(req *http.Request) (*http.Response, error)
}

// NewDoer makes the HTTP client the Client is meant for: redirects are answers,
// an answer must begin within six minutes (a call may wait for its job for five).
// proxy is as in http.Transport, nil for none.
func NewDoer(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Transport: &http.Transport{Proxy: proxy, DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second,
			ResponseHeaderTimeout: 6 * time.Minute, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Options wires a Client. Key may be zero; URL, HTTP and Pause are needed.
type Options struct {
	URL string // where the service is, without /api
	// Own tells that the address is this process's, so that plain http shows
	// nothing to any network.
	Own   bool
	Key   secret.Text
	HTTP  Doer
	Pause func(ctx context.Context, d time.Duration) error // waits, or ends with the context
}

// Client calls one service. It may be used by many goroutines.
type Client struct {
	base  string
	key   secret.Text
	http  Doer
	pause func(ctx context.Context, d time.Duration) error
}

// New makes a client. The address must be http or https with nothing but a path
// behind it, and https when it is another machine's: keys and edit tokens travel
// to it.
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

// WithKey gives a client of the same service that calls with another key.
func (c *Client) WithKey(key secret.Text) *Client {
	other := *c
	other.key = key
	return &other
}

// UnreachableError means that no answer came: whether the service got the
// request is not known.
type UnreachableError struct {
	base string
	err  error
}

// Error names the service and the cause; never a query.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the service at %s cannot be reached (%s); check the address, or start the service", e.base, withoutAddress(e.err))
}

// Unwrap gives the cause.
func (e *UnreachableError) Unwrap() error { return e.err }

// withoutAddress drops the address net/http puts around a cause.
func withoutAddress(err error) string {
	if sys, ok := errors.AsType[syscall.Errno](err); ok {
		return sys.Error()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

// Answer is a value with the JSON it was read from, which may say more.
type Answer[T any] struct {
	Value T
	Raw   json.RawMessage
}

// get reads the JSON at a path into a value.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (a Answer[T], err error) {
	_, a.Raw, err = c.call(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return a, err
	}
	return a, c.decode(a.Raw, &a.Value)
}

// post sends a body as JSON and reads the answer.
func post[T any](ctx context.Context, c *Client, path string, body any) (a Answer[T], err error) {
	_, a.Raw, err = c.call(ctx, http.MethodPost, path, nil, body, nil)
	if err != nil {
		return a, err
	}
	return a, c.decode(a.Raw, &a.Value)
}

func (c *Client) decode(raw json.RawMessage, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the answer of %s is not what this version understands (%w); use a command line and a service of the same version",
			c.base, err)
	}
	return nil
}

// call sends a request and gives its status and whole body. What is not 2xx is
// an error.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, body any,
	header http.Header) (int, json.RawMessage, error) {
	resp, err := c.send(ctx, method, path, query, body, header)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, &UnreachableError{base: c.base, err: err}
	}
	if len(raw) > maxAnswer {
		return 0, nil, fmt.Errorf("the answer of %s is larger than %d MiB; ask for less", c.base, maxAnswer>>20)
	}
	return resp.StatusCode, raw, nil
}

// send gives an open 2xx answer, or the problem. The caller closes the body.
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

// maxProblem bounds what is read of an error.
const maxProblem = 1 << 20

// refusal reads the problem of an answer. Whatever else answered, a proxy for
// example, is not repeated.
func (c *Client) refusal(resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // what came is judged; half a problem is none
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

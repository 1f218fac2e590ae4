// Package outbound is the only HTTP client for everything that the service sends to anybody but the
// provider: chat, webhooks, search indexes, event collectors, key sets and model hosts. The
// addresses come from people and from settings, so each resolved address is checked against the
// networks that are not the public internet, right before it is dialed.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Defaults of Options, and fixed limits.
const (
	DefaultConnectTimeout = 5 * time.Second
	DefaultTimeout        = 30 * time.Second
	DefaultMaxBody        = 64 << 10 // bytes
	maxHeader             = 64 << 10 // bytes of a response's status line and header
	maxDrain              = 64 << 10 // bytes read past MaxBody to keep a connection
	drainWithin           = time.Second
	// idleFor is shorter than the usual idle timeout of servers, because a request fails if the
	// server closes the connection just as it is sent.
	idleFor = 4 * time.Second
)

// Resolver resolves host names, as *net.Resolver does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Doer sends a request, as *Client does. Senders take a Doer so that they are independent of how
// addresses are checked.
type Doer interface {
	Do(req *http.Request) (*Response, error)
}

// Options configures a Client. The zero value is the strictest.
type Options struct {
	// Allow lists networks that may be reached although they are not public, and by plain http.
	Allow []netip.Prefix
	// AllowPairs lists single hosts with a port that may be reached in the same way.
	AllowPairs []Pair
	// Resolver resolves names; nil is net.DefaultResolver.
	Resolver Resolver
	// ConnectTimeout bounds look-up and connection together, and separately the TLS handshake; 0 is 5 s.
	ConnectTimeout time.Duration
	// Timeout bounds the whole exchange, including the body; 0 is 30 s.
	Timeout time.Duration
	// MaxBody is how many bytes of a response are kept; 0 is 64 KiB.
	MaxBody int64
	// UserAgent is set on requests without one; "" is Edgeposture.
	UserAgent string
	// Roots are the trusted certificate authorities; nil is the system's.
	Roots *x509.CertPool
}

// Client sends requests. It is safe for concurrent use and must be closed.
type Client struct {
	plain     bool // allows plain http to public addresses, for tests
	transport *http.Transport
	timeout   time.Duration
	maxBody   int64
	agent     string
	closed    context.Context //nolint:containedctx // ends with Close, so that no dial outlives the client
	close     context.CancelFunc
}

// Response is a response whose connection has already been released. Truncated means that the body
// was longer than MaxBody and is incomplete.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool
}

// New returns a client.
func New(o Options) *Client {
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	d := &dialer{guard: newGuard(o.Allow, o.AllowPairs), resolver: o.Resolver, timeout: positive(o.ConnectTimeout, DefaultConnectTimeout),
		connect: connect}
	return newClient(o, d)
}

func newClient(o Options, d *dialer) *Client {
	c := &Client{timeout: positive(o.Timeout, DefaultTimeout), maxBody: positive(o.MaxBody, DefaultMaxBody),
		agent: cmp.Or(o.UserAgent, "Edgeposture")}
	c.closed, c.close = context.WithCancel(context.Background())
	c.transport = &http.Transport{
		Proxy: nil, // a proxy would resolve and dial unchecked
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			if err := c.closed.Err(); err != nil {
				return nil, err
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(c.closed, cancel)() //nolint:contextcheck // the client's own end ends a dial too
			return d.dial(ctx, address)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    d.timeout,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 only
		DisableCompression:     true,                                                   // a small body must not expand
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    4,
		MaxConnsPerHost:        16,
		IdleConnTimeout:        idleFor,
		ExpectContinueTimeout:  time.Second,
	}
	return c
}

func positive[T int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Close ends running dials and idle connections. Running requests end by their own deadline.
func (c *Client) Close() {
	c.close()
	c.transport.CloseIdleConnections()
}

// Do sends a request and reads at most MaxBody bytes of the response. Any status is a response,
// including a redirect, which is not followed. The error is a *DeniedError when the address may not
// be reached, and a *FailedError when no complete answer came; neither carries a path, a query, a
// header or what the other side sent. The body of the request is always closed.
func (c *Client) Do(req *http.Request) (*Response, error) {
	to, err := targetOf(req.URL)
	if err == nil && req.Host != "" && req.Host != req.URL.Host {
		err = &DeniedError{Host: to.host, Reason: "the Host header names another host"}
	}
	if err == nil && req.Method == http.MethodConnect {
		err = &DeniedError{Host: to.host, Reason: "the method CONNECT opens tunnels"}
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // nothing was sent from it
		}
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(req.Context(), plainKey{}, to.scheme == "http" && !c.plain), c.timeout)
	defer cancel()
	canonical := req.Clone(ctx)
	if canonical.Header == nil {
		canonical.Header = http.Header{}
	}
	canonical.Header.Set("User-Agent", cmp.Or(canonical.Header.Get("User-Agent"), c.agent))
	canonical.URL.Scheme, canonical.URL.Host, canonical.Host = to.scheme, to.authority(), ""
	// Use the transport directly: http.Client follows redirects and puts the whole address, which may
	// be a secret, into its errors.
	resp, err := c.transport.RoundTrip(canonical)
	if err != nil {
		return nil, failed(to.host, err)
	}
	defer func() { _ = resp.Body.Close() }() // the needed part was read
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, failed(to.host, errSwitched) // its body is the connection, which our deadline does not end
	}
	out := &Response{Status: resp.StatusCode, Header: resp.Header}
	if out.Body, out.Truncated, err = c.read(resp.Body, cancel); err != nil {
		return nil, failed(to.host, err)
	}
	return out, nil
}

// read keeps MaxBody bytes. It discards a short remainder so that the connection can be reused; a
// longer or slower one costs the connection, by cancel, but not the response.
func (c *Client) read(r io.Reader, cancel func()) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, c.maxBody))
	if err != nil || int64(len(body)) < c.maxBody {
		return body, false, err
	}
	defer time.AfterFunc(drainWithin, cancel).Stop()
	n, err := io.CopyN(io.Discard, r, maxDrain)
	return body, n > 0 || !errors.Is(err, io.EOF), nil
}

// Package outbound is the one HTTP client for everything the service sends to
// somebody other than the provider: chat, webhooks, search indexes, event
// collectors, key sets and model hosts. The addresses come from people and from
// settings, so each is held against a list of addresses that are not the public
// internet, after its name was resolved and right before it is dialled.
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

// Defaults of Options, and what cannot be chosen.
const (
	DefaultConnectTimeout = 5 * time.Second
	DefaultTimeout        = 30 * time.Second
	DefaultMaxBody        = 64 << 10 // bytes
	maxHeader             = 64 << 10 // bytes of a response's status line and header
	maxDrain              = 64 << 10 // bytes read past MaxBody to keep a connection
	drainWithin           = time.Second
	// idleFor is shorter than what servers commonly wait: one that closes just when
	// the next request is under way would make that fail.
	idleFor = 4 * time.Second
)

// Resolver finds the addresses of a host name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Doer sends a request; *Client is one. Senders take it so that they need not
// know how addresses are held.
type Doer interface {
	Do(req *http.Request) (*Response, error)
}

// Options configures a Client. The zero value is the strictest one.
type Options struct {
	// Allow lists networks that may be reached although they are not public, and by plain http.
	Allow []netip.Prefix
	// AllowPairs lists single hosts with a port that may be reached likewise.
	AllowPairs []Pair
	// Resolver finds addresses; nil takes net.DefaultResolver.
	Resolver Resolver
	// ConnectTimeout bounds look-up and connection, and again the TLS handshake; 0 takes 5 s.
	ConnectTimeout time.Duration
	// Timeout bounds the whole exchange, the body included; 0 takes 30 s.
	Timeout time.Duration
	// MaxBody is how many bytes of a response are kept; 0 takes 64 KiB.
	MaxBody int64
	// UserAgent names the sender to those who do not name themselves; "" takes Edgeposture.
	UserAgent string
	// Roots are the certificate authorities believed; nil takes the system's.
	Roots *x509.CertPool
}

// Client sends requests. It is safe for many goroutines and must be closed.
type Client struct {
	plain     bool // unencrypted to public addresses too, for tests
	transport *http.Transport
	timeout   time.Duration
	maxBody   int64
	agent     string
	closed    context.Context //nolint:containedctx // ends with Close, so that no dial outlives the client
	close     context.CancelFunc
}

// Response is an answer whose connection is already given back. Truncated tells
// that the body was longer than MaxBody and is not whole.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool
}

// New makes a client.
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
		Proxy: nil, // never from the environment: a proxy would resolve and dial unchecked
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
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 only: one request, one connection, one limit
		DisableCompression:     true,                                                   // a small answer must not unpack to a large one
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

// Close ends dials under way and idle connections. Requests under way end by
// their own deadline.
func (c *Client) Close() {
	c.close()
	c.transport.CloseIdleConnections()
}

// Do sends a request and reads its answer to MaxBody. Any status is an answer, a
// redirect too: none is followed. The error is a *DeniedError when the address
// may not be reached and a *FailedError when no whole answer came; neither
// carries a path, a query, a header or what the other side said. The body of
// the request is closed in every case.
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
	// The transport itself is asked, not http.Client: that one follows redirects
	// and writes the whole address, which may be a secret, into its errors.
	resp, err := c.transport.RoundTrip(canonical)
	if err != nil {
		return nil, failed(to.host, err)
	}
	defer func() { _ = resp.Body.Close() }() // what matters of it was read
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, failed(to.host, errSwitched) // its body is the connection, which no deadline of ours ends
	}
	out := &Response{Status: resp.StatusCode, Header: resp.Header}
	if out.Body, out.Truncated, err = c.read(resp.Body, cancel); err != nil {
		return nil, failed(to.host, err)
	}
	return out, nil
}

// read keeps MaxBody bytes. A rest that is short is read away, so that the
// connection can serve again; a longer or slower one costs the connection, by
// cancel, and not the answer.
func (c *Client) read(r io.Reader, cancel func()) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, c.maxBody))
	if err != nil || int64(len(body)) < c.maxBody {
		return body, false, err
	}
	defer time.AfterFunc(drainWithin, cancel).Stop()
	n, err := io.CopyN(io.Discard, r, maxDrain)
	return body, n > 0 || !errors.Is(err, io.EOF), nil
}

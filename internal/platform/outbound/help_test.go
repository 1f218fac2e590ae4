package outbound

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is a listener on loopback that counts who comes, and hangs up.
type counter struct {
	address netip.AddrPort
	came    atomic.Int64
}

func listen(t *testing.T) *counter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &counter{address: netip.MustParseAddrPort(l.Addr().String())}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.came.Add(1)
			_, _ = conn.Read(make([]byte, 1)) // the request has begun to arrive
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-done })
	return c
}

// names serves DNS on loopback and gives a resolver that asks it. answer gives
// the address of a question, or none.
func names(t *testing.T, answer func(name string, six bool) netip.Addr) *net.Resolver {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	started := make(chan struct{})
	server := &dns.Server{PacketConn: packets, NotifyStartedFunc: func() { close(started) }}
	server.Handler = dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		head := dns.RR_Header{Name: q.Question[0].Name, Rrtype: q.Question[0].Qtype, Class: dns.ClassINET}
		six := q.Question[0].Qtype == dns.TypeAAAA
		if a := answer(dns.Name(q.Question[0].Name).String(), six); a.IsValid() {
			if six {
				m.Answer = append(m.Answer, &dns.AAAA{Hdr: head, AAAA: a.AsSlice()})
			} else {
				m.Answer = append(m.Answer, &dns.A{Hdr: head, A: a.AsSlice()})
			}
		}
		_ = w.WriteMsg(m)
	})
	done := make(chan error, 1)
	go func() { done <- server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { require.NoError(t, server.Shutdown()); require.NoError(t, <-done) })
	address := packets.LocalAddr().String()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", address)
	}}
}

// leading makes a client whose every connection, whatever address was judged
// and chosen, leads to one listener: what arrives there was let through.
func leading(t *testing.T, o Options, to netip.AddrPort, changes ...func(*dialer)) *Client {
	t.Helper()
	d := &dialer{guard: newGuard(o.Allow, o.AllowPairs), resolver: o.Resolver, timeout: positive(o.ConnectTimeout, DefaultConnectTimeout)}
	d.connect = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) { return connect(ctx, to) }
	for _, change := range changes {
		change(d)
	}
	c := newClient(o, d)
	c.plain = true
	t.Cleanup(c.Close)
	return c
}

// withoutBlocks takes the list of addresses away.
func withoutBlocks(d *dialer) { d.guard = &guard{global: netip.MustParsePrefix("::/0")} }

// receiver serves a handler on loopback, and a client that may reach it.
func receiver(t *testing.T, h http.HandlerFunc, o Options) (string, *Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, reaching(t, o)
}

func secureReceiver(t *testing.T, o Options, change func(*httptest.Server)) (string, *Client) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("safe")) }))
	s.Config.ErrorLog = quiet()
	change(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	if o.Roots != nil {
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(s.Certificate())
	}
	return s.URL, reaching(t, o)
}

func reaching(t *testing.T, o Options) *Client {
	t.Helper()
	o.Allow = append(o.Allow, netip.MustParsePrefix("127.0.0.0/8"))
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func get(t *testing.T, c *Client, url string) (*Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	return c.Do(req)
}

package outbound

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const public = "93.184.215.14"

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// alternating answers each question for IPv4 with a public address and with
// loopback in turn.
func alternating(t *testing.T) (*net.Resolver, *atomic.Int64) {
	asked := new(atomic.Int64)
	return names(t, func(_ string, six bool) netip.Addr {
		switch {
		case six:
			return netip.Addr{}
		case asked.Add(1)%2 == 1:
			return netip.MustParseAddr(public)
		default:
			return netip.MustParseAddr("127.0.0.1")
		}
	}), asked
}

// TestRebinding dials a name 1,000 times whose address changes with every
// question. What is not loopback is not dialled here but written down.
func TestRebinding(t *testing.T) {
	trap := listen(t)
	run := func(o Options) (publicly, denied int64) {
		resolver, asked := alternating(t)
		o.Resolver = resolver
		var dialled atomic.Int64
		client := leading(t, o, trap.address, func(d *dialer) {
			d.connect = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
				if to.Addr().IsLoopback() {
					return connect(ctx, to)
				}
				dialled.Add(1)
				require.Equal(t, public, to.Addr().String())
				return nil, syscall.ECONNREFUSED
			}
		})
		for range 1000 {
			_, err := get(t, client, "http://rebind.test:"+strconv.Itoa(int(trap.address.Port()))+"/")
			if _, ok := err.(*DeniedError); ok { //nolint:errorlint // Do gives it unwrapped
				denied++
			}
		}
		require.EqualValues(t, 1000, asked.Load(), "one look-up for each dial, and none between judging and dialling")
		return dialled.Load(), denied
	}
	publicly, denied := run(Options{})
	require.Zero(t, trap.came.Load(), "connections")
	require.EqualValues(t, 500, publicly)
	require.EqualValues(t, 500, denied)

	_, denied = run(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	require.Zero(t, denied)
	require.EqualValues(t, 500, trap.came.Load(), "with loopback allowed the test connects")
}

// stub resolves every name to the same addresses.
type stub []netip.Addr

func (s stub) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return s, nil }

func addresses(all ...string) (out stub) {
	for _, a := range all {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}

// TestSeveralAnswers: the refused ones are not dialled, the others are, in order.
func TestSeveralAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		answers stub
		want    []string
		denied  bool
	}{
		"mixed":          {addresses("127.0.0.1", public, "10.0.0.1", "2606:2800:21f::1", "::1"), []string{public, "2606:2800:21f::1"}, false},
		"all refused":    {addresses("127.0.0.1", "fd00::1", "169.254.169.254"), nil, true},
		"mapped public":  {addresses("::ffff:" + public), []string{public}, false},
		"mapped private": {addresses("::ffff:10.0.0.1", "::ffff:127.0.0.1"), nil, true},
		"with a zone":    {addresses("fe80::1%lo", "2606:2800:21f::1%lo"), nil, true},
		"invalid":        {stub{{}}, nil, true},
		"none":           {nil, nil, false},
		"more than a dozen": {addresses("8.0.0.1", "8.0.0.2", "8.0.0.3", "8.0.0.4", "8.0.0.5", "8.0.0.6", "8.0.0.7", "8.0.0.8", "8.0.0.9",
			"8.0.0.10"), []string{"8.0.0.1", "8.0.0.2", "8.0.0.3", "8.0.0.4", "8.0.0.5", "8.0.0.6", "8.0.0.7", "8.0.0.8"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var dialled []string
			client := leading(t, Options{Resolver: tc.answers}, netip.AddrPort{}, func(d *dialer) {
				d.connect = func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
					dialled = append(dialled, to.Addr().String())
					return nil, syscall.ECONNREFUSED
				}
			})
			_, err := get(t, client, "http://several.test/")
			require.Error(t, err)
			require.Equal(t, tc.want, dialled)
			var denied *DeniedError
			require.Equal(t, tc.denied, errorsAs(err, &denied))
			if tc.denied {
				require.ErrorContains(t, err, "several.test")
				require.ErrorContains(t, err, "SERVICE_OUTBOUND_ALLOW")
			}
		})
	}
}

// TestRedirectsAreAnswers asks a server 1,000 times that leads to loopback, by
// every status and in chains: no second request is made.
func TestRedirectsAreAnswers(t *testing.T) {
	trap := listen(t)
	inside := "http://" + trap.address.String() + "/"
	var served atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		n, _ := strconv.Atoi(r.URL.Path[1:])
		to := inside
		if n%2 == 1 {
			to = "/" + strconv.Itoa(n+2) // a chain
		}
		w.Header().Set("Location", to)
		w.Header().Set("Refresh", "0; url="+to)
		w.WriteHeader([]int{301, 302, 303, 307, 308}[n%5])
	}))
	defer s.Close()
	client := leading(t, Options{Resolver: addresses(public)}, netip.MustParseAddrPort(s.Listener.Addr().String()))
	for i := range 1000 {
		got, err := get(t, client, "http://public.test/"+strconv.Itoa(i))
		require.NoError(t, err)
		require.Equal(t, 3, got.Status/100)
	}
	require.EqualValues(t, 1000, served.Load())
	require.Zero(t, trap.came.Load())

	follower := &http.Client{Transport: client.transport, Timeout: DefaultTimeout}
	client.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return connect(ctx, trap.address) }
	client.transport.CloseIdleConnections()
	resp, err := follower.Get("http://public.test/0")
	if err == nil {
		_ = resp.Body.Close()
	}
	require.NotZero(t, trap.came.Load(), "a client that follows is seen by the trap")
}

package resolve_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a name server that answers with h and gives its address.
func serve(t *testing.T, h dns.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	packets, err := net.ListenPacket("udp", listener.Addr().String())
	require.NoError(t, err)
	started := make(chan struct{}, 2)
	for _, s := range []*dns.Server{{PacketConn: packets}, {Listener: listener}} {
		s.Handler, s.NotifyStartedFunc = h, func() { started <- struct{}{} }
		done := make(chan error, 1)
		go func() { done <- s.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { require.NoError(t, s.Shutdown()); require.NoError(t, <-done) })
	}
	return listener.Addr().String()
}

func ask(t *testing.T, server, kind, name string) (snapshot.Lookup, error) {
	t.Helper()
	r, err := resolve.New(resolve.Options{Server: server, Timeout: 500 * time.Millisecond})
	require.NoError(t, err)
	return r.Lookup(t.Context(), snapshot.Question{Type: kind, Name: name})
}

func record(t *testing.T, text string) dns.RR {
	t.Helper()
	rr, err := dns.NewRR(text)
	require.NoError(t, err)
	return rr
}

func TestAnswers(t *testing.T) {
	world := map[string][]string{
		"A www.test.": {"www.test. 60 IN CNAME Edge.test.", "edge.test. 60 IN CNAME pool.test.", "pool.test. 60 IN A 192.0.2.7",
			"pool.test. 60 IN A 192.0.2.2"},
		"A half.test.": {"half.test. 60 IN CNAME pool.test."}, "A pool.test.": {"pool.test. 60 IN A 192.0.2.2"},
		"CNAME www.test.":       {"www.test. 60 IN CNAME edge.test."},
		"MX mail.test.":         {"mail.test. 60 IN MX 10 Mx1.mail.test."},
		"SRV _s._tcp.test.":     {"_s._tcp.test. 60 IN SRV 1 2 443 srv.test."},
		"TXT text.test.":        {`text.test. 60 IN TXT "v=spf1 " "-all"`},
		"NS zone.test.":         {"zone.test. 60 IN NS b.ns.test.", "zone.test. 60 IN NS a.ns.test."},
		"AAAA six.test.":        {"six.test. 60 IN AAAA 2001:db8::1"},
		"SOA zone.test.":        {"zone.test. 60 IN SOA a.ns.test. host.test. 1 2 3 4 5"},
		"TXT big.test.":         {`big.test. 60 IN TXT ` + strings.Repeat(`"`+strings.Repeat("x", 200)+`" `, 12)},
		"A xn--bcher-kva.test.": {"xn--bcher-kva.test. 60 IN A 192.0.2.9"},
	}
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		lines, known := world[dns.TypeToString[q.Question[0].Qtype]+" "+q.Question[0].Name]
		if !known {
			m.Rcode = dns.RcodeNameError
		}
		for _, l := range lines {
			m.Answer = append(m.Answer, record(t, l))
		}
		if _, datagram := w.LocalAddr().(*net.UDPAddr); datagram {
			m.Truncate(1232)
		}
		_ = w.WriteMsg(m)
	})
	for _, tc := range []struct {
		kind, name string
		want       snapshot.Lookup
	}{
		{"A", "WWW.test.", snapshot.Lookup{Rcode: "NOERROR", Chain: []string{"edge.test", "pool.test"},
			Answers: []string{"192.0.2.2", "192.0.2.7"}}},
		{"A", "half.test", snapshot.Lookup{Rcode: "NOERROR", Chain: []string{"pool.test"}, Answers: []string{"192.0.2.2"}}},
		{"CNAME", "www.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"edge.test"}}},
		{"mx", "mail.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"mx1.mail.test"}}},
		{"SRV", "_s._tcp.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"srv.test"}}},
		{"TXT", "text.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"v=spf1 -all"}}},
		{"NS", "zone.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"a.ns.test", "b.ns.test"}}},
		{"AAAA", "six.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"2001:db8::1"}}},
		{"SOA", "zone.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"a.ns.test"}}},
		{"TXT", "big.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{strings.Repeat("x", 2400)}}},
		{"A", "Bücher.test", snapshot.Lookup{Rcode: "NOERROR", Answers: []string{"192.0.2.9"}}},
		{"A", "gone.test", snapshot.Lookup{Rcode: "NXDOMAIN", Answers: []string{}}},
	} {
		got, err := ask(t, server, tc.kind, tc.name)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.want, got, tc.name)
	}
}

// TestTroubleIsNoAnswer tells silence and a single failure, which prove nothing,
// from a failure that came twice.
func TestTroubleIsNoAnswer(t *testing.T) {
	var asked atomic.Int32
	with := func(rcodes ...int) string {
		asked.Store(0)
		return serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
			n := int(asked.Add(1)) - 1
			if n >= len(rcodes) || rcodes[n] < 0 {
				return // silence
			}
			m := new(dns.Msg)
			m.SetRcode(q, rcodes[n])
			_ = w.WriteMsg(m)
		})
	}
	got, err := ask(t, with(dns.RcodeServerFailure, dns.RcodeServerFailure), "A", "x.test")
	require.NoError(t, err)
	require.Equal(t, "SERVFAIL", got.Rcode)
	got, err = ask(t, with(dns.RcodeServerFailure, dns.RcodeNameError), "A", "x.test")
	require.NoError(t, err)
	require.True(t, got.Missing())
	got, err = ask(t, with(-1, dns.RcodeSuccess), "A", "x.test")
	require.NoError(t, err)
	require.Equal(t, "NOERROR", got.Rcode)
	_, err = ask(t, with(-1, -1), "A", "x.test")
	require.ErrorContains(t, err, "look up A x.test")
	_, err = ask(t, with(dns.RcodeServerFailure, -1), "A", "x.test")
	require.Error(t, err)
}

// TestAbsenceIsProven: what a resolver of the system does not know is absent only if it knows the public name space.
func TestAbsenceIsProven(t *testing.T) {
	for _, tc := range []struct {
		com    int // what it says of the domain com
		proven bool
	}{{dns.RcodeSuccess, true}, {dns.RcodeNameError, false}, {dns.RcodeServerFailure, false}} {
		server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
			m := new(dns.Msg)
			m.SetRcode(q, map[string]int{"com.": tc.com, "here.test.": dns.RcodeSuccess, "gone.test.": dns.RcodeNameError}[q.Question[0].Name])
			_ = w.WriteMsg(m)
		})
		r, err := resolve.New(resolve.Options{Server: server, Unproven: true, Timeout: 500 * time.Millisecond})
		require.NoError(t, err)
		_, err = r.Lookup(t.Context(), snapshot.Question{Type: "A", Name: "here.test"})
		require.NoError(t, err, "what is there needs no proof")
		got, err := r.Lookup(t.Context(), snapshot.Question{Type: "A", Name: "gone.test"})
		require.Equal(t, tc.proven, err == nil && got.Missing())
		if !tc.proven {
			require.ErrorContains(t, err, "SERVICE_DNS_RESOLVER")
		}
		got, err = ask(t, server, "A", "gone.test")
		require.NoError(t, err, "an operator who names a resolver vouches for it")
		require.True(t, got.Missing())
	}
}

func TestBadQuestionsAndServers(t *testing.T) {
	for _, q := range []snapshot.Question{{Type: "A"}, {Type: "ODD", Name: "x.test"}, {Type: "A", Name: strings.Repeat("a", 64) + ".test"}} {
		r, err := resolve.New(resolve.Options{Server: "127.0.0.1:1"})
		require.NoError(t, err)
		_, err = r.Lookup(t.Context(), q)
		require.ErrorContains(t, err, "no question")
	}
	for _, server := range []string{"9.9.9.9", ":53", "host:", "http://x"} {
		_, err := resolve.New(resolve.Options{Server: server})
		require.Error(t, err, server)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := resolve.New(resolve.Options{Server: "127.0.0.1:1"})
	require.NoError(t, err)
	_, err = r.Lookup(ctx, snapshot.Question{Type: "A", Name: "x.test"})
	require.ErrorIs(t, err, context.Canceled)
}

// TestSimulatedNames asks the simulation over the wire what it says directly.
func TestSimulatedNames(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 3, Accounts: []simcloud.AccountSpec{{Zones: 2, Clean: true,
		ZoneNames: []string{"shop.example"}}}})
	server, err := resolve.Serve(t.Context(), "127.0.0.1:0", cloud)
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	for _, q := range []snapshot.Question{{Type: "NS", Name: "shop.example"}, {Type: "TXT", Name: "_dmarc.shop.example"},
		{Type: "A", Name: "nobody.shop.example"}, {Type: "A", Name: "elsewhere.example"}} {
		rcode, chain, answers := cloud.Resolve(q.Type, q.Name)
		got, err := ask(t, server.Addr, q.Type, q.Name)
		require.NoError(t, err)
		require.Equal(t, rcode, got.Rcode, q.Scope())
		require.Equal(t, chain, got.Chain, q.Scope())
		require.ElementsMatch(t, answers, got.Answers, q.Scope())
	}
}

func FuzzLookupNames(f *testing.F) {
	f.Add("A", "www.test")
	f.Add("TXT", "\x00..")
	f.Add("", "*._domainkey.x")
	f.Fuzz(func(t *testing.T, kind, name string) {
		defer fuzztest.Bound(t)()
		r, err := resolve.New(resolve.Options{Server: "127.0.0.1:1", Timeout: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Lookup(ctx, snapshot.Question{Type: kind, Name: name}); err == nil {
			t.Fatal("an answer without a question asked")
		}
	})
}

// TestAnswersToAnotherQuestion: what does not answer the question, and what breaks off, says nothing about a name. Aliases that go
// in a circle or on and on end.
func TestAnswersToAnotherQuestion(t *testing.T) {
	for name, change := range map[string]func(*dns.Msg){
		"another name": func(m *dns.Msg) { m.Question[0].Name, m.Rcode = "other.test.", dns.RcodeNameError },
		"another type": func(m *dns.Msg) { m.Question[0].Qtype = dns.TypeAAAA },
		"no question":  func(m *dns.Msg) { m.Question, m.Rcode = nil, dns.RcodeNameError },
		"a question":   func(m *dns.Msg) { m.Response = false },
		"cut off":      func(m *dns.Msg) { m.Truncated = true },
		"a circle": func(m *dns.Msg) {
			m.Answer = append(m.Answer, record(t, "www.test. 60 IN CNAME b.test."), record(t, "b.test. 60 IN CNAME www.test."))
		},
		"a new alias each time": func(m *dns.Msg) {
			m.Answer = append(m.Answer, record(t, m.Question[0].Name+" 60 IN CNAME x"+m.Question[0].Name))
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
				m := new(dns.Msg).SetReply(q)
				change(m)
				_ = w.WriteMsg(m)
			})
			got, err := ask(t, server, "A", "www.test")
			require.Error(t, err, "%+v", got)
		})
	}
}

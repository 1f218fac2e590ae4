package resolve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/miekg/dns"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Names answers questions, as a Resolver and a recording do.
type Names interface {
	Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error)
}

// Server is a running DNS server, over UDP and TCP.
type Server struct {
	// Addr is host:port, the same for both transports.
	Addr     string
	udp, tcp *dns.Server
	done     chan error
}

// Serve answers DNS queries from names at a loopback address, until Close or until ctx ends.
func Serve(ctx context.Context, address string, names Names) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for name questions: %w", err)
	}
	packets, err := new(net.ListenConfig).ListenPacket(ctx, "udp", listener.Addr().String())
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("listen for name questions: %w", err)
	}
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) { reply(ctx, w, question, names) })
	s := &Server{Addr: listener.Addr().String(), udp: &dns.Server{PacketConn: packets, Handler: handler},
		tcp: &dns.Server{Listener: listener, Handler: handler}, done: make(chan error, 2)}
	started := make(chan struct{}, 2)
	for _, server := range []*dns.Server{s.udp, s.tcp} {
		server.NotifyStartedFunc = func() { started <- struct{}{} }
		go func() { s.done <- server.ActivateAndServe() }()
	}
	<-started
	<-started
	return s, nil
}

// Close stops the server and waits for it.
func (s *Server) Close() error {
	udp, tcp := s.udp.Shutdown(), s.tcp.Shutdown()
	return errors.Join(udp, tcp, <-s.done, <-s.done)
}

// patience bounds one answer; clients give up earlier.
const patience = 10 * time.Second

func reply(ctx context.Context, w dns.ResponseWriter, question *dns.Msg, names Names) {
	out := new(dns.Msg)
	out.SetReply(question)
	out.RecursionAvailable = true
	if len(question.Question) == 1 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		answer(ctx, out, question.Question[0], names)
	}
	if opt := question.IsEdns0(); opt != nil {
		out.SetEdns0(opt.UDPSize(), false)
		if _, datagram := w.LocalAddr().(*net.UDPAddr); datagram {
			out.Truncate(int(opt.UDPSize()))
		}
	}
	_ = w.WriteMsg(out)
}

// answer refuses a question that names cannot answer.
func answer(ctx context.Context, out *dns.Msg, q dns.Question, names Names) {
	found, err := names.Lookup(ctx, snapshot.Question{Type: dns.TypeToString[q.Qtype], Name: plain(bare(q.Name))})
	if err != nil {
		out.Rcode = dns.RcodeRefused
		return
	}
	out.Rcode = dns.StringToRcode[found.Rcode]
	name := q.Name
	for _, target := range found.Chain {
		out.Answer = append(out.Answer, &dns.CNAME{Hdr: header(name, dns.TypeCNAME), Target: dns.Fqdn(target)})
		name = dns.Fqdn(target)
	}
	for _, text := range found.Answers {
		if rr := newRecord(header(name, q.Qtype), text); rr != nil {
			out.Answer = append(out.Answer, rr)
		}
	}
}

// plain returns a name without the escapes of its text form, such as those of blanks.
func plain(name string) string {
	return regexp.MustCompile(`\\(?:\d{3}|.)`).ReplaceAllStringFunc(name, func(escape string) string {
		if n, err := strconv.ParseUint(escape[1:], 10, 8); err == nil && len(escape) == 4 {
			return string([]byte{byte(n)})
		}
		return escape[1:]
	})
}

func header(name string, kind uint16) dns.RR_Header {
	return dns.RR_Header{Name: name, Rrtype: kind, Class: dns.ClassINET, Ttl: 60}
}

func newRecord(h dns.RR_Header, text string) dns.RR {
	switch h.Rrtype {
	case dns.TypeA:
		return &dns.A{Hdr: h, A: net.ParseIP(text)}
	case dns.TypeAAAA:
		return &dns.AAAA{Hdr: h, AAAA: net.ParseIP(text)}
	case dns.TypeCNAME:
		return &dns.CNAME{Hdr: h, Target: dns.Fqdn(text)}
	case dns.TypeNS:
		return &dns.NS{Hdr: h, Ns: dns.Fqdn(text)}
	case dns.TypeMX:
		return &dns.MX{Hdr: h, Preference: 10, Mx: dns.Fqdn(text)}
	case dns.TypeSRV:
		return &dns.SRV{Hdr: h, Port: 443, Target: dns.Fqdn(text)}
	case dns.TypeSOA:
		return &dns.SOA{Hdr: h, Ns: dns.Fqdn(text), Mbox: "hostmaster.invalid."}
	case dns.TypeTXT:
		return &dns.TXT{Hdr: h, Txt: split(text)}
	}
	return nil
}

// split splits a text into strings of at most 255 octets, the limit in TXT records.
func split(text string) []string {
	var out []string
	for len(text) > 255 {
		out, text = append(out, text[:255]), text[255:]
	}
	return append(out, text)
}

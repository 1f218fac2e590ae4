package simcloud

import (
	"errors"
	"fmt"
	"net"

	"github.com/miekg/dns"
)

// DNSServer is a running name server of a cloud, over UDP and TCP.
type DNSServer struct {
	// Addr is host:port, the same for both transports.
	Addr     string
	udp, tcp *dns.Server
	done     chan error
}

// StartDNS serves what Resolve says on a loopback address with a free port.
func (cl *Cloud) StartDNS(address string) (*DNSServer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for name questions: %w", err)
	}
	packets, err := net.ListenPacket("udp", listener.Addr().String())
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("listen for name questions: %w", err)
	}
	handler := dns.HandlerFunc(cl.serveDNS)
	s := &DNSServer{Addr: listener.Addr().String(), udp: &dns.Server{PacketConn: packets, Handler: handler},
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
func (s *DNSServer) Close() error {
	udp, tcp := s.udp.Shutdown(), s.tcp.Shutdown()
	return errors.Join(udp, tcp, <-s.done, <-s.done)
}

func (cl *Cloud) serveDNS(w dns.ResponseWriter, question *dns.Msg) {
	reply := new(dns.Msg)
	reply.SetReply(question)
	reply.RecursionAvailable = true
	if len(question.Question) == 1 {
		cl.answerDNS(reply, question.Question[0])
	}
	if opt := question.IsEdns0(); opt != nil {
		reply.SetEdns0(opt.UDPSize(), false)
		if _, datagram := w.LocalAddr().(*net.UDPAddr); datagram {
			reply.Truncate(int(opt.UDPSize()))
		}
	}
	_ = w.WriteMsg(reply)
}

func (cl *Cloud) answerDNS(reply *dns.Msg, q dns.Question) {
	kind := dns.TypeToString[q.Qtype]
	rcode, chain, answers := cl.Resolve(kind, q.Name)
	reply.Rcode = dns.StringToRcode[rcode]
	name := q.Name
	for _, target := range chain {
		reply.Answer = append(reply.Answer, &dns.CNAME{Hdr: header(name, dns.TypeCNAME), Target: dns.Fqdn(target)})
		name = dns.Fqdn(target)
	}
	for _, text := range answers {
		if rr := newRecord(header(name, q.Qtype), text); rr != nil {
			reply.Answer = append(reply.Answer, rr)
		}
	}
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

// split cuts a text into strings of at most 255 octets, as TXT records hold them.
func split(text string) []string {
	var out []string
	for len(text) > 255 {
		out, text = append(out, text[:255]), text[255:]
	}
	return append(out, text)
}

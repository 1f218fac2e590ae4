// Package resolve queries the public DNS. It is the only package that does; its results become a
// section of the snapshot like any other read.
//
// Queries follow RFC 1035, with EDNS0 (RFC 6891), and TCP when an answer does not fit into a datagram.
package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Options configures a Resolver.
type Options struct {
	// Server is host:port of the resolver; "" uses those of /etc/resolv.conf.
	Server string
	// Unproven makes the absence of a name an error until Server has shown that it knows the public
	// name space, as those of /etc/resolv.conf have to. In a closed network they may know no name.
	Unproven bool
	// Timeout bounds one attempt; 0 is 3 s.
	Timeout time.Duration
}

// Resolver queries one or several recursive resolvers. It is safe for concurrent use.
type Resolver struct {
	servers []string
	udp     *dns.Client
	tcp     *dns.Client
	public  atomic.Bool // whether the absence of a name is believed
}

const (
	systemConfig = "/etc/resolv.conf"
	payload      = 1232 // octets that are never fragmented (DNS flag day 2020)
	tries        = 2
	longestChain = 8
)

// New returns a resolver; it sends nothing yet.
func New(o Options) (*Resolver, error) {
	timeout := cmp.Or(o.Timeout, 3*time.Second)
	r := &Resolver{udp: &dns.Client{Net: "udp", Timeout: timeout, UDPSize: payload}, tcp: &dns.Client{Net: "tcp", Timeout: timeout}}
	if o.Server != "" {
		if err := Check(o.Server); err != nil {
			return nil, err
		}
		r.servers = []string{o.Server}
		r.public.Store(!o.Unproven)
		return r, nil
	}
	config, err := dns.ClientConfigFromFile(systemConfig)
	if err != nil || len(config.Servers) == 0 {
		return nil, fmt.Errorf("%s names no resolver; set SERVICE_DNS_RESOLVER to host:port, or to off", systemConfig)
	}
	for _, s := range config.Servers {
		r.servers = append(r.servers, net.JoinHostPort(s, config.Port))
	}
	return r, nil
}

// Check validates that an address has the form host:port.
func Check(server string) error {
	host, port, err := net.SplitHostPort(server)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" {
		return errors.New("the resolver is not host:port; use for example 9.9.9.9:53")
	}
	return nil
}

// Lookup answers one question. A name that does not exist is an answer, as is a server failure that
// occurs twice; no answer at all is an error, and so is the absence of a name where the resolver is
// not known to know the public name space.
func (r *Resolver) Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	kind, known := dns.StringToType[strings.ToUpper(q.Type)]
	if _, valid := dns.IsDomainName(q.Name); !known || !valid || q.Name == "" {
		return snapshot.Lookup{}, fmt.Errorf("%q is no question for the name system", q.Scope())
	}
	out := snapshot.Lookup{Answers: []string{}}
	name := dns.CanonicalName(snapshot.ASCII(q.Name))
	for {
		reply, err := r.ask(ctx, name, kind)
		if err == nil && reply.Rcode == dns.RcodeNameError {
			err = r.knowsPublic(ctx)
		}
		if err != nil {
			return snapshot.Lookup{}, fmt.Errorf("look up %s: %w", q.Scope(), err)
		}
		out.Rcode = dns.RcodeToString[reply.Rcode]
		if kind == dns.TypeCNAME {
			out.Answers = texts(reply.Answer, name, kind)
			return out, nil
		}
		end := follow(reply.Answer, name)
		for _, n := range end {
			out.Chain = append(out.Chain, bare(n))
		}
		if len(end) > 0 {
			name = end[len(end)-1]
		}
		out.Answers = texts(reply.Answer, name, kind)
		// If a resolver stops at an alias, query its target.
		if len(out.Answers) > 0 || len(end) == 0 || reply.Rcode != dns.RcodeSuccess {
			return out, nil
		}
		if len(out.Chain) >= longestChain {
			return snapshot.Lookup{}, fmt.Errorf("look up %s: more than %d aliases follow each other", q.Scope(), longestChain)
		}
	}
}

// knowsPublic returns an error when the resolver says that a name does not exist which surely does.
func (r *Resolver) knowsPublic(ctx context.Context) error {
	if r.public.Load() {
		return nil
	}
	reply, err := r.ask(ctx, "com.", dns.TypeSOA)
	if err != nil {
		return err
	}
	if reply.Rcode != dns.RcodeSuccess {
		return errors.New("the resolver of the system does not know the domain com, so nothing follows from a name that it does not know; " +
			"set SERVICE_DNS_RESOLVER to one that answers for the internet, or to off")
	}
	r.public.Store(true)
	return nil
}

// ask returns the first usable reply. A server failure counts as one when it occurs twice.
func (r *Resolver) ask(ctx context.Context, name string, kind uint16) (*dns.Msg, error) {
	var failed *dns.Msg
	var last error
	for range tries {
		for _, server := range r.servers {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			reply, err := r.exchange(ctx, server, name, kind)
			switch {
			case err != nil:
				last = err
			case reply.Rcode == dns.RcodeSuccess || reply.Rcode == dns.RcodeNameError:
				return reply, nil
			case failed != nil:
				return failed, nil
			default:
				failed = reply
			}
		}
	}
	if last == nil {
		last = fmt.Errorf("the resolver failed once and then gave no answer: %s", dns.RcodeToString[failed.Rcode])
	}
	return nil, last
}

// exchange returns a whole reply to the question that was asked (RFC 5452, section 9.1).
func (r *Resolver) exchange(ctx context.Context, server, name string, kind uint16) (*dns.Msg, error) {
	question := new(dns.Msg)
	question.SetQuestion(name, kind)
	question.SetEdns0(payload, false)
	reply, _, err := r.udp.ExchangeContext(ctx, question, server)
	if err == nil && reply.Truncated {
		reply, _, err = r.tcp.ExchangeContext(ctx, question, server)
	}
	switch {
	case err != nil:
		return nil, err
	case reply.Truncated:
		return nil, errors.New("the resolver cut its answer off")
	case !reply.Response || len(reply.Question) != 1 || reply.Question[0].Qtype != kind || !strings.EqualFold(reply.Question[0].Name, name):
		return nil, errors.New("the resolver answered another question")
	}
	return reply, nil
}

// follow returns the chain of aliases that starts at name.
func follow(records []dns.RR, name string) []string {
	var chain []string
	for len(chain) < longestChain {
		i := slices.IndexFunc(records, func(rr dns.RR) bool {
			c, ok := rr.(*dns.CNAME)
			return ok && strings.EqualFold(c.Hdr.Name, name)
		})
		if i < 0 {
			return chain
		}
		alias, _ := records[i].(*dns.CNAME)
		name = dns.CanonicalName(alias.Target)
		chain = append(chain, name)
	}
	return chain
}

func bare(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// address returns the text of an address, which may be missing in a record.
func address(ip net.IP) []string {
	if len(ip) == 0 {
		return nil
	}
	return []string{ip.String()}
}

// texts returns the records of a type at a name, in the form of snapshot.Lookup.
func texts(records []dns.RR, name string, kind uint16) []string {
	out := []string{}
	for _, rr := range records {
		if rr.Header().Rrtype != kind || !strings.EqualFold(rr.Header().Name, name) {
			continue
		}
		switch v := rr.(type) {
		case *dns.A:
			out = append(out, address(v.A)...)
		case *dns.AAAA:
			out = append(out, address(v.AAAA)...)
		case *dns.CNAME:
			out = append(out, bare(v.Target))
		case *dns.NS:
			out = append(out, bare(v.Ns))
		case *dns.MX:
			out = append(out, bare(v.Mx))
		case *dns.SRV:
			out = append(out, bare(v.Target))
		case *dns.SOA:
			out = append(out, bare(v.Ns))
		case *dns.TXT:
			out = append(out, strings.Join(v.Txt, ""))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

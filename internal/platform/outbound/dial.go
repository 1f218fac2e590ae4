package outbound

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// maxCandidates is how many addresses of one name are tried.
const maxCandidates = 8

// dialer resolves, judges and connects. What is judged is what is dialled: the
// connection goes to the very address, and no name is looked up twice.
type dialer struct {
	guard    *guard
	resolver Resolver
	timeout  time.Duration
	connect  func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

func connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	var d net.Dialer
	return d.DialTCP(ctx, "tcp", netip.AddrPort{}, to)
}

// dial connects to host:port within the timeout.
func (d *dialer) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	candidates, err := d.candidates(ctx, host, uint16(port))
	if err != nil {
		return nil, err
	}
	var last error
	for i, to := range candidates {
		conn, err := d.try(ctx, to, len(candidates)-i)
		if err == nil {
			return conn, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

// try gives one address its share of the time that is left, so that a silent
// one does not use up that of the others.
func (d *dialer) try(ctx context.Context, to netip.AddrPort, left int) (net.Conn, error) {
	deadline, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
	defer cancel()
	return d.connect(ctx, to)
}

// candidates gives the addresses of a host that may be dialled, or why there is
// none.
func (d *dialer) candidates(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	found, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	var out []netip.AddrPort
	var reason string
	for _, a := range found {
		to := netip.AddrPortFrom(a, port)
		if r := d.guard.refuses(host, to, unencrypted(ctx)); r != "" {
			reason = r
		} else if len(out) < maxCandidates {
			out = append(out, to)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if reason == "" {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	return nil, &DeniedError{Host: host, Reason: reason, Private: true}
}

// plainKey marks the context of a request that is not encrypted: the transport dials for both.
type plainKey struct{}

func unencrypted(ctx context.Context) bool {
	plain, _ := ctx.Value(plainKey{}).(bool)
	return plain
}

// lookup gives the addresses of a host. Resolvers hand out IPv4 answers in the
// IPv6 form, so they are judged as what they are.
func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	found, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, nil
}

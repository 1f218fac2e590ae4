package outbound

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// maxCandidates bounds how many addresses of one name are tried.
const maxCandidates = 8

// dialer resolves, checks and connects. The checked address is the one that is dialed; no name is
// resolved twice.
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

// try gives one address its share of the remaining time, so that a silent one does not use up the
// time of the others.
func (d *dialer) try(ctx context.Context, to netip.AddrPort, left int) (net.Conn, error) {
	deadline, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
	defer cancel()
	return d.connect(ctx, to)
}

// candidates returns the addresses of a host that may be dialed, or why there are none.
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

// plainKey marks the context of an unencrypted request, because the transport dials for both kinds.
type plainKey struct{}

func unencrypted(ctx context.Context) bool {
	plain, _ := ctx.Value(plainKey{}).(bool)
	return plain
}

// lookup returns the addresses of a host. Resolvers may return IPv4 addresses in IPv6 form, so
// these are converted before they are checked.
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

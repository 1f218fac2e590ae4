package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Pair is a host with a port: an address or a name in canonical form (lower case, ASCII, no brackets).
type Pair struct {
	Host string
	Port uint16
}

// The widest networks that may be listed, as prefix lengths. Wider ones would effectively disable
// the guard.
const (
	widest4 = 8
	widest6 = 7 // fc00::/7, all private addresses
)

// ParseAllow parses the value of SERVICE_OUTBOUND_ALLOW: comma-separated networks (10.1.0.0/16),
// addresses (10.1.2.3) and hosts with a port (search.internal:9200, 127.0.0.1:9200, [::1]:9200). An
// empty text lists nothing. The error is one sentence that says which part is wrong and what to use
// instead.
func ParseAllow(text string) ([]netip.Prefix, []Pair, error) {
	var prefixes []netip.Prefix
	var pairs []Pair
	if strings.TrimSpace(text) == "" {
		return nil, nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, nil, errors.New("has an empty part; part entries by single commas")
		}
		if p, err := parsePrefix(part); p.IsValid() || err != nil {
			if err != nil {
				return nil, nil, err
			}
			prefixes = append(prefixes, p)
			continue
		}
		pair, err := parsePair(part)
		if err != nil {
			return nil, nil, err
		}
		pairs = append(pairs, pair)
	}
	return prefixes, pairs, nil
}

// parsePrefix parses a network or an address. Anything else returns no error, because the part may
// be a pair.
func parsePrefix(part string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(part); err == nil {
		if a.Zone() != "" || a.Is4In6() {
			return netip.Prefix{}, fmt.Errorf("has %q, an address with a zone or an IPv4 address inside an IPv6 one; write the plain address",
				posture.Clip(part, 100))
		}
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	if !strings.Contains(part, "/") {
		return netip.Prefix{}, nil
	}
	p, err := netip.ParsePrefix(part)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf("has %q, which is no network; write for example 10.1.0.0/16", posture.Clip(part, 100))
	case p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("has %q, an IPv4 network inside an IPv6 one; write the plain network", posture.Clip(part, 100))
	case p.Addr().Is4() && p.Bits() < widest4 || p.Addr().Is6() && p.Bits() < widest6:
		return netip.Prefix{}, fmt.Errorf("has %q, which is so wide that nothing would be refused; list the networks that are meant, none "+
			"wider than /%d (IPv4) or /%d (IPv6)", part, widest4, widest6)
	case p != p.Masked():
		return netip.Prefix{}, fmt.Errorf("has %q, whose address goes on behind its length; write %s", part, p.Masked())
	}
	return p, nil
}

func parsePair(part string) (Pair, error) {
	wrong := fmt.Errorf("has %q, which is no network, address or host:port; write for example 10.1.0.0/16, 10.1.2.3 or search.internal:9200",
		posture.Clip(part, 100))
	i := strings.LastIndexByte(part, ':')
	if i < 0 {
		return Pair{}, wrong
	}
	port, err := strconv.ParseUint(part[i+1:], 10, 16)
	if err != nil || port == 0 {
		return Pair{}, wrong
	}
	host, bracketed := part[:i], false
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host, bracketed = host[1:len(host)-1], true
	}
	canonical, reason := canonicalHost(host, bracketed)
	if reason != "" {
		return Pair{}, wrong
	}
	return Pair{canonical, uint16(port)}, nil
}

package outbound

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// maxHost is the maximum length of a host name, in characters (RFC 1035, section 2.3.4).
const maxHost = 253

// DeniedError means that an address may not be reached. Reason completes "… is refused: ". Private
// means that SERVICE_OUTBOUND_ALLOW could permit it. Host is empty when the address is too
// malformed to repeat.
type DeniedError struct {
	Host    string
	Reason  string
	Private bool
}

// Error returns one sentence.
func (e *DeniedError) Error() string {
	what := "the address"
	if e.Host != "" {
		what = posture.Clip(e.Host, 100)
	}
	if e.Private {
		return fmt.Sprintf("%s is refused: %s; if it is meant, list its network, or its host and port, in SERVICE_OUTBOUND_ALLOW", what, e.Reason)
	}
	return fmt.Sprintf("%s is refused: %s; correct the address", what, e.Reason)
}

// endpoint is the destination of a request in canonical form: a lower-case scheme, an ASCII host
// without brackets, and a port.
type endpoint struct {
	scheme, host string
	port         uint16
}

func defaultPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

// authority returns the host for a URL, with the port unless it is the default one.
func (t endpoint) authority() string {
	if t.port != defaultPort(t.scheme) {
		return t.hostPort()
	}
	if strings.Contains(t.host, ":") {
		return "[" + t.host + "]"
	}
	return t.host
}

func (t endpoint) hostPort() string {
	return net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
}

// Origin returns scheme://host:port of an address in canonical form: lower case, ASCII, always with
// the port. Two addresses with equal origins are the same server. The error is a *DeniedError for
// what Do would refuse by its form; nothing is resolved.
func Origin(rawURL string) (string, error) {
	if strings.ContainsFunc(rawURL, unprintable) {
		return "", &DeniedError{Reason: "it has a space or a control character"}
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return "", &DeniedError{Reason: "it is not a URL"} // the parser's error repeats the address
	}
	t, err := targetOf(u)
	if err != nil {
		return "", err
	}
	return t.scheme + "://" + t.hostPort(), nil
}

func unprintable(r rune) bool { return r <= ' ' || r == 0x7f }

func targetOf(u *url.URL) (endpoint, error) {
	deny := func(reason string) (endpoint, error) { return endpoint{}, &DeniedError{Reason: reason} }
	if u == nil || u.Opaque != "" || u.Host == "" {
		return deny("it names no host")
	}
	t := endpoint{scheme: strings.ToLower(u.Scheme)}
	if t.scheme != "http" && t.scheme != "https" {
		return deny("its scheme is neither http nor https")
	}
	if u.User != nil {
		return deny("it carries a user name or password")
	}
	t.port = defaultPort(t.scheme)
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return deny("its port is not one of 1 to 65535")
		}
		t.port = uint16(n)
	} else if strings.HasSuffix(u.Host, ":") {
		return deny("its port is empty")
	}
	if strings.ContainsFunc(u.RawQuery, unprintable) { // the path is escaped when it is sent, the query is not
		return deny("it has a space or a control character")
	}
	host, reason := canonicalHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if reason != "" {
		return deny(reason)
	}
	t.host = host
	return t, nil
}

// canonicalHost returns the canonical form of a host, or why there is none. It rejects unusual
// notations of addresses: octal, hexadecimal, short and whole-number forms mean different machines
// to different programs.
func canonicalHost(host string, bracketed bool) (canonical, reason string) {
	if bracketed {
		a, err := netip.ParseAddr(host)
		switch {
		case err != nil || !a.Is6():
			return "", "what its brackets hold is no IPv6 address"
		case a.Zone() != "":
			return "", "its IPv6 address has a zone"
		case a.Is4In6():
			return "", "it wraps an IPv4 address in an IPv6 one"
		}
		return a.String(), ""
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return a.String(), ""
	}
	ascii, err := idna.Lookup.ToASCII(strings.ToLower(host))
	if err != nil || len(ascii) > maxHost || !hostname(ascii) {
		return "", "its host is not a name as internet standards have them"
	}
	if numeric(ascii) {
		return "", "its host is an address in an unusual form"
	}
	return ascii, ""
}

// hostname reports whether a name consists of letters, digits and hyphens, in labels of 1 to 63
// characters; a trailing dot is allowed.
func hostname(name string) bool {
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return true
}

// numeric reports whether the last label is a number, including octal and hexadecimal. No top-level
// domain is (RFC 1123, section 2.1), and the WHATWG URL standard treats such a host as an IPv4
// address.
func numeric(name string) bool {
	name = strings.TrimSuffix(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

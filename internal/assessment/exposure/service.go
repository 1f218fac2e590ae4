package exposure

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ServiceName returns the scheme and host of a service; its path or user may be secret.
func ServiceName(service string) string {
	scheme, _, ok := strings.Cut(service, "://")
	if !ok {
		name, _, _ := strings.Cut(service, ":")
		return name
	}
	u, err := url.Parse(service)
	if err != nil {
		return scheme
	}
	return scheme + "://" + u.Host
}

// AnswersItself reports whether cloudflared answers for a service by itself, without a server
// behind it.
func AnswersItself(service string) bool {
	return strings.HasPrefix(service, "http_status") || slices.Contains([]string{"hello_world", "hello-world", "helloworld"}, service)
}

// PrivateService reports whether a service is a shell, desktop, share or other stream, leads to any
// machine, or is a web server that only the private network can reach.
func PrivateService(service string) bool {
	scheme, _, _ := strings.Cut(service, ":")
	if Streams(service) || AnyMachine(service) || strings.TrimSuffix(scheme, "+tls") == "unix" {
		return true
	}
	u, err := url.Parse(service)
	if err != nil || u.Hostname() == "" {
		return false
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ReservedAddress(a)
	}
	_, registered := Registrable(u.Hostname())
	return !registered
}

// Streams reports whether a service is one machine, with which clients speak a protocol other than HTTP
// through a web socket. For cloudflared that is every scheme but these.
func Streams(service string) bool {
	scheme, _, addressed := strings.Cut(strings.ToLower(service), "://")
	return addressed && !slices.Contains([]string{"http", "https", "ws", "wss", "unix", "unix+tls"}, scheme)
}

// AnyMachine reports whether clients of a service name the machine that cloudflared connects to.
func AnyMachine(service string) bool {
	return slices.Contains([]string{"bastion", "socks-proxy"}, strings.ToLower(strings.TrimSpace(service)))
}

// Reaches reports whether requests to a host reach an ingress rule: the first rule that matches takes
// a request, whatever comes behind it. A host may have a star, like the hostname of a rule, which
// stands for any labels (developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/,
// do-more-with-tunnels/local-management/configuration-file/).
func Reaches(rules []snapshot.Ingress, at int, host string) bool {
	path, host := rules[at].Path, Bare(host)
	return takes(rules[at], host) && !slices.ContainsFunc(rules[:at], func(before snapshot.Ingress) bool {
		return (before.Path == "" || before.Path == path) && takes(before, host)
	})
}

// takes reports whether an ingress rule is for all of a host, whatever its path.
func takes(in snapshot.Ingress, host string) bool {
	name := Bare(in.Hostname)
	below, star := strings.CutPrefix(name, "*")
	return name == "" || name == host || star && strings.HasSuffix(host, below)
}

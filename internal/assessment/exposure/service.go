package exposure

import (
	"net/netip"
	"net/url"
	"strings"
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
	return strings.HasPrefix(service, "http_status") || service == "hello_world" || service == "hello-world"
}

// PrivateService reports whether a service is a shell, desktop or share, or a web server that only
// the private network can reach.
func PrivateService(service string) bool {
	scheme, _, _ := strings.Cut(service, ":")
	switch strings.TrimSuffix(scheme, "+tls") {
	case "ssh", "rdp", "smb", "tcp", "unix":
		return true
	case "http", "https":
	default:
		return false
	}
	u, err := url.Parse(service)
	if err != nil {
		return false
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast()
	}
	return u.Hostname() != "" && !strings.Contains(u.Hostname(), ".")
}

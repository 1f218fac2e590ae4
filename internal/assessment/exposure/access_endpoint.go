package exposure

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// AccessEndpoint is one address that an Access application guards.
type AccessEndpoint struct {
	Host, Path string
	Unsure     bool // it is not known whether the application guards the address
}

// AccessEndpoints lists the addresses that the applications guard. Bookmarks and launchers guard
// nothing, and device enrolment is not a web address.
func AccessEndpoints(apps []snapshot.AccessApp) []AccessEndpoint {
	var out []AccessEndpoint
	for _, a := range apps {
		if slices.Contains([]string{"bookmark", "app_launcher", "saas", "warp", "dash_sso"}, a.Type) {
			continue
		}
		known := slices.Contains([]string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure", "biso", "mcp", "mcp_portal", "proxy_endpoint"},
			a.Type)
		addresses := a.Domains
		if a.Domain != "" && !slices.Contains(addresses, a.Domain) {
			addresses = append(slices.Clone(addresses), a.Domain)
		}
		for _, d := range addresses {
			d = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(d), "https://"), "http://")
			host, path, _ := strings.Cut(d, "/")
			out = append(out, AccessEndpoint{Host: strings.TrimSuffix(host, "."), Path: strings.Trim(path, "/*"), Unsure: !known})
		}
	}
	return out
}

// Guard is how much of an address the applications guard.
type Guard int

// UnsureGuard means that the answer depends on how the provider interprets a wildcard, or on an
// unknown type of application.
const (
	Unguarded Guard = iota
	GuardedInPart
	UnsureGuard
	GuardedWhole
)

// Guarded returns how much of a hostname, or of the path of an ingress rule, the applications
// guard. The path of an ingress rule is a regular expression; only its literal prefix is compared.
func Guarded(doors []AccessEndpoint, host, path string) Guard {
	out := Unguarded
	served := strings.TrimPrefix(path, "^")
	if i := strings.IndexAny(served, `\.+*?()|[]{}$`); i >= 0 {
		served = served[:i]
	}
	anchored := strings.HasPrefix(path, "^")
	served = strings.Trim(served, "/")
	for _, d := range doors {
		match := matchHost(d.Host, strings.ToLower(host))
		if d.Unsure && match == GuardedWhole {
			match = UnsureGuard
		}
		switch {
		case match == Unguarded:
		case d.Path == "" || anchored && (served == d.Path || strings.HasPrefix(served, d.Path+"/")):
			out = max(out, match)
		default:
			out = max(out, GuardedInPart)
		}
	}
	return out
}

// matchHost compares labels. A star matches text inside one label; whether it may span several is
// not documented, so such a match is unsure.
func matchHost(pattern, host string) Guard {
	if pattern == host {
		return GuardedWhole
	}
	if !strings.Contains(pattern, "*") {
		return Unguarded
	}
	ps, hs := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(ps) == len(hs) {
		for i := range ps {
			if !matchLabel(ps[i], hs[i]) {
				return Unguarded
			}
		}
		return GuardedWhole
	}
	if rest, ok := strings.CutPrefix(pattern, "*."); ok && strings.HasSuffix(host, "."+rest) {
		return UnsureGuard
	}
	return Unguarded
}

func matchLabel(pattern, label string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == label
	}
	return len(label) >= len(head)+len(tail) && strings.HasPrefix(label, head) && strings.HasSuffix(label, tail)
}

package exposure

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// AccessEndpoint is one address that an Access application covers. A star in the host stands for
// text within one label, in the path for any text
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/app-paths/).
type AccessEndpoint struct {
	Host, Path string // Path is "" for the whole host
	Open       bool   // whoever asks enters without a login
	Unsure     bool   // it is not known whether the application guards the address
	App        string // the id of the application
}

// AccessEndpoints lists the addresses that the applications cover. Bookmarks and launchers guard
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
		for _, address := range addresses {
			public := slices.DeleteFunc(slices.Clone(a.Public), func(p snapshot.AccessPublic) bool { return p.Address != address })
			for _, d := range endpoints(address, public) {
				d.Unsure, d.App = d.Unsure || !known && !d.Open, a.ID
				out = append(out, d)
			}
		}
	}
	return out
}

// LeftPublic returns an address or a kind of destination that an application leaves to everyone, ""
// for none. Public parts of an address do not count.
func LeftPublic(a snapshot.AccessApp) string {
	whole := func(p snapshot.AccessPublic) bool { return p.Behavior == "" && strings.Trim(p.Path, "/*") == "" }
	for _, p := range a.Public {
		if whole(p) {
			return p.Address
		}
	}
	for _, d := range a.Elsewhere {
		if slices.ContainsFunc(d.Public, whole) {
			return strings.TrimSpace(strings.ReplaceAll(d.Type, "_", " ") + " " + d.Value)
		}
	}
	return ""
}

// WorkerEndpoints lists the endpoints that a Worker has as a destination. They cover each hostname
// at workers.dev, and any application for a hostname goes before them.
func WorkerEndpoints(d snapshot.AccessDestination) []AccessEndpoint {
	return endpoints("*.*.*.*", d.Public)
}

// endpoints returns an address and the paths below it that are public.
func endpoints(address string, public []snapshot.AccessPublic) []AccessEndpoint {
	d := endpoint(address, "")
	var out []AccessEndpoint
	for _, p := range public {
		part := endpoint(address, p.Path)
		part.Open, part.Unsure = p.Behavior == "", p.Behavior != ""
		if part.Path == d.Path {
			d = part
			continue
		}
		out = append(out, part)
	}
	return append(out, d)
}

// endpoint parses an address and a path below it.
func endpoint(address, below string) AccessEndpoint {
	address = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(address), "https://"), "http://")
	host, path, _ := strings.Cut(address, "/")
	path = strings.Trim(path, "/")
	if below = strings.Trim(strings.ToLower(below), "/"); below != "" && below != "*" {
		path = strings.Trim(path+"/"+strings.TrimPrefix(below, path+"/"), "/")
	}
	if path == "*" {
		path = ""
	}
	return AccessEndpoint{Host: strings.TrimSuffix(host, "."), Path: path}
}

// Guard is how much of an address the applications guard.
type Guard int

// UnsureGuard means that the answer depends on a policy or a type of application that is not known.
const (
	Unguarded Guard = iota
	GuardedInPart
	UnsureGuard
	GuardedWhole
)

// Guarded returns how much of a hostname, or of the path of an ingress rule, the applications
// guard. The path of an ingress rule is a regular expression; only its literal prefix and what may
// follow at once are compared. The most specific application decides, and nothing is inherited from
// another. For a hostname with a star, an application that leaves one of its hostnames open counts.
func Guarded(doors []AccessEndpoint, host, path string) Guard {
	served := strings.TrimPrefix(path, "^")
	if i := strings.IndexAny(served, `\.+*?()|[]{}$`); i >= 0 {
		served = served[:i]
	}
	served, anchored := strings.ToLower(strings.TrimLeft(served, "/")), path == "" || strings.HasPrefix(path, "^")
	parts := map[Guard]bool{} // what is known of paths that have an application of their own
	for _, d := range doors {
		if d.within(lower(host)) && (d.Path == "" || !anchored || d.reaches(served)) && d.guard() != GuardedWhole {
			parts[d.guard()] = true
		}
	}
	matching := Matching(doors, host)
	for i, d := range matching {
		switch {
		case slices.ContainsFunc(matching[:i], func(e AccessEndpoint) bool { return e.Holds(d.Path) }): // never asked
		case d.Path == "" || anchored && d.Holds(served) && (d.Open || d.holdsBeyond(served, path)):
			return whole(d.guard(), parts)
		case anchored && !d.reaches(served):
		default:
			parts[d.guard()] = true
		}
	}
	return whole(Unguarded, parts)
}

// within reports whether the endpoint covers some, but not all, of the hostnames that a hostname with
// a star stands for.
func (d AccessEndpoint) within(host string) bool {
	return strings.Contains(host, "*") && d.Host != host && matchHost(host, d.Host)
}

// holdsBeyond reports whether the endpoint holds what an ingress rule serves beyond its literal prefix:
// ^/admin is for /administrator, too.
func (d AccessEndpoint) holdsBeyond(prefix, path string) bool {
	served, err := regexp.Compile("(?i)" + path)
	return err != nil || !slices.ContainsFunc([]string{"x", "-x", ".x"}, func(more string) bool {
		return served.MatchString("/"+prefix+more) && !d.Holds(prefix+more)
	})
}

// whole joins what guards most of an address with what guards parts of it.
func whole(most Guard, parts map[Guard]bool) Guard {
	switch {
	case most == Unguarded && (parts[GuardedWhole] || parts[UnsureGuard]), most == GuardedWhole && parts[Unguarded]:
		return GuardedInPart
	case most == GuardedWhole && parts[UnsureGuard]:
		return UnsureGuard
	}
	return most
}

func (d AccessEndpoint) guard() Guard {
	switch {
	case d.Unsure:
		return UnsureGuard
	case d.Open:
		return Unguarded
	}
	return GuardedWhole
}

// Matching lists the endpoints that cover a host in whole or in part, the most specific first.
// Where an address has two applications, either may answer.
func Matching(doors []AccessEndpoint, host string) []AccessEndpoint {
	var out []AccessEndpoint
	for _, d := range doors {
		if matchHost(d.Host, lower(host)) {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b AccessEndpoint) int {
		return cmp.Or(cmp.Compare(specific(b.Host), specific(a.Host)), cmp.Compare(specific(b.Path), specific(a.Path)))
	})
	for i := range out {
		out[i].Unsure = slices.ContainsFunc(out, func(d AccessEndpoint) bool {
			return d.Host == out[i].Host && d.Path == out[i].Path && (d.Unsure || d.Open != out[i].Open)
		})
	}
	return out
}

// specific grades a pattern by how much of it is literal.
func specific(pattern string) int { return 2*len(pattern) - 3*strings.Count(pattern, "*") }

// Holds reports whether a path lies in the endpoint. What lies below a path belongs to it.
func (d AccessEndpoint) Holds(path string) bool {
	path = strings.ToLower(strings.TrimLeft(path, "/"))
	return d.Path == "" || expression.Glob(d.Path, path) || !strings.HasSuffix(d.Path, "*") && expression.Glob(d.Path+"/*", path)
}

// reaches reports whether the endpoint may hold some of the paths with a prefix.
func (d AccessEndpoint) reaches(prefix string) bool {
	literal, _, _ := strings.Cut(d.Path, "*")
	return strings.HasPrefix(literal, prefix) || strings.HasPrefix(prefix, literal)
}

// matchHost compares labels; a star matches text inside one of them.
func matchHost(pattern, host string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == host
	}
	ps, hs := strings.Split(pattern, "."), strings.Split(host, ".")
	return slices.EqualFunc(ps, hs, func(p, h string) bool {
		head, tail, star := strings.Cut(p, "*")
		return p == h || star && len(h) >= len(head)+len(tail) && strings.HasPrefix(h, head) && strings.HasSuffix(h, tail)
	})
}

package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// door is one address an application guards.
type door struct{ host, path string }

// appDoors lists what the applications guard. Links and launchers guard nothing
// by themselves, and device enrolment is no web address.
func appDoors(apps []snapshot.AccessApp) []door {
	var out []door
	for _, a := range apps {
		if slices.Contains([]string{"bookmark", "app_launcher", "saas", "warp", "dash_sso"}, a.Type) {
			continue
		}
		addresses := a.Domains
		if a.Domain != "" && !slices.Contains(addresses, a.Domain) {
			addresses = append(slices.Clone(addresses), a.Domain)
		}
		for _, d := range addresses {
			d = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(d), "https://"), "http://")
			host, path, _ := strings.Cut(d, "/")
			out = append(out, door{host: strings.TrimSuffix(host, "."), path: strings.Trim(path, "/*")})
		}
	}
	return out
}

type covering int

const (
	none covering = iota
	part
	unsure
	whole
)

// cover tells how much of a host name, or of the path an ingress rule serves,
// the applications guard. The path of an ingress rule is a pattern; only the
// plain text it starts with is compared.
func cover(doors []door, host, path string) covering {
	out := none
	served := strings.TrimPrefix(path, "^")
	if i := strings.IndexAny(served, `\.+*?()|[]{}$`); i >= 0 {
		served = served[:i]
	}
	anchored := strings.HasPrefix(path, "^")
	served = strings.Trim(served, "/")
	for _, d := range doors {
		match := matchHost(d.host, host)
		switch {
		case match == none:
		case d.path == "" || anchored && (served == d.path || strings.HasPrefix(served, d.path+"/")):
			out = max(out, match)
		default:
			out = max(out, part)
		}
	}
	return out
}

// matchHost compares labels. A star stands for text inside one label; whether it
// also spans several is not stated, so such a match is unsure.
func matchHost(pattern, host string) covering {
	if pattern == host {
		return whole
	}
	if !strings.Contains(pattern, "*") {
		return none
	}
	ps, hs := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(ps) == len(hs) {
		for i := range ps {
			if !matchLabel(ps[i], hs[i]) {
				return none
			}
		}
		return whole
	}
	if rest, ok := strings.CutPrefix(pattern, "*."); ok && strings.HasSuffix(host, "."+rest) {
		return unsure
	}
	return none
}

func matchLabel(pattern, label string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == label
	}
	return len(label) >= len(head)+len(tail) && strings.HasPrefix(label, head) && strings.HasSuffix(label, tail)
}

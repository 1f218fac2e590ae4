package exposure

import (
	"iter"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Edge knows which records the edge answers for: proxied ones, addresses of a name that also has a
// proxied one, and aliases of a proxied name of the account or of one below a proxied wildcard
// (developers.cloudflare.com/dns/proxy-status/).
type Edge struct {
	proxied map[string]bool // by each name that has a record
	aliases map[string]string
}

// EdgeOf builds an Edge from the records of one or more zones, and the names of their load balancers: an
// alias of one is given its servers.
func EdgeOf(records iter.Seq[snapshot.DNSRecord], balancers ...string) Edge {
	e := Edge{proxied: map[string]bool{}, aliases: map[string]string{}}
	for r := range records {
		name := lower(r.Name)
		e.proxied[name] = e.proxied[name] || r.Proxied
		if r.Type == "CNAME" && !r.Proxied {
			e.aliases[name] = lower(r.Content)
		}
	}
	for _, name := range balancers {
		if _, there := e.proxied[lower(name)]; !there {
			e.proxied[lower(name)] = false
		}
	}
	return e
}

// Serves reports whether the edge answers for a record. It follows at most eight aliases.
func (e Edge) Serves(r snapshot.DNSRecord) bool {
	switch {
	case r.Proxied:
		return true
	case r.Type == "A" || r.Type == "AAAA":
		return e.proxied[lower(r.Name)]
	case r.Type != "CNAME":
		return false
	}
	name, leads := e.over(lower(r.Content)), true
	for range 8 {
		if !leads || e.proxied[name] {
			break
		}
		name, leads = e.aliases[name]
		name = e.over(name)
	}
	return e.proxied[name]
}

func (e Edge) over(name string) string {
	return Over(name, func(name string) bool { _, there := e.proxied[name]; return there })
}

// Over returns what answers for a name among those that have records: the name itself, or the nearest wildcard over it if
// no name in between has any (RFC 4592); "" for none.
func Over(name string, has func(string) bool) string {
	if has(name) {
		return name
	}
	for _, at, more := strings.Cut(name, "."); more; _, at, more = strings.Cut(at, ".") {
		switch {
		case has("*." + at):
			return "*." + at
		case has(at):
			return ""
		}
	}
	return ""
}

package exposure

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Edge knows which records the edge answers for: proxied ones, addresses of a name that also has a
// proxied one, and aliases of a proxied name of the account
// (developers.cloudflare.com/dns/proxy-status/).
type Edge struct {
	proxied map[string]bool
	aliases map[string]string
}

// EdgeOf builds an Edge from the records of one or more zones.
func EdgeOf(records []snapshot.DNSRecord) Edge {
	e := Edge{proxied: map[string]bool{}, aliases: map[string]string{}}
	for _, r := range records {
		switch {
		case r.Proxied:
			e.proxied[lower(r.Name)] = true
		case r.Type == "CNAME":
			e.aliases[lower(r.Name)] = lower(r.Content)
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
	name, leads := lower(r.Content), true
	for range 8 {
		if !leads || e.proxied[name] {
			break
		}
		name, leads = e.aliases[name]
	}
	return e.proxied[name]
}

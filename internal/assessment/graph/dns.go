package graph

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// namedRecord is a record of a zone with what follows from the zone.
type namedRecord struct {
	snapshot.DNSRecord
	zone    snapshot.Zone
	proxied bool // in effect: a paused zone proxies nothing
}

// web reports whether the record gives a host an address.
func (r namedRecord) web() bool { return r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME" }

// host reports whether the name is one of a host; names with an underscore say
// something about a host (RFC 8552).
func (r namedRecord) host() bool {
	return !strings.HasPrefix(r.Name, "_") && !strings.Contains(r.Name, "._")
}

func (r namedRecord) id() string { return "dns:" + r.zone.ID + ":" + r.ID }

// destination is where a web record leads: to an address, or as an alias to a name.
type destination struct {
	content        string
	alias, proxied bool
}

// names indexes where every web record of the account leads by its name.
func (b *builder) names() {
	b.byName = map[string][]destination{}
	for _, z := range b.snap.Zones {
		for _, r := range known(b, snapshot.ZoneDNSRecords, z.ID) {
			n := b.named(z, r)
			if n.web() {
				name := canonical(r.Name)
				b.byName[name] = append(b.byName[name], destination{r.Content, r.Type == "CNAME", n.proxied})
			}
		}
	}
}

func (b *builder) named(z snapshot.Zone, r snapshot.DNSRecord) namedRecord {
	return namedRecord{DNSRecord: r, zone: z, proxied: r.Proxied && !z.Paused}
}

// records adds the records of a zone and where they lead.
func (b *builder) records(z snapshot.Zone) {
	serves := z.Status == "active"
	for _, r := range known(b, snapshot.ZoneDNSRecords, z.ID) {
		n := b.named(z, r)
		id := n.id()
		leads := n.web() && n.host()
		facts := []Property{{"recordType", r.Type}, {"proxied", n.proxied}, {"content", r.Content}}
		if !leads {
			facts = facts[:2]
		}
		b.node(id, DNSRecord, r.Name, facts...)
		b.edge(id, BelongsTo, Zone+":"+z.ID)
		if !leads {
			continue
		}
		if n.proxied {
			b.proxiedRecord(n, serves)
		} else {
			b.directRecord(n, serves)
		}
	}
}

// proxiedRecord leads to the host name at the edge and from there to what
// serves it.
func (b *builder) proxiedRecord(r namedRecord, serves bool) {
	if serves {
		b.edge(InternetID, InternetTo, r.id())
	}
	service := b.service(r.Name)
	b.edge(r.id(), Proxies, service)
	target := canonical(r.Content)
	if r.Type != "CNAME" {
		if a, err := netip.ParseAddr(target); err == nil && !placeholder(a) {
			b.edge(service, ResolvesTo, b.origin(target))
		}
		return
	}
	if tunnel, ok := strings.CutSuffix(target, ".cfargotunnel.com"); ok {
		b.edge(r.id(), ResolvesTo, Tunnel+":"+tunnel) // dropped when the tunnel is not of this account
		return
	}
	if _, own := b.zones[target]; !own && exposure.ProviderOwned(target) {
		return
	}
	for _, end := range b.ends(target, 8) {
		b.edge(service, ResolvesTo, b.origin(end))
	}
}

// directRecord leads straight to an address, unless that is the edge again.
func (b *builder) directRecord(r namedRecord, serves bool) {
	target := canonical(r.Content)
	if r.Type == "CNAME" && exposure.ProviderOwned(target) {
		// The provider answers there; a tunnel answers only for proxied records.
		if !exposure.Within(target, "cfargotunnel.com") {
			b.edge(r.id(), ResolvesTo, b.service(target, Property{"platformHost", true}))
			if serves {
				b.edge(InternetID, InternetTo, r.id())
			}
		}
		return
	}
	ends := []string{target}
	if r.Type == "CNAME" {
		ends = b.ends(target, 8)
	}
	for _, end := range ends {
		b.edge(r.id(), ResolvesTo, b.origin(end))
		if serves && public(end) {
			b.edge(InternetID, InternetTo, r.id())
		}
	}
}

// ends follows a name through the account's own records to the addresses or
// foreign names it leads to. A name that is proxied leads to the edge, hence
// nowhere.
func (b *builder) ends(name string, depth int) []string {
	targets := b.byName[name]
	if len(targets) == 0 || depth == 0 {
		return []string{name}
	}
	var out []string
	for _, to := range targets {
		switch {
		case to.proxied:
		case to.alias && exposure.ProviderOwned(to.content):
		case to.alias:
			out = append(out, b.ends(canonical(to.content), depth-1)...)
		default:
			out = append(out, canonical(to.content))
		}
	}
	return out
}

// resolved reports whether some record of the account answers for a host.
func (b *builder) resolved(host string) bool {
	if len(b.byName[host]) > 0 {
		return true
	}
	_, parent, _ := strings.Cut(host, ".")
	return len(b.byName["*."+parent]) > 0
}

// enter opens a host that needs no record of this account to be reached.
func (b *builder) enter(service, host string) {
	if !b.resolved(canonical(host)) {
		b.edge(InternetID, InternetTo, service)
	}
}

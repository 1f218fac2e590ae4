package graph

import (
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// namedRecord is a DNS record together with its zone.
type namedRecord struct {
	snapshot.DNSRecord
	zone    snapshot.Zone
	proxied bool // false in a paused zone, which proxies nothing
}

// web reports whether the record type is A, AAAA or CNAME.
func (r namedRecord) web() bool { return r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME" }

// host reports whether the name is a hostname; names with an underscore hold metadata (RFC 8552).
func (r namedRecord) host() bool {
	return !strings.HasPrefix(r.Name, "_") && !strings.Contains(r.Name, "._")
}

func (r namedRecord) id() string { return "dns:" + r.zone.ID + ":" + r.ID }

// destination is the target of a web record, or a server of a load balancer: an address, or a name for
// an alias.
type destination struct {
	record         *Node // nil for a server of a balancer
	content        string
	alias, proxied bool
}

// names indexes the destinations of all web records and load balancers of the account by name. A balancer goes
// before the records of its name (developers.cloudflare.com/load-balancing/load-balancers/dns-records/).
func (b *builder) names() {
	b.byName, b.balanced = map[string][]destination{}, map[string]bool{}
	b.dns = make([][]snapshot.DNSRecord, len(b.snap.Zones))
	var wg sync.WaitGroup
	first := 0
	for part := range slices.Chunk(b.snap.Zones, 1+len(b.dns)/runtime.GOMAXPROCS(0)) {
		at := first
		first += len(part)
		wg.Go(func() {
			for i, z := range part {
				b.dns[at+i] = known(b, snapshot.ZoneDNSRecords, z.ID)
			}
		})
	}
	wg.Wait()
	for _, z := range b.snap.Zones {
		b.balance(z)
	}
	proxying := func(yield func(snapshot.DNSRecord) bool) {
		for i, z := range b.snap.Zones {
			for _, r := range b.dns[i] {
				if !z.Paused && !b.balanced[canonical(r.Name)] && !yield(r) {
					return
				}
			}
		}
	}
	b.edgeOf = exposure.EdgeOf(proxying, slices.Collect(maps.Keys(b.balanced))...)
	for i, z := range b.snap.Zones {
		for _, r := range b.dns[i] {
			n := b.named(z, r)
			if name := canonical(r.Name); n.web() && !b.balanced[name] {
				b.byName[name] = append(b.byName[name], destination{b.nodes[b.place(n.id())], r.Content, r.Type == "CNAME", n.proxied})
			}
		}
	}
}

func (b *builder) named(z snapshot.Zone, r snapshot.DNSRecord) namedRecord {
	return namedRecord{DNSRecord: r, zone: z, proxied: !z.Paused && b.edgeOf.Serves(r)}
}

// records adds the records of a zone and their destinations.
func (b *builder) records(z snapshot.Zone, records []snapshot.DNSRecord) {
	for _, r := range records {
		n := b.named(z, r)
		id := n.id()
		leads := n.web() && n.host()
		facts := []Property{{"recordType", r.Type}, {"proxied", n.proxied}, {"content", r.Content}}
		if !leads {
			facts = facts[:2]
		}
		b.node(id, DNSRecord, r.Name, facts...)
		b.edge(id, BelongsTo, Zone+":"+z.ID)
		if (r.Type == "MX" || r.Type == "NS" && canonical(r.Name) != canonical(z.Name)) && answers(z) && !z.Partial() {
			b.edge(InternetID, InternetTo, id) // mail, or questions about the names below, go where it says
		}
		if !leads || b.balanced[canonical(r.Name)] {
			continue
		}
		if n.proxied {
			b.proxiedRecord(id, n, answers(z))
		} else {
			b.directRecord(id, n, answers(z) && !z.Partial())
		}
	}
}

// proxiedRecord links a record to its hostname at the edge, and the hostname to its origin.
func (b *builder) proxiedRecord(id string, r namedRecord, serves bool) {
	if serves {
		b.edge(InternetID, InternetTo, id)
	}
	service := b.service(r.Name)
	b.edge(id, Proxies, service)
	if tunnel, ok := strings.CutSuffix(canonical(r.Content), ".cfargotunnel.com"); ok {
		b.edge(id, ResolvesTo, Tunnel+":"+tunnel) // dropped when the tunnel belongs to another account
		return
	}
	b.servedFrom(service, r.Content, true) // Cloudflare itself resolves one proxied name to the next
}

// directRecord links a record to its address, unless that belongs to the edge.
func (b *builder) directRecord(id string, r namedRecord, serves bool) {
	target := canonical(r.Content)
	if r.Type == "CNAME" && exposure.ProviderOwned(target) {
		// The provider answers there; a tunnel answers only for proxied records.
		if !exposure.Within(target, "cfargotunnel.com") {
			b.edge(id, ResolvesTo, b.service(target, Property{"platformHost", true}))
			if serves {
				b.edge(InternetID, InternetTo, id)
			}
		}
		return
	}
	ends := []string{target}
	if r.Type == "CNAME" {
		ends = b.ends(target, false)
	}
	for _, end := range ends {
		b.edge(id, ResolvesTo, b.origin(end))
		if serves && public(end) {
			b.edge(InternetID, InternetTo, id)
		}
	}
}

// answers reports whether strangers are led by a zone: other name servers answer for one that is not
// active, and for names of a partial one that are not proxied; nobody outside asks an internal one.
func answers(z snapshot.Zone) bool { return z.Status == "active" && z.Type != "internal" }

// over returns what answers for a name, by itself or by a wildcard.
func (b *builder) over(name string) []destination {
	return b.byName[exposure.Over(name, func(name string) bool { return b.balanced[name] || len(b.byName[name]) > 0 })]
}

// maxAliases is how many aliases in a row are followed.
const maxAliases = 8

// ends follows a name through the account's own records and balancers to addresses or names outside it.
// Unless through is set, a proxied record ends the search and yields nothing; so does a name that leads
// back to itself, or has no record in its zone. A balancer gives an alias its servers, also if it is proxied
// (developers.cloudflare.com/load-balancing/understand-basics/proxy-modes/). Each name is looked up once,
// however many aliases lead to it.
func (b *builder) ends(name string, through bool) []string {
	var out []string
	seen, level := map[string]bool{name: true}, []string{name}
	for range maxAliases {
		var next []string
		for _, name := range level {
			targets := b.over(name)
			if z, own := b.zoneOf(name); len(targets) == 0 && (!own || !answers(z) || z.Partial()) {
				out = append(out, name)
			}
			for _, to := range targets {
				content := canonical(to.content)
				switch {
				case to.proxied && to.record != nil && !through, to.alias && (exposure.ProviderOwned(to.content) || seen[content]):
				case to.alias:
					seen[content] = true
					next = append(next, content)
				default:
					out = append(out, content)
				}
			}
		}
		level = next
	}
	return append(out, level...)
}

// behindWildcard links a host without a record to the wildcard that answers for it, and to its servers.
func (b *builder) behindWildcard(service, host string) {
	if len(b.byName[host]) > 0 {
		return
	}
	for _, to := range b.over(host) {
		if z, own := b.zoneOf(host); !to.proxied || !own || !answers(z) {
			continue
		}
		if to.record == nil {
			b.edge(InternetID, InternetTo, service)
		} else {
			b.edge(to.record.ID, Proxies, service)
		}
		b.servedFrom(service, to.content, true)
	}
}

// servedFrom links a host to the servers that an address or a name leads to.
func (b *builder) servedFrom(service, target string, through bool) {
	target = canonical(target)
	if a, err := netip.ParseAddr(target); err == nil {
		if !placeholder(a) {
			b.edge(service, ResolvesTo, b.origin(target))
		}
		return
	}
	if _, own := b.zones[target]; !own && exposure.ProviderOwned(target) {
		return
	}
	for _, end := range b.ends(target, through) {
		b.edge(service, ResolvesTo, b.origin(end))
	}
}

// enterZone is enter for a domain that only its zone leads to.
func (b *builder) enterZone(service, host string) {
	if z, own := b.zoneOf(canonical(host)); !own || answers(z) && !z.Paused {
		b.enter(service, host)
	}
}

// enter links the internet to a custom domain that has no record of its own in this account, or none that was read. Such a domain
// answers beside a wildcard.
func (b *builder) enter(service, host string) {
	if len(b.byName[canonical(host)]) == 0 {
		b.edge(InternetID, InternetTo, service)
	}
}

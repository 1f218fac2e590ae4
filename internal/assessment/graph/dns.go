package graph

import (
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

// destination is the target of a web record: an address, or a name for an alias.
type destination struct {
	content        string
	alias, proxied bool
}

// names indexes the destinations of all web records of the account by record name.
func (b *builder) names() {
	b.byName = map[string][]destination{}
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
	var proxying []snapshot.DNSRecord
	for i, z := range b.snap.Zones {
		if !z.Paused {
			proxying = append(proxying, b.dns[i]...)
		}
	}
	b.edgeOf = exposure.EdgeOf(proxying)
	for i, z := range b.snap.Zones {
		for _, r := range b.dns[i] {
			n := b.named(z, r)
			if n.web() {
				name := canonical(r.Name)
				b.byName[name] = append(b.byName[name], destination{r.Content, r.Type == "CNAME", n.proxied})
			}
		}
	}
}

func (b *builder) named(z snapshot.Zone, r snapshot.DNSRecord) namedRecord {
	return namedRecord{DNSRecord: r, zone: z, proxied: !z.Paused && b.edgeOf.Serves(r)}
}

// records adds the records of a zone and their destinations.
func (b *builder) records(z snapshot.Zone, records []snapshot.DNSRecord) {
	serves := z.Status == "active"
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

// proxiedRecord links a record to its hostname at the edge, and the hostname to its origin.
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
		b.edge(r.id(), ResolvesTo, Tunnel+":"+tunnel) // dropped when the tunnel belongs to another account
		return
	}
	if _, own := b.zones[target]; !own && exposure.ProviderOwned(target) {
		return
	}
	for _, end := range b.ends(target, true) { // Cloudflare itself resolves one proxied name to the next
		b.edge(service, ResolvesTo, b.origin(end))
	}
}

// directRecord links a record to its address, unless that belongs to the edge.
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
		ends = b.ends(target, false)
	}
	for _, end := range ends {
		b.edge(r.id(), ResolvesTo, b.origin(end))
		if serves && public(end) {
			b.edge(InternetID, InternetTo, r.id())
		}
	}
}

// maxAliases is how many aliases in a row are followed.
const maxAliases = 8

// ends follows a name through the account's own records to addresses or names outside it. Unless
// through is set, a proxied name ends the search and yields nothing; so does one that leads back to
// itself. Each name is looked up once, however many aliases lead to it.
func (b *builder) ends(name string, through bool) []string {
	var out []string
	seen, level := map[string]bool{name: true}, []string{name}
	for range maxAliases {
		var next []string
		for _, name := range level {
			targets := b.byName[name]
			if len(targets) == 0 {
				out = append(out, name)
			}
			for _, to := range targets {
				content := canonical(to.content)
				switch {
				case to.proxied && !through, to.alias && (exposure.ProviderOwned(to.content) || seen[content]):
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

// enter links the internet to a custom domain that has no record of its own in this account, or none that was read. Such a domain
// answers beside a wildcard.
func (b *builder) enter(service, host string) {
	if len(b.byName[canonical(host)]) == 0 {
		b.edge(InternetID, InternetTo, service)
	}
}

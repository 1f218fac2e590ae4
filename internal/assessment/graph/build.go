package graph

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// InternetID is the node where every path from outside starts.
const InternetID = "internet"

// Build makes the graph of a snapshot and attaches the findings. nodeOf holds the node id of each
// finding. Sections that could not be read add nothing: the graph shows only what is known.
func Build(snap *snapshot.Snapshot, findings []posture.Verdict) (g *Linked, nodeOf []string) {
	b := &builder{snap: snap, account: snap.Account.ID, places: map[string]int32{}, zones: map[string]snapshot.Zone{}}
	b.node(InternetID, Internet, "Internet")
	b.node(b.accountID(), Account, snap.Account.Name)
	for _, z := range snap.Zones {
		b.zones[strings.ToLower(z.Name)] = z
		b.zone(z)
	}
	b.names()
	for i, z := range snap.Zones {
		b.records(z, b.dns[i])
		b.dns[i] = nil // large accounts need the memory
		b.balancers(z)
		b.spectrum(z)
		b.customHostnames(z)
	}
	b.tunnels()
	b.stores()
	b.workers()
	b.pages()
	b.buckets()
	b.apps()
	b.credentials()
	nodeOf, open := b.attach(findings)
	return b.freeze(open), nodeOf
}

type builder struct {
	snap     *snapshot.Snapshot
	account  string
	nodes    []*Node                  // a node without a type is only named by an edge and is not shown
	places   map[string]int32         // index of each node, by id
	links    []Link                   // may hold duplicates
	zones    map[string]snapshot.Zone // by name
	dns      [][]snapshot.DNSRecord   // by zone, until they are added; decoding them takes longer than everything else
	byName   map[string][]destination // of web records and balancers, by name
	balanced map[string]bool          // names of enabled balancers
	edgeOf   exposure.Edge            // of the zones that are not paused
}

// known returns a section's value; a section that was not read is the zero value.
func known[T any](b *builder, k snapshot.Key[T], scope string) T {
	v, _ := snapshot.Read(b.snap, k, scope)
	return v
}

func (b *builder) accountID() string { return Account + ":" + b.account }

// find returns the node with an id, or nil.
func (b *builder) find(id string) *Node {
	if place, there := b.places[id]; there && b.nodes[place].Type != "" {
		return b.nodes[place]
	}
	return nil
}

// place returns the index of a node, and reserves one for a new id.
func (b *builder) place(id string) int32 {
	place, there := b.places[id]
	if !there {
		place = int32(len(b.nodes))
		b.places[id] = place
		b.nodes = append(b.nodes, &Node{ID: id, FindingIDs: []string{}})
	}
	return place
}

// node adds a node, or adds properties to an existing one.
func (b *builder) node(id, kind, label string, facts ...Property) {
	n := b.nodes[b.place(id)]
	if n.Type == "" {
		n.Type, n.Label = kind, label
	}
	n.Properties = slices.Grow(n.Properties, len(facts))
	for _, f := range facts {
		if f.Value != "" && f.Value != nil && n.Properties.Get(f.Name) == nil {
			n.Properties = append(n.Properties, f)
		}
	}
}

func (b *builder) edge(from, kind, to string) {
	b.links = append(b.links, Link{From: b.place(from), To: b.place(to), Type: kind})
}

// Settings names the zone settings the graph shows.
func Settings() []snapshot.ZoneSetting {
	return []snapshot.ZoneSetting{"ssl", "always_use_https", "min_tls_version"}
}

func (b *builder) zone(z snapshot.Zone) {
	id := Zone + ":" + z.ID
	b.node(id, Zone, z.Name, Property{"plan", z.Plan}, Property{"status", z.Status}, Property{"paused", z.Paused})
	b.edge(id, BelongsTo, b.accountID())
	if settings, sec := snapshot.Read(b.snap, snapshot.ZoneSettings, z.ID); sec.Status == snapshot.OK {
		for i, setting := range Settings() {
			if v, ok := settings.Text(string(setting)); ok {
				b.node(id, Zone, z.Name, Property{[]string{"ssl", "alwaysUseHttps", "minTlsVersion"}[i], v})
			}
		}
	}
}

// zoneOf returns the account's zone that contains a hostname: the longest match.
func (b *builder) zoneOf(host string) (snapshot.Zone, bool) {
	for name := host; name != ""; {
		if z, ok := b.zones[name]; ok {
			return z, true
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			break
		}
		name = rest
	}
	return snapshot.Zone{}, false
}

// canonical returns the form of a hostname used in ids.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// service adds a hostname that serves requests, and returns its id.
func (b *builder) service(host string, facts ...Property) string {
	host = canonical(host)
	id := Service + ":" + host
	fresh := b.find(id) == nil
	b.node(id, Service, host, facts...)
	if fresh {
		if z, ok := b.zoneOf(host); ok {
			b.edge(id, BelongsTo, Zone+":"+z.ID)
		} else {
			b.edge(id, BelongsTo, b.accountID())
		}
	}
	return id
}

// origin adds an origin server by address or hostname, and returns its id.
func (b *builder) origin(address string) string {
	id := OriginID(address)
	address = strings.TrimPrefix(id, Origin+":")
	b.node(id, Origin, address, Property{"public", public(address)})
	return id
}

// public reports whether an address can be reached from outside. A hostname counts as reachable.
func public(address string) bool {
	if p, err := netip.ParsePrefix(address); err == nil {
		return !exposure.ReservedAddress(p.Addr())
	}
	a, err := netip.ParseAddr(address)
	return err != nil || !exposure.ReservedAddress(a) && !placeholder(a)
}

// placeholder reports whether an address means "no origin" (RFC 6666).
func placeholder(a netip.Addr) bool {
	return netip.PrefixFrom(netip.AddrFrom16([16]byte{0x01, 0x00}), 64).Contains(a)
}

// freeze sorts the graph, counts it and lays it out.
func (b *builder) freeze(open map[posture.Severity]int) *Linked {
	now := make([]int32, len(b.nodes)) // new index of each node, -1 if it is not shown
	order := make([]int32, 0, len(b.nodes))
	for i, n := range b.nodes {
		if now[i] = -1; n.Type != "" {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(i, j int32) int { return strings.Compare(b.nodes[i].ID, b.nodes[j].ID) })
	g := &Linked{Nodes: make([]*Node, len(order))}
	for i, was := range order {
		now[was], g.Nodes[i] = int32(i), b.nodes[was]
		slices.SortFunc(g.Nodes[i].Properties, func(a, c Property) int { return strings.Compare(a.Name, c.Name) })
	}
	b.nodes, b.places, b.byName, b.balanced, b.edgeOf = nil, nil, nil, nil, exposure.Edge{} // not needed any more, and large
	for i := range b.links {
		l := &b.links[i]
		l.From, l.To = now[l.From], now[l.To]
	}
	// An edge to something that is not shown would dangle on the map.
	g.Links = slices.DeleteFunc(b.links, func(l Link) bool { return l.From < 0 || l.To < 0 })
	slices.SortFunc(g.Links, g.compare)
	g.Links = slices.Compact(g.Links)
	g.count(open)
	return g
}

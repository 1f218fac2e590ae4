package attackpath

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// world is the input of detectors: the graph with edges in both directions, the snapshot, and the
// verdicts.
type world struct {
	snap     *snapshot.Snapshot
	nodes    []*graph.Node
	table    []int32 // see number
	seed     maphash.Seed
	links    []graph.Link
	out, in  adjacency
	byType   map[string][]*graph.Node
	zones    []string                 // zone of each node, by node number; "" for none
	services map[string][]*graph.Node // by zone; "" holds those of all zones
	findings []posture.Verdict
	nodeOf   []string           // per finding
	open     []int32            // FAIL and WARNING
	ofCheck  map[string][]int32 // of open, by check id
	openOn   adjacency          // by node, as indexes into open
	// openOf is the last index in open for each resource; before links to the preceding index of
	// the same resource, -1 ends the list.
	openOf  map[resourceKey]int32
	before  []int32
	directs func() map[string]string             // see readDirects
	opens   map[string]bool                      // nodes of applications that admit everyone without a login
	covers  map[string][]exposure.AccessEndpoint // by node of the application
	texts   traffic.Texts                        // of the zones whose traffic is followed
}

// adjacency holds the edges of each node as indexes into the list of edges. A map of lists
// would take more memory than the graph.
type adjacency struct {
	starts []int32 // by node number, with one more entry than there are nodes
	edges  []int32
}

// newAdjacency takes the node index of each edge.
func newAdjacency(nodes int, at []int32) adjacency {
	a := adjacency{starts: make([]int32, nodes+1), edges: make([]int32, len(at))}
	for _, n := range at {
		a.starts[n+1]++
	}
	for n := range nodes {
		a.starts[n+1] += a.starts[n]
	}
	next := slices.Clone(a.starts)
	for e, n := range at {
		a.edges[next[n]] = int32(e)
		next[n]++
	}
	return a
}

func (w *world) at(a adjacency, id string) []int32 {
	n, there := w.number(id)
	if !there {
		return nil
	}
	return a.edges[a.starts[n]:a.starts[n+1]]
}

// number finds the index of a node. The table is an open-addressing hash table of index plus one,
// by node id: a map would take a third of the memory of the nodes.
func (w *world) number(id string) (int32, bool) {
	for at := w.slot(id); w.table[at] > 0; at = (at + 1) % uint64(len(w.table)) {
		if n := w.table[at] - 1; w.nodes[n].ID == id {
			return n, true
		}
	}
	return 0, false
}

func (w *world) slot(id string) uint64 { return maphash.String(w.seed, id) % uint64(len(w.table)) }

// enumerate fills the table.
func (w *world) enumerate() {
	w.seed, w.table = maphash.MakeSeed(), make([]int32, 2*len(w.nodes)+1)
	for i := range w.nodes {
		at := w.slot(w.nodes[i].ID)
		for w.table[at] > 0 {
			at = (at + 1) % uint64(len(w.table))
		}
		w.table[at] = int32(i) + 1
	}
}

// node returns the node with an id, or nil.
func (w *world) node(id string) *graph.Node {
	if n, there := w.number(id); there {
		return w.nodes[n]
	}
	return nil
}

// resourceKey identifies a resource; ids of one type are unique only within a zone.
type resourceKey struct {
	kind     posture.ResourceType
	zone, id string
}

func keyOf(r posture.Resource) resourceKey { return resourceKey{r.Type, r.ZoneID, r.ID} }

func newWorld(g *graph.Linked, snap *snapshot.Snapshot, findings []posture.Verdict, nodeOf []string) *world {
	w := &world{snap: snap, nodes: g.Nodes, links: g.Links, byType: map[string][]*graph.Node{}, zones: make([]string, len(g.Nodes)),
		services: map[string][]*graph.Node{}, findings: findings, nodeOf: nodeOf, openOf: map[resourceKey]int32{},
		ofCheck: map[string][]int32{}}
	w.enumerate()
	for _, n := range g.Nodes {
		w.byType[n.Type] = append(w.byType[n.Type], n)
	}
	from, to := make([]int32, len(g.Links)), make([]int32, len(g.Links))
	for i, l := range g.Links {
		from[i], to[i] = l.From, l.To
		if end := g.Nodes[l.To]; l.Type == graph.BelongsTo && end.Type == graph.Zone && w.zones[l.From] == "" {
			w.zones[l.From] = end.ID
		}
	}
	w.out, w.in = newAdjacency(len(g.Nodes), from), newAdjacency(len(g.Nodes), to)
	w.services[""] = w.byType[graph.Service]
	for _, n := range w.services[""] {
		if zone := w.zoneOf(n.ID); zone != "" {
			w.services[zone] = append(w.services[zone], n)
		}
	}
	w.attach()
	w.opens, w.covers = w.openDoors()
	w.directs = sync.OnceValue(w.readDirects)
	return w
}

// attach indexes the open findings by resource and node.
func (w *world) attach() {
	var on []int32
	for i := range w.findings {
		f := &w.findings[i]
		if f.Result != posture.Fail && f.Result != posture.Warning {
			continue
		}
		key, place := keyOf(*f.Resource), int32(len(w.open))
		at, _ := w.number(w.nodeOf[i])
		last, more := w.openOf[key]
		if !more {
			last = -1
		}
		w.open, w.before, on = append(w.open, int32(i)), append(w.before, last), append(on, at)
		w.openOf[key] = place
		w.ofCheck[f.CheckID] = append(w.ofCheck[f.CheckID], int32(i))
	}
	w.openOn = newAdjacency(len(w.nodes), on)
}

// about returns the open findings of a resource.
func (w *world) about(key resourceKey) iter.Seq[int] {
	return func(yield func(int) bool) {
		place, there := w.openOf[key]
		for there && place >= 0 && yield(int(w.open[place])) {
			place = w.before[place]
		}
	}
}

// on returns the open findings at a node.
func (w *world) on(node string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, place := range w.at(w.openOn, node) {
			if !yield(int(w.open[place])) {
				return
			}
		}
	}
}

// has reports whether an edge exists. It searches the end with fewer edges: the internet has an
// edge to everything reachable.
func (w *world) has(e posture.PathEdge) bool {
	at := w.at(w.out, e.From)
	if in := w.at(w.in, e.To); len(in) < len(at) {
		at = in
	}
	from, _ := w.number(e.From) // a node with edges always exists
	to, _ := w.number(e.To)
	step := graph.Link{From: from, To: to, Type: e.Type}
	return slices.ContainsFunc(at, func(i int32) bool { return w.links[i] == step })
}

// fails reports whether a check gives FAIL for a resource.
func (w *world) fails(check string, r posture.Resource) bool {
	for i := range w.about(keyOf(r)) {
		if w.findings[i].CheckID == check && w.findings[i].Result == posture.Fail {
			return true
		}
	}
	return false
}

// failsAt reports whether one of the checks gives FAIL at a node.
func (w *world) failsAt(node string, checks ...string) bool {
	for i := range w.on(node) {
		if w.findings[i].Result == posture.Fail && slices.Contains(checks, w.findings[i].CheckID) {
			return true
		}
	}
	return false
}

// openAt reports whether one of the checks gives FAIL or WARNING at a node.
func (w *world) openAt(node string, checks ...string) bool {
	for i := range w.on(node) {
		if slices.Contains(checks, w.findings[i].CheckID) {
			return true
		}
	}
	return false
}

// failed returns copies of the FAIL findings of a check with their node ids, sorted by finding id.
func (w *world) failed(check string) []posture.Verdict {
	var out []posture.Verdict
	for _, i := range w.ofCheck[check] {
		if f := w.findings[i]; f.Result == posture.Fail {
			f.NodeID = w.nodeOf[i]
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b posture.Verdict) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// to lists the targets of the edges of a type from a node, in order.
func (w *world) to(from, kind string) []string {
	var out []string
	for _, i := range w.at(w.out, from) {
		if l := w.links[i]; l.Type == kind {
			out = append(out, w.nodes[l.To].ID)
		}
	}
	return out
}

// from lists the sources of the edges of a type to a node, in order.
func (w *world) from(to, kind string) []string {
	var out []string
	for _, i := range w.at(w.in, to) {
		if l := w.links[i]; l.Type == kind {
			out = append(out, w.nodes[l.From].ID)
		}
	}
	slices.Sort(out)
	return out
}

// is reports whether a boolean property of a node is true.
func (w *world) is(id, property string) bool {
	n := w.node(id)
	return n != nil && n.Properties.Get(property) == true
}

// text returns a string property of a node, or "".
func (w *world) text(id, property string) string {
	n := w.node(id)
	if n == nil {
		return ""
	}
	s, _ := n.Properties.Get(property).(string)
	return s
}

func (w *world) label(id string) string {
	if n := w.node(id); n != nil {
		return n.Label
	}
	return id
}

// zoneOf returns the id of the zone node of a node, or "".
func (w *world) zoneOf(id string) string {
	n, there := w.number(id)
	if !there {
		return ""
	}
	return w.zones[n]
}

// enter returns the path from the internet to a host: its nodes and the edges between them, or nil
// when the host is not reachable. The first of several records is used.
func (w *world) enter(service string) (nodes, steps []string) {
	if w.has(posture.PathEdge{From: graph.InternetID, To: service, Type: graph.InternetTo}) {
		return []string{graph.InternetID, service}, []string{graph.InternetTo}
	}
	for _, record := range w.from(service, graph.Proxies) {
		if w.has(posture.PathEdge{From: graph.InternetID, To: record, Type: graph.InternetTo}) {
			return []string{graph.InternetID, record, service}, []string{graph.InternetTo, graph.Proxies}
		}
	}
	return nil, nil
}

// answers reports whether a record resolves a host.
func (w *world) answers(record, host string) bool {
	name := strings.ToLower(strings.TrimSuffix(w.label(record), "."))
	if parent, star := strings.CutPrefix(name, "*."); star {
		return strings.HasSuffix(host, "."+parent)
	}
	return name == host
}

// behind lists the public origins a host is served from.
func (w *world) behind(service string) []string {
	var out []string
	for _, o := range w.to(service, graph.ResolvesTo) {
		if w.is(o, "public") {
			out = append(out, o)
		}
	}
	return out
}

// extend appends a step to a copy of a path.
func extend(nodes, steps []string, step, node string) ([]string, []string) {
	return append(slices.Clone(nodes), node), append(slices.Clone(steps), step)
}

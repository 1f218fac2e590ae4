package graph

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// stores adds the stores that scripts may read.
func (b *builder) stores() {
	add := func(id, kind, label string) {
		b.node(id, kind, label)
		b.edge(id, BelongsTo, b.accountID())
	}
	for _, n := range known(b, snapshot.KVNamespaces, b.account) {
		add("kv:"+n.ID, KVNamespace, n.Title)
	}
	for _, d := range known(b, snapshot.D1Databases, b.account) {
		add("d1:"+d.ID, D1Database, d.Name)
	}
	for _, q := range known(b, snapshot.Queues, b.account) {
		add("queue:"+q.ID, Queue, q.Name)
	}
	for _, r := range known(b, snapshot.R2Buckets, b.account) {
		add(b.bucket(r.SortKey()), Bucket, r.SortKey())
	}
}

func (b *builder) bucket(id string) string { return "r2:" + b.account + ":" + id }

// bound returns the id of the bucket a binding names. One that is not listed is not another jurisdiction's bucket of its name.
func (b *builder) bound(binding snapshot.Binding) string {
	id := b.bucket(binding.Target)
	if r, listed := binding.Bucket(known(b, snapshot.R2Buckets, b.account)); listed {
		return b.bucket(r.SortKey())
	}
	if binding.Jurisdiction != "" && b.find(id) != nil {
		return b.bucket(snapshot.BucketID(binding.Jurisdiction, binding.Target))
	}
	return id
}

func (b *builder) worker(script string) string { return Worker + ":" + b.account + ":" + script }

// workers adds the scripts, the hosts they serve and the stores they read.
func (b *builder) workers() {
	for _, w := range known(b, snapshot.Workers, b.account) {
		id := b.worker(w.ID)
		b.node(id, Worker, w.ID, Property{"platform", "workers"})
		b.edge(id, BelongsTo, b.accountID())
		b.bindings(id, known(b, snapshot.WorkerSettings, w.ID).Bindings)
	}
	domains := known(b, snapshot.WorkerDomains, b.account)
	for _, d := range domains {
		service := b.service(d.Hostname)
		b.edge(service, Executes, b.worker(d.Script))
		b.enterZone(service, d.Hostname)
	}
	for _, a := range known(b, snapshot.WorkersBeta, b.account) {
		s := known(b, snapshot.WorkerSubdomain, a.Name)
		if a.Switches != nil {
			s = *a.Switches
		}
		if s.Enabled && a.Host != "" {
			service := b.service(a.Host, Property{"platformHost", true})
			b.edge(service, Executes, b.worker(a.Name))
			b.edge(InternetID, InternetTo, service)
		}
	}
	for _, q := range known(b, snapshot.Queues, b.account) {
		for _, c := range q.Consumers {
			if c.Script != "" {
				b.edge(b.worker(c.Script), Reads, "queue:"+q.ID)
			}
		}
	}
	named := b.namedBelow()
	for _, z := range b.snap.Zones {
		b.routes(z, domains, named[z.ID])
	}
}

// bindings adds the stores a script reads. A store that is missing from its own list is added too:
// the binding proves that it exists.
func (b *builder) bindings(worker string, all []snapshot.Binding) {
	for _, binding := range all {
		if binding.Target == "" {
			continue
		}
		var id, kind string
		switch binding.Type {
		case "kv_namespace":
			id, kind = "kv:"+binding.Target, KVNamespace
		case "d1":
			id, kind = "d1:"+binding.Target, D1Database
		case "r2_bucket":
			id, kind = b.bound(binding), Bucket
		case "queue":
			id, kind = b.queue(binding.Target), Queue
		case "service":
			b.edge(worker, Executes, b.worker(binding.Target)) // one script calls another
			continue
		default:
			continue
		}
		if b.find(id) == nil {
			b.node(id, kind, binding.Target)
			b.edge(id, BelongsTo, b.accountID())
		}
		b.edge(worker, Reads, id)
	}
}

// queue returns the id of a queue by its name, which is what bindings hold.
func (b *builder) queue(name string) string {
	for _, q := range known(b, snapshot.Queues, b.account) {
		if q.Name == name {
			return "queue:" + q.ID
		}
	}
	return "queue:" + name
}

// routes adds which hosts of a zone run a script. A pattern with a fixed host names it; a wildcard
// pattern applies to every matching host of the zone in the graph.
func (b *builder) routes(z snapshot.Zone, domains []snapshot.WorkerDomain, named []string) {
	all := known(b, snapshot.ZoneWorkerRoutes, z.ID)
	var wild []snapshot.WorkerRoute
	for _, r := range all {
		if host := routeHost(r.Pattern); strings.HasPrefix(host, "*") {
			wild = append(wild, r)
		} else if r.Script != "" && !strings.Contains(host, "*") {
			b.run(z, host, r.Script)
		}
	}
	if len(wild) == 0 {
		return
	}
	fixed := map[string][]snapshot.WorkerRoute{}
	for _, r := range all {
		fixed[routeHost(r.Pattern)] = append(fixed[routeHost(r.Pattern)], r)
	}
	var hosts []string
	for _, r := range known(b, snapshot.ZoneDNSRecords, z.ID) {
		hosts = append(hosts, canonical(r.Name))
	}
	for _, h := range known(b, snapshot.ZoneCustomHostnames, z.ID) {
		hosts = append(hosts, canonical(h.Hostname))
	}
	for _, l := range known(b, snapshot.ZoneLoadBalancers, z.ID) {
		if l.Enabled {
			hosts = append(hosts, canonical(l.Name))
		}
	}
	hosts = append(hosts, named...)
	for _, d := range domains {
		if d.ZoneID == z.ID {
			hosts = append(hosts, canonical(d.Hostname))
		}
	}
	for _, r := range wild {
		if r.Script == "" {
			continue
		}
		host := routeHost(r.Pattern)
		if b.byWildcard(host) && !taken(r, host, wild) {
			b.run(z, host, r.Script)
		}
		for _, name := range hosts {
			if !strings.HasSuffix(name, host[1:]) || taken(r, name, wild) || name != host && taken(r, name, fixed[name]) {
				continue
			}
			if b.byWildcard(name) {
				b.run(z, name, r.Script)
			} else if b.find(Service+":"+name) != nil {
				b.edge(Service+":"+name, Executes, b.worker(r.Script))
			}
		}
	}
}

// namedBelow lists, by zone, the names that only an application or a tunnel names and a wildcard answers for.
func (b *builder) namedBelow() map[string][]string {
	out := map[string][]string{}
	add := func(host string) {
		if host = canonical(host); host == "" || strings.Contains(host, "*") {
			return
		}
		if z, own := b.zoneOf(host); own && b.byWildcard(host) {
			out[z.ID] = append(out[z.ID], host)
		}
	}
	for _, d := range exposure.AccessEndpoints(known(b, snapshot.AccessApps, b.account)) {
		add(d.Host)
	}
	for _, t := range known(b, snapshot.Tunnels, b.account) {
		for _, in := range known(b, snapshot.TunnelConfig, t.ID).Ingress {
			add(in.Hostname)
		}
	}
	return out
}

// run adds that a host of a zone, which may have no record but a wildcard, runs a script.
func (b *builder) run(z snapshot.Zone, host, script string) {
	service := b.service(host)
	b.edge(service, Executes, b.worker(script))
	if answers(z) && b.byWildcard(host) {
		b.edge(InternetID, InternetTo, service)
	}
}

// taken reports whether one of other routes, as the more specific one, takes all that a wildcard route
// matches of a host.
func taken(r snapshot.WorkerRoute, host string, others []snapshot.WorkerRoute) bool {
	return slices.ContainsFunc(others, func(o snapshot.WorkerRoute) bool {
		of := routeHost(o.Pattern)
		return (len(of) > len(routeHost(r.Pattern)) || !strings.HasPrefix(of, "*")) && takesFrom(o.Pattern, r.Pattern, host)
	})
}

// byWildcard reports whether a name without a record of its own, or all names below one, answer at the
// edge by a wildcard.
func (b *builder) byWildcard(name string) bool {
	return len(b.byName[name]) == 0 && slices.ContainsFunc(b.over(name), func(d destination) bool { return d.proxied })
}

// takesFrom reports whether a route takes all requests to a host that another one matches.
func takesFrom(pattern, other, host string) bool {
	s, over, path := cutRoute(pattern)
	t, _, of := cutRoute(other)
	below, star := strings.CutPrefix(over, "*")
	begin, any := strings.CutSuffix(path, "*")
	return (s == "" || strings.EqualFold(s, t)) && (below == host || star && strings.HasSuffix(host, below)) &&
		(path == of || any && strings.HasPrefix(of, begin))
}

// routeHost returns the host part of a route pattern such as *.shop.example/api/*.
func routeHost(pattern string) string {
	_, host, _ := cutRoute(pattern)
	return host
}

// cutRoute cuts a route pattern, which may have no scheme.
func cutRoute(pattern string) (scheme, host, path string) {
	scheme, rest, found := strings.Cut(pattern, "://")
	if !found {
		scheme, rest = "", pattern
	}
	host, path, _ = strings.Cut(rest, "/")
	return scheme, canonical(host), path
}

// pages adds the Pages projects; their functions are scripts.
func (b *builder) pages() {
	for _, p := range known(b, snapshot.PagesProjects, b.account) {
		id := NodeID(b.account, posture.Resource{Type: posture.ResourcePagesProject, ID: p.Name})
		b.node(id, Worker, p.Name, Property{"platform", "pages"})
		b.edge(id, BelongsTo, b.accountID())
		b.bindings(id, p.Production.Bindings)
		for _, host := range p.Domains {
			service := b.service(host, Property{"platformHost", exposure.ProviderOwned(host)})
			b.edge(service, Executes, id)
			b.enter(service, host)
		}
	}
}

// buckets adds the public hostnames of buckets.
func (b *builder) buckets() {
	for _, r := range known(b, snapshot.R2Buckets, b.account) {
		id := b.bucket(r.SortKey())
		if m := known(b, snapshot.R2ManagedDomain, r.SortKey()); m.Enabled && m.Domain != "" {
			service := b.service(m.Domain, Property{"platformHost", true})
			b.edge(service, Reads, id)
			b.edge(InternetID, InternetTo, service)
		}
		for _, d := range known(b, snapshot.R2CustomDomains, r.SortKey()) {
			if !d.Serves() {
				continue
			}
			service := b.service(d.Domain)
			b.edge(service, Reads, id)
			b.enterZone(service, d.Domain)
		}
	}
}

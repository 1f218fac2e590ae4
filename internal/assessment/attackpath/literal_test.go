package attackpath_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// account is a random account with what a stranger on the internet may meet at one zone.
type account struct {
	r         *rand.Rand
	zone      snapshot.Zone
	records   []snapshot.DNSRecord
	balancers []snapshot.LoadBalancer
	pools     []snapshot.Pool
	spectrum  []snapshot.SpectrumApp
	customers []snapshot.CustomHostname
	apps      []snapshot.AccessApp
	tunnels   map[string][]snapshot.Ingress
	routes    []snapshot.WorkerRoute
	domains   []snapshot.WorkerDomain
	bindings  map[string][]snapshot.Binding
	answering map[string]bool // scripts with a host name of the platform
	destined  string          // a script that an application names
}

const (
	tunnelA = goodtest.Tunnel
	tunnelB = "0c000000-0000-4000-8000-000000000002"
)

func any1[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (a *account) host() string {
	return any1(a.r, "", "www.", "admin.", "api.", "x.apps.", "git.") + goodtest.Domain
}

func (a *account) address() string {
	return any1(a.r, "45.60.10.1", "45.60.10.2", "45.60.10.3", "10.0.0.5", "2a01:4f8::1")
}

func newAccount(seed uint64) *account {
	a := &account{r: rand.New(rand.NewPCG(seed, 5)), tunnels: map[string][]snapshot.Ingress{}, bindings: map[string][]snapshot.Binding{},
		answering: map[string]bool{}}
	r := a.r
	some := func(most int, make func(id int)) {
		for n := range r.IntN(most + 1) {
			make(n)
		}
	}
	a.zone = snapshot.Zone{ID: goodtest.Zone, Name: goodtest.Domain, Status: "active", Type: "full", Plan: "enterprise"}
	switch r.IntN(12) {
	case 0:
		a.zone.Paused = true
	case 1:
		a.zone.Type = any1(r, "partial", "internal", "secondary")
	case 2:
		a.zone.Status = "pending"
	}
	some(7, func(n int) {
		rec := snapshot.DNSRecord{ID: fmt.Sprint("d", n), Name: a.host(), Type: "A", Content: a.address(),
			Proxied: r.IntN(2) == 0, Proxiable: true}
		if r.IntN(6) == 0 {
			rec.Name = any1(r, "*.", "*.apps.") + goodtest.Domain
		}
		switch r.IntN(6) {
		case 0:
			rec.Type, rec.Content = "CNAME", a.host()
		case 1:
			rec.Type, rec.Content, rec.Proxied = "CNAME", any1(r, tunnelA, tunnelB)+".cfargotunnel.com", true
		case 2:
			rec.Type, rec.Content = "CNAME", any1(r, "lb.", "elsewhere.hosting-")+goodtest.Domain
		}
		if strings.Contains(rec.Content, ":") {
			rec.Type = "AAAA"
		}
		// A name has one alias, or addresses.
		for _, o := range a.records {
			if o.Name == rec.Name && (o.Type == "CNAME" || rec.Type == "CNAME") {
				return
			}
		}
		a.records = append(a.records, rec)
	})
	some(2, func(n int) {
		p := snapshot.Pool{ID: fmt.Sprint("p", n), Name: fmt.Sprint("p", n), Enabled: r.IntN(6) > 0}
		some(2, func(int) {
			p.Origins = append(p.Origins, snapshot.Origin{Name: "o", Address: any1(r, a.address(), a.host(), a.address(), a.host(),
				tunnelA+".cfargotunnel.com"), Enabled: r.IntN(6) > 0})
		})
		a.pools = append(a.pools, p)
	})
	some(2, func(n int) {
		l := snapshot.LoadBalancer{ID: fmt.Sprint("lb", n), Name: any1(r, a.host(), "lb."+goodtest.Domain), Enabled: r.IntN(5) > 0,
			Proxied: r.IntN(3) > 0}
		for _, p := range a.pools {
			if r.IntN(3) > 0 {
				l.Pools = append(l.Pools, p.ID)
			}
		}
		if !slices.ContainsFunc(a.balancers, func(o snapshot.LoadBalancer) bool { return o.Name == l.Name }) {
			a.balancers = append(a.balancers, l)
		}
	})
	some(3, func(n int) {
		on := r.IntN(3) == 0
		a.spectrum = append(a.spectrum, snapshot.SpectrumApp{ID: fmt.Sprint("s", n), Name: any1(r, "ssh.", "db.") + goodtest.Domain,
			Protocol: any1(r, "tcp/22", "tcp/3306", "tcp/443"), TLS: "full", IPFirewall: &on, Traffic: "direct", Origins: []string{"45.60.10.1:22"}})
	})
	some(1, func(n int) {
		a.customers = append(a.customers, snapshot.CustomHostname{ID: "c", Hostname: "shop.customer.test", Status: any1(r, "active", "pending"),
			Origin: a.host()})
	})
	some(3, func(n int) {
		p := snapshot.AccessPolicy{ID: fmt.Sprint("pol", n), Name: fmt.Sprint("pol", n), Decision: "allow",
			Include: []snapshot.AccessRule{{Kind: "email_domain", Value: "shop.example"}}}
		if r.IntN(3) == 0 {
			p.Decision, p.Include = "bypass", []snapshot.AccessRule{{Kind: "everyone"}}
		}
		domain := a.host()
		switch r.IntN(4) {
		case 0:
			domain = "*." + goodtest.Domain
		case 1:
			domain += "/part"
		}
		a.apps = append(a.apps, snapshot.AccessApp{ID: fmt.Sprint("a", n), Name: fmt.Sprint("app", n), Type: "self_hosted", Domain: domain,
			Domains: []string{domain}, Policies: []snapshot.AccessPolicy{p}, SessionDuration: "8h"})
	})
	for _, id := range []string{tunnelA, tunnelB} {
		some(3, func(int) {
			a.tunnels[id] = append(a.tunnels[id], snapshot.Ingress{Hostname: any1(r, a.host(), "*."+goodtest.Domain),
				Path:    any1(r, "", "", "", "^/api"),
				Service: any1(r, "http://10.0.0.5:3000", "ssh://10.0.0.6:22", "http_status:404", "https://www.example.com")})
		})
		a.tunnels[id] = append(a.tunnels[id], snapshot.Ingress{Service: "http_status:404"})
	}
	a.scripts(some)
	return a
}

// scripts adds two scripts, how strangers reach them, and what they hold.
func (a *account) scripts(some func(int, func(int))) {
	r := a.r
	some(3, func(n int) {
		route := snapshot.WorkerRoute{ID: fmt.Sprint("r", n), Script: any1(r, "s1", "s2", ""),
			Pattern: any1(r, a.host()+"/*", a.host()+"/api/*", "*."+goodtest.Domain+"/*", "*"+goodtest.Domain+"/*")}
		if !slices.ContainsFunc(a.routes, func(o snapshot.WorkerRoute) bool { return o.Pattern == route.Pattern }) {
			a.routes = append(a.routes, route)
		}
	})
	some(1, func(int) {
		if host := a.host(); !a.has(host) {
			a.domains = append(a.domains, snapshot.WorkerDomain{ID: "w", Hostname: host, Script: any1(r, "s1", "s2"), ZoneID: goodtest.Zone})
		}
	})
	for _, script := range []string{"s1", "s2"} {
		a.answering[script] = r.IntN(3) == 0
		if r.IntN(3) == 0 {
			a.bindings[script] = append(a.bindings[script], snapshot.Binding{Name: "A", Type: "plain_text", Kind: "stripe-key", Length: 32})
		}
		if r.IntN(3) == 0 {
			a.bindings[script] = append(a.bindings[script], snapshot.Binding{Name: "B", Type: "kv_namespace", Target: "kv1"})
		}
		if r.IntN(3) == 0 {
			a.bindings[script] = append(a.bindings[script], snapshot.Binding{Name: "C", Type: "service", Target: other(script)})
		}
	}
	if r.IntN(5) == 0 {
		a.destined = "s1"
	}
}

func other(script string) string { return map[string]string{"s1": "s2", "s2": "s1"}[script] }

// runs says which hosts at the edge run a script: the most specific route for some path decides.
func (a *account) runs(script string) (out []string) {
	for host := range a.asked() {
		for _, path := range []string{"", "api/x"} {
			best := snapshot.WorkerRoute{}
			for _, r := range a.routes {
				if fits(r.Pattern, host, path) && (best.Pattern == "" || specific(r.Pattern) > specific(best.Pattern)) {
					best = r
				}
			}
			if best.Script == script && best.Pattern != "" {
				out = append(out, host)
			}
		}
	}
	for _, d := range a.domains {
		if d.Script == script && a.serving() && !a.zone.Paused {
			out = append(out, d.Hostname)
		}
	}
	return out
}

func fits(pattern, host, path string) bool {
	over, under, _ := strings.Cut(pattern, "/")
	begin := strings.TrimSuffix(under, "*")
	return (over == host || strings.HasPrefix(over, "*") && strings.HasSuffix(host, over[1:])) && strings.HasPrefix(path, begin)
}

// specific grades a route: a host by name before a star, then the longer one.
func specific(pattern string) int {
	n := len(pattern)
	if !strings.HasPrefix(pattern, "*") {
		n += 1000
	}
	return n
}

// asked lists the names at the edge, and those that only a route names and a wildcard answers.
func (a *account) asked() map[string]bool {
	out := map[string]bool{}
	for host := range a.edge() {
		out[host] = true
	}
	if a.serving() && !a.zone.Paused {
		for _, r := range a.routes {
			if host, _, _ := strings.Cut(r.Pattern, "/"); !strings.HasPrefix(host, "*") && a.proxied(host, nil) {
				out[host] = true
			}
		}
	}
	return out
}

// calls says that the script of an address ends up in another one.
func (a *account) calls(from, to string) bool {
	return from == to || slices.ContainsFunc(a.bindings[from], func(b snapshot.Binding) bool { return b.Target == to })
}

func (a *account) holds(script, name string) bool {
	return slices.ContainsFunc(a.bindings[script], func(b snapshot.Binding) bool { return b.Name == name })
}

func (a *account) scriptWays(out map[string]bool) {
	for _, s := range []string{"s1", "s2"} {
		for _, from := range []string{"s1", "s2"} {
			if a.calls(from, s) && a.holds(s, "A") && (a.answering[from] || len(a.runs(from)) > 0) {
				out["worker-plaintext-secret:worker:"+goodtest.Account+":"+s+" high"] = true
			}
		}
		open := a.answering[s] && a.destined != s
		if open && (a.holds(s, "B") || a.holds(s, "C") && a.holds(other(s), "B")) {
			out["open-worker-store:worker:"+goodtest.Account+":"+s+":kv:kv1 high"] = true
		}
		for _, host := range a.runs(s) {
			governing := a.governs(host, "")
			for _, p := range governing {
				if open && !slices.ContainsFunc(governing, lets) {
					out["access-bypass:access_app:"+p.ID+":service:"+s+".acme.workers.dev:worker:"+goodtest.Account+":"+s+" high"] = true
				}
			}
		}
	}
}

func (a *account) builder() *snapshot.Builder {
	b := goodtest.Snapshot()
	b.Zones[0] = a.zone
	snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
	snapshot.Put(b, snapshot.ZoneDNSRecords, goodtest.Zone, a.records)
	snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, a.balancers)
	snapshot.Put(b, snapshot.LBPools, goodtest.Account, a.pools)
	snapshot.Put(b, snapshot.ZoneSpectrumApps, goodtest.Zone, a.spectrum)
	snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, a.customers)
	snapshot.Put(b, snapshot.ZoneFallbackOrigin, goodtest.Zone, snapshot.FallbackOrigin{})
	apps := a.apps
	if a.destined != "" {
		apps = append(slices.Clone(apps), snapshot.AccessApp{ID: "dest", Name: "destined", Type: "self_hosted", SessionDuration: "8h",
			Elsewhere: []snapshot.AccessDestination{{Type: "worker", Value: "tag-" + a.destined}},
			Policies: []snapshot.AccessPolicy{{ID: "pd", Name: "pd", Decision: "allow",
				Include: []snapshot.AccessRule{{Kind: "email_domain", Value: "shop.example"}}}}})
	}
	snapshot.Put(b, snapshot.AccessApps, goodtest.Account, apps)
	snapshot.Put(b, snapshot.WorkerDomains, goodtest.Account, a.domains)
	snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, a.routes)
	var scripts []snapshot.Worker
	var addresses []snapshot.WorkerAddress
	for _, s := range []string{"s1", "s2"} {
		scripts = append(scripts, snapshot.Worker{ID: s, Tag: "tag-" + s, Handlers: []string{"fetch"}, Logpush: true})
		addresses = append(addresses, snapshot.WorkerAddress{ID: "tag-" + s, Name: s, Host: s + ".acme.workers.dev",
			Switches: &snapshot.WorkerSwitches{Enabled: a.answering[s]}})
		snapshot.Put(b, snapshot.WorkerSettings, s, snapshot.WorkerConfig{Bindings: a.bindings[s]})
		b.Set(snapshot.Section{Source: snapshot.WorkerSubdomain.Source(), Scope: s, Status: snapshot.Skipped, Reason: "the list has it"})
	}
	snapshot.Put(b, snapshot.Workers, goodtest.Account, scripts)
	snapshot.Put(b, snapshot.WorkersBeta, goodtest.Account, addresses)
	snapshot.Put(b, snapshot.KVNamespaces, goodtest.Account, []snapshot.KVNamespace{{ID: "kv1", Title: "customers"}})
	snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{})
	snapshot.Put(b, snapshot.R2CustomDomains, goodtest.Bucket, []snapshot.R2Domain{})
	var tunnels []snapshot.Tunnel
	for _, id := range []string{tunnelA, tunnelB} {
		tunnels = append(tunnels, snapshot.Tunnel{ID: id, Name: "t" + id[len(id)-1:], Status: "healthy", ConfigSrc: "cloudflare"})
		snapshot.Put(b, snapshot.TunnelConfig, id, snapshot.TunnelSettings{Version: 1, Ingress: a.tunnels[id]})
	}
	snapshot.Put(b, snapshot.Tunnels, goodtest.Account, tunnels)
	return b
}

func (a *account) serving() bool {
	return a.zone.Status == "active" && a.zone.Type != "internal"
}

// at finds what answers for a name: a balancer before records, an exact name before a wildcard.
func (a *account) at(name string) (lb *snapshot.LoadBalancer, records []snapshot.DNSRecord) {
	if !exposure.Within(name, goodtest.Domain) {
		return nil, nil
	}
	for try := name; ; {
		for i, l := range a.balancers {
			if l.Enabled && l.Name == try {
				return &a.balancers[i], nil
			}
		}
		for _, r := range a.records {
			if r.Name == try {
				records = append(records, r)
			}
		}
		if len(records) > 0 {
			return nil, records
		}
		_, rest, more := strings.Cut(strings.TrimPrefix(try, "*."), ".")
		if !more || !exposure.Within(rest, goodtest.Domain) {
			return nil, nil
		}
		switch star := "*." + rest; {
		case try != star && a.has(star):
			try = star
		case a.has(rest):
			return nil, nil
		default:
			try = rest
		}
	}
}

func (a *account) has(name string) bool {
	return slices.ContainsFunc(a.records, func(r snapshot.DNSRecord) bool { return r.Name == name }) ||
		slices.ContainsFunc(a.balancers, func(l snapshot.LoadBalancer) bool { return l.Enabled && l.Name == name })
}

func (a *account) pooled(l *snapshot.LoadBalancer, seen []string, through bool) (out []string) {
	for _, p := range a.pools {
		if !p.Enabled || !slices.Contains(l.Pools, p.ID) {
			continue
		}
		for _, o := range p.Origins {
			if o.Enabled {
				out = append(out, a.servers(o.Address, seen, through)...)
			}
		}
	}
	return out
}

// servers follows a name to the servers behind it, whoever asks.
func (a *account) servers(name string, seen []string, through bool) []string {
	if ip, err := netip.ParseAddr(name); err == nil {
		return []string{ip.String()}
	}
	if slices.Contains(seen, name) || exposure.ProviderOwned(name) {
		return nil
	}
	if !exposure.Within(name, goodtest.Domain) {
		return []string{name}
	}
	seen = append(slices.Clone(seen), name)
	lb, records := a.at(name)
	if lb != nil {
		return a.pooled(lb, seen, through)
	}
	if len(records) == 0 && a.zone.Partial() {
		return []string{name} // other name servers may know it
	}
	var out []string
	for _, r := range records {
		if !through && !a.zone.Paused && slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool { return r.Proxied }) {
			continue
		}
		out = append(out, a.servers(r.Content, seen, through)...)
	}
	return out
}

// proxied says whether Cloudflare's addresses answer for a name.
func (a *account) proxied(name string, seen []string) bool {
	if a.zone.Paused || slices.Contains(seen, name) {
		return false
	}
	lb, records := a.at(name)
	if lb != nil {
		return lb.Proxied
	}
	return slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool {
		if r.Proxied {
			return true
		}
		if r.Type != "CNAME" {
			return false
		}
		if lb, _ := a.at(r.Content); lb != nil {
			return false // the addresses of the pool are given
		}
		return a.proxied(r.Content, append(slices.Clone(seen), name))
	})
}

func open(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err != nil || !exposure.ReservedAddress(ip)
}

// shown lists record and server for every address that the public name system gives away.
func (a *account) shown() (out [][2]string) {
	if !a.serving() || a.zone.Partial() {
		return nil
	}
	for _, r := range a.records {
		if lb, _ := a.at(r.Name); lb != nil || a.proxied(r.Name, nil) {
			continue
		}
		for _, s := range a.servers(r.Content, []string{r.Name}, false) {
			if open(s) {
				out = append(out, [2]string{"dns:" + goodtest.Zone + ":" + r.ID, "origin:" + s})
			}
		}
	}
	return out
}

// foreign reports whether a record leads at once to a name of another domain.
func (a *account) foreign(record string) bool {
	return slices.ContainsFunc(a.records, func(r snapshot.DNSRecord) bool {
		return strings.HasSuffix(record, ":"+r.ID) && !r.Proxied && r.Type == "CNAME" && !exposure.Within(r.Content, goodtest.Domain)
	})
}

func (a *account) names() []string {
	var out []string
	for _, r := range a.records {
		out = append(out, r.Name)
	}
	for _, l := range a.balancers {
		out = append(out, l.Name)
	}
	for _, rules := range a.tunnels {
		for _, in := range rules {
			if in.Hostname != "" && !strings.HasPrefix(in.Hostname, "*") {
				out = append(out, in.Hostname)
			}
		}
	}
	for _, p := range a.apps {
		if host, _, _ := strings.Cut(p.Domain, "/"); !strings.Contains(host, "*") {
			out = append(out, host)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// edge lists the names that a stranger asks at the edge, with the servers behind.
func (a *account) edge() map[string][]string {
	out := map[string][]string{}
	if !a.serving() || a.zone.Paused {
		return out
	}
	for _, n := range a.names() {
		if a.proxied(n, nil) {
			out[n] = a.servers(n, nil, true)
		}
	}
	for _, d := range a.domains {
		out[d.Hostname] = slices.Clip(out[d.Hostname])
	}
	for _, c := range a.customers {
		if c.Status == "active" {
			out[c.Hostname] = a.servers(c.Origin, nil, true)
		}
	}
	return out
}

// governs returns the application that decides about a path of a host, by the most specific address.
func (a *account) governs(host, path string) (best []snapshot.AccessApp) {
	rank := -1
	for _, p := range a.apps {
		domain, part, _ := strings.Cut(p.Domain, "/")
		parts := strings.Split(domain, ".")
		fits := domain == host || parts[0] == "*" && strings.Count(host, ".") == strings.Count(domain, ".") && strings.HasSuffix(host, domain[1:])
		if !fits || part != "" && part != path {
			continue
		}
		n := 0
		if domain == host {
			n = 2
		}
		if part != "" {
			n++
		}
		if n > rank {
			best, rank = nil, n
		}
		if n == rank {
			best = append(best, p)
		}
	}
	return best
}

func lets(p snapshot.AccessApp) bool { return p.Policies[0].Decision == "bypass" }

func (a *account) ways() map[string]bool {
	out := map[string]bool{}
	edge, shown := a.edge(), a.shown()
	for _, s := range shown {
		shared := false
		for _, servers := range edge {
			shared = shared || slices.Contains(servers, strings.TrimPrefix(s[1], "origin:"))
		}
		severity := "high"
		switch {
		case shared:
			severity = "critical"
		case a.foreign(s[0]):
			continue // it may be somebody else's
		}
		out["exposed-origin:"+s[0]+":"+s[1]+" "+severity] = true
	}
	if a.serving() && !a.zone.Paused {
		for _, s := range a.spectrum {
			if s.Protocol != "tcp/443" && !*s.IPFirewall {
				out["open-port:service:"+s.Name+":origin:45.60.10.1 high"] = true
			}
		}
		for i, l := range a.balancers {
			if l.Enabled && !l.Proxied && slices.ContainsFunc(a.pooled(&a.balancers[i], []string{l.Name}, false), open) {
				out["direct-balancer:service:"+l.Name+" high"] = true
				for _, s := range a.pooled(&a.balancers[i], []string{l.Name}, false) {
					if open(s) {
						shown = append(shown, [2]string{"service:" + l.Name, "origin:" + s})
					}
				}
			}
		}
	}
	for i, l := range a.balancers { // Cloudflare answers for it as if it were not proxied
		if a.serving() && a.zone.Paused && l.Enabled && l.Proxied &&
			slices.ContainsFunc(a.pooled(&a.balancers[i], []string{l.Name}, false), open) {
			out["direct-balancer:service:"+l.Name+" high"] = true
		}
	}
	asked := maps.Clone(edge)
	for i, l := range a.balancers { // one that is not proxied is never asked, though the application says so
		if a.serving() && !a.zone.Paused && l.Enabled && !l.Proxied {
			asked[l.Name] = a.pooled(&a.balancers[i], []string{l.Name}, false)
		}
	}
	for host, servers := range asked {
		governing := a.governs(host, "")
		for _, p := range governing {
			if slices.ContainsFunc(governing, func(o snapshot.AccessApp) bool { return lets(o) }) {
				continue
			}
			for _, s := range shown {
				if slices.Contains(servers, strings.TrimPrefix(s[1], "origin:")) {
					out["access-bypass:access_app:"+p.ID+":"+s[0]+":"+s[1]+" high"] = true
				}
			}
		}
	}
	for _, p := range a.apps {
		if !lets(p) {
			continue
		}
		_, path, _ := strings.Cut(p.Domain, "/")
		for host := range edge {
			if slices.ContainsFunc(a.governs(host, path), func(o snapshot.AccessApp) bool { return o.ID == p.ID }) {
				out["open-access-app:access_app:"+p.ID+" critical"] = true
			}
		}
	}
	if a.serving() && !a.zone.Paused {
		for host := range edge {
			lb, records := a.at(host)
			var targets []string
			for _, r := range records {
				if r.Name == host {
					targets = append(targets, r.Content)
				}
			}
			for _, p := range a.pools {
				for _, o := range p.Origins {
					if lb != nil && lb.Name == host && p.Enabled && slices.Contains(lb.Pools, p.ID) && o.Enabled {
						targets = append(targets, o.Address)
					}
				}
			}
			for _, target := range targets {
				id, is := strings.CutSuffix(target, ".cfargotunnel.com")
				if !is {
					continue
				}
				for i, in := range a.tunnels[id] {
					first := in.Hostname == host || strings.HasPrefix(in.Hostname, "*") && strings.HasSuffix(host, in.Hostname[1:])
					for _, e := range a.tunnels[id][:i] {
						if (e.Path == "" || e.Path == in.Path) && (e.Hostname == host ||
							strings.HasPrefix(e.Hostname, "*") && strings.HasSuffix(host, e.Hostname[1:])) {
							first = false
						}
					}
					guarded := false
					for _, path := range []string{"", "part", "api"} {
						if in.Path != "" && path != "api" {
							continue
						}
						governing := a.governs(host, path)
						guarded = guarded || len(governing) > 0 && slices.ContainsFunc(governing, func(p snapshot.AccessApp) bool { return !lets(p) })
					}
					if first && !guarded && exposure.PrivateService(in.Service) && exposure.AudienceOf(host, "", in.Service) == exposure.Few {
						out["tunnel-without-access:tunnel:"+id+":service:"+host+" high"] = true
					}
				}
			}
		}
	}
	a.scriptWays(out)
	return out
}

func (a *account) String() string {
	return fmt.Sprintf("%+v", *a)
}

// sized is how many accounts a comparison tries: all in the sweep, a part in short mode.
func sized(all, part uint64) uint64 {
	if testing.Short() {
		return part
	}
	return all
}

// TestSweepPathsAgreeWithALiteralReading computes for random accounts who reaches what, from the account and not from the graph.
func TestSweepPathsAgreeWithALiteralReading(t *testing.T) {
	t.Parallel()
	accounts, ways := sized(3000, 150), 0
	kinds := []string{"access-bypass", "direct-balancer", "exposed-origin", "open-access-app", "open-port", "open-worker-store",
		"tunnel-without-access", "worker-plaintext-secret"}
	for seed := range accounts {
		a, got := newAccount(seed), []string{}
		for _, p := range a.paths(t) {
			if p.Kind == "tunnel-without-access" && !a.has(p.ID[strings.LastIndexByte(p.ID, ':')+1:]) {
				continue // the path to the wildcard stands for it
			}
			if slices.Contains(kinds, p.Kind) {
				got = append(got, strings.TrimPrefix(p.ID, "ap:")+" "+string(p.Severity))
			}
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(a.ways())), got, "account %d: %s", seed, a)
		ways += len(got)
	}
	t.Logf("%d ways in %d accounts", ways, accounts)
}

// TestSweepPathsDoNotDependOnSpelling: neither order nor capitals nor trailing dots nor what is switched off makes or breaks a way.
func TestSweepPathsDoNotDependOnSpelling(t *testing.T) {
	t.Parallel()
	accounts := sized(500, 50)
	for seed := range accounts {
		a, b := newAccount(seed), newAccount(seed)
		spell := func(host *string) {
			*host = any1(b.r, strings.ToUpper(*host), *host+".", *host)
		}
		b.r.Shuffle(len(b.records), func(i, j int) { b.records[i], b.records[j] = b.records[j], b.records[i] })
		b.r.Shuffle(len(b.apps), func(i, j int) { b.apps[i], b.apps[j] = b.apps[j], b.apps[i] })
		b.r.Shuffle(len(b.spectrum), func(i, j int) { b.spectrum[i], b.spectrum[j] = b.spectrum[j], b.spectrum[i] })
		b.r.Shuffle(len(b.routes), func(i, j int) { b.routes[i], b.routes[j] = b.routes[j], b.routes[i] })
		for i := range b.records {
			if spell(&b.records[i].Name); b.records[i].Type == "CNAME" {
				spell(&b.records[i].Content)
			}
		}
		for i := range b.balancers {
			spell(&b.balancers[i].Name)
		}
		for i := range b.pools {
			b.pools[i].Origins = append(b.pools[i].Origins, snapshot.Origin{Name: "off", Address: "45.60.10.1"})
		}
		b.balancers = append(b.balancers, snapshot.LoadBalancer{ID: "off", Name: "www." + goodtest.Domain, Proxied: true, Pools: []string{"p0"}})
		require.Equal(t, rated(a.paths(t)), rated(b.paths(t)), "account %d: %s", seed, a)
	}
}

func (a *account) paths(t *testing.T) []posture.AttackPath { return pathsOf(t, a.builder()) }

func rated(paths []posture.AttackPath) (out []string) {
	for _, p := range paths {
		out = append(out, p.ID+" "+string(p.Severity))
	}
	return out
}

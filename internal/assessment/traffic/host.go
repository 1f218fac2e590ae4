package traffic

import (
	"cmp"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Kind is what serves a hostname behind the edge.
type Kind string

// Only an origin and a balancer are reached over a connection that the zone's TLS mode secures. A
// placeholder is an address without a server: rules or a Worker answer.
const (
	Origin      Kind = "origin"
	Balancer    Kind = "load balancer"
	Tunnel      Kind = "tunnel"
	Pages       Kind = "Pages project"
	Worker      Kind = "Worker"
	Bucket      Kind = "R2 bucket"
	OtherZone   Kind = "another zone of Cloudflare"
	Placeholder Kind = "placeholder"
)

// HasOrigin reports whether the edge opens a connection of its own to a server.
func (k Kind) HasOrigin() bool { return k == Origin || k == Balancer }

func anyKind(Kind) bool { return true }

// Host is a name that the edge serves. Record is the id of its DNS record.
type Host struct {
	Name     string
	Wildcard bool
	Kind     Kind
	Record   string
}

// Hosts lists the names that the edge serves according to the records of a zone, sorted. balancers are
// what serves the names of its balancers, which go before records.
func Hosts(records []snapshot.DNSRecord, balancers map[string]Kind) []Host {
	byName := map[string][]snapshot.DNSRecord{}
	for _, r := range records {
		if slices.Contains([]string{"A", "AAAA", "CNAME"}, r.Type) {
			name := strings.ToLower(strings.TrimSuffix(r.Name, "."))
			byName[name] = append(byName[name], r)
		}
	}
	var out []Host
	for name, of := range byName {
		i := slices.IndexFunc(of, func(r snapshot.DNSRecord) bool { return r.Proxied })
		if i < 0 {
			continue
		}
		out = append(out, Host{Name: name, Wildcard: strings.HasPrefix(name, "*."), Kind: kind(of, byName, balancers, 0), Record: of[i].ID})
	}
	slices.SortFunc(out, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// hosts lists the names that the edge serves for the zone: those of its records, load balancers and
// custom hostnames. A name that several of them define is served by the balancer first, then by the
// record (developers.cloudflare.com/load-balancing/load-balancers/dns-records/,
// /cloudflare-for-platforms/cloudflare-for-saas/). Names that could not be read are missing, and
// the doubt says so.
func (z *zone) hosts() ([]Host, *Doubt) { return z.of.served() }

func (z *zone) served() ([]Host, *Doubt) {
	records, d1 := read(z, snapshot.ZoneDNSRecords)
	balancers, d2 := read(z, snapshot.ZoneLoadBalancers)
	pools, _ := read(z, snapshot.LBPools) // if unknown, a balancer is taken to lead to servers, as most do
	customers, d3 := read(z, snapshot.ZoneCustomHostnames)
	out, seen := []Host{}, map[string]bool{}
	add := func(h Host) {
		if !seen[h.Name] {
			seen[h.Name] = true
			out = append(out, h)
		}
	}
	named := func(name string, kind Kind, id string) Host {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		return Host{Name: name, Wildcard: strings.HasPrefix(name, "*."), Kind: kind, Record: id}
	}
	balancing := map[string]Kind{}
	for _, b := range balancers {
		h := named(b.Name, balanced(b, pools), b.ID)
		if b.Enabled {
			balancing[h.Name] = h.Kind
		}
		switch {
		case b.Enabled && b.Proxied:
			add(h)
		case b.Enabled:
			seen[h.Name] = true // it answers with the addresses of its servers, whatever the record says
		}
	}
	for _, h := range Hosts(records, balancing) {
		add(h)
	}
	for _, c := range customers {
		if !c.Gone() {
			add(named(c.Hostname, Origin, c.ID))
		}
		if !c.Gone() && c.Wildcard {
			add(named("*."+c.Hostname, Origin, c.ID))
		}
	}
	slices.SortFunc(out, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return out, cmp.Or(d1, d2, d3)
}

// balanced returns what serves a balancer: tunnels when every endpoint in use is one, otherwise
// servers (developers.cloudflare.com/cloudflare-one/networks/routes/load-balancers/).
func balanced(b snapshot.LoadBalancer, pools []snapshot.Pool) Kind {
	out := Balancer
	for _, p := range pools {
		for _, o := range p.Origins {
			if !p.Enabled || !o.Enabled || !slices.Contains(b.Pools, p.ID) {
				continue
			}
			if PlatformOf(strings.ToLower(strings.TrimSuffix(o.Address, "."))) != Tunnel {
				return Balancer
			}
			out = Tunnel
		}
	}
	return out
}

// maxChain bounds how many aliases within a zone are followed.
const maxChain = 8

// kind returns what serves the records of a name. If any of them is an origin, the kind is Origin. Aliases
// are followed to what answers for their target, also by a wildcard.
func kind(of []snapshot.DNSRecord, byName map[string][]snapshot.DNSRecord, balancers map[string]Kind, depth int) Kind {
	out := Placeholder
	for _, r := range of {
		k := Origin
		if r.Type == "CNAME" {
			target := strings.ToLower(strings.TrimSuffix(r.Content, "."))
			k = PlatformOf(target)
			over := exposure.Over(target, func(name string) bool { return balancers[name] != "" || len(byName[name]) > 0 })
			if balanced, is := balancers[over]; is {
				k = balanced
			} else if next := byName[over]; len(next) > 0 && depth < maxChain {
				k = kind(next, byName, balancers, depth+1)
			}
		} else if NoOrigin(r.Content) {
			k = Placeholder
		}
		if k.HasOrigin() {
			return Origin
		}
		out = k
	}
	return out
}

// PlatformOf returns what serves the target of an alias: one of Cloudflare's own platforms, or an
// origin.
func PlatformOf(target string) Kind {
	for _, p := range []struct {
		domain string
		kind   Kind
	}{{"cfargotunnel.com", Tunnel}, {"pages.dev", Pages}, {"workers.dev", Worker}, {"r2.dev", Bucket}, {"r2.cloudflarestorage.com", Bucket},
		{"cdn.cloudflare.net", OtherZone}} {
		if exposure.Within(target, p.domain) {
			return p.kind
		}
	}
	return Origin
}

// NoOrigin reports whether an address is one of the documented placeholders for hosts without an
// origin (RFC 5737, RFC 6666; developers.cloudflare.com/dns/troubleshooting/faq/).
func NoOrigin(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	for _, p := range [4]netip.Prefix{
		netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, 0}), 24), netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, 0}), 24),
		netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113, 0}), 24), netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 1}), 64),
	} {
		if p.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// class is a set of hosts that no rule distinguishes.
type class struct {
	kind  Kind
	hosts []Host
	cut   bool // it holds a wildcard, and conditions name more of what that covers than was told apart
}

// classes groups hosts by what serves them and by what the conditions say about their names.
func classes(z *zone, hosts []Host, texts []string) []class {
	var leaves []expression.Expr
	done := map[string]bool{}
	for _, text := range texts {
		if done[text] {
			continue
		}
		done[text] = true
		if e := z.parse(text); e != nil {
			for _, l := range leavesOf(e) {
				if slices.ContainsFunc(expression.FieldsOf(l), func(f expression.Field) bool {
					return slices.Contains(partsOf(fieldName(f)), partHost)
				}) {
					leaves = append(leaves, l)
				}
			}
		}
	}
	alone := make([]bool, len(leaves)) // leaves that depend on the host only
	for i, l := range leaves {
		alone[i] = len(partsRead(l)) == 0
	}
	var out []class
	at := map[string]int{}
	named, cut := z.named(hosts, leaves)
	for _, h := range named {
		key := string(h.Kind) + "\n" + z.hostSign(h.Name, leaves, alone)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, class{kind: h.Kind})
		}
		out[i].hosts = append(out[i].hosts, h)
		out[i].cut = out[i].cut || cut && strings.HasPrefix(h.Name, "*.")
	}
	return out
}

// maxNamed bounds the names below wildcards that conditions add. What conditions say of the wildcard's
// own name is undecided when there are more.
const maxNamed = 200

// named adds names below a wildcard: those that conditions mention, and for a condition on a part of a
// name, one that meets it. The wildcard itself stands for all others. It is cut when there are more.
func (z *zone) named(hosts []Host, leaves []expression.Expr) (out []Host, cut bool) {
	wildcards := slices.DeleteFunc(slices.Clone(hosts), func(h Host) bool { return !h.Wildcard })
	if len(wildcards) == 0 {
		return hosts, false
	}
	known := map[string]bool{}
	for _, h := range hosts {
		known[h.Name] = true
	}
	out = slices.Clone(hosts)
	add := func(name string) bool {
		if known[name] || strings.ContainsAny(name, "*/ ") {
			return known[name]
		}
		w := z.wildcardOf(name, hosts)
		switch {
		case w != nil && len(out) >= len(hosts)+maxNamed:
			cut = true
		case w != nil:
			known[name] = true
			out = append(out, Host{Name: name, Wildcard: true, Kind: w.Kind, Record: w.Record})
		}
		return w != nil
	}
	for _, l := range leaves {
		_, turns := sized(l)
		for _, size := range turns {
			for _, w := range wildcards {
				add(longest(int(size), w.Name[1:]))
			}
		}
		_, op, texts := compared(l)
		for _, t := range texts {
			pattern := hostIn(strings.ToLower(t))
			if add(pattern) {
				continue
			}
			for _, w := range wildcards {
				name := below(op, pattern, strings.TrimPrefix(w.Name, "*"))
				if name != "" && z.settled(l, name) != truth.No {
					add(name)
				}
			}
		}
	}
	return out, cut
}

// maxLabel and maxName bound a label of a name and a name (RFC 1035, section 2.3.4).
const maxLabel, maxName = 63, 253

// longest returns the longest name with a suffix that has at most a number of bytes, and at least one
// label of its own.
func longest(size int, suffix string) string {
	own := []byte(strings.Repeat("a", max(1, min(size, maxName)-len(suffix))))
	for i := 1; i+1 < len(own); i++ {
		if i%(maxLabel-1) == 0 {
			own[i] = '.'
		}
	}
	return string(own) + suffix
}

// hostIn returns the host of an address, or the text itself.
func hostIn(t string) string {
	if _, rest, ok := strings.Cut(t, "://"); ok {
		t, _, _ = strings.Cut(rest, "/")
	}
	return t
}

// below returns the shortest name with a suffix that meets a comparison, or "".
func below(op expression.Op, t, suffix string) string {
	l := (&language{}).of(op, []string{t})
	if l == nil {
		return ""
	}
	own := (&language{}).compiled(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?` + regexp.QuoteMeta(suffix) + "$")
	return together([]*language{l, own}).text
}

// wildcardOf returns the longest wildcard that covers a name, or nil. A record of the name, or of
// one between it and the wildcard, ends the wildcard there
// (developers.cloudflare.com/dns/manage-dns-records/reference/wildcard-dns-records/).
func (z *zone) wildcardOf(name string, hosts []Host) *Host {
	var out *Host
	for i, h := range hosts {
		if rest, ok := strings.CutPrefix(h.Name, "*"); ok && strings.HasSuffix(name, rest) && (out == nil || len(h.Name) > len(out.Name)) {
			out = &hosts[i]
		}
	}
	if out == nil {
		return nil
	}
	for below := name; len(below) > len(out.Name)-len("*."); _, below, _ = strings.Cut(below, ".") {
		if names := z.of.names(); names[below] || below != name && names["*."+below] {
			return nil // something nearer answers, and is not proxied
		}
	}
	return out
}

// recorded is the set of names that have a record or a load balancer in the zone.
func (z *zone) recorded() map[string]bool {
	records, _ := read(z, snapshot.ZoneDNSRecords)
	balancers, _ := read(z, snapshot.ZoneLoadBalancers)
	out := make(map[string]bool, len(records)+len(balancers))
	for _, r := range records {
		out[strings.ToLower(strings.TrimSuffix(r.Name, "."))] = true
	}
	for _, b := range balancers {
		if b.Enabled {
			out[strings.ToLower(strings.TrimSuffix(b.Name, "."))] = true
		}
	}
	return out
}

// hostSign encodes what the conditions say about a hostname. A condition on the full URI separates
// every host that it can.
func (z *zone) hostSign(name string, leaves []expression.Expr, alone []bool) string {
	if len(leaves) == 0 {
		return ""
	}
	var b strings.Builder
	env := z.env(&Request{Host: actual(name)})
	for i, l := range leaves {
		if alone[i] {
			b.WriteByte('0' + byte(expression.Eval(l, env)))
			continue
		}
		left, op, texts := compared(l)
		_, plain := left.(expression.Field)
		for _, t := range texts {
			if plain && op == expression.Contains && !strings.Contains(t, "/") {
				b.WriteByte('0' + byte(truth.Is(strings.Contains(actual(name), t)))) // otherwise it says the same of all hosts
				continue
			}
			_, rest, _ := strings.Cut(t, "://")
			host, _, _ := strings.Cut(rest, "/")
			switch {
			case strings.Contains(host, "*") || host == "":
				b.WriteString(name) // whether the pattern matches is decided for each name
			case strings.EqualFold(host, name):
				b.WriteByte('=')
			default:
				b.WriteByte('-')
			}
		}
	}
	return b.String()
}

// actual returns the hostname of an actual request: for a wildcard, a name that it covers.
func actual(name string) string {
	if rest, ok := strings.CutPrefix(name, "*."); ok {
		return fresh + "." + rest
	}
	return name
}

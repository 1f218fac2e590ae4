package attackpath_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// site is a random account with more at its zone: aliases to what is gone, buckets, settings of TLS, exceptions from the firewall and
// service tokens.
type site struct {
	*account
	buckets  map[string]bucket
	ssl, tls string
	clear    bool                 // plain HTTP is not redirected
	services []snapshot.DNSRecord // where mail and questions about the names below one go
	own      map[string]string    // mode of TLS to the server, by host
	raised   []string             // hosts with a minimum of TLS of their own
	rules    []exception
	tokens   map[string]string // duration of service tokens, by id
	back     string            // a target that was taken back
}

type bucket struct {
	host        string // of a custom domain, "" for none
	off, public bool   // the domain is switched off; the development address is on
	logs        bool
}

// exception is a custom rule that lets requests skip the managed rules, or blocks them.
type exception struct {
	block, off bool
	meets      string
}

// what targets of aliases are: taken by somebody, free at a platform, in a free domain, in somebody's domain.
var targets = map[string]string{"there.herokuapp.com": "taken", "gone.herokuapp.com": "free", "app.lapsed.test": "free",
	"gone.partner.test": "gone", "gone.pages.dev": "free", "site-7x.pages.dev": "taken"}

func newSite(seed uint64) *site {
	a := &site{account: newAccount(seed), own: map[string]string{}, tokens: map[string]string{}}
	r := rand.New(rand.NewPCG(seed, 7))
	for n := range r.IntN(4) {
		rec := snapshot.DNSRecord{ID: fmt.Sprint("x", n), Name: any1(r, "old.", "blog.", "www.", "*.", "") + goodtest.Domain, Type: "CNAME",
			Content: any1(r, slices.Sorted(maps.Keys(targets))...), Proxied: r.IntN(2) == 0, Proxiable: true}
		if !slices.ContainsFunc(a.records, func(o snapshot.DNSRecord) bool { return o.Name == rec.Name }) && // Cloudflare refuses both
			!slices.ContainsFunc(a.domains, func(d snapshot.WorkerDomain) bool { return d.Hostname == rec.Name }) {
			a.records = append(a.records, rec)
		}
	}
	for i, rec := range a.records { // rules of aliases that are not proxied themselves are not followed
		a.records[i].Proxied = rec.Proxied || rec.Type == "CNAME" && strings.HasPrefix(rec.Name, "*.")
	}
	for i := range a.pools {
		if r.IntN(3) == 0 {
			a.pools[i].Origins = append(a.pools[i].Origins, snapshot.Origin{Name: "gone", Enabled: r.IntN(5) > 0,
				Address: any1(r, "there.herokuapp.com", "gone.herokuapp.com", "app.lapsed.test", "gone.partner.test")})
		}
	}
	more := rand.New(rand.NewPCG(seed, 11))
	if more.IntN(4) == 0 {
		a.services = append(a.services, snapshot.DNSRecord{ID: "mx", Name: goodtest.Domain, Type: "MX", Content: any1(more, "gone.herokuapp.com",
			"app.lapsed.test", "gone.partner.test")})
	}
	if more.IntN(4) == 0 {
		a.services = append(a.services, snapshot.DNSRecord{ID: "ns", Name: "legacy." + goodtest.Domain, Type: "NS", Content: any1(more,
			"app.lapsed.test", "gone.partner.test")})
	}
	a.buckets = map[string]bucket{}
	for _, name := range []string{"assets", "db-backups"} {
		b := bucket{off: r.IntN(5) == 0, public: r.IntN(4) == 0, logs: r.IntN(5) == 0}
		host := any1(r, "files.", "admin.", "x.apps.") + goodtest.Domain
		if !a.has(host) && !slices.ContainsFunc(a.domains, func(d snapshot.WorkerDomain) bool { return d.Hostname == host }) {
			if b.host = host; r.IntN(2) == 0 && !b.off { // Cloudflare shows the record that it made
				a.records = append(a.records, snapshot.DNSRecord{ID: "b" + name, Name: host, Type: "CNAME", Content: "public.r2.dev", Proxied: true,
					Proxiable: true})
			}
		}
		a.buckets[name] = b
	}
	a.ssl, a.tls, a.clear = any1(r, "strict", "strict", "full", "flexible", "off"), any1(r, "1.2", "1.2", "1.0"), r.IntN(3) == 0
	if r.IntN(3) == 0 {
		a.own[a.host()] = any1(r, "strict", "flexible")
	}
	for range r.IntN(3) {
		a.raised = append(a.raised, a.host())
	}
	for range r.IntN(3) {
		a.rules = append(a.rules, exception{block: r.IntN(4) == 0, off: r.IntN(5) == 0, meets: any1(r, "true",
			`http.host eq "`+a.host()+`"`, `http.host eq "`+a.host()+`"`, `http.request.uri.path eq "/x"`, "ip.src eq 8.8.8.8")})
	}
	for n := range r.IntN(3) {
		a.tokens[fmt.Sprint("st", n)] = any1(r, "8760h", "forever", "87600h")
	}
	for i := range a.apps {
		p := snapshot.AccessPolicy{ID: fmt.Sprint("sa", i), Name: "sa", Decision: any1(r, "non_identity", "non_identity", "allow")}
		if r.IntN(2) == 0 {
			p.Include = []snapshot.AccessRule{any1(r, snapshot.AccessRule{Kind: "service_token", Value: "st0"},
				snapshot.AccessRule{Kind: "service_token", Value: "st1"}, snapshot.AccessRule{Kind: "any_valid_service_token"})}
			p.Require = any1(r, nil, nil, []snapshot.AccessRule{{Kind: "ip", Value: "198.51.100.7/32"}})
			a.apps[i].Policies = append(a.apps[i].Policies, p)
		}
	}
	return a
}

func (a *site) builder() *snapshot.Builder {
	b := a.account.builder()
	snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(rs *[]snapshot.DNSRecord) { *rs = append(slices.Clip(*rs), a.services...) })
	for target, is := range targets {
		rcode := "NXDOMAIN"
		if is == "taken" || target == a.back {
			rcode = "NOERROR"
		}
		goodtest.Answer("A", target, rcode, "45.60.99.9")(b)
	}
	goodtest.Answer("NS", "lapsed.test", "NXDOMAIN")(b)
	goodtest.Answer("NS", "partner.test", "NOERROR", "ns.partner.test")(b)
	snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "site", Subdomain: "site-7x.pages.dev"},
		{Name: "back", Subdomain: cmp.Or(a.back, "back.pages.dev")}})
	var all []snapshot.Bucket
	var jobs []snapshot.LogpushJob
	for name, of := range a.buckets {
		all = append(all, snapshot.Bucket{Name: name, Jurisdiction: "default"})
		domains := []snapshot.R2Domain{}
		if of.host != "" {
			domains = append(domains, snapshot.R2Domain{Domain: of.host, Enabled: !of.off, MinTLS: "1.2", ZoneID: goodtest.Zone, Status: "active"})
		}
		snapshot.Put(b, snapshot.R2CustomDomains, name, domains)
		snapshot.Put(b, snapshot.R2ManagedDomain, name, snapshot.R2ManagedAddress{Domain: "pub-" + name + ".r2.dev", Enabled: of.public})
		if of.logs {
			jobs = append(jobs, snapshot.LogpushJob{ID: 9, Destination: "r2://" + name, Enabled: true})
		}
	}
	snapshot.Put(b, snapshot.R2Buckets, goodtest.Account, all)
	snapshot.Put(b, snapshot.ZoneLogpushJobs, goodtest.Zone, jobs)
	goodtest.Setting("ssl", cmp.Or(a.ssl, "strict"))(b)
	goodtest.Setting("min_tls_version", cmp.Or(a.tls, "1.2"))(b)
	goodtest.Setting("always_use_https", map[bool]string{false: "on", true: "off"}[a.clear])(b)
	own := []snapshot.HostnameTLS{}
	for _, h := range a.raised {
		own = append(own, snapshot.HostnameTLS{Hostname: h, Values: []string{"1.2"}})
	}
	snapshot.Put(b, snapshot.ZoneHostnameMinTLS, goodtest.Zone, own)
	var modes, custom []snapshot.Rule
	for host, mode := range a.own {
		modes = append(modes, snapshot.Rule{ID: "mode", Enabled: true, Action: "set_config", Expression: `http.host eq "` + host + `"`,
			Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: mode}}})
	}
	for n, r := range a.rules {
		rule := snapshot.Rule{ID: fmt.Sprint("rule", n), Enabled: !r.off, Action: "block", Expression: r.meets}
		if !r.block {
			rule.Action, rule.Params = "skip", snapshot.RuleParams{Phases: []string{"http_request_firewall_managed"}}
		}
		custom = append(custom, rule)
	}
	phase(b, snapshot.ZonePhaseConfig, "http_config_settings", modes)
	phase(b, snapshot.ZonePhaseCustom, "http_request_firewall_custom", custom)
	tokens := []snapshot.ServiceToken{}
	for id, lasts := range a.tokens {
		tokens = append(tokens, snapshot.ServiceToken{ID: id, Name: id, Duration: lasts})
	}
	snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, tokens)
	return b
}

func phase(b *snapshot.Builder, k snapshot.Key[snapshot.Ruleset], name string, rules []snapshot.Rule) {
	snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
		if !slices.ContainsFunc(*infos, func(i snapshot.RulesetInfo) bool { return i.Phase == name }) {
			*infos = append(*infos, snapshot.RulesetInfo{ID: name, Kind: "zone", Phase: name, Name: "default"})
		}
	})
	snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: name, Kind: "zone", Phase: name, Rules: rules})
}

func (a *site) ways() (out []string) {
	add := func(format string, values ...any) { out = append(out, fmt.Sprintf(format, values...)) }
	for _, r := range a.records { // whoever claims the target of an alias that the public asks for
		if lb, _ := a.at(r.Name); targets[r.Content] == "free" && lb == nil && a.serving() && (!a.zone.Partial() || r.Proxied) {
			add("name-takeover:dns:%s:%s critical", goodtest.Zone, r.ID)
		}
	}
	for _, r := range a.services {
		if targets[r.Content] == "free" && a.back != r.Content && a.serving() && !a.zone.Partial() {
			add("name-takeover:dns:%s:%s critical", goodtest.Zone, r.ID)
		}
	}
	for i, l := range a.balancers { // or that of a server to which a balancer sends them
		for _, server := range slices.Compact(slices.Sorted(slices.Values(a.pooled(&a.balancers[i], []string{l.Name}, true)))) {
			if l.Enabled && a.serving() && targets[server] == "free" && a.claims(l, server) {
				add("name-takeover:service:%s:origin:%s critical", l.Name, server)
			}
		}
	}
	for name, b := range a.buckets {
		severity := "high"
		if name == "db-backups" || b.logs {
			severity = "critical"
		}
		asked := slices.ContainsFunc(a.governs(b.host, ""), func(p snapshot.AccessApp) bool { return !lets(p) })
		if b.host != "" && !b.off && a.serving() && !a.zone.Paused && !asked && !a.blocked(b.host) {
			add("public-bucket:service:%s:r2:%s:%s %s", b.host, goodtest.Account, name, severity)
		}
		if b.public {
			add("public-bucket:service:pub-%s.r2.dev:r2:%s:%s %s", name, goodtest.Account, name, severity)
		}
	}
	for id, lasts := range a.tokens {
		for _, p := range a.apps {
			_, path, _ := strings.Cut(p.Domain, "/")
			decides := false
			hosts := slices.Collect(maps.Keys(a.edge()))
			for _, b := range a.buckets {
				if b.host != "" && !b.off && a.serving() && !a.zone.Paused {
					hosts = append(hosts, b.host)
				}
			}
			for _, host := range hosts {
				decides = decides || slices.ContainsFunc(a.governs(host, path), func(o snapshot.AccessApp) bool { return o.ID == p.ID })
			}
			admits := slices.ContainsFunc(p.Policies, func(q snapshot.AccessPolicy) bool {
				return q.Decision == "non_identity" && len(q.Require) == 0 && (q.Include[0].Value == id || q.Include[0].Value == "")
			})
			if lasts != "8760h" && decides && admits {
				add("lasting-service-token:access_app:%s:token:%s high", p.ID, id)
			}
		}
	}
	if host, severity := a.skipped(); host != "" {
		add("firewall-skip:zone:%s %s at %s", goodtest.Zone, severity, host)
	}
	if host, faults := a.weak(); host != "" {
		add("weak-transport:zone:%s high at %s%s", goodtest.Zone, host, faults)
	}
	return out
}

// claims reports whether a server of a pool in use has a name.
func (a *site) claims(l snapshot.LoadBalancer, server string) bool {
	return slices.ContainsFunc(a.pools, func(p snapshot.Pool) bool {
		return p.Enabled && slices.Contains(l.Pools, p.ID) && slices.ContainsFunc(p.Origins, func(o snapshot.Origin) bool {
			return o.Enabled && o.Address == server
		})
	})
}

// alike reports whether something is true at a host, or, of a wildcard, at a name below it that only a rule names.
func (a *site) alike(host string, at func(host string) bool) bool {
	if at(host) {
		return true
	}
	for _, r := range a.rules {
		_, name, _ := strings.Cut(strings.Trim(r.meets, `"`), `"`)
		if a.below(name) == host && at(name) {
			return true
		}
	}
	for name := range a.own {
		if a.below(name) == host && at(name) {
			return true
		}
	}
	return false
}

// below names the wildcard that answers for a name that nothing but a rule names.
func (a *site) below(name string) string {
	if _, records := a.at(name); len(records) > 0 && name != "" && !a.known(name) {
		return records[0].Name
	}
	return ""
}

// known reports whether a record, a balancer or an application names a host.
func (a *site) known(host string) bool {
	return a.has(host) || slices.ContainsFunc(a.apps, func(p snapshot.AccessApp) bool { return p.Domain == host || p.Domain == host+"/part" })
}

// blocked reports whether a rule blocks all requests to a host.
func (a *site) blocked(host string) bool {
	return slices.ContainsFunc(a.rules, func(r exception) bool { return r.block && !r.off && r.takes(host) })
}

func (r exception) takes(host string) bool {
	return r.meets == "true" || r.meets == `http.host eq "`+host+`"`
}

// ruled lists the names whose visitors the rules and settings of the zone are for, the shortest first.
func (a *site) ruled() (out []string) {
	for host := range a.edge() {
		lb, records := a.at(host)
		answered := slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool { return a.proxied(r.Name, nil) })
		if a.known(host) && (lb != nil && lb.Proxied || answered) {
			out = append(out, host)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return out
}

// itself reports whether a name is proxied by itself: rules of other names are not followed.
func (a *site) itself(host string) bool {
	lb, records := a.at(host)
	return lb != nil || slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool { return r.Proxied })
}

// skipped names the most attractive host where anybody can send the server what the managed rules do not see.
func (a *site) skipped() (host, severity string) {
	for _, sensitive := range []bool{true, false} {
		for _, h := range a.ruled() {
			label, _, _ := strings.Cut(h, ".")
			if slices.Contains([]string{"admin", "api", "git"}, label) != sensitive || !slices.ContainsFunc(a.edge()[h], open) {
				continue
			}
			met := func(whole bool) bool {
				return a.alike(h, func(name string) bool {
					return a.itself(name) && !a.blocked(name) && slices.ContainsFunc(a.rules, func(r exception) bool {
						stopped := slices.ContainsFunc(a.rules, func(o exception) bool { return o.block && !o.off && o.meets == r.meets })
						return !r.off && !r.block && (r.takes(name) || !whole && r.meets == `http.request.uri.path eq "/x"` && !stopped)
					})
				})
			}
			switch {
			case sensitive && met(true):
				return h, "critical"
			case met(false):
				return h, "high"
			}
		}
	}
	return "", ""
}

// weak names the first host whose visitors can be listened to, and how.
func (a *site) weak() (host, faults string) {
	for _, f := range []struct {
		name string
		at   func(host string) bool
	}{
		{"clear", func(h string) bool {
			mode := cmp.Or(a.own[h], a.ssl)
			return (mode == "off" || mode == "flexible") && a.itself(h) && a.connects(h)
		}},
		{"plain", func(h string) bool { return a.clear && a.itself(h) && !a.blocked(h) }},
		{"old", func(h string) bool { return a.tls == "1.0" && !slices.Contains(a.raised, h) }},
	} {
		hosts := a.ruled()
		if i := slices.IndexFunc(hosts, func(h string) bool { return a.alike(h, f.at) }); i >= 0 {
			host, faults = cmp.Or(host, hosts[i]), faults+" "+f.name
		}
	}
	return host, faults
}

// connects reports whether the edge connects to a server of a host by itself, rather than to a tunnel or another product.
func (a *site) connects(host string, before ...string) bool {
	lb, records := a.at(host)
	if lb != nil {
		var used []snapshot.Origin
		for _, p := range a.pools {
			if p.Enabled && slices.Contains(lb.Pools, p.ID) {
				used = append(used, slices.DeleteFunc(slices.Clone(p.Origins), func(o snapshot.Origin) bool { return !o.Enabled })...)
			}
		}
		return len(used) == 0 || slices.ContainsFunc(used, func(o snapshot.Origin) bool {
			return !strings.HasSuffix(o.Address, ".cfargotunnel.com")
		})
	}
	for _, r := range records {
		switch {
		case r.Type != "CNAME":
			return true
		case exposure.ProviderOwned(r.Content):
		case !exposure.Within(r.Content, goodtest.Domain), slices.Contains(append(before, host), r.Content):
			return true
		default:
			to, next := a.at(r.Content)
			if to == nil && len(next) == 0 || a.connects(r.Content, append(before, host)...) {
				return true
			}
		}
	}
	return false
}

// change makes one of the changes that are said to break a path, and no other.
func (a *site) change(p posture.AttackPath, which int) {
	change, last := p.Breaks[which].Change, p.ID[strings.LastIndex(p.ID, ":")+1:]
	mine := func(r snapshot.DNSRecord) bool { return r.ID == last }
	switch [2]any{p.Kind, which} {
	case [2]any{"name-takeover", 0}:
		for i, of := range a.pools {
			a.pools[i].Origins = slices.DeleteFunc(of.Origins, func(o snapshot.Origin) bool { return o.Address == last })
		}
		a.records, a.services = slices.DeleteFunc(a.records, mine), slices.DeleteFunc(a.services, mine)
	case [2]any{"name-takeover", 1}:
		if a.back = last; targets[last] == "" {
			all := slices.Concat(a.records, a.services)
			a.back = all[slices.IndexFunc(all, mine)].Content
		}
	case [2]any{"public-bucket", 0}:
		b := a.buckets[last]
		b.off, b.public = b.off || !strings.Contains(p.ID, ".r2.dev:"), b.public && !strings.Contains(p.ID, ".r2.dev:")
		a.buckets[last] = b
	case [2]any{"lasting-service-token", 0}:
		a.tokens[last] = "8760h"
	case [2]any{"lasting-service-token", 1}:
		for i, of := range a.apps {
			if strings.Contains(p.ID, ":"+of.ID+":") {
				a.apps[i].Policies = of.Policies[:1]
			}
		}
	case [2]any{"firewall-skip", 0}:
		for i := range a.rules {
			a.rules[i].off = a.rules[i].off || strings.Contains(change, fmt.Sprint("rule", i))
		}
	case [2]any{"weak-transport", 0}:
		if strings.Contains(change, "set SSL/TLS") {
			a.ssl = "strict"
		}
		if strings.Contains(change, "configuration rule") {
			a.own = nil
		}
		a.clear = a.clear && !strings.Contains(change, "Always Use HTTPS")
		if strings.Contains(change, "minimum TLS") {
			a.tls = "1.2"
		}
	}
}

// way tells a path in the words of ways.
func way(p posture.AttackPath) string {
	out := strings.TrimPrefix(p.ID, "ap:") + " " + string(p.Severity)
	if p.Kind == "firewall-skip" || p.Kind == "weak-transport" {
		out += " at " + strings.TrimPrefix(p.Nodes[len(p.Nodes)-2], "service:")
	}
	for _, fault := range [][2]string{{"talks to the server in the clear", "clear"}, {"requests in the clear are answered", "plain"},
		{"clients may use TLS", "old"}} {
		if strings.Contains(p.Explanation, fault[0]) {
			out += " " + fault[1]
		}
	}
	return out
}

func (a *site) paths(t *testing.T) []posture.AttackPath {
	return slices.DeleteFunc(pathsOf(t, a.builder()), func(p posture.AttackPath) bool {
		return !slices.Contains([]string{"name-takeover", "public-bucket", "lasting-service-token", "firewall-skip", "weak-transport"}, p.Kind)
	})
}

// TestSweepPathsOfASiteAgreeWithALiteralReading does the same for aliases, buckets, service tokens, and what rules and settings are for.
func TestSweepPathsOfASiteAgreeWithALiteralReading(t *testing.T) {
	t.Parallel()
	accounts, ways := sized(3000, 150), 0
	for seed := range accounts {
		a, got := newSite(seed), []string{}
		for _, p := range a.paths(t) {
			got = append(got, way(p))
		}
		require.ElementsMatch(t, a.ways(), got, "account %d: %+v %s", seed, a, a.account)
		ways += len(got)
	}
	t.Logf("%d ways in %d accounts", ways, accounts)
}

// TestSweepBreaksOfASiteLeaveNoWay makes each change that is said to break a path by itself, then those of the least set together.
func TestSweepBreaksOfASiteLeaveNoWay(t *testing.T) {
	t.Parallel()
	accounts := sized(400, 20)
	for seed := range accounts {
		breaksHold(t, func() random { return newSite(seed) })
	}
}

// random is a random account to which changes can be made.
type random interface {
	paths(t *testing.T) []posture.AttackPath
	change(p posture.AttackPath, which int)
}

func breaksHold(t *testing.T, account func() random) {
	t.Helper()
	paths, mended := account().paths(t), account()
	cut := attackpath.Least(paths, func(attackpath.ChokePoint) int { return 1 })
	for _, p := range paths {
		for which, b := range p.Breaks {
			a := account()
			a.change(p, which)
			require.NotContains(t, ids(a.paths(t)), p.ID, "after %q: %+v", b.Change, account())
			if slices.ContainsFunc(cut.Changes, func(c attackpath.ChokePoint) bool { return c.NodeID == b.NodeID && c.Change == b.Change }) {
				mended.change(p, which)
			}
		}
	}
	left := ids(mended.paths(t))
	for _, id := range ids(paths) {
		require.NotContains(t, left, id, "after %v: %+v", cut.Changes, account())
	}
}

func ids(paths []posture.AttackPath) (out []string) {
	for _, p := range paths {
		out = append(out, p.ID)
	}
	return out
}

// TestSweepPathsOfASiteDoNotDependOnSpelling: order, capitals, trailing dots, what is switched off, and a rule split in two change nothing.
func TestSweepPathsOfASiteDoNotDependOnSpelling(t *testing.T) {
	t.Parallel()
	accounts := sized(500, 40)
	for seed := range accounts {
		a, b, r := newSite(seed), newSite(seed), rand.New(rand.NewPCG(seed, 8))
		spelt := func(host string) string { return any1(r, strings.ToUpper(host), host+".", host) }
		r.Shuffle(len(b.records), func(i, j int) { b.records[i], b.records[j] = b.records[j], b.records[i] })
		r.Shuffle(len(b.apps), func(i, j int) { b.apps[i], b.apps[j] = b.apps[j], b.apps[i] })
		r.Shuffle(len(b.rules), func(i, j int) { b.rules[i], b.rules[j] = b.rules[j], b.rules[i] })
		for i, rec := range b.records {
			if b.records[i].Name = spelt(rec.Name); rec.Type == "CNAME" {
				b.records[i].Content = spelt(rec.Content)
			}
		}
		for i, l := range b.balancers {
			b.balancers[i].Name = spelt(l.Name)
		}
		for i, p := range b.pools {
			for j, o := range p.Origins {
				b.pools[i].Origins[j].Address = spelt(o.Address)
			}
			b.pools[i].Origins = append(b.pools[i].Origins, snapshot.Origin{Name: "off", Address: "gone.herokuapp.com"})
		}
		for name, of := range b.buckets {
			if of.host != "" {
				of.host = spelt(of.host)
			}
			b.buckets[name] = of
		}
		for i, host := range b.raised {
			b.raised[i] = spelt(host)
		}
		b.rules = append(b.rules, exception{off: true, meets: "true"})
		if i := slices.IndexFunc(b.rules, func(r exception) bool { return !r.off && !r.block && strings.Contains(r.meets, "host") }); i >= 0 {
			half := b.rules[i]
			half.meets = "(" + b.rules[i].meets + `) and http.request.method eq "POST"`
			b.rules[i].meets = "(" + b.rules[i].meets + `) and http.request.method ne "POST"`
			b.rules = append(b.rules, half)
		}
		var want, got []string
		for _, p := range a.paths(t) {
			want = append(want, way(p))
		}
		for _, p := range b.paths(t) {
			got = append(got, way(p))
		}
		require.Equal(t, want, got, "account %d: %+v %s", seed, a, a.account)
	}
}

// TestSweepDeniedSourcesMakeNoWay: where a source cannot be read there is no way that was not there before.
func TestSweepDeniedSourcesMakeNoWay(t *testing.T) {
	t.Parallel()
	accounts := sized(500, 40)
	sources := []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneLoadBalancers, snapshot.LBPools, snapshot.AccessApps,
		snapshot.AccessPolicies, snapshot.ZoneRulesets, snapshot.ZonePhaseCustom, snapshot.ZonePhaseConfig, snapshot.ZoneSettings,
		snapshot.ZoneHostnameMinTLS, snapshot.R2CustomDomains, snapshot.R2ManagedDomain, snapshot.DNSLookup, snapshot.PagesProjects,
		snapshot.AccessServiceTokens, snapshot.ZoneWorkerRoutes, snapshot.WorkerDomains, snapshot.ZoneCustomHostnames,
		snapshot.AccountLogpushJobs, snapshot.TunnelConfig, snapshot.Tunnels, snapshot.ZonePageRules, snapshot.AccountPhaseCustom}
	for seed := range accounts {
		a, r := newSite(seed), rand.New(rand.NewPCG(seed, 9))
		b, denied := a.builder(), any1(r, sources...)
		b.Mark(denied.Source(), snapshot.Denied, "Some Read", "")
		all := ids(pathsOf(t, a.builder()))
		for _, p := range pathsOf(t, b) {
			require.Contains(t, all, p.ID, "account %d without %s: %+v %s", seed, denied.Source(), a, a.account)
		}
	}
}

// TestSweepFoldAndCutOfAllKinds: folding tells each path once, by a change that breaks it, and no fewer changes than the cut has break all.
func TestSweepFoldAndCutOfAllKinds(t *testing.T) {
	t.Parallel()
	accounts := sized(500, 40)
	for seed := range accounts {
		paths := pathsOf(t, newSite(seed).builder())
		kept, alike := attackpath.Fold(paths)
		told := len(kept)
		for _, a := range alike {
			first := paths[slices.IndexFunc(paths, func(p posture.AttackPath) bool { return p.ID == a.PathID })]
			others := 0
			for _, p := range paths {
				if p.ID != first.ID && p.Kind == first.Kind && p.Severity == first.Severity && brokenBy(p, a.NodeID, a.Change) {
					others++
				}
			}
			require.True(t, brokenBy(first, a.NodeID, a.Change) && others >= a.Others, "account %d: %+v", seed, a)
			told += a.Others
		}
		require.Equal(t, len(paths), told, "account %d", seed)
		cut, points := attackpath.Least(paths, func(attackpath.ChokePoint) int { return 1 }), attackpath.ChokePoints(paths)
		require.Empty(t, cut.Unbroken, "account %d", seed)
		for set := range 1 << min(len(points), 12) {
			if len(points) > 12 || bits.OnesCount(uint(set)) >= len(cut.Changes) {
				continue
			}
			open := slices.ContainsFunc(paths, func(p posture.AttackPath) bool {
				for i, c := range points {
					if set>>i&1 == 1 && brokenBy(p, c.NodeID, c.Change) {
						return false
					}
				}
				return true
			})
			require.True(t, open, "account %d: %b of %+v", seed, set, points)
		}
	}
}

func brokenBy(p posture.AttackPath, node, change string) bool {
	return slices.ContainsFunc(p.Breaks, func(b posture.Break) bool { return b.NodeID == node && b.Change == change })
}

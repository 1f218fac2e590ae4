package attackpath_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestRuledHosts: paths by rules and settings of a zone name a host for which these are.
func TestRuledHosts(t *testing.T) {
	const zone, domain, tunnel = ":zone:" + goodtest.Zone + " ", goodtest.Domain, tunnelA + ".cfargotunnel.com"
	at := func(name, kind, content string) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: name, Name: name, Type: kind, Content: content, Proxied: true, Proxiable: true}
	}
	app := func(address string) snapshot.AccessApp {
		return snapshot.AccessApp{ID: "a", Name: "a", Type: "self_hosted", Domain: address, Domains: []string{address},
			Policies: []snapshot.AccessPolicy{{ID: "p", Decision: "allow", Include: []snapshot.AccessRule{{Kind: "email_domain", Value: domain}}}}}
	}
	skips := func(meets string) exception { return exception{meets: meets} }
	with := func(records ...snapshot.DNSRecord) *account { return &account{records: records} }
	customer := with(at("api."+domain, "CNAME", tunnel))
	customer.customers = []snapshot.CustomHostname{{ID: "c", Hostname: "shop.customer.test", Status: "pending"}}
	balanced := with(at(domain, "CNAME", "lb."+domain), at("*."+domain, "CNAME", tunnel))
	balanced.balancers = []snapshot.LoadBalancer{{ID: "lb", Name: "lb." + domain, Enabled: true, Proxied: true}}
	protected := with(at("*."+domain, "A", "45.60.10.1"))
	protected.apps = []snapshot.AccessApp{app("x.apps." + domain)}
	routed := with(at("*."+domain, "A", "45.60.10.1"))
	routed.apps, routed.routes = []snapshot.AccessApp{app("admin." + domain)}, []snapshot.WorkerRoute{{ID: "r", Script: "s1",
		Pattern: "admin." + domain + "/*"}}
	partly, open := with(), with()
	partly.apps = []snapshot.AccessApp{app("files." + domain + "/part")}
	part := app("files." + domain + "/part")
	part.ID, part.Policies = "b", []snapshot.AccessPolicy{{ID: "q", Decision: "bypass", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
	open.apps = []snapshot.AccessApp{app("files." + domain), part}
	nearer := with(at("*."+domain, "A", "45.60.10.1"), at("*.apps."+domain, "A", "45.60.10.2"))
	nearer.records[1].Proxied = false
	files := map[string]bucket{"assets": {host: "files." + domain}}
	for _, c := range []struct {
		name string
		site site
		want []string
	}{
		{"the shortest has a minimum of TLS of its own", site{account: with(at(domain, "A", "45.60.10.1"), at("www."+domain, "A", "45.60.10.1")),
			tls: "1.0", raised: []string{domain}}, []string{"weak-transport" + zone + "high at www." + domain + " old"}},
		{"the first fault is at a host that nobody reaches", site{account: customer, ssl: "off", clear: true},
			[]string{"weak-transport" + zone + "high at api." + domain + " plain"}},
		{"an alias to a name that a wildcard leads to a tunnel", site{account: with(at(domain, "CNAME", "www."+domain),
			at("*."+domain, "CNAME", tunnel)), ssl: "off"}, nil},
		{"an alias to a balancer below a wildcard", site{account: balanced, ssl: "off"},
			[]string{"weak-transport" + zone + "high at " + domain + " clear"}},
		{"a name below a wildcard that an application names", site{account: protected, rules: []exception{skips(`http.host eq "x.apps.` +
			domain + `"`)}}, []string{"firewall-skip" + zone + "high at x.apps." + domain}},
		{"a name below a nearer wildcard that is not proxied", site{account: nearer, rules: []exception{skips(`http.host eq "x.apps.` +
			domain + `"`)}}, nil},
		{"a name below a wildcard that a route names", site{account: routed, rules: []exception{skips("true")}},
			[]string{"firewall-skip" + zone + "critical at admin." + domain}},
		{"a later rule blocks what an exception lets through", site{account: with(at(domain, "A", "45.60.10.1")),
			rules: []exception{skips(`http.request.uri.path eq "/x"`), {block: true, meets: `http.request.uri.path eq "/x"`}}}, nil},
		{"an application for a part of a bucket", site{account: partly, buckets: files},
			[]string{"public-bucket:service:files." + domain + ":r2:" + goodtest.Account + ":assets high"}},
		{"an application that leaves a part of a bucket open", site{account: open, buckets: files}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.site.zone = snapshot.Zone{ID: goodtest.Zone, Name: domain, Status: "active", Type: "full", Plan: "enterprise"}
			var got []string
			for _, p := range c.site.paths(t) {
				got = append(got, way(p))
			}
			require.Equal(t, c.want, got)
		})
	}
}

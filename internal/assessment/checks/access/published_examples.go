package access

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// publishedByPolicy returns examples of who is admitted by the application that guards the host.
func publishedByPolicy() []goodtest.Example {
	return []goodtest.Example{
		{Name: "an app that lets everyone in", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "everyone"}), staffDecides("bypass"))},
		{Name: "an app that lets a country in without a login", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "geo", Value: "DE"}), staffDecides("non_identity"))},
		{Name: "an app that lets any device with the client in without a login", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "device_posture", Value: "w"}), staffDecides("bypass"),
				goodtest.AnyDevice)},
		{Name: "an app that lets the sixteenths of the internet in without a login", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(staffIncludes(sixteenths()...), staffDecides("non_identity"))},
		{Name: "an app that lets one address in without a login", Want: posture.Pass,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9/32"}), staffDecides("bypass"))},
		{Name: "an app that lets in a group that is missing without a login", Want: posture.Unknown, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "group", Value: "g9"}), staffDecides("bypass"))},
	}
}

func publishedTunnelExamples() []goodtest.Example {
	const host = "admin." + goodtest.Domain
	ingress := func(rules ...snapshot.Ingress) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.TunnelConfig, goodtest.Tunnel, snapshot.TunnelSettings{Version: 1, Ingress: rules})
		}
	}
	serves := func(service string) func(*snapshot.Builder) {
		return ingress(snapshot.Ingress{Hostname: host, Service: service}, snapshot.Ingress{Service: "http_status:404"})
	}
	apps := func(domains ...string) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) { a.Domain, a.Domains = domains[0], domains })
	}
	other := apps("elsewhere.example")
	leaves := func(path string) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) { a.Public = []snapshot.AccessPublic{{Address: host, Path: path}} })
	}
	open := func(domain string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "open", Name: "Open", Type: "self_hosted", Domain: domain, Domains: []string{domain},
					Policies: []snapshot.AccessPolicy{{ID: "o", Name: "Open", Decision: "bypass", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}})
			})
		}
	}
	status := func(text string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { (*ts)[0].Status = text })
		}
	}
	record := func(label string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "t9", Name: strings.TrimPrefix(label+"."+goodtest.Domain, "."), Type: "CNAME",
			Content: goodtest.Tunnel + ".cfargotunnel.com", Proxied: true})
	}
	at := func(label, service string) func(*snapshot.Builder) {
		return goodtest.Edits(other, record(label), ingress(snapshot.Ingress{Hostname: strings.TrimPrefix(label+"."+goodtest.Domain, "."),
			Service: service}, snapshot.Ingress{Service: "http_status:404"}))
	}
	leadsTo := func(kind, content string) func(*snapshot.Builder) {
		return goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Name == host {
				r.Type, r.Content = kind, content
			}
			if r.Name == host && kind == "" {
				r.Name = "unused." + goodtest.Domain
			}
		})
	}
	return append(publishedByPolicy(), []goodtest.Example{
		{Name: "an app guards the host", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "no app, and the tunnel is down", Want: posture.Fail, Edit: goodtest.Edits(other, status("down"))},
		{Name: "no app, and the tunnel was never connected", Want: posture.NotApplicable, Edit: goodtest.Edits(other, status("inactive"))},
		{Name: "no app, a private address", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: other},
		{Name: "no app, a single label", Want: posture.Fail, Edit: goodtest.Edits(other, serves("http://grafana:3000"))},
		{Name: "no app, a shell", Want: posture.Fail, Edit: goodtest.Edits(other, serves("ssh://45.60.10.1:22"))},
		{Name: "a public site", Want: posture.Pass, Resource: goodtest.Tunnel, Edit: at("www", "http://10.0.0.5:8080")},
		{Name: "the domain itself", Want: posture.Pass, Edit: at("", "http://localhost:3000")},
		{Name: "documents", Want: posture.Pass, Edit: at("Docs", "http://docs:80")},
		{Name: "a status page in a region", Want: posture.Pass, Edit: at("status.eu", "https://10.0.0.5")},
		{Name: "a public site whose administration is guarded", Want: posture.Pass, Edit: goodtest.Edits(at("www", "http://10.0.0.5"),
			apps("www."+goodtest.Domain+"/admin"))},
		{Name: "a public name for a console", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: at("www", "http://10.0.0.5:9443")},
		{Name: "a public name for a shell", Want: posture.Fail, Edit: at("www", "ssh://10.0.0.5:22")},
		{Name: "a public name for a desktop", Want: posture.Fail, Edit: at("docs", "rdp://10.0.0.5:3389")},
		{Name: "the administration of a public site", Want: posture.Fail, Edit: goodtest.Edits(other, record("www"),
			ingress(snapshot.Ingress{Hostname: "www." + goodtest.Domain, Path: "^/admin", Service: "http://10.0.0.5"}))},
		{Name: "a tool by its name", Want: posture.Fail, Edit: at("shop-grafana", "http://10.0.0.5:3000")},
		{Name: "nobody can tell what it is", Want: posture.Warning, Severity: posture.Medium, Resource: goodtest.Tunnel,
			Edit: at("portal", "http://10.0.0.5")},
		{Name: "nobody can tell, and it is reached elsewhere too", Want: posture.Warning, Severity: posture.Low,
			Edit: at("portal", "https://www.other.example")},
		{Name: "the operator tells that it is public", Want: posture.NotApplicable, Edit: at("portal", "http://10.0.0.5"),
			Policy: func(p *policy.Policy) { p.PublicHosts = []string{"portal." + goodtest.Domain} }},
		{Name: "no app, a socket", Want: posture.Fail, Edit: goodtest.Edits(other, serves("unix:/run/app.sock"))},
		{Name: "no app, a public service", Want: posture.Warning, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(other, serves("https://www.other.example"))},
		{Name: "an app for a path only", Want: posture.Warning, Edit: apps(host + "/login")},
		{Name: "an app for the path that is served", Want: posture.Pass, Edit: goodtest.Edits(apps(host+"/admin"),
			ingress(snapshot.Ingress{Hostname: host, Path: "^/admin/.*", Service: "http://10.0.0.5"}))},
		{Name: "an app for a path, and names that begin like it are served, too", Want: posture.Warning, Edit: goodtest.Edits(
			apps(host+"/admin"), ingress(snapshot.Ingress{Hostname: host, Path: "^/admin", Service: "http://10.0.0.5"}))},
		{Name: "an app for a path, which alone is served", Want: posture.Pass, Edit: goodtest.Edits(apps(host+"/admin"),
			ingress(snapshot.Ingress{Hostname: host, Path: "^/admin(/|$)", Service: "http://10.0.0.5"}))},
		{Name: "a less specific app that lets everyone in at a path", Want: posture.Pass, Edit: goodtest.Edits(
			apps(host+"/api", "*."+goodtest.Domain), open("*."+goodtest.Domain+"/api"))},
		{Name: "a wildcard app", Want: posture.Pass, Edit: apps("*." + goodtest.Domain)},
		{Name: "a wildcard app a level higher", Want: posture.Fail, Edit: apps("*.example")},
		{Name: "an app for all paths", Want: posture.Pass, Edit: apps(host + "/*")},
		{Name: "an app for what lies below a path", Want: posture.Warning, Edit: goodtest.Edits(apps(host+"/admin/*"),
			ingress(snapshot.Ingress{Hostname: host, Path: "^/admin", Service: "http://10.0.0.5"}))},
		{Name: "an app that leaves everything public", Want: posture.Fail, Severity: posture.High, ByHand: true, Edit: leaves("/*")},
		{Name: "an app that does something unknown with all paths", Want: posture.Unknown, Edit: goodtest.Edits(leaves("/*"),
			editApp(func(a *snapshot.AccessApp) { a.Public[0].Behavior = "new" }))},
		{Name: "an app that leaves a path public", Want: posture.Warning, ByHand: true, Edit: leaves("/api/*")},
		{Name: "a more specific app that lets everyone in", Want: posture.Fail, Severity: posture.High, ByHand: true,
			Edit: goodtest.Edits(apps("*."+goodtest.Domain), open(host))},
		{Name: "an app that lets everyone in at a path", Want: posture.Warning, ByHand: true,
			Edit: goodtest.Edits(apps(host), open(host+"/api"))},
		{Name: "a less specific app that lets everyone in", Want: posture.Pass, Edit: goodtest.Edits(apps(host),
			open("*."+goodtest.Domain))},
		{Name: "an app of an unknown type", Want: posture.Unknown, Edit: editApp(func(a *snapshot.AccessApp) { a.Type = "new" })},
		{Name: "a link guards nothing", Want: posture.Fail, Edit: editApp(func(a *snapshot.AccessApp) { a.Type = "bookmark" })},
		{Name: "the tunnel asks for a login itself", Want: posture.Pass,
			Edit: goodtest.Edits(other, ingress(snapshot.Ingress{Hostname: host, Service: "http://10.0.0.5", AccessRequired: true}))},
		{Name: "the tunnel answers itself", Want: posture.Pass, Edit: goodtest.Edits(other, serves("http_status:503"))},
		{Name: "no record leads there", Want: posture.Pass,
			Edit: goodtest.Edits(other, ingress(snapshot.Ingress{Hostname: "unused." + goodtest.Domain, Service: "http://10.0.0.5"}))},
		{Name: "the zone is not part of the run", Want: posture.Unknown,
			Edit: goodtest.Edits(other, ingress(snapshot.Ingress{Hostname: "a.other.example", Service: "http://10.0.0.5"}))},
		{Name: "the last rule serves what the records lead to", Want: posture.Fail,
			Edit: goodtest.Edits(other, ingress(snapshot.Ingress{Service: "http://10.0.0.5"}))},
		{Name: "the last rule serves what an earlier one serves in part", Want: posture.Fail, Edit: goodtest.Edits(other,
			ingress(snapshot.Ingress{Hostname: host, Path: "^/health$", Service: "http_status:200"}, snapshot.Ingress{Service: "http://10.0.0.5"}))},
		{Name: "a rule with a star serves what the records lead to", Want: posture.Fail, Edit: goodtest.Edits(other,
			ingress(snapshot.Ingress{Hostname: "*." + goodtest.Domain, Service: "http://10.0.0.5"}, snapshot.Ingress{Service: "http_status:404"}))},
		{Name: "a rule with a star, and the only host that leads there has an app", Want: posture.Pass,
			Edit: ingress(snapshot.Ingress{Hostname: "*." + goodtest.Domain, Service: "http://10.0.0.5"})},
		{Name: "a rule with a star, an app for it, and one that lets everyone in at one of its hosts", Want: posture.Fail, ByHand: true,
			Edit: goodtest.Edits(apps("*."+goodtest.Domain), open(host),
				ingress(snapshot.Ingress{Hostname: "*." + goodtest.Domain, Service: "http://10.0.0.5"}))},
		{Name: "a rule behind one that takes the host", Want: posture.Pass, Edit: goodtest.Edits(other, ingress(snapshot.Ingress{Hostname: host,
			Service: "http_status:404"}, snapshot.Ingress{Hostname: host, Service: "http://10.0.0.5"}))},
		{Name: "no app, and the record leads to a bucket", Want: posture.Pass, Edit: goodtest.Edits(other, leadsTo("CNAME", "public.r2.dev"))},
		{Name: "no app, and the record leads to a server", Want: posture.Pass, Edit: goodtest.Edits(other, leadsTo("A", "45.60.10.1"))},
		{Name: "no app, and the record leads to a server, but a load balancer has the name", Want: posture.Fail, Edit: goodtest.Edits(other,
			leadsTo("A", "45.60.10.1"), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone,
					[]snapshot.LoadBalancer{{ID: "lb1", Name: host, Enabled: true, Proxied: true}})
			})},
		{Name: "no app, and the record leads to another alias", Want: posture.Fail, Edit: goodtest.Edits(other,
			leadsTo("CNAME", "tunnel.elsewhere.test"))},
		{Name: "no app, and a wildcard leads to the tunnel", Want: posture.Fail, Edit: goodtest.Edits(other, record("*"), leadsTo("", ""))},
		{Name: "no app, and a wildcard leads to the tunnel, but not for a name with a record", Want: posture.Pass, Edit: goodtest.Edits(other,
			record("*"), leadsTo("TXT", "hello"))},
		{Name: "no app, and the record is not proxied", Want: posture.Pass, Edit: goodtest.Edits(other,
			goodtest.EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = r.Proxied && r.Name != host }))},
		{Name: "clients name the machine that they reach", Want: posture.Fail, Edit: goodtest.Edits(other, serves("bastion"))},
		{Name: "the operator wants it public", Want: posture.NotApplicable, Edit: other,
			Policy: func(p *policy.Policy) { p.PublicHosts = []string{host} }},
		{Name: "no host name", Want: posture.NotApplicable, Edit: ingress(snapshot.Ingress{Service: "http_status:404"})},
		{Name: "configured on its host", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { (*ts)[0].ConfigSrc = "local" })
		}},
	}...)
}

package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

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
	return []goodtest.Example{
		{Name: "an app guards the host", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "no app, a private address", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: other},
		{Name: "no app, a single label", Want: posture.Fail, Edit: goodtest.Edits(other, serves("http://grafana:3000"))},
		{Name: "no app, a shell", Want: posture.Fail, Edit: goodtest.Edits(other, serves("ssh://45.60.10.1:22"))},
		{Name: "no app, a socket", Want: posture.Fail, Edit: goodtest.Edits(other, serves("unix:/run/app.sock"))},
		{Name: "no app, a public service", Want: posture.Warning, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(other, serves("https://www.other.example"))},
		{Name: "an app for a path only", Want: posture.Warning, Edit: apps(host + "/login")},
		{Name: "an app for the path that is served", Want: posture.Pass, Edit: goodtest.Edits(apps(host+"/admin"),
			ingress(snapshot.Ingress{Hostname: host, Path: "^/admin/.*", Service: "http://10.0.0.5"}))},
		{Name: "a wildcard app", Want: posture.Pass, Edit: apps("*." + goodtest.Domain)},
		{Name: "a wildcard app a level higher", Want: posture.Unknown, Edit: apps("*.example")},
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
		{Name: "the operator wants it public", Want: posture.NotApplicable, Edit: other,
			Policy: func(p *policy.Policy) { p.PublicHosts = []string{host} }},
		{Name: "no host name", Want: posture.NotApplicable, Edit: ingress(snapshot.Ingress{Service: "http_status:404"})},
		{Name: "configured on its host", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { (*ts)[0].ConfigSrc = "local" })
		}},
	}
}

package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func aroundZoneExamples() []goodtest.Example {
	const host = goodtest.Worker + ".acme.workers.dev"
	answers := func(enabled, previews bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WorkersBeta, goodtest.Account, []snapshot.WorkerAddress{{ID: "1", Name: goodtest.Worker, Host: host,
				Switches: &snapshot.WorkerSwitches{Enabled: enabled, Previews: previews}}})
		}
	}
	unlisted := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.WorkersBeta, goodtest.Account, []snapshot.WorkerAddress{})
		snapshot.Put(b, snapshot.WorkerSubdomain, goodtest.Worker, snapshot.WorkerSwitches{Enabled: true})
	}
	app := func(domain string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "a9", Name: "Scripts", Type: "self_hosted", Domain: domain, Domains: []string{domain}})
			})
		}
	}
	destination := func(kind, id, tag string, public ...snapshot.AccessPublic) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			answers(true, false)(b)
			snapshot.Edit(b, snapshot.Workers, goodtest.Account, func(ws *[]snapshot.Worker) { (*ws)[0].Tag = tag })
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "a9", Name: "Scripts", Type: "self_hosted", Domains: []string{},
					Elsewhere: []snapshot.AccessDestination{{Type: kind, Value: id, Public: public}}})
			})
		}
	}
	noRoute := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone,
			[]snapshot.WorkerRoute{{ID: "r1", Pattern: goodtest.Domain + "/*", Script: "another"}})
	}
	route := func(pattern string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, []snapshot.WorkerRoute{{ID: "r1", Pattern: pattern, Script: goodtest.Worker}})
		}
	}
	domain := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.WorkerDomains, goodtest.Account, []snapshot.WorkerDomain{{ID: "d1", Hostname: "app." + goodtest.Domain,
			Script: goodtest.Worker}})
	}
	refused := func(b *snapshot.Builder) {
		b.Mark(snapshot.WorkersBeta.Source(), snapshot.Denied, "Workers Scripts Read", "")
	}
	public := func(p *policy.Policy) { p.PublicWorkers = []string{goodtest.Worker} }
	return []goodtest.Example{
		{Name: "off", Want: posture.Pass, Resource: goodtest.Worker},
		{Name: "on beside a route", Want: posture.Fail, Resource: goodtest.Worker, Edit: answers(true, true)},
		{Name: "on beside a custom domain", Want: posture.Fail, Edit: goodtest.Edits(answers(true, false), noRoute, domain)},
		{Name: "on beside a route though declared public", Want: posture.Fail, Edit: answers(true, false), Policy: public},
		{Name: "on beside a route, missing in the list", Want: posture.Fail, Edit: unlisted},
		{Name: "on beside a route to a name without a record", Want: posture.Warning, Resource: goodtest.Worker,
			Edit: goodtest.Edits(answers(true, false), route("gone."+goodtest.Domain+"/*"))},
		{Name: "on beside a route in a paused zone", Want: posture.Warning, Edit: goodtest.Edits(answers(true, false),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "on beside a route with a star to a name with a record", Want: posture.Fail,
			Edit: goodtest.Edits(answers(true, false), route("*"+goodtest.Domain+"/*"))},
		{Name: "on beside a route with a star to names without a record", Want: posture.Warning,
			Edit: goodtest.Edits(answers(true, false), route("https://*.gone."+goodtest.Domain+"/*"))},
		{Name: "on beside a route with a star to names below a wildcard", Want: posture.Fail,
			Edit: goodtest.Edits(answers(true, false), route("*.gone."+goodtest.Domain+"/*"), goodtest.AddRecord(snapshot.DNSRecord{ID: "w1",
				Name: "*." + goodtest.Domain, Type: "A", Content: "45.60.10.1", Proxied: true}))},
		{Name: "on beside a route to a name that may have a balancer", Want: posture.Unknown, Resource: goodtest.Worker,
			Edit: goodtest.Edits(answers(true, false), route("gone."+goodtest.Domain+"/*"), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "on without another address", Want: posture.Warning, Resource: goodtest.Worker, Edit: goodtest.Edits(answers(true, false),
			noRoute)},
		{Name: "on without another address, declared public", Want: posture.Pass, Edit: goodtest.Edits(answers(true, false), noRoute),
			Policy: public},
		{Name: "only previews", Want: posture.Warning, Resource: goodtest.Worker, Edit: answers(false, true)},
		{Name: "an application covers the hostname", Want: posture.Pass, Edit: goodtest.Edits(answers(true, false), app(host))},
		{Name: "an application covers the hostname and none its previews", Want: posture.Warning, Resource: goodtest.Worker,
			Edit: goodtest.Edits(answers(true, true), app(host))},
		{Name: "an application covers the previews and none the hostname", Want: posture.Fail,
			Edit: goodtest.Edits(answers(true, true), app("*-"+host))},
		{Name: "applications cover the hostname and its previews", Want: posture.Pass,
			Edit: goodtest.Edits(answers(true, true), app(host), app("*-"+host))},
		{Name: "only previews, which an application covers", Want: posture.Pass, Edit: goodtest.Edits(answers(false, true), app("*-"+host))},
		{Name: "only previews, and an application leaves that of one version open", Want: posture.Warning, Resource: goodtest.Worker,
			Edit: goodtest.Edits(answers(false, true), app("v1-"+host), policies(lets("bypass", "everyone", "")), app("*-"+host))},
		{Name: "only previews, and an application names all previews", Want: posture.Pass,
			Edit: goodtest.Edits(destination("all_preview_workers", "", "w1"), answers(false, true))},
		{Name: "only previews, and an application names those of the worker", Want: posture.Pass,
			Edit: goodtest.Edits(destination("preview_worker", "w1", "w1"), answers(false, true))},
		{Name: "only previews, and an application names those of another worker", Want: posture.Warning,
			Edit: goodtest.Edits(destination("preview_worker", "w2", "w1"), answers(false, true))},
		{Name: "an application names the worker with its previews", Want: posture.Pass,
			Edit: goodtest.Edits(destination("worker", "w1", "w1"), answers(true, true))},
		{Name: "declared public, with previews", Want: posture.Warning, Edit: goodtest.Edits(answers(true, true), noRoute), Policy: public},
		{Name: "an application names the worker and leaves its paths public", Want: posture.Fail,
			Edit: destination("worker", "w1", "w1", snapshot.AccessPublic{Path: "/*"})},
		{Name: "an application names all workers and leaves a path public", Want: posture.Fail,
			Edit: destination("all_workers", "", "w1", snapshot.AccessPublic{Path: "/hook/*"})},
		{Name: "an application for the hostname that lets everyone in goes before one that names the worker", Want: posture.Fail,
			Edit: goodtest.Edits(app(host), policies(lets("bypass", "everyone", "")), destination("worker", "w1", "w1"))},
		{Name: "an application covers every script", Want: posture.Pass, Edit: goodtest.Edits(answers(true, false), app("*.acme.workers.dev"))},
		{Name: "an application covers the hostname that the list does not tell", Want: posture.Pass,
			Edit: goodtest.Edits(unlisted, app("*.acme.workers.dev"))},
		{Name: "an application covers another script", Want: posture.Fail, Edit: goodtest.Edits(unlisted, app("another.acme.workers.dev"))},
		{Name: "an application covers a path", Want: posture.Fail, Edit: goodtest.Edits(answers(true, false), app(host+"/admin"))},
		{Name: "an application whose star stands for another label", Want: posture.Fail, Edit: goodtest.Edits(answers(true, false),
			app("*.workers.dev"))},
		{Name: "an application names all workers", Want: posture.Pass, Edit: destination("all_workers", "", "")},
		{Name: "an application names the worker", Want: posture.Pass, Edit: destination("worker", "w1", "w1")},
		{Name: "an application names another worker", Want: posture.Fail, Edit: destination("worker", "w2", "w1")},
		{Name: "an application names a worker by an id nobody read", Want: posture.Unknown, Edit: destination("worker", "w1", "")},
		{Name: "an application names previews only", Want: posture.Fail, Edit: destination("all_preview_workers", "", "w1")},
		{Name: "an application that lets everyone in covers the hostname", Want: posture.Fail, Resource: goodtest.Worker,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("bypass", "everyone", "")))},
		{Name: "an application with Service Auth for everyone covers the hostname", Want: posture.Fail,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("non_identity", "everyone", "")))},
		{Name: "an application that lets one network in covers the hostname", Want: posture.Pass,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("bypass", "ip", "45.60.10.0/24")))},
		{Name: "an application that asks everyone to sign in covers the hostname", Want: posture.Pass,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("allow", "everyone", "")))},
		{Name: "an application that names all workers lets everyone in", Want: posture.Fail,
			Edit: goodtest.Edits(destination("all_workers", "", ""), policies(lets("bypass", "everyone", "")))},
		{Name: "an application that lets everyone in beside one that asks", Want: posture.Unknown,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("bypass", "everyone", "")), app(host))},
		{Name: "an application lets a group in that is missing", Want: posture.Unknown,
			Edit: goodtest.Edits(answers(true, false), app(host), policies(lets("bypass", "group", "g9")))},
		{Name: "the list is refused and the script was read", Want: posture.Fail, Edit: goodtest.Edits(unlisted, refused)},
		{Name: "the list is refused and nothing else was read", Want: posture.Unknown, Edit: refused},
		{Name: "no script", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{})
		}},
	}
}

package origin

import (
	"cmp"
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// claimable judges the servers of pools in use that are named by a host outside the account, as
// CFL-DNS-006 judges records. A disabled server gets no requests.
func claimable() check.Check {
	return check.Check{
		ID: "CFL-LB-007", Title: "No pool has a server that another party can claim",
		Category: "loadbalancing", Severity: posture.Critical, Resource: posture.ResourceLoadBalancer, Scope: check.PerAccount,
		Why: "A pool keeps the name of a server that was given up. Whoever registers the free name at the platform, or the free " +
			"domain, gets its share of the requests as soon as the monitor finds the server healthy again.",
		Fix: "Remove the server from the pool, or create it again under the same name if it is still needed.",
		Words: posture.Words{
			Problem: "Pool {name} has a server that anyone can claim",
			Impact: "Whoever claims the name of the server receives requests of your visitors with their session cookies, and answers " +
				"in your name.",
			Breaks:    "Nothing that works today: the server does not answer.",
			Dashboard: "Traffic › Load Balancing › Pools › {name} › Edit: remove the endpoint.",
		},
		References: []string{docsBalancing, "https://developers.cloudflare.com/load-balancing/pools/create-pool/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Servers that were given up leave the pools."),
			check.Supports("soc2 CC6.6", "Outsiders cannot serve pages from inside a pool."),
			check.Supports("pci 1.4.2", "Requests do not reach a server that a stranger runs."),
			check.Supports("nist ID.RA-01", "Claimable servers are found and recorded as vulnerabilities."),
		},
		Needs:    []snapshot.Named{snapshot.LBPools, snapshot.ZoneLoadBalancers, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) (out []snapshot.Question) {
			used := users(v)
			for _, p := range check.Read(v, snapshot.LBPools) {
				if !p.Enabled || len(used[p.ID]) == 0 {
					continue
				}
				for _, host := range strangers(v, p) {
					out = append(out, snapshot.Question{Type: "A", Name: host})
					if domain, can := exposure.Registrable(host); can && missing(v, "A", host) {
						out = append(out, snapshot.Question{Type: "NS", Name: domain})
					}
				}
			}
			return out
		},
		Evaluate: func(v *check.View) check.Outcome {
			j, used := v.Judge(), users(v)
			for _, p := range check.Read(v, snapshot.LBPools) {
				if p.Enabled && len(used[p.ID]) > 0 {
					judgeServers(v, j, p)
				}
			}
			return j.Done("Every server of a pool in use is an address, is in a zone of the account, or exists.", "no balancer uses an enabled pool")
		},
	}
}

// strangers lists the names of a pool's servers that are in no zone of the account that the public
// name system asks Cloudflare about. Nobody can choose the name of a tunnel or of a bucket.
func strangers(v *check.View, p snapshot.Pool) (out []string) {
	own := exposure.DomainsOf(check.OwnZones(v))
	for _, o := range p.Origins {
		host := exposure.Bare(o.Address)
		_, err := netip.ParseAddr(host)
		if o.Enabled && err != nil && host != "" && !own.Hold(host) &&
			!exposure.Within(host, "cfargotunnel.com") && !exposure.Within(host, "r2.dev") {
			out = append(out, host)
		}
	}
	return out
}

// missing reports whether a name is known not to exist.
func missing(v *check.View, kind, name string) bool {
	l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope(kind, name))
	return ok && l.Missing()
}

// judgeServers judges a pool by its worst server. The evidence names each server that is as bad.
func judgeServers(v *check.View, j *check.Judgement, p snapshot.Pool) {
	unread, gone, free := "", []string{}, []string{}
	says, why := "", ""
	for _, host := range strangers(v, p) {
		question := snapshot.LookupScope("A", host)
		switch _, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, question); {
		case !ok:
			unread = question
			continue
		case !missing(v, "A", host):
			continue
		}
		gone = append(gone, host)
		if platform, known := check.PlatformOf(v, host); known && platform.Free {
			free, why = append(free, host), cmp.Or(why, " Anyone can claim it at "+platform.Name+".")
		} else if domain, can := exposure.Registrable(host); can && missing(v, "NS", domain) {
			free, why = append(free, host), cmp.Or(why, " Nobody owns the domain "+domain+", so anyone can register it.")
		}
	}
	worst := gone
	if len(free) > 0 {
		worst = free
	}
	var seen []posture.Evidence
	for _, host := range worst {
		says = cmp.Or(says, "The pool "+p.Name+" has the server "+host+", which does not exist.")
		seen = append(seen, check.Evidence(snapshot.LBPools, "/"+p.ID+"/origins/"+host, host+" does not exist", "a server that exists"))
	}
	switch {
	case len(free) > 0:
		j.Fail(poolResource(p), says+why, seen...)
	case unread != "":
		j.Unread(poolResource(p), snapshot.DNSLookup, unread)
	case len(gone) > 0:
		j.Warn(poolResource(p), says, seen...)
		j.As(posture.Words{Problem: "Pool {name} has a server that does not exist",
			Impact: "Whoever gets the name of the server later receives requests of your visitors with their session cookies."})
	default:
		j.Pass()
	}
}

func claimableExamples() []goodtest.Example {
	pool := func(addresses ...string) func(*snapshot.Builder) {
		return goodPool(func(p *snapshot.Pool) { p.Origins = servers(addresses...) })
	}
	const app, lapsed = "shop-eu.herokuapp.com", "app.lapsed.test"
	return []goodtest.Example{
		{Name: "addresses", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a name in an own zone", Want: posture.Pass, Edit: pool("origin." + goodtest.Domain)},
		{Name: "a tunnel", Want: posture.Pass, Edit: pool("0c000000-0000-4000-8000-000000000001.cfargotunnel.com")},
		{Name: "outside and there", Want: posture.Pass, Edit: goodtest.Edits(pool(app), goodtest.Answer("A", app, "NOERROR"))},
		{Name: "free at a platform", Want: posture.Fail, Severity: posture.Critical, Resource: "pool1",
			Edit: goodtest.Edits(pool("45.60.10.1", "Shop-EU.herokuapp.com."), goodtest.Answer("A", app, "NXDOMAIN"))},
		{Name: "in a domain that nobody owns", Want: posture.Fail, Resource: "pool1",
			Edit: goodtest.Edits(pool(lapsed), goodtest.Answer("A", lapsed, "NXDOMAIN"), goodtest.Answer("NS", "lapsed.test", "NXDOMAIN"))},
		{Name: "gone, in a domain that somebody owns", Want: posture.Warning, Resource: "pool1",
			Edit: goodtest.Edits(pool(lapsed), goodtest.Answer("A", lapsed, "NXDOMAIN"), goodtest.Answer("NS", "lapsed.test", "NOERROR"))},
		{Name: "free at a platform beside one that was not looked up", Want: posture.Fail,
			Edit: goodtest.Edits(pool(lapsed, app), goodtest.Answer("A", app, "NXDOMAIN"))},
		{Name: "not looked up", Want: posture.Unknown, Edit: pool(app)},
		{Name: "a disabled server", Want: posture.Pass, Edit: goodPool(func(p *snapshot.Pool) {
			p.Origins = servers("45.60.10.1", app)
			p.Origins[1].Enabled = false
		})},
		{Name: "only a balancer of a zone that is not active yet uses the pool", Want: posture.NotApplicable,
			Edit: goodtest.Edits(pool(app), goodtest.Answer("A", app, "NXDOMAIN"), goodtest.Status("pending"))},
		{Name: "no balancer uses the pool", Want: posture.NotApplicable,
			Edit: goodtest.Edits(pool(app), goodtest.Answer("A", app, "NXDOMAIN"), balancers())},
	}
}

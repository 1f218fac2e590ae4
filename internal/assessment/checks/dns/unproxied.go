package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// unproxied finds web records that bypass the edge.
func unproxied() check.Check {
	return check.Check{
		ID: "CFL-DNS-002", Title: "Web records pass through the proxy",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "An unproxied record answers with the address of the server. Its traffic passes no WAF, rate limit, Access " +
			"policy or cache of Cloudflare.",
		Fix: "Check that only web clients use the name, then proxy the record. The address stays known: give the server a " +
			"new one, or admit only Cloudflare.",
		Words: posture.Words{
			Problem: "{name} bypasses the Cloudflare proxy",
			Impact: "Anyone can read the address of the server in DNS and attack it directly, past the WAF, rate limits and " +
				"Access.",
			Breaks: "Clients other than browsers, such as SSH, FTP and mail, cannot connect through the proxy; a certificate " +
				"must cover the name.",
			Dashboard: "DNS › Records › {name} › Edit › Proxy status: Proxied.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/dns_records/{id}",
				Body: `{"proxied": true}`},
			Terraform: proxiedRecord("A")},
		References: []string{"https://developers.cloudflare.com/dns/proxy-status/",
			"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Web traffic passes the firewall at the edge before it reaches a server."),
			check.Supports("cis 12.2", "Origins are not exposed where the proxy can stand before them."),
			check.Supports("soc2 CC6.6", "The boundary is at the edge for every web host."),
			check.Supports("pci 1.4.2", "Untrusted networks reach the proxy and not the origin."),
			check.Supports("pci 1.4.5", "Addresses of origins are not in public DNS."),
			check.Supports("nist PR.IR-01", "Origins are reached only through the edge."),
		},
		Aliases: []string{"prowler:dns_record_proxied", "cfsi:unproxied-a", "cfsi:unproxied-aaaa", "cfsi:unproxied-cname",
			"flareinspect:CFL-DNS-002"},
		Paths: []string{"exposed-origin"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/dns_records/{dns_record_id}", Risk: "high", Reversible: true,
			Body:    `{"proxied": true}`,
			Inverse: `PATCH {"proxied": false, "ttl": captured ttl}`,
			Caution: "Services other than HTTP(S) on that name break, and so do clients that pin the certificate of the origin. Ask " +
				"the owner of each name first; an edge certificate must cover it.",
			Inputs: []change.Input{{Name: "confirmedNames", Example: `["shop.example.com", "img.example.com"]`,
				Description: "Host names whose owner confirmed that only web clients use them and that no client pins the certificate of the origin."}},
			Propose: proposeProxy},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneLoadBalancers},
		Evaluate: evaluateUnproxied,
	}
}

func unproxiedExamples() []goodtest.Example {
	belowWildcard := goodtest.Edits(direct("old", "CNAME", "x.apps."+goodtest.Domain), goodtest.AddRecord(snapshot.DNSRecord{ID: "d2",
		Name: "*.apps." + goodtest.Domain, Type: "A", Content: "45.60.10.1", Proxied: true}))
	return []goodtest.Example{
		{Name: "all web records proxied", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the zone moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(direct("app", "A", "45.60.99.1"),
			goodtest.Status("moved"))},
		{Name: "other name servers answer for the partial zone", Want: posture.Pass, Edit: goodtest.Edits(direct("app", "A", "45.60.99.1"),
			goodtest.Type("partial"))},
		{Name: "a wildcard", Want: posture.Fail, Resource: "d1", Edit: direct("*.apps", "A", "45.60.99.1")},
		{Name: "an address of IPv6", Want: posture.Fail, Edit: direct("api", "AAAA", "2a01:4f8::1")},
		{Name: "a name for testing", Want: posture.Fail, Edit: direct("staging", "A", "45.60.99.1")},
		{Name: "a proof of control for a certificate", Want: posture.Pass,
			Edit: direct("_acme-challenge.shop", "CNAME", "abc.acme-dns.example")},
		{Name: "an A record bypasses the proxy", Want: posture.Fail, Resource: goodtest.Record,
			Edit: goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) { r.Proxied = false })},
		{Name: "the operator wants it so", Want: posture.Warning, Severity: posture.Low, Resource: goodtest.Record,
			Edit:   goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) { r.Proxied = false }),
			Policy: func(p *policy.Policy) { p.DNSOnlyNames = []string{goodtest.Domain} }},
		{Name: "a DKIM key of a mail provider is no host", Want: posture.Pass,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "k1", Name: "s1._domainkey." + goodtest.Domain,
				Type: "CNAME", Content: "s1.dkim.mailhost.example", Proxiable: true})},
		{Name: "an alias to the own zone", Want: posture.Fail, Resource: "d1", Edit: direct("old", "CNAME", "app."+goodtest.Domain)},
		{Name: "an alias to a proxied name of the zone", Want: posture.Pass, Edit: direct("old", "CNAME", "WWW."+goodtest.Domain+".")},
		{Name: "an alias to a name below a proxied wildcard", Want: posture.Pass, Edit: belowWildcard},
		{Name: "an alias to a balancer below a proxied wildcard is given its servers", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(
			belowWildcard, func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "x.apps." + goodtest.Domain,
					Enabled: true, Proxied: true}})
			})},
		{Name: "behind a balancer of its name", Want: posture.Pass, Edit: goodtest.Edits(direct("app", "A", "45.60.10.9"),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "App." + goodtest.Domain + ".",
					Enabled: true}})
			})},
		{Name: "behind a balancer of its name that is off", Want: posture.Fail, Edit: goodtest.Edits(direct("app", "A", "45.60.10.9"),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "app." + goodtest.Domain}})
			})},
		{Name: "an alias to a name below a proxied wildcard, and the balancers are not readable", Want: posture.Unknown, Resource: "d1",
			Edit: goodtest.Edits(belowWildcard, func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneLoadBalancers.Source(), snapshot.Denied, "Load Balancers Read", "")
			})},
		{Name: "an alias to a direct name beside a proxied wildcard", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(belowWildcard,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d3", Name: "x.apps." + goodtest.Domain, Type: "A", Content: "45.60.99.1", Proxiable: true}))},
		{Name: "an alias to an alias of a proxied name", Want: posture.Pass, Edit: goodtest.Edits(direct("old", "CNAME", "new."+goodtest.Domain),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: "new." + goodtest.Domain, Type: "CNAME", Content: goodtest.Domain}))},
		{Name: "an alias to a proxied name of another zone", Want: posture.Pass, Edit: goodtest.Edits(direct("old", "CNAME", "www.brand.example"),
			zoneWith("active", false, snapshot.DNSRecord{ID: "o1", Name: "www.brand.example", Type: "A", Content: "45.60.10.2", Proxied: true}))},
		{Name: "an alias to a direct name of another zone", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(
			direct("old", "CNAME", "www.brand.example"), zoneWith("active", false, snapshot.DNSRecord{ID: "o1", Name: "www.brand.example",
				Type: "A", Content: "45.60.10.2"}))},
		{Name: "an alias to a proxied name of another zone, which is paused", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(
			direct("old", "CNAME", "www.brand.example"), zoneWith("active", true, snapshot.DNSRecord{ID: "o1", Name: "www.brand.example",
				Type: "A", Content: "45.60.10.2", Proxied: true}))},
		{Name: "an alias to a name of another zone, which is not part of the run", Want: posture.Unknown, Resource: "d1", Edit: goodtest.Edits(
			direct("old", "CNAME", "www.brand.example"), another("brand.example", "active", "full"))},
		{Name: "aliases in a circle", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(direct("old", "CNAME", "new."+goodtest.Domain),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: "new." + goodtest.Domain, Type: "CNAME", Content: "old." + goodtest.Domain}))},
		{Name: "an address beside a proxied one of the name", Want: posture.Pass, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "d1",
			Name: goodtest.Domain, Type: "AAAA", Content: "2a01:4f8::1", Proxiable: true})},
		{Name: "an alias to a host of the organisation elsewhere", Want: posture.Fail, Edit: direct("old", "CNAME", "app.elsewhere.test"),
			Policy: func(p *policy.Policy) { p.OwnHosts = []string{"elsewhere.test"} }},
		{Name: "an own application at a platform", Want: posture.Fail, Edit: direct("app", "CNAME", "shop.azurewebsites.net")},
		{Name: "an own balancer", Want: posture.Fail, Edit: direct("app", "CNAME", "lb-1.eu-west-1.elb.amazonaws.com")},
		{Name: "a name that only looks like a service", Want: posture.Fail, Edit: direct("shopftp", "A", "45.60.99.1")},
		{Name: "webmail is a web site", Want: posture.Fail, Edit: direct("webmail", "A", "45.60.99.1")},
		{Name: "a mail host that the MX names", Want: posture.Pass, Edit: goodtest.Edits(direct("post", "A", "45.60.99.1"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: goodtest.Domain, Type: "MX", Content: "10 Post." + goodtest.Domain + "."}))},
		{Name: "a host that SPF admits", Want: posture.Pass, Edit: goodtest.Edits(direct("sender", "A", "45.60.99.1"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: goodtest.Domain, Type: "TXT",
				Content: `"v=spf1 a:sender.shop.example -all"`}))},
		{Name: "a host that SPF refuses", Want: posture.Fail, Edit: goodtest.Edits(direct("sender", "A", "45.60.99.1"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: goodtest.Domain, Type: "TXT",
				Content: `"v=spf1 -a:sender.shop.example ~all"`}))},
		{Name: "file transfer", Want: posture.Pass, Edit: direct("FTP", "A", "45.60.99.1")},
		{Name: "a numbered shell host", Want: posture.Pass, Edit: direct("ssh2.eu", "AAAA", "2a01:4f8::1")},
		{Name: "calls", Want: posture.Pass, Edit: direct("sip", "CNAME", "sipdir.online.lync.com")},
		{Name: "device enrolment", Want: posture.Pass,
			Edit: direct("enterpriseenrollment", "CNAME", "enterpriseenrollment-s.manage.microsoft.com")},
		{Name: "mail set-up", Want: posture.Pass, Edit: direct("autodiscover", "CNAME", "autodiscover.outlook.com")},
		{Name: "a support desk", Want: posture.Pass, Edit: direct("help", "CNAME", "shop.zendesk.com")},
		{Name: "a status page", Want: posture.Pass, Edit: direct("status", "CNAME", "x1.stspg-customer.com")},
		{Name: "a mail sender", Want: posture.Pass, Edit: direct("em123", "CNAME", "u1.wl.sendgrid.net")},
		{Name: "a shop", Want: posture.Pass, Edit: direct("store", "CNAME", "Shops.MyShopify.com.")},
		{Name: "a proof of control", Want: posture.Pass, Edit: direct("abc123", "CNAME", "gv-1.dv.googlehosted.com")},
		{Name: "pages at a platform are asked about", Want: posture.Warning, Severity: posture.Low, Resource: "d1",
			Edit: direct("docs", "CNAME", "team.github.io")},
		{Name: "somebody else's name is asked about", Want: posture.Warning, Severity: posture.Low, Resource: "d1",
			Edit: direct("promo", "CNAME", "customers.agency.test")},
		{Name: "a name that may be one for mail is asked about", Want: posture.Warning, Severity: posture.Low,
			Edit: direct("smtp-eu", "A", "45.60.99.1")},
		{Name: "a domain that only ends like a support desk", Want: posture.Warning, Severity: posture.Low,
			Edit: direct("help", "CNAME", "shop.notzendesk.com")},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
	}
}

// zoneWith is an example edit: another zone of the run.
func zoneWith(status string, paused bool, records ...snapshot.DNSRecord) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		b.Zones = append(b.Zones, snapshot.Zone{ID: "z9", Name: "brand.example", Status: status, Type: "full", Plan: "enterprise",
			Paused: paused})
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
		snapshot.Put(b, snapshot.ZoneDNSRecords, "z9", records)
	}
}

// direct is an example edit: a record that is not proxied.
func direct(label, kind, content string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "d1", Name: label + "." + goodtest.Domain, Type: kind, Content: content,
		Proxiable: true})
}

func evaluateUnproxied(v *check.View) check.Outcome {
	if v.Zone().Paused {
		return v.NotApplicable("the zone is paused; that is judged on its own")
	}
	if reason := check.PublicDNS(v.Zone()); reason != "" {
		return v.NotApplicable(reason)
	}
	records := check.Public(v, v.Zone())
	needed := exposure.DirectTargets(records)
	edge, unread, doubtful := edgeOf(v, records)
	balancers, _ := check.ReadOptional(v, snapshot.ZoneLoadBalancers)
	hidden := balanced(balancers)
	j := v.Judge()
	for _, r := range records {
		if !r.Proxiable || exposure.Attribute(r.Name) || r.Type != "A" && r.Type != "AAAA" && r.Type != "CNAME" {
			continue
		}
		if zone := doubtful[r.ID]; zone != "" {
			j.Unread(v.InZone(posture.ResourceDNSRecord, r.ID, r.Name), snapshot.ZoneLoadBalancers, zone)
			continue
		}
		if hidden(r.Name) || edge.Serves(r) || r.Type == "CNAME" && exposure.ProviderOwned(r.Content) {
			j.Pass()
			continue
		}
		res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
		seen := check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/proxied", "false", "true")
		direct, needs := exposure.DirectRecord(r, needed, ownTarget(v, r.Content))
		switch {
		case listed(v.Policy.DNSOnlyNames, r.Name):
			j.Warn(res, "The "+r.Type+" record "+r.Name+" bypasses the proxy, as dnsOnlyNames in the policy says.", seen)
			j.As(posture.Words{Problem: "{name} bypasses the Cloudflare proxy, as declared", ByHand: true,
				Dashboard: "DNS › Records › {name}: leave it as it is, or proxy it and take the name out of dnsOnlyNames in the policy."})
			j.Rated(posture.Low)
		case direct.Sure:
			j.Pass()
		case unread[r.ID] != "": // perhaps the edge serves it
			j.Unread(res, snapshot.ZoneDNSRecords, unread[r.ID])
		case needs:
			j.Warn(res, "The "+r.Type+" record "+r.Name+" is not proxied, which may be right: "+direct.Why+".", seen)
			j.As(posture.Words{Problem: "{name} may need the Cloudflare proxy", ByHand: true,
				Impact: "If the host is yours and serves a website, anyone can attack it past the WAF, rate limits and Access.",
				Dashboard: "DNS › Records › {name} › Edit › Proxy status: Proxied if the host is yours and only web clients use it; " +
					"else list the name under dnsOnlyNames in the policy."})
			j.Rated(posture.Low)
		default:
			j.Fail(res, "The "+r.Type+" record "+r.Name+" is not proxied and "+answers(r)+".", seen)
			j.As(posture.Words{Terraform: proxiedRecord(r.Type)})
		}
	}
	return j.Done("Every web record passes through the proxy, or must not.", "the zone has no record that could be proxied")
}

func answers(r snapshot.DNSRecord) string {
	if r.Type == "CNAME" {
		return "leads to " + r.Content
	}
	return "answers with " + r.Content
}

// ownTarget reports whether a target is a name of the organisation.
func ownTarget(v *check.View, target string) bool {
	return inAccount(v, target) || slices.ContainsFunc(v.Policy.OwnHosts, func(d string) bool { return exposure.Within(target, d) })
}

// proposeProxy sends the traffic of a name through the edge. Only the owner knows whether clients
// other than browsers use it, so each name must be confirmed.
func proposeProxy(c *propose.Case) ([]change.Edit, error) {
	place, live, err := record(c)
	if err != nil {
		return nil, err
	}
	name := propose.Text(live, "name")
	switch {
	case live == nil || propose.Flag(live, "proxied"):
		return nil, nil
	case live["proxiable"] != true:
		return nil, propose.Refuse("Cloudflare cannot proxy this record.")
	case listed(c.Policy.DNSOnlyNames, name):
		return nil, propose.Refuse("The name %s is on the operator's list of names that bypass the proxy on purpose.", name)
	}
	var confirmed []string
	if err := c.Input("confirmedNames", &confirmed); err != nil {
		return nil, err
	}
	if !listed(confirmed, name) {
		return nil, propose.Refuse("The name %s is not among those confirmed to serve web traffic only.", name)
	}
	why, err := mustStayDirect(c, live)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, propose.Refuse("The record %s must keep its own address: %s.", name, why)
	}
	covered, err := c.Certified(name)
	if err != nil {
		return nil, err
	}
	if !covered {
		return nil, propose.Refuse("No active edge certificate covers %s, so visitors would see an error; order one first.", name)
	}
	e := propose.Patch("PATCH", place, place.Path, live, map[string]any{"proxied": true})
	// The provider sets the TTL of a proxied record, so both values are restored.
	e.Before = change.Encode(map[string]any{"proxied": false, "ttl": live["ttl"]})
	e.Undo.Body = e.Before
	return []change.Edit{e}, nil
}

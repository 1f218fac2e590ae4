package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// pointTo is an example edit: a record that points outside the account.
func pointTo(kind, content string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: kind, Content: content})
}

const releasable = "lb-1.eu-west-1.elb.amazonaws.com"

func danglingExamples() []goodtest.Example {
	return slices.Concat(plainTargets(), freeTargets(), answeringTargets())
}

func plainTargets() []goodtest.Example {
	sub := "app." + goodtest.Domain
	return []goodtest.Example{
		{Name: "every target is there", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a free name where anybody may claim it", Want: posture.Fail, Resource: "t1",
			Edit: goodtest.Edits(pointTo("CNAME", "old-shop.azurewebsites.net"), goodtest.Answer("A", "old-shop.azurewebsites.net",
				"NXDOMAIN"))},
		{Name: "a free name, in a zone that moved away", Want: posture.NotApplicable,
			Edit: goodtest.Edits(pointTo("CNAME", "old-shop.azurewebsites.net"), goodtest.Answer("A", "old-shop.azurewebsites.net",
				"NXDOMAIN"), goodtest.Status("moved"))},
		{Name: "a free name elsewhere", Want: posture.Warning, Resource: "t1", Edit: goodtest.Edits(pointTo("CNAME", "app.closed.test"),
			goodtest.Answer("A", "app.closed.test", "NXDOMAIN"))},
		{Name: "the claimable domain itself is not claimable", Want: posture.Warning, Edit: goodtest.Edits(pointTo("CNAME", "github.io"),
			goodtest.Answer("A", "github.io", "NXDOMAIN"))},
		{Name: "a mail host that is gone", Want: posture.Warning, Edit: goodtest.Edits(pointTo("MX", "mx.closed.test"),
			goodtest.Answer("A", "mx.closed.test", "NXDOMAIN"))},
		{Name: "a service host that is gone", Want: posture.Fail, Edit: goodtest.Edits(pointTo("SRV", "5 443 chat.herokuapp.com"),
			goodtest.Answer("A", "chat.herokuapp.com", "NXDOMAIN"))},
		{Name: "a web service in a domain that nobody owns", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(
			pointTo("HTTPS", `1 edge.lapsed.com alpn="h3,h2"`), goodtest.Answer("A", "edge.lapsed.com", "NXDOMAIN"),
			goodtest.Answer("NS", "lapsed.com", "NXDOMAIN"))},
		{Name: "a web service of the name itself", Want: posture.Pass, Resource: goodtest.Zone, Edit: pointTo("HTTPS", `1 . alpn="h3,h2"`)},
		{Name: "a service by its parameters that is gone", Want: posture.Fail, Edit: goodtest.Edits(pointTo("SVCB", "1 x.herokuapp.com port=853"),
			goodtest.Answer("A", "x.herokuapp.com", "NXDOMAIN"))},
		{Name: "a lame delegation anybody may answer", Want: posture.Fail, Edit: goodtest.Edits(pointTo("NS", "ns1-01.azure-dns.com"),
			goodtest.Answer("SOA", sub, "SERVFAIL"), goodtest.Answer("A", "ns1-01.azure-dns.com", "NOERROR"))},
		{Name: "a lame delegation elsewhere", Want: posture.Warning, Edit: goodtest.Edits(pointTo("NS", "ns1.closed.test"),
			goodtest.Answer("SOA", sub, "SERVFAIL"), goodtest.Answer("A", "ns1.closed.test", "NOERROR"))},
		{Name: "a name server that is gone", Want: posture.Warning, Edit: goodtest.Edits(pointTo("NS", "ns1.closed.test"),
			goodtest.Answer("SOA", sub, "NOERROR"), goodtest.Answer("A", "ns1.closed.test", "NXDOMAIN"))},
		{Name: "a delegation that works", Want: posture.Pass, Edit: goodtest.Edits(pointTo("NS", "ns1.open.test"),
			goodtest.Answer("SOA", sub, "NOERROR", "ns1.open.test"), goodtest.Answer("A", "ns1.open.test", "NOERROR", "45.60.9.9"))},
		{Name: "a server that fails twice", Want: posture.Warning, Edit: goodtest.Edits(pointTo("CNAME", "app.ill.test"),
			goodtest.Answer("A", "app.ill.test", "SERVFAIL"))},
		{Name: "a name without an address exists", Want: posture.Pass, Edit: goodtest.Edits(pointTo("CNAME", "verify.open.test"),
			goodtest.Answer("A", "verify.open.test", "NOERROR"))},
		{Name: "nobody looked", Want: posture.Unknown, Resource: "t1", Edit: pointTo("CNAME", "app.closed.test")},
		{Name: "a failure stands although nobody looked at the rest", Want: posture.Fail,
			Edit: goodtest.Edits(pointTo("CNAME", "x.surge.sh"), goodtest.Answer("A", "x.surge.sh", "NXDOMAIN"),
				goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: "b." + goodtest.Domain, Type: "CNAME", Content: "b.closed.test"}))},
		{Name: "only inside, and a null MX", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "MX" {
				r.Content = "."
			}
		})},
	}
}

func freeTargets() []goodtest.Example {
	sub := "app." + goodtest.Domain
	gone := func(name string) func(*snapshot.Builder) { return goodtest.Answer("A", name, "NXDOMAIN") }
	free := func(domain string) func(*snapshot.Builder) { return goodtest.Answer("NS", domain, "NXDOMAIN") }
	owned := func(domain string) func(*snapshot.Builder) {
		return goodtest.Answer("NS", domain, "NOERROR", "ns1."+domain)
	}
	return []goodtest.Example{
		{Name: "a domain that nobody owns", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(pointTo("CNAME", "app.lapsed.com"),
			gone("app.lapsed.com"), free("lapsed.com"))},
		{Name: "a mail host in a domain that nobody owns", Want: posture.Fail, Edit: goodtest.Edits(pointTo("MX", "mx.lapsed.co.uk"),
			gone("mx.lapsed.co.uk"), free("lapsed.co.uk"))},
		{Name: "a name server in a domain that nobody owns", Want: posture.Fail, Edit: goodtest.Edits(pointTo("NS", "ns1.lapsed.com"),
			goodtest.Answer("SOA", sub, "SERVFAIL"), gone("ns1.lapsed.com"), free("lapsed.com"))},
		{Name: "a service host in a domain that nobody owns, written in capitals", Want: posture.Fail,
			Edit: goodtest.Edits(pointTo("SRV", "5 443 Chat.Lapsed.COM."), gone("chat.lapsed.com"), free("lapsed.com"))},
		{Name: "a partner's alias to a domain that nobody owns", Want: posture.Fail, Resource: "t1",
			Edit: goodtest.Edits(pointTo("CNAME", "app.partner.com"), chained("app.partner.com", "NXDOMAIN", "edge.lapsed.com"),
				free("lapsed.com"))},
		{Name: "a partner's alias to a free name at a platform", Want: posture.Fail, Edit: goodtest.Edits(pointTo("CNAME", "app.partner.com"),
			chained("app.partner.com", "NXDOMAIN", "old.azurewebsites.net"))},
		{Name: "a domain that nobody owns, of a zone that moved away", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(
			pointTo("CNAME", "app.lapsed.com"), gone("app.lapsed.com"), free("lapsed.com"), another("lapsed.com", "moved", "full"))},
		{Name: "a domain that nobody owns, of an internal zone", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(
			pointTo("CNAME", "app.lapsed.com"), gone("app.lapsed.com"), free("lapsed.com"), another("lapsed.com", "active", "internal"))},
		{Name: "a name of another zone of the account, which nobody looks up", Want: posture.Pass, Edit: goodtest.Edits(
			pointTo("CNAME", "app.kept.com"), another("kept.com", "active", "full"))},
		{Name: "a free name in a domain that somebody owns", Want: posture.Warning, Edit: goodtest.Edits(pointTo("CNAME", "app.kept.com"),
			gone("app.kept.com"), owned("kept.com"))},
		{Name: "nobody can register a name of the own network", Want: posture.Warning, Edit: goodtest.Edits(pointTo("CNAME", "db.internal"),
			gone("db.internal"), free("internal"))},
		{Name: "a free name at a platform that gives out names itself", Want: posture.Warning,
			Edit: goodtest.Edits(pointTo("CNAME", releasable), gone(releasable),
				owned("amazonaws.com"))},
		{Name: "a free name at a platform of the operator's list", Want: posture.Fail,
			Edit: goodtest.Edits(pointTo("CNAME", "shop.hosting.test"),
				gone("shop.hosting.test"), owned("hosting.test")), Policy: func(p *policy.Policy) { p.PlatformDomains = []string{"hosting.test"} }},
	}
}

func answeringTargets() []goodtest.Example {
	there := func(name string) func(*snapshot.Builder) { return goodtest.Answer("A", name, "NOERROR", "45.60.9.9") }
	at := func(name string) func(*snapshot.Builder) { return goodtest.Edits(pointTo("CNAME", name), there(name)) }
	return []goodtest.Example{
		{Name: "GitHub answers for every name", Want: posture.Unknown, Resource: "t1", Edit: at("team.github.io")},
		{Name: "in capitals and with a final dot", Want: posture.Unknown, Edit: goodtest.Edits(pointTo("CNAME", "Team.GitHub.IO."),
			there("team.github.io"))},
		{Name: "S3 answers for every name", Want: posture.Unknown, Edit: at("assets.s3.amazonaws.com")},
		{Name: "S3 in a region", Want: posture.Unknown, Edit: at("assets.s3-website.eu-central-1.amazonaws.com")},
		{Name: "Firebase answers for every name", Want: posture.Unknown, Edit: at("shop-1.web.app")},
		{Name: "Render answers for every name", Want: posture.Unknown, Edit: at("shop.onrender.com")},
		{Name: "a balancer's addresses go to others", Want: posture.Unknown, Edit: at(releasable)},
		{Name: "a machine's address goes to another customer", Want: posture.Unknown,
			Edit: at("ec2-45-60-9-9.eu-west-1.compute.amazonaws.com")},
		{Name: "the operator knows that it is theirs", Want: posture.Pass, Edit: at("team.github.io"),
			Policy: func(p *policy.Policy) { p.TrustedTargets = []string{"TEAM.github.io"} }},
		{Name: "trust of another name says nothing", Want: posture.Unknown, Edit: at("team.github.io"),
			Policy: func(p *policy.Policy) { p.TrustedTargets = []string{"github.io", "other.github.io"} }},
		{Name: "a platform of the operator's list", Want: posture.Unknown, Edit: at("shop.hosting.test"),
			Policy: func(p *policy.Policy) { p.PlatformDomains = []string{"hosting.test"} }},
		{Name: "a name that only ends alike", Want: posture.Pass, Edit: at("team.notgithub.io")},
		{Name: "a platform where free names do not exist", Want: posture.Pass, Edit: at("shop.azurewebsites.net")},
		{Name: "a platform nobody knows, which answers for every name", Want: posture.Unknown,
			Edit: goodtest.Edits(at("shop.adobeaemcloud.com"),
				there("*.adobeaemcloud.com"))},
		{Name: "a platform nobody knows, where free names do not exist", Want: posture.Pass,
			Edit: goodtest.Edits(at("shop.adobeaemcloud.com"), goodtest.Answer("A", "*.adobeaemcloud.com", "NXDOMAIN"))},
		{Name: "nobody looked whether every name there answers", Want: posture.Unknown, Edit: at("shop.adobeaemcloud.com")},
		{Name: "a balancer without an address was released", Want: posture.Warning, Resource: "t1",
			Edit: goodtest.Edits(pointTo("CNAME", releasable),
				goodtest.Answer("A", releasable, "NOERROR"), goodtest.Answer("AAAA", releasable, "NOERROR"))},
		{Name: "a balancer that has one address of the newer kind", Want: posture.Unknown, Edit: goodtest.Edits(pointTo("CNAME", releasable),
			goodtest.Answer("A", releasable, "NOERROR"), goodtest.Answer("AAAA", releasable, "NOERROR", "2a01:4f8::1"))},
		{Name: "an address that nobody has", Want: posture.Warning, Edit: goodtest.Edits(pointTo("CNAME", "app.open.test"),
			goodtest.Answer("A", "app.open.test", "NOERROR", "0.0.0.0"))},
		{Name: "a key at a platform is no host", Want: posture.Pass, Edit: goodtest.Edits(goodtest.AddRecord(snapshot.DNSRecord{ID: "t1",
			Name: "zendesk1._domainkey." + goodtest.Domain, Type: "CNAME", Content: "zendesk1._domainkey.zendesk.com"}),
			there("zendesk1._domainkey.zendesk.com"))},
		{Name: "the custom domain of a bucket", Want: posture.Pass, Edit: pointTo("CNAME", "public.r2.dev")},
		{Name: "empty labels", Want: posture.Unknown, Edit: at("..github.io")},
	}
}

// another is an example edit: the account has one more zone, which is not part of the run.
func another(name, status, kind string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneList, goodtest.Account, func(zs *[]snapshot.Zone) {
			*zs = append(*zs, snapshot.Zone{ID: "z9", Name: name, Status: status, Type: kind})
		})
	}
}

// chained is an example edit: a look-up that follows an alias.
func chained(name, rcode, alias string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.DNSLookup, snapshot.LookupScope("A", name), snapshot.Lookup{Rcode: rcode, Chain: []string{alias},
			Answers: []string{}})
	}
}

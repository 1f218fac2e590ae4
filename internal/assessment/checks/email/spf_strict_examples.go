package email

import (
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// inspected is an example edit that sets the result of the provider's inspection.
func inspected(lookups int, errors ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneSPFInspect, goodtest.Zone, snapshot.SPFInspection{TotalLookups: &lookups, Errors: errors})
	}
}

// uninspected is an example edit: the inspection was denied.
func uninspected(b *snapshot.Builder) {
	b.Mark(snapshot.ZoneSPFInspect.Source(), snapshot.Denied, "Zone: DMARC Management Read", "")
}

// hostAt is an example edit that adds an address record.
func hostAt(name string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "at " + name, Name: name, Type: "A", Content: "45.60.1.9"})
}

// mailHosts is an example edit that gives in.shop.example so many mail hosts.
func mailHosts(n int) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for i := range n {
			goodtest.AddRecord(snapshot.DNSRecord{ID: "mx" + strconv.Itoa(i), Name: "in.shop.example", Type: "MX",
				Content: "mx" + strconv.Itoa(i) + ".mailhost.test"})(b)
		}
	}
}

// gone is an example edit: names that do not exist.
func gone(names ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for _, name := range names {
			goodtest.Answer("A", name, "NXDOMAIN")(b)
		}
	}
}

func spfEndExamples() []goodtest.Example {
	weak, missing := dmarc("v=DMARC1; p=none"), without("_dmarc")
	redirect := spf("v=spf1 redirect=_spf.shop.example")
	return []goodtest.Example{
		{Name: "strict", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "strict, in a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Status("moved")},
		{Name: "terms run together by a split", Want: posture.Fail, Edit: spf(`"v=spf1 ip4:45.60.10.1" "-all"`)},
		{Name: "everybody, in capitals", Want: posture.Fail, Edit: spf("V=SPF1 +ALL")},
		{Name: "a sender after the end", Want: posture.Pass, Edit: spf("v=spf1 -all ip4:0.0.0.0/0")},
		{Name: "the halves of IPv6", Want: posture.Fail, Edit: spf("v=spf1 ip6:::/1 ip6:8000::/1 -all")},
		{Name: "every address by a macro", Want: posture.Fail, Edit: spf("v=spf1 exists:%{i}.senders.test +all")},
		{Name: "every address is neutral before the end", Want: posture.Fail, Resource: goodtest.Zone, Edit: spf("v=spf1 ?ip4:0.0.0.0/0 -all")},
		{Name: "one address is neutral before the end", Want: posture.Pass, Edit: spf("v=spf1 ?ip4:45.60.1.1 -all")},
		{Name: "every address of an included record is neutral", Want: posture.Fail, Edit: goodtest.Edits(
			spf("v=spf1 ?include:spf.mailhost.test -all"), goodtest.Answer("TXT", "spf.mailhost.test", "NOERROR", "v=spf1 +all"))},
		{Name: "every address is neutral to an included record, and refused", Want: posture.Pass, Edit: goodtest.Edits(
			spf("v=spf1 include:spf.mailhost.test -all"), goodtest.Answer("TXT", "spf.mailhost.test", "NOERROR", "v=spf1 ?ip4:0.0.0.0/0 -all"))},
		{Name: "every address is neutral to the record of a redirect", Want: posture.Fail, Edit: goodtest.Edits(
			spf("v=spf1 redirect=spf.mailhost.test"), goodtest.Answer("TXT", "spf.mailhost.test", "NOERROR", "v=spf1 ?ip4:0.0.0.0/0 -all"))},
		{Name: "a host that is always there", Want: posture.Fail, Resource: goodtest.Zone, Edit: spf("v=spf1 exists:www.shop.example -all")},
		{Name: "a host elsewhere that is always there", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 exists:on.mailhost.test -all"),
			goodtest.Answer("A", "on.mailhost.test", "NOERROR", "127.0.0.2"))},
		{Name: "a host elsewhere that is gone", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 exists:on.mailhost.test -all"),
			goodtest.Answer("A", "on.mailhost.test", "NXDOMAIN"))},
		{Name: "a host elsewhere that nobody looked up", Want: posture.Unknown, Edit: spf("v=spf1 exists:on.mailhost.test -all")},
		{Name: "a host that is always there, and refused", Want: posture.Pass, Edit: spf("v=spf1 ip4:45.60.1.1 -exists:www.shop.example -all")},
		{Name: "every address by a macro below a wildcard", Want: posture.Fail, Edit: goodtest.Edits(
			spf("v=spf1 exists:%{i}._spf.shop.example -all"), hostAt("*.shop.example"))},
		{Name: "a macro below a name that ends the wildcard", Want: posture.Pass, Edit: goodtest.Edits(
			spf("v=spf1 exists:%{i}._spf.shop.example -all"), hostAt("*.shop.example"), hostAt("4.3.2.1._spf.shop.example"))},
		{Name: "a macro below a domain elsewhere", Want: posture.Pass, Edit: spf("v=spf1 exists:%{i}._spf.mailhost.test -all")},
		{Name: "ten mail hosts", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 mx:in.shop.example -all"), mailHosts(10))},
		{Name: "eleven mail hosts", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(spf("v=spf1 mx:in.shop.example -all"),
			mailHosts(11))},
		{Name: "two hosts that are gone", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 a:x1.mailhost.test a:x2.mailhost.test -all"),
			gone("x1.mailhost.test", "x2.mailhost.test"))},
		{Name: "three hosts that are gone", Want: posture.Fail, Edit: goodtest.Edits(
			spf("v=spf1 a:x1.mailhost.test a:x2.mailhost.test/24 mx:none.shop.example -all"), gone("x1.mailhost.test", "x2.mailhost.test"))},
		{Name: "soft, and DMARC rejects", Want: posture.Pass, Edit: spf("v=spf1 ip4:45.60.1.1 ~all")},
		{Name: "soft, and DMARC behind a CNAME quarantines", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 ~all"),
			behindAlias("v=DMARC1; p=quarantine"))},
		{Name: "a redirect to a strict record", Want: posture.Pass, Edit: goodtest.Edits(redirect, answers("_spf.shop.example", "NOERROR",
			"v=spf1 ip4:45.60.1.1 -all"))},
		{Name: "everybody passes", Want: posture.Fail, Resource: goodtest.Zone, Edit: spf("v=spf1 +all")},
		{Name: "everybody passes without a sign", Want: posture.Fail, Edit: spf("v=spf1 all")},
		{Name: "the halves of the internet", Want: posture.Fail, Edit: spf("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all")},
		{Name: "all of IPv6", Want: posture.Fail, Edit: spf("v=spf1 ip6:::/0 -all")},
		{Name: "a quarter, by an include", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 include:_spf.mailhost.example -all"),
			answers("_spf.mailhost.example", "NOERROR", "v=spf1 ip4:0.0.0.0/3 ip4:64.0.0.0/3 -all"), inspected(1))},
		{Name: "everybody, by an include", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(
			spf("v=spf1 include:open.mailhost.test -all"), answers("open.mailhost.test", "NOERROR", "v=spf1 +all"))},
		{Name: "everybody, by the record that an include redirects to", Want: posture.Fail, Edit: goodtest.Edits(
			spf("v=spf1 include:a.mailhost.test -all"), answers("a.mailhost.test", "NOERROR", "v=spf1 redirect=b.mailhost.test"),
			answers("b.mailhost.test", "NOERROR", "v=spf1 all"))},
		{Name: "nobody else, by an include that ends in a refusal", Want: posture.Pass, Edit: goodtest.Edits(
			spf("v=spf1 include:a.mailhost.test -all"), answers("a.mailhost.test", "NOERROR", "v=spf1 ?all"))},
		{Name: "every address around a host", Want: posture.Fail, Edit: spf("v=spf1 a/0 -all")},
		{Name: "every address of IPv6 around a mail host", Want: posture.Fail, Edit: spf("v=spf1 mx:mail.shop.example/32//0 -all")},
		{Name: "the network of a host", Want: posture.Pass, Edit: spf("v=spf1 a/24//64 -all")},
		{Name: "soft, and DMARC has a typing error", Want: posture.Warning,
			Edit: goodtest.Edits(spf("v=spf1 ~all"), dmarc("v=DMARC1; p=reject; sp=rejct"))},
		{Name: "soft, and DMARC only tests to quarantine", Want: posture.Warning,
			Edit: goodtest.Edits(spf("v=spf1 ~all"), dmarc("v=DMARC1; p=quarantine; t=y"))},
		{Name: "a sixteenth", Want: posture.Pass, Edit: spf("v=spf1 ip4:16.0.0.0/4 -all")},
		{Name: "all but a few, refused", Want: posture.Pass, Edit: spf("v=spf1 -ip4:0.0.0.0/1 ip4:45.60.1.1 -all")},
		{Name: "neutral", Want: posture.Fail, Edit: spf("v=spf1 ?all")},
		{Name: "no end", Want: posture.Fail, Edit: spf("v=spf1 ip4:45.60.1.1")},
		{Name: "everybody passes, and nothing else is known", Want: posture.Fail,
			Edit: goodtest.Edits(spf("v=spf1 include:_spf.mailhost.example +all"), uninspected)},
		{Name: "a redirect to an open record", Want: posture.Fail,
			Edit: goodtest.Edits(redirect, answers("_spf.shop.example", "NOERROR", "v=spf1 ?all"))},
		{Name: "a redirect to a record without an end", Want: posture.Fail,
			Edit: goodtest.Edits(redirect, answers("_spf.shop.example", "NOERROR", "v=spf1 ip4:45.60.1.1"))},
		{Name: "soft, and DMARC does nothing", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(spf("v=spf1 ~all"), weak)},
		{Name: "soft, and DMARC is missing", Want: posture.Warning, Edit: goodtest.Edits(spf("v=spf1 ~all"), missing)},
		{Name: "soft, and DMARC behind a CNAME does nothing", Want: posture.Warning, Edit: goodtest.Edits(spf("v=spf1 ~all"),
			behindAlias("v=DMARC1; p=none"))},
		{Name: "soft, and nothing else is known", Want: posture.Warning, Edit: goodtest.Edits(spf("v=spf1 include:_spf.mailhost.example ~all"),
			weak, uninspected)},
		{Name: "ptr", Want: posture.Warning, Edit: spf("v=spf1 ptr -all")},
		{Name: "soft, and nobody looked behind the CNAME", Want: posture.Unknown, Resource: goodtest.Zone,
			Edit: goodtest.Edits(spf("v=spf1 ~all"), dmarcAlias())},
		{Name: "strict, and nobody looked behind the CNAME", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 -all"), dmarcAlias())},
		{Name: "a redirect nobody followed", Want: posture.Unknown, Edit: redirect},
		{Name: "a redirect that was counted and not followed", Want: posture.Unknown, Edit: goodtest.Edits(redirect, inspected(2))},
		{Name: "no record", Want: posture.NotApplicable, Edit: spf("hello")},
		{Name: "two records", Want: posture.NotApplicable, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: goodtest.Domain,
			Type: "TXT", Content: "v=spf1 +all"})},
	}
}

func spfCostExamples() []goodtest.Example {
	one := spf("v=spf1 include:a.mail.test -all")
	at := func(texts ...string) func(*snapshot.Builder) { return answers("a.mail.test", "NOERROR", texts...) }
	// followed is a record that is followed by look-ups because the inspection was denied.
	followed := func(edits ...func(*snapshot.Builder)) func(*snapshot.Builder) {
		return goodtest.Edits(append([]func(*snapshot.Builder){one, uninspected}, edits...)...)
	}
	hosts := func(n int) string { return "v=spf1" + strings.Repeat(" a:h.test", n) + " -all" }
	return []goodtest.Example{
		{Name: "nothing to look up", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 ip4:45.60.1.1 -all"), uninspected)},
		{Name: "eight of its own", Want: posture.Pass, Edit: goodtest.Edits(spf(hosts(8)), uninspected)},
		{Name: "eight by inspection", Want: posture.Pass, Edit: inspected(8)},
		{Name: "eight by look-ups", Want: posture.Pass, Edit: followed(at(hosts(7)))},
		{Name: "eleven of its own", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(spf(hosts(11)), uninspected)},
		{Name: "eleven by inspection", Want: posture.Fail, Edit: inspected(11)},
		{Name: "eleven by look-ups", Want: posture.Fail, Edit: followed(at(hosts(10)))},
		{Name: "it includes itself", Want: posture.Fail, Edit: followed(at("v=spf1 include:a.mail.test -all"))},
		{Name: "errors by inspection", Want: posture.Fail, Edit: inspected(1, "NO_SPF_RECORD")},
		{Name: "errors by inspection of its own hosts", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 mx -all"), inspected(1, "NO_MX"))},
		{Name: "its own hosts without an inspection", Want: posture.Pass, Edit: goodtest.Edits(spf("v=spf1 mx -all"), uninspected)},
		{Name: "the included name does not exist", Want: posture.Fail, Edit: followed(answers("a.mail.test", "NXDOMAIN"))},
		{Name: "the domain of the included name has no owner", Want: posture.Fail, Edit: followed(answers("a.mail.test", "NXDOMAIN"),
			goodtest.Answer("NS", "mail.test", "NXDOMAIN"))},
		{Name: "a host in a domain without an owner", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 a:out.lapsed.test -all"),
			goodtest.Answer("A", "out.lapsed.test", "NXDOMAIN"), goodtest.Answer("NS", "lapsed.test", "NXDOMAIN"))},
		{Name: "mail hosts of a domain without an owner", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 mx:lapsed.test -all"),
			goodtest.Answer("NS", "lapsed.test", "NXDOMAIN"))},
		{Name: "a host in a domain without an owner is refused", Want: posture.Pass, Edit: goodtest.Edits(
			spf("v=spf1 ip4:45.60.1.1 -a:out.lapsed.test -all"), goodtest.Answer("A", "out.lapsed.test", "NXDOMAIN"),
			goodtest.Answer("NS", "lapsed.test", "NXDOMAIN"))},
		{Name: "the included name has no record", Want: posture.Fail, Edit: followed(at("hello"))},
		{Name: "the included name has two records", Want: posture.Fail, Edit: followed(at("v=spf1 -all", "v=spf1 ~all"))},
		{Name: "three hosts of an included record are gone", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(
			followed(at("v=spf1 a:x1.mailhost.test include:b.mail.test -all")), answers("b.mail.test", "NOERROR",
				"v=spf1 a:x2.mailhost.test a:x3.mailhost.test -all"), gone("x1.mailhost.test", "x2.mailhost.test", "x3.mailhost.test"))},
		{Name: "two hosts of an included record are gone", Want: posture.Pass, Edit: goodtest.Edits(
			followed(at("v=spf1 a:x1.mailhost.test a:x2.mailhost.test -all")), gone("x1.mailhost.test", "x2.mailhost.test"))},
		{Name: "an included record has more mail hosts than receivers look up", Want: posture.Fail, Edit: goodtest.Edits(
			followed(at("v=spf1 mx -all")), goodtest.Answer("MX", "a.mail.test", "NOERROR", strings.Split("abcdefghijk", "")...))},
		{Name: "an included record names a host in a domain without an owner", Want: posture.Fail, Edit: goodtest.Edits(
			followed(at("v=spf1 a:out.lapsed.test -all")), goodtest.Answer("A", "out.lapsed.test", "NXDOMAIN"),
			goodtest.Answer("NS", "lapsed.test", "NXDOMAIN"))},
		{Name: "the included record is broken", Want: posture.Fail, Edit: followed(at("v=spf1 ip4:1.2.3 -all"))},
		{Name: "a term nobody can read", Want: posture.Fail, Edit: spf("v=spf1 ipv4:45.60.1.1 -all")},
		{Name: "a network that is none", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 a/33 -all"), uninspected)},
		{Name: "two redirects", Want: posture.Fail, Edit: goodtest.Edits(spf("v=spf1 redirect=a.mail.test redirect=b.mail.test"), uninspected,
			at("v=spf1 -all"))},
		{Name: "an include that was counted and not read", Want: posture.Unknown, Resource: goodtest.Zone,
			Edit: goodtest.Edits(spf("v=spf1 include:c.mail.test -all"), inspected(1))},
		{Name: "too many, and an include nobody followed", Want: posture.Fail,
			Edit: goodtest.Edits(spf("v=spf1 include:b.mail.test include:a.mail.test -all"), uninspected, at(hosts(10)))},
		{Name: "nine of its own", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(spf(hosts(9)), uninspected)},
		{Name: "ten by inspection", Want: posture.Warning, Edit: inspected(10)},
		{Name: "an include nobody followed", Want: posture.Unknown, Resource: goodtest.Zone, Edit: followed()},
		{Name: "a server failure is not a missing record", Want: posture.Unknown, Edit: followed(answers("a.mail.test", "SERVFAIL"))},
		{Name: "an include that depends on the message", Want: posture.Unknown, Edit: goodtest.Edits(spf("v=spf1 include:%{d}.mail.test -all"),
			uninspected)},
		{Name: "nine and an include nobody followed", Want: posture.Unknown,
			Edit: goodtest.Edits(spf("v=spf1 include:a.mail.test"+strings.Repeat(" a:h.test", 8)+" -all"), uninspected)},
	}
}

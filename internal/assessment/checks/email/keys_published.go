package email

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const goodKey = "1a00000000000000000000000000000a"

// keysPublished judges whether receivers find a DKIM key. Selectors whose look-up gave no usable
// answer count as not looked up.
func keysPublished() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-002", Title: "DKIM keys are published for a mail zone",
		Category: "email", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A receiver checks the DKIM signature of a message with the key in DNS. Without a key no signature of the " +
			"domain can be verified, and DMARC rests on SPF alone.",
		Fix: "Turn DKIM on at each service that sends mail, then publish the selector it shows.",
		Words: posture.Words{
			Problem: "{zone} sends mail and publishes no DKIM key",
			Impact:  "Receivers cannot tell changed or forged mail from genuine, and forwarded mail of the domain fails DMARC.",
			Breaks:  "Nothing; signatures that failed before can be verified.",
			Dashboard: "DNS › Records › Add record › Type TXT, Name SELECTOR._domainkey, Content the key that the mail service " +
				"shows.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records",
				Body: `{"type": "TXT", "name": "{$SELECTOR}._domainkey.{zone}", "ttl": 3600, "content": "\"v=DKIM1; k=rsa; p={$PUBLIC_KEY}\""}`,
				Choose: `SELECTOR: the selector that the mail service shows (such as mail2026)
PUBLIC_KEY: the public key that the mail service shows (such as ` +
					"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDAgqLOWPuU32mVmUVLxhMrjZbFWbQ+HmnG98gmtzl4Olp+LdMA7RvMUS3F3YHNYnn+iFp0d/" +
					"VhQ/fY3Jt07S0roXok3KQJbxnkeWE6jYAl2ld5O/UAeVe1R+Ziti6DNw/D7gPd4npnuf/OS7RsRUoyZAY3aTgMAVkjrU5OkHqwqwIDAQAB)"},
			Terraform: `resource "cloudflare_dns_record" "dkim" {
  zone_id = "{zone_id}"
  name    = "${var.selector}._domainkey.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=DKIM1; k=rsa; p=${var.public_key}\""
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 9.5", "DKIM is published, one of the three parts of mail authentication."),
			check.Supports("soc2 CC6.7", "Mail is signed, so that changes on the way are noticed."),
			check.Supports("pci 5.4.1", "Signed mail lets receivers detect forgeries."),
			check.Supports("nist PR.DS-02", "Signatures protect mail against change on the wire."),
		},
		Aliases:  []string{"prowler:zone_record_dkim_exists", "flareinspect:CFL-EMAIL-002"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			if s := readSelectors(v); mailZone(v) && notServed(v) == "" && !s.key {
				return s.questions()
			}
			return nil
		},
		Unless:   notServed,
		Evaluate: evaluateKeysPublished,
	}
}

func keysPublishedExamples() []goodtest.Example {
	revoked := goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) { r.Content = "v=DKIM1; p=" })
	byName := goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) { r.Type, r.Content = "CNAME", "s1.mailhost.test" })
	return []goodtest.Example{
		{Name: "a key", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a revoked selector beside a key", Want: posture.Pass, Edit: text("k2", "s2._domainkey", "v=DKIM1; p=")},
		{Name: "a key of a sending subdomain", Want: posture.Pass,
			Edit: goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) { r.Name = "s1._domainkey.news." + goodtest.Domain })},
		{Name: "a CNAME leads to a key", Want: posture.Pass,
			Edit: goodtest.Edits(byName, answers("s1.mailhost.test", "NOERROR", edKey))},
		{Name: "one of two CNAMEs leads to a key", Want: posture.Pass,
			Edit: goodtest.Edits(byName, toAlias("k2", "s2._domainkey", "s2.mailhost.test"), answers("s2.mailhost.test", "NOERROR", edKey))},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Zone, Edit: without("s1._domainkey")},
		{Name: "a policy of old is no selector", Want: posture.Fail, Edit: goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) {
			r.Name,
				r.Content = "_domainkey."+goodtest.Domain, "o=-; p=AAAA"
		})},
		{Name: "only a revoked selector", Want: posture.Fail, Edit: revoked},
		{Name: "a key that is none", Want: posture.Fail, Edit: goodtest.EditRecord(goodKey,
			func(r *snapshot.DNSRecord) { r.Content = "v=DKIM1; k=rsa; p=hello" })},
		{Name: "a key for TLS reports alone", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.EditRecord(goodKey,
			func(r *snapshot.DNSRecord) { r.Content = strings.Replace(r.Content, "p=", "s=tlsrpt; p=", 1) })},
		{Name: "a key for mail and other services", Want: posture.Pass, Edit: goodtest.EditRecord(goodKey,
			func(r *snapshot.DNSRecord) { r.Content = strings.Replace(r.Content, "p=", "s=tlsrpt:Email; p=", 1) })},
		{Name: "the CNAME leads to a key for TLS reports alone", Want: posture.Fail, Edit: goodtest.Edits(byName,
			answers("s1.mailhost.test", "NOERROR", edKey+"; s=tlsrpt"))},
		{Name: "a key of a later version", Want: posture.Fail, Edit: goodtest.EditRecord(goodKey,
			func(r *snapshot.DNSRecord) { r.Content = strings.Replace(r.Content, "DKIM1", "DKIM2", 1) })},
		{Name: "the CNAME leads to a key that is none", Want: posture.Fail, Edit: goodtest.Edits(byName,
			answers("s1.mailhost.test", "NOERROR", "v=DKIM1; p=TODO"))},
		{Name: "a selector without a key", Want: posture.Fail, Edit: goodtest.EditRecord(goodKey,
			func(r *snapshot.DNSRecord) { r.Content = "hello" })},
		{Name: "the CNAME leads nowhere", Want: posture.Fail, Edit: goodtest.Edits(byName, answers("s1.mailhost.test", "NXDOMAIN"))},
		{Name: "the CNAME leads to a revoked selector", Want: posture.Fail,
			Edit: goodtest.Edits(byName, answers("s1.mailhost.test", "NOERROR", "v=DKIM1; p="))},
		{Name: "a CNAME nobody looked up", Want: posture.Warning, Resource: goodtest.Zone, Edit: byName},
		{Name: "a CNAME whose server failed", Want: posture.Warning, Edit: goodtest.Edits(byName, answers("s1.mailhost.test", "SERVFAIL"))},
		{Name: "a revoked selector and a CNAME nobody looked up", Want: posture.Unknown, Resource: goodtest.Zone,
			Edit: goodtest.Edits(revoked, toAlias("k2", "s2._domainkey", "s2.mailhost.test"))},
		{Name: "the selectors are delegated", Want: posture.Unknown, Edit: goodtest.Edits(without("s1._domainkey"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "k2", Name: "_domainkey." + goodtest.Domain, Type: "NS", Content: "ns1.mailhost.test"}))},
		{Name: "one selector is delegated", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Edits(without("s1._domainkey"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "k2", Name: "s2._domainkey." + goodtest.Domain, Type: "NS", Content: "ns1.mailhost.test"}))},
		{Name: "one selector is delegated beside a key", Want: posture.Pass, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "k2",
			Name: "s2._domainkey." + goodtest.Domain, Type: "NS", Content: "ns1.mailhost.test"})},
		{Name: "a zone that has moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(without("s1._domainkey"),
			goodtest.Status("moved"))},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(without("s1._domainkey"), partial())},
		{Name: "no mail", Want: posture.NotApplicable, Edit: noMail()},
		{Name: "a null MX", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "MX" {
				r.Content = "."
			}
		})},
	}
}

// selectors are the DKIM selectors of a zone.
type selectors struct {
	texts   []snapshot.DNSRecord
	aliases []snapshot.DNSRecord
	key     bool // at least one text has a key
	// elsewhere is set when a selector, or the names below _domainkey, are delegated, so that the
	// zone does not list them.
	elsewhere bool
}

func readSelectors(v *check.View) selectors {
	var s selectors
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		switch {
		case r.Type == "NS" && (exposure.Same(r.Name, "_domainkey."+v.Zone().Name) || mailauth.Selector(r.Name)):
			s.elsewhere = true
		case r.Type != "TXT" && r.Type != "CNAME" || !mailauth.Selector(r.Name):
		case r.Type == "CNAME":
			s.aliases = append(s.aliases, r)
		default:
			s.texts = append(s.texts, r)
			s.key = s.key || mailauth.ParseKey(mailauth.Text(r.Content)).ForMail()
		}
	}
	return s
}

// questions returns the look-ups behind the CNAMEs.
func (s selectors) questions() []snapshot.Question {
	var out []snapshot.Question
	for _, r := range s.aliases {
		out = append(out, textsOf(r.Content))
	}
	return out
}

// leadsToKey reports whether a CNAME leads to a key.
func leadsToKey(v *check.View, target string) truth.Value {
	texts, known := lookedUp(v, target)
	found := false
	for _, t := range texts {
		found = found || mailauth.ParseKey(t).ForMail()
	}
	return truth.If(known, found)
}

func evaluateKeysPublished(v *check.View) check.Outcome {
	if !mailZone(v) {
		return v.NotApplicable("the zone names no mail host")
	}
	s, domain := readSelectors(v), v.Zone().Name
	if s.key {
		return v.Pass("A DKIM key is published.")
	}
	found := truth.No
	for _, r := range s.aliases {
		found = truth.Or(found, leadsToKey(v, r.Content))
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneDNSRecords, "", observed, "a key below _domainkey")
	}
	switch {
	case found == truth.Yes:
		return v.Pass("A DKIM key is published behind a CNAME.")
	case s.elsewhere:
		return v.Unknown("names below _domainkey are delegated to other name servers and cannot be listed")
	case len(s.aliases)+len(s.texts) == 0:
		return v.Fail(domain+" has mail hosts and no DKIM selector below _domainkey.", seen("no selector"))
	case found == truth.No && len(s.aliases) > 0:
		return v.Fail("No DKIM selector of "+domain+" leads to a key for mail: "+check.Count(len(s.aliases), "CNAME", "")+" ended without one.",
			check.Evidence(snapshot.DNSLookup, "", "no key behind the CNAME selectors", "a key")).
			As(posture.Words{Problem: "DKIM selectors of {zone} lead to no key"})
	case found == truth.No:
		return v.Fail("No DKIM selector of "+domain+" has a key for mail: "+check.Count(len(s.texts), "selector", "")+" without one.",
			seen("selectors without a key")).As(posture.Words{Problem: "DKIM selectors of {zone} have no key"})
	case len(s.texts) == 0:
		return v.Provisional(v.Warn("The DKIM selectors of "+domain+" are CNAMEs, and no look-up told whether they lead to a key.",
			seen("CNAME selectors only")).As(posture.Words{Problem: "DKIM of {zone} could not be verified", ByHand: true,
			Impact:    "If the CNAMEs lead nowhere, receivers cannot verify mail of the domain.",
			Breaks:    "Nothing; this is only a look at the records.",
			Dashboard: "DNS › Records: look up the target of each CNAME below _domainkey and check that it answers with a key."}))
	}
	return v.Unknown("whether a CNAME selector leads to a key is not known")
}

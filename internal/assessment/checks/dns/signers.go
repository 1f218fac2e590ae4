package dns

import (
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// signers judges whether the keys of a signed zone are those of the providers that answer for it.
// The delegation shows who answers; whether the other provider has Cloudflare's key cannot be seen
// here.
func signers() check.Check {
	return check.Check{
		ID: "CFL-DNS-017", Title: "The keys of a signed zone are those of its DNS providers",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A resolver checks the signatures of every provider with the keys that it got from one of them, so that each has to publish the " +
			"keys of the others. A key that stays published lets its holder sign answers for the domain.",
		Fix: "Turn multi-signer DNSSEC on and add the zone signing key of the other provider, or take its name servers out of the " +
			"delegation; delete its key once it no longer answers.",
		Words: posture.Words{
			Problem: "Resolvers refuse answers for {zone} of its other DNS provider",
			Impact: "Visitors and mail behind a validating resolver fail to reach the domain whenever the resolver holds the keys of one " +
				"provider and gets an answer of the other.",
			Breaks: "A key that is wrong helps nobody; the DS records of both providers stay at the registrar.",
			Dashboard: "DNS › Settings › Multi-signer DNSSEC: On, then DNS › Records › Add record: DNSKEY with the zone signing key of the other " +
				"provider.",
			Terraform: `resource "cloudflare_zone_dnssec" "zone" {
  zone_id             = "{zone_id}"
  status              = "active"
  dnssec_multi_signer = true
}

resource "cloudflare_dns_record" "other_signer" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "DNSKEY"
  ttl     = 3600
  data    = { flags = 256, protocol = 3, algorithm = 13, public_key = var.public_key }
}`},
		References: []string{"https://developers.cloudflare.com/dns/dnssec/multi-signer-dnssec/setup/",
			"https://developers.cloudflare.com/dns/dnssec/dnssec-active-migration/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "DNSSEC works with every provider that answers."),
			check.Supports("soc2 CC6.7", "Only keys of current providers vouch for answers."),
			check.Supports("nist PR.DS-02", "Signatures of answers can be verified, and nobody else can make them."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneDNSSEC, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			if notSignedHere(v) != "" {
				return nil
			}
			return []snapshot.Question{{Type: "NS", Name: v.Zone().Name}}
		},
		Unless:   notSignedHere,
		Evaluate: evaluateSigners,
	}
}

func signersExamples() []goodtest.Example {
	const other = "ns1.elsewhere.test"
	served := func(servers ...string) func(*snapshot.Builder) {
		return goodtest.Answer("NS", goodtest.Domain, "NOERROR", servers...)
	}
	both := served("a.ns.cloudflare.com", "b.ns.cloudflare.com", other)
	several := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneDNSSEC, goodtest.Zone, snapshot.DNSSEC{Status: "active", MultiSigner: true})
	}
	key := func(id, name, content string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(rs *[]snapshot.DNSRecord) {
				*rs = append(*rs, snapshot.DNSRecord{ID: id, Name: name, Type: "DNSKEY", Content: content, TTL: 3600})
			})
		}
	}
	zsk := key("k1", goodtest.Domain, "256 3 13 oJMRESz5E4gYzS")
	edit := goodtest.Edits
	return []goodtest.Example{
		{Name: "Cloudflare alone", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "two providers that know each other", Want: posture.Pass, Edit: edit(both, several, zsk)},
		{Name: "two providers, both keys of the other", Want: posture.Pass, Edit: edit(both, several, zsk,
			key("k2", goodtest.Domain, "257 3 13 t+4D"))},
		{Name: "ready for a second provider", Want: posture.Pass, Edit: several},
		{Name: "name servers of one's own", Want: posture.Pass, Edit: served("ns1.shop.example", "ns2.shop.example"),
			Policy: func(p *policy.Policy) { p.NameServers = []string{"ns1.shop.example", "ns2.shop.example"} }},
		{Name: "the assigned servers, in capitals and with a final dot", Want: posture.Pass, Edit: served("A.NS.cloudflare.com.")},
		{Name: "a second provider, signed by Cloudflare alone", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Zone,
			Edit: both},
		{Name: "a second provider beside vanity name servers", Want: posture.Fail, Edit: edit(served("ns1.shop.example", other), vanity)},
		{Name: "a second provider that is declared", Want: posture.Fail, Edit: both,
			Policy: func(p *policy.Policy) { p.NameServers = []string{other} }},
		{Name: "a second provider without its key", Want: posture.Fail, Resource: goodtest.Zone, Edit: edit(both, several)},
		{Name: "a second provider, its key signing key alone", Want: posture.Fail, Edit: edit(both, several,
			key("k1", goodtest.Domain, "257 3 13 t+4D"))},
		{Name: "a second provider, a key of a child zone", Want: posture.Fail, Edit: edit(both, several,
			key("k1", "lab."+goodtest.Domain, "256 3 13 oJM"))},
		{Name: "a second provider, and DNSSEC ends", Want: posture.Fail, Edit: edit(both, dnssec("pending-disabled", false))},
		{Name: "the key of a provider that has gone", Want: posture.Warning, Severity: posture.Low, Resource: goodtest.Zone,
			Edit: edit(several, zsk)},
		{Name: "keys of a provider that has gone", Want: posture.Warning, Edit: edit(several, zsk, key("k2", goodtest.Domain, "257 3 13 t+4D"))},
		{Name: "a key, and one signer", Want: posture.Unknown, Resource: goodtest.Zone, Edit: zsk},
		{Name: "a second provider, a key nobody can read", Want: posture.Unknown, Edit: edit(both, several, key("k1", goodtest.Domain, ""))},
		{Name: "the resolver fails", Want: posture.Unknown, Edit: goodtest.Answer("NS", goodtest.Domain, "SERVFAIL")},
		{Name: "nobody looked", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DNSLookup.Source(), snapshot.Failed, "", "look-ups are off")
		}},
		{Name: "a secondary zone whose primary answers, too", Want: posture.Fail, Edit: edit(both,
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "secondary" }))},
		{Name: "signed before transfer", Want: posture.NotApplicable, Edit: edit(both, dnssec("active", true))},
		{Name: "not signed", Want: posture.NotApplicable, Edit: edit(both, dnssec("disabled", false))},
		{Name: "delegated elsewhere", Want: posture.NotApplicable, Edit: served(other)},
		{Name: "not delegated", Want: posture.NotApplicable, Edit: goodtest.Answer("NS", goodtest.Domain, "NXDOMAIN")},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: edit(both,
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" }))},
		{Name: "not active", Want: posture.NotApplicable, Edit: edit(both,
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

// notSignedHere returns the reason why resolvers expect no signature from Cloudflare, or "".
func notSignedHere(v *check.View) string {
	z, d := v.Zone(), check.Read(v, snapshot.ZoneDNSSEC)
	switch {
	case z.Type == "partial" || z.Type == "internal":
		return "the zone is of type " + z.Type + "; it is signed elsewhere or not public"
	case z.Status != "active":
		return "the zone is not active"
	case d.Presigned:
		return "the zone is transferred with its signatures"
	case d.Status != "active" && d.Status != "pending-disabled":
		return "DNSSEC of the zone is not in force (CFL-DNS-001)"
	}
	return ""
}

// keysOf returns foreign keys at the zone's name: those that sign its records, all of them, and
// whether one could not be parsed.
func keysOf(v *check.View) (signing, all []snapshot.DNSRecord, odd bool) {
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if r.Type != "DNSKEY" || canonical(r.Name) != canonical(v.Zone().Name) {
			continue
		}
		all = append(all, r)
		switch flags, _, _ := strings.Cut(strings.TrimSpace(r.Content), " "); flags {
		case "256":
			signing = append(signing, r)
		case "257":
		default:
			odd = true
		}
	}
	return signing, all, odd
}

func evaluateSigners(v *check.View) check.Outcome {
	z, several := v.Zone(), check.Read(v, snapshot.ZoneDNSSEC).MultiSigner
	l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("NS", z.Name))
	others := slices.DeleteFunc(slices.Clone(l.Answers), func(host string) bool { return assigned(z, host) })
	switch {
	case !ok:
		return v.Unknown("no look-up told which name servers the domain is delegated to")
	case !l.Missing() && l.Rcode != "NOERROR":
		return v.Unknown("the resolver answered " + l.Rcode)
	case len(z.NameServers) == 0:
		return v.Unknown("Cloudflare returned no name servers of the zone")
	case len(others) == len(l.Answers):
		if slices.ContainsFunc(others, func(h string) bool { return !listed(v.Policy.NameServers, h) }) || len(others) == 0 {
			return v.NotApplicable("the domain is not delegated to Cloudflare (CFL-DNS-013)")
		}
		others = nil // the zone's own names for Cloudflare's servers
	}
	signing, all, odd := keysOf(v)
	switch {
	case len(others) > 0 && !several:
		return v.Fail(strings.Join(others, ", ")+" answers for "+z.Name+
			", too, and multi-signer DNSSEC is off, so that Cloudflare publishes its own keys alone.",
			check.Evidence(snapshot.ZoneDNSSEC, "/dnssec_multi_signer", "false", "true")).As(posture.Words{ByHand: true})
	case len(others) > 0 && len(signing) > 0:
		return v.Pass("Cloudflare publishes the zone signing key of the other provider.")
	case odd:
		return v.Unknown("Cloudflare returned a DNSKEY record whose flags this check does not know")
	case len(others) > 0:
		return v.Fail(strings.Join(others, ", ")+" answers for "+z.Name+
			", too, and no DNSKEY record holds the zone signing key of that provider.",
			check.Evidence(snapshot.ZoneDNSRecords, "/DNSKEY", "absent", "a DNSKEY record with flags 256")).
			As(posture.Words{Dashboard: "DNS › Records › Add record: DNSKEY with the zone signing key of the other provider.",
				Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records", Body: `{"type": "DNSKEY", "name": "{zone}", "ttl": 3600, ` +
					`"data": {"flags": 256, "protocol": 3, "algorithm": 13, "public_key": "{$PUBLIC_KEY}"}}`,
					Choose: "PUBLIC_KEY: the zone signing key of the other provider " +
						"(such as oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA==)"}})
	case len(all) > 0 && !several:
		return v.Unknown("a DNSKEY record is there and multi-signer DNSSEC is off; whether Cloudflare publishes the key is not known")
	case len(all) > 0:
		return v.Warn("Cloudflare publishes "+check.Count(len(all), "key", "")+" of another provider for "+z.Name+
			", which is delegated to Cloudflare alone.",
			check.Evidence(snapshot.ZoneDNSRecords, "/"+all[0].ID, "a DNSKEY record of another provider",
				"no key of a provider that does not answer")).Rated(posture.Low).As(formerWords(all))
	}
	return v.Pass("Cloudflare alone answers for the domain and signs it.")
}

// formerWords returns the words for keys whose provider no longer answers.
func formerWords(keys []snapshot.DNSRecord) posture.Words {
	w := posture.Words{Problem: "{zone} still trusts the key of a former DNS provider",
		Impact: "The former provider, or someone with its key, signs forged answers that validating resolvers accept; such a person also has " +
			"to get these answers to a resolver.",
		Breaks:    "Resolvers that still hold answers of the former provider refuse them until these expire.",
		Dashboard: "DNS › Records: delete the DNSKEY record once the DS record of the former provider has expired.",
		ByHand:    true} // no block deletes a record
	if len(keys) == 1 {
		w.Call = posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/" + url.PathEscape(keys[0].ID)}
		return w
	}
	w.ByHand = true
	return w
}

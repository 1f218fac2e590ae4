package email

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// The minimum sizes of an RSA key in bits (RFC 8301).
const (
	shortestRSA = 1024
	soundRSA    = 2048
)

// keysStrong judges each DKIM selector. A CNAME that leads to no key counts as an unreadable key.
func keysStrong() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-006", Title: "DKIM keys are strong and not revoked",
		Category: "email", Severity: posture.Medium, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "RSA keys below 1,024 bits have been factored in practice, and receivers are told to refuse them (RFC 8301). " +
			"Whoever has the private key signs mail that receivers take for genuine.",
		Fix: "Create a key of 2,048 bits at the mail service, publish it under a new selector, then delete the old one; delete " +
			"selectors that are revoked or have no key.",
		Words: posture.Words{
			Problem:   "DKIM key {name} is too short",
			Impact:    "Someone with rented computers can find the private key and sign forged mail that passes DMARC.",
			Breaks:    "Mail that is still signed with the old key fails DKIM once its selector is deleted.",
			Dashboard: "DNS › Records › Add record › Type TXT, the new selector and key; then delete {name}.",
			Terraform: `resource "cloudflare_dns_record" "dkim" {
  zone_id = "{zone_id}"
  name    = "${var.selector}._domainkey.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=DKIM1; k=rsa; p=${var.public_key}\""
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 9.5", "The published keys are strong enough for signatures to mean something."),
			check.Supports("soc2 CC6.7", "Signatures on mail cannot be forged with a weak key."),
			check.Supports("pci 5.4.1", "Receivers can rely on signatures to detect forgeries."),
			check.Supports("nist PR.DS-02", "Signatures that protect mail are strong."),
		},
		Aliases:  []string{"prowler:zone_record_dkim_exists"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks:     func(v *check.View) []snapshot.Question { return readSelectors(v).questions() },
		Unless:   notServed,
		Evaluate: evaluateKeysStrong,
	}
}

func evaluateKeysStrong(v *check.View) check.Outcome {
	s, j := readSelectors(v), v.Judge()
	for _, r := range s.texts {
		judgeKey(v, j, r, mailauth.ParseKey(mailauth.Text(r.Content)), snapshot.ZoneDNSRecords)
	}
	for _, r := range s.aliases {
		texts, known := lookedUp(v, r.Content)
		if _, read := check.ReadOptionalAt(v, snapshot.DNSLookup, textsOf(r.Content).Scope()); !read {
			j.Unread(selector(v, r), snapshot.DNSLookup, textsOf(r.Content).Scope())
			continue
		}
		if !known {
			j.Unclear(selector(v, r), "the name server of "+r.Content+" failed, so the key behind the selector is not known")
			continue
		}
		judgeKey(v, j, r, weakest(texts), snapshot.DNSLookup)
	}
	return j.Done("Every DKIM selector holds a strong key.", "the zone publishes no DKIM selector; that is judged by CFL-EMAIL-002")
}

// weakest returns the key that a forger would choose among the texts at one name.
func weakest(texts []string) mailauth.Key {
	var out mailauth.Key
	for i, t := range texts {
		if k := mailauth.ParseKey(t); i == 0 || out.Kind == "" || k.Kind == "rsa" && (out.Kind != "rsa" || k.Bits < out.Bits) {
			out = k
		}
	}
	return out
}

func selector(v *check.View, r snapshot.DNSRecord) posture.Resource {
	return v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
}

func judgeKey(v *check.View, j *check.Judgement, r snapshot.DNSRecord, k mailauth.Key, source snapshot.Named) {
	res := selector(v, r)
	seen := func(observed string) posture.Evidence {
		return check.Evidence(source, "/"+r.ID+"/content", observed, fmt.Sprintf("Ed25519, or RSA of %d bits or more", soundRSA))
	}
	rsa := fmt.Sprintf("RSA of %d bits", k.Bits)
	unused := func(problem string) posture.Words {
		return posture.Words{Problem: problem, Call: posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
			Impact:    "Mail that is still signed with this selector fails DKIM, and nothing shows which service does so.",
			Breaks:    "Nothing, because no signature of this selector can be verified.",
			Dashboard: "DNS › Records › {name} › Edit › Delete."}
	}
	marked := func(problem, content string) posture.Words {
		return posture.Words{Problem: problem, ByHand: true,
			Impact: "Receivers do not count signatures of this selector, so its mail can be forged.",
			Breaks: "Nothing; signatures that did not count before do.", Dashboard: "DNS › Records › {name} › Edit › Content: " + content}
	}
	switch {
	case k.Kind == "rsa" && k.Bits < shortestRSA:
		j.Fail(res, fmt.Sprintf("The DKIM key %s has only %d bits; %d are the least that receivers accept.", r.Name, k.Bits, shortestRSA),
			seen(rsa))
	case k.Kind == "rsa" && k.Bits < soundRSA:
		j.Warn(res, fmt.Sprintf("The DKIM key %s has %d bits; %d are recommended.", r.Name, k.Bits, soundRSA), seen(rsa))
		j.As(posture.Words{Problem: "DKIM key {name} has less than 2,048 bits",
			Impact: "Someone with much computing power may find the private key in the years to come and sign forged mail with it."})
	case k.Revoked && (!mailZone(v) || strings.HasPrefix(r.Name, "*.")):
		j.Pass() // an empty key declares that the domain signs nothing (RFC 6376, section 3.6.1)
	case k.Revoked:
		j.Warn(res, "The DKIM selector "+r.Name+" is revoked: its key is empty.", seen("an empty key"))
		j.As(unused("DKIM selector {name} is revoked and still published"))
	case k.Kind == "":
		j.Warn(res, "The DKIM selector "+r.Name+" has no key that receivers can read.", seen("no readable key"))
		j.As(unused("DKIM selector {name} has no usable key"))
	case k.Outdated:
		j.Warn(res, "The DKIM selector "+r.Name+" allows signatures with SHA-1 alone, which receivers do not accept.", seen("h=sha1"))
		j.As(marked("DKIM selector {name} allows SHA-1 alone", "take out h=sha1, once the mail service signs with SHA-256."))
	case k.Testing:
		j.Warn(res, "The DKIM selector "+r.Name+" is marked as a test (t=y), so receivers treat its mail as unsigned.", seen("t=y"))
		j.As(marked("DKIM selector {name} is marked as a test", "take out t=y, once signed mail arrives without errors."))
	default:
		j.Pass()
	}
}

// edKey is an example of a published key.
const edKey = "v=DKIM1; k=ed25519; p=13SW8TtimvJzbN03npgDazz0Gm4OcV1MiMqaZPZEKaI="

func keysStrongExamples() []goodtest.Example {
	key := func(content string) func(*snapshot.Builder) {
		return goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) { r.Content = content })
	}
	behind := func(rcode string, texts ...string) func(*snapshot.Builder) {
		return goodtest.Edits(toAlias("k2", "s2._domainkey", "s2.mailhost.test"), answers("s2.mailhost.test", rcode, texts...))
	}
	rsa1024 := "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC91+uDT+NPewHyMLFxcub7SIKtSekRHNY1g8SLrpIBeM33PEwZaysNR074haEKNb4Sb" +
		"NlKCFy7ji2LTKYHpqnHxFP9ESzWuEapg5XcX7MKESfFS2yIi7y7Kiv3K7MHMwAw4nCmsEp7Tkc3eomDiktxJzoIxDm54RT4/bFzoku2owIDAQAB"
	rsa512 := "v=DKIM1; p=MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANb0OlknAXYsOc/Nd3HhmC6pnY/3ezO3cPfcM2wOQozyGXvhs+uZtSFvmLxaSgePuUnD6SmrpC6EiB0Do" +
		"42iCl8CAwEAAQ=="
	return []goodtest.Example{
		{Name: "2048 bits", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "2048 bits, in a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Status("moved")},
		{Name: "2048 bits over two strings", Want: posture.Pass, Edit: goodtest.EditRecord(goodKey, func(r *snapshot.DNSRecord) {
			text := mailauth.Text(r.Content)
			r.Content = `"` + text[:120] + `" "` + text[120:] + `"`
		})},
		{Name: "a key for SHA-1 alone", Want: posture.Warning, Resource: goodKey, Edit: key(strings.Replace(edKey, "k=", "h=sha1; k=", 1))},
		{Name: "a key for subdomains too", Want: posture.Pass, Edit: key(edKey + "; t=s")},
		{Name: "a key for SHA-1 and SHA-256", Want: posture.Pass, Edit: key(strings.Replace(edKey, "k=",
			"h=sha1:sha256; k=", 1))},
		{Name: "Ed25519", Want: posture.Pass, Edit: key(edKey)},
		{Name: "Ed25519 behind a CNAME", Want: posture.Pass, Edit: behind("NOERROR", edKey)},
		{Name: "512 bits", Want: posture.Fail, Resource: goodKey, Edit: key(rsa512)},
		{Name: "512 bits in a test", Want: posture.Fail, Edit: key(rsa512 + "; t=y")},
		{Name: "512 bits behind a CNAME", Want: posture.Fail, Resource: "k2", Edit: behind("NOERROR", rsa512)},
		{Name: "the weaker of two keys behind a CNAME", Want: posture.Fail, Resource: "k2", Edit: behind("NOERROR", edKey, rsa512)},
		{Name: "1024 bits", Want: posture.Warning, Resource: goodKey, Edit: key(rsa1024)},
		{Name: "revoked", Want: posture.Warning, Resource: goodKey, Edit: key("v=DKIM1; p=")},
		{Name: "an empty key of a domain without mail", Want: posture.Pass, Edit: goodtest.Edits(key("v=DKIM1; p="), withoutMail)},
		{Name: "an empty key below a wildcard", Want: posture.Pass, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "k9",
			Name: "*._domainkey." + goodtest.Domain, Type: "TXT", Content: "v=DKIM1; p="})},
		{Name: "no key", Want: posture.Warning, Resource: goodKey, Edit: key("hello")},
		{Name: "a broken key", Want: posture.Warning, Edit: key("v=DKIM1; k=rsa; p=MIIBIjANBgkq")},
		{Name: "a test", Want: posture.Warning, Edit: key(edKey + "; t=y:s")},
		{Name: "the CNAME leads nowhere", Want: posture.Warning, Resource: "k2", Edit: behind("NXDOMAIN")},
		{Name: "a CNAME nobody looked up", Want: posture.Unknown, Resource: "k2", Edit: toAlias("k2", "s2._domainkey", "s2.mailhost.test")},
		{Name: "a CNAME whose server failed", Want: posture.Unknown, Resource: "k2", Edit: behind("SERVFAIL")},
		{Name: "no selector", Want: posture.NotApplicable, Edit: without("s1._domainkey")},
	}
}

// withoutMail is an example edit: the domain has no MX record.
func withoutMail(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(rs *[]snapshot.DNSRecord) {
		*rs = slices.DeleteFunc(*rs, func(r snapshot.DNSRecord) bool { return r.Type == "MX" })
	})
}

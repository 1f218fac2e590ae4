package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// publishedSecret judges public TXT records. A text with the shape of a credential never gets here:
// only its kind was kept.
func publishedSecret() check.Check {
	return check.Check{
		ID: "CFL-DNS-016", Title: "No TXT record publishes a credential",
		Category: "dns", Severity: posture.Critical, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "Anyone can query a TXT record, and archives of DNS keep old values. A credential that was published there " +
			"has to be treated as known.",
		Fix: "Issue a new credential, revoke the old one where it is used, then delete the record.",
		Words: posture.Words{
			Problem:   "TXT record {name} publishes a credential",
			Impact:    "Anyone can read the credential with one DNS query and use it until it is revoked.",
			Breaks:    "A service that reads the value from DNS, until it gets the new one in another way.",
			Dashboard: "DNS › Records › {name} › Edit › Delete, after the credential is revoked.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 3.11", "A credential in public DNS is stored for everybody to read; this finds it."),
			check.Supports("soc2 CC6.1", "Credentials that open systems are not public."),
			check.Supports("pci 8.3.2", "A published authentication factor is readable by everyone; this finds it."),
			check.Supports("nist PR.DS-01", "Secrets are not kept in a public place."),
		},
		Needs:  []snapshot.Named{snapshot.ZoneDNSRecords},
		Unless: check.NotPublic,
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Public(v, v.Zone()) {
				if r.Type != "TXT" {
					continue
				}
				res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
				switch {
				case r.CredentialKind != "":
					j.Fail(res, "The TXT record "+r.Name+" publishes a credential of the kind "+r.CredentialKind+".", check.Evidence(
						snapshot.ZoneDNSRecords, "/"+r.ID+"/content", "a value of the kind "+r.CredentialKind, "no credential"))
				case !wellKnown(r) && credential.SecretName(r.Name) && credential.HighEntropy(strings.Trim(r.Content, `"`)):
					j.Warn(res, "The TXT record "+r.Name+" has a random value under a name that speaks of a secret.", check.Evidence(
						snapshot.ZoneDNSRecords, "/"+r.ID+"/content", "a random value under a telling name", "no secret"))
					j.As(posture.Words{Problem: "TXT record {name} may publish a secret",
						Impact: "If the value is a secret, anyone can read it with one DNS query and use it until it is revoked.",
						Breaks: "Whatever reads the value from DNS, such as a proof of control that a service asks for again."})
				default:
					j.Pass()
				}
			}
			return j.Done("No TXT record publishes a credential.", "the zone has no TXT record")
		},
	}
}

func publishedSecretExamples() []goodtest.Example {
	txt := func(name, content, kind string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: name + "." + goodtest.Domain, Type: "TXT", Content: content,
			CredentialKind: kind})
	}
	dense := "q7Zp3Xw9LbT2nRk5Yd0HsVv8Gm1Ja4Ue"
	return []goodtest.Example{
		{Name: "SPF and DMARC", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a code of another provider", Want: posture.Pass, Edit: txt("_dmarc-token", "MS=ms12345678", "")},
		{Name: "a key of a cloud provider", Want: posture.Fail, Resource: "t1", Edit: txt("build", "", "aws-access-key-id")},
		{Name: "a key in an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(txt("build", "", "aws-access-key-id"),
			goodtest.Type("internal"))},
		{Name: "a private key below a verification name", Want: posture.Fail, Resource: "t1", Edit: txt("_verify", "", "private-key")},
		{Name: "random under a telling name", Want: posture.Warning, Resource: "t1", Edit: txt("api-token", dense, "")},
		{Name: "random under a plain name", Want: posture.Pass, Edit: txt("build", dense, "")},
		{Name: "a verification", Want: posture.Pass, Edit: txt("token", "google-site-verification="+dense, "")},
		{Name: "a DKIM key", Want: posture.Pass, Edit: txt("key1._domainkey", "v=DKIM1; k=rsa; p="+dense, "")},
		{Name: "a challenge", Want: posture.Pass, Edit: txt("_acme-challenge.token", dense, "")},
		{Name: "no TXT record", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "TXT" {
				r.Type = "LOC"
			}
		})},
	}
}

// wellKnown reports whether a text is meant to be public: mail policies and keys, and domain
// verifications.
func wellKnown(r snapshot.DNSRecord) bool {
	name, text := strings.ToLower(r.Name), strings.ToLower(strings.Trim(r.Content, `"`))
	if strings.Contains(name, "._domainkey.") || strings.HasPrefix(name, "_") {
		return true
	}
	return slices.ContainsFunc([]string{"v=", "ms=", "mscid="}, func(p string) bool { return strings.HasPrefix(text, p) }) ||
		slices.ContainsFunc([]string{"verification", "verify", "validation", "domain-key", "challenge"}, func(word string) bool {
			head, _, assigned := strings.Cut(text, "=")
			return assigned && strings.Contains(head, word)
		})
}

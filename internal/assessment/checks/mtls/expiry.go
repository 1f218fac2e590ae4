package mtls

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// expiry judges every authority, uploaded client certificate and own origin-pull certificate,
// except those being deleted and the roots with which Gateway inspects traffic, which CFL-GW-013
// judges.
func expiry() check.Check {
	return check.Check{
		ID: "CFL-MTLS-002", Title: "Certificates used for mutual TLS do not expire soon",
		Category: "mtls", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerAccount,
		Why: "When the certificate authority ends, every client certificate that it signed is refused at the same moment.",
		Fix: "Upload the successor before the date and keep both until all clients have new certificates.",
		Words: posture.Words{
			Problem: "The mTLS certificate {name} of this account ends soon",
			Impact:  "All devices and services that sign in with a certificate lose access on that day.",
			Breaks:  "Nothing while both certificates are in place.",
			Dashboard: "Zero Trust › Access controls › Service credentials › Mutual TLS, or SSL/TLS › Client Certificates: add the " +
				"new certificate.",
		},
		References: []string{docsMutual},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Certificates are replaced as part of keeping the configuration."),
			check.Touches("soc2 A1.2", "An outage is prevented; nothing is recovered by it."),
			check.Supports("pci 4.2.1", "An expired certificate would end the trusted connection."),
			check.Supports("nist PR.AA-03", "Services can go on authenticating by certificate."),
		},
		Aliases:  []string{"flareinspect:CFL-MTLS-002", "flareinspect:CFL-MTLS-001"},
		Needs:    []snapshot.Named{snapshot.AccessCertificates, snapshot.MTLSCertificates, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneAOPCertificates, snapshot.ZoneAOPHostCertificates},
		Evaluate: evaluateExpiry,
	}
}

func expiryExamples() []goodtest.Example {
	access := func(days int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessCertificates, goodtest.Account,
				[]snapshot.AccessCertificate{{ID: "ac1", Name: "devices", ExpiresOn: goodtest.InDays(days)}})
		}
	}
	uploaded := func(days int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.MTLSCertificates, goodtest.Account, []snapshot.MTLSCertificate{{ID: "mc1", Name: "partners", Authority: true,
				ExpiresOn: goodtest.InDays(days)}})
		}
	}
	ofType := func(kind, id string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.MTLSCertificates, goodtest.Account, []snapshot.MTLSCertificate{{ID: id, Name: "other", Authority: true,
				Type: kind, ExpiresOn: goodtest.InDays(5)}})
		}
	}
	nothing := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccessCertificates, goodtest.Account, []snapshot.AccessCertificate{})
		snapshot.Put(b, snapshot.MTLSCertificates, goodtest.Account, []snapshot.MTLSCertificate{})
		pull(true, nil, nil)(b)
	}
	return []goodtest.Example{
		{Name: "a year left", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "an authority of Access ends soon", Want: posture.Fail, Resource: "ac1", Edit: access(29)},
		{Name: "an uploaded authority has ended", Want: posture.Fail, Resource: "mc1", Edit: uploaded(-1)},
		{Name: "exactly 30 days left", Want: posture.Warning, Resource: "mc1", Edit: uploaded(30)},
		{Name: "45 days left", Want: posture.Warning, Resource: "ac1", Edit: access(45)},
		{Name: "60 days left", Want: posture.Pass, Edit: uploaded(60)},
		{Name: "a root of Gateway ends", Want: posture.Pass, Edit: ofType("gateway_managed", "mc1")},
		{Name: "an authority that Access manages ends", Want: posture.Fail, Resource: "mc1", Edit: ofType("access_managed", "mc1")},
		{Name: "an authority that both lists have ends", Want: posture.Fail, Resource: "ac1", Edit: goodtest.Edits(access(5),
			ofType("access_managed", "ac1"))},
		{Name: "an own origin-pull certificate ends", Want: posture.Fail, Resource: "op1", Edit: pull(true, active(10), nil)},
		{Name: "one of a single host ends", Want: posture.Fail, Resource: "op1", Edit: pull(false, nil, active(10))},
		{Name: "one that goes away", Want: posture.Pass,
			Edit: pull(true, []snapshot.OriginPullCert{{ID: "op1", Status: "pending_deletion", ExpiresOn: goodtest.InDays(-3)}}, nil)},
		{Name: "no date", Want: posture.Unknown, Resource: "op1", Edit: pull(true, []snapshot.OriginPullCert{{ID: "op1", Status: "active"}},
			nil)},
		{Name: "nothing uploaded", Want: posture.NotApplicable, Edit: nothing},
		{Name: "a refused list is not an empty one", Want: posture.Unknown, Edit: goodtest.Edits(nothing, func(b *snapshot.Builder) {
			b.Mark(snapshot.MTLSCertificates.Source(), snapshot.Denied, "Account: Account: SSL and Certificates Read",
				"")
		})},
	}
}

func evaluateExpiry(v *check.View) check.Outcome {
	e := expiries{out: v.Judge(), now: v.Now(), fail: v.Policy.ClientCertDays, warn: v.Policy.ClientCertWarnDays}
	certificate := func(id, name string) posture.Resource {
		return posture.Resource{Type: posture.ResourceCertificate, ID: id, Name: name}
	}
	for _, c := range check.Read(v, snapshot.AccessCertificates) {
		e.judge(certificate(c.ID, c.Name), snapshot.AccessCertificates, c.ExpiresOn, posture.Words{})
	}
	for _, c := range check.Read(v, snapshot.MTLSCertificates) {
		byAccess := slices.ContainsFunc(check.Read(v, snapshot.AccessCertificates),
			func(a snapshot.AccessCertificate) bool { return a.ID == c.ID })
		if !byAccess && c.Type != "gateway_managed" {
			words := posture.Words{}
			if !c.Authority {
				words.Impact = "Services that demand this certificate refuse whatever shows it, such as a Worker."
			}
			e.judge(certificate(c.ID, c.Name), snapshot.MTLSCertificates, c.ExpiresOn, words)
		}
	}
	for _, z := range v.Zones() {
		for _, k := range []snapshot.Key[[]snapshot.OriginPullCert]{snapshot.ZoneAOPCertificates, snapshot.ZoneAOPHostCertificates} {
			own, known := check.ReadOptionalAt(v, k, z.ID)
			if !known {
				e.out.Unread(posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}, k, z.ID)
				break // one result per zone is enough
			}
			for _, c := range own {
				if !c.Gone() {
					e.judge(posture.Resource{Type: posture.ResourceCertificate, ID: c.ID, Name: "origin pull of " + z.Name, ZoneID: z.ID, Zone: z.Name},
						k, c.ExpiresOn, posture.Words{Impact: "Origins that demand the certificate of Cloudflare refuse its connections, so sites are down.",
							Dashboard: "SSL/TLS › Origin Server › Authenticated Origin Pulls: upload the new certificate."})
				}
			}
		}
	}
	return e.out.Done("Every certificate for mutual TLS is valid for long enough.",
		"no authority and no own origin-pull certificate is uploaded")
}

type expiries struct {
	out        *check.Judgement
	now        time.Time
	fail, warn int // in days
}

func (e expiries) judge(r posture.Resource, source snapshot.Named, ends snapshot.Time, words posture.Words) {
	day := check.Day(ends)
	least := check.Day(e.now.AddDate(0, 0, e.warn))
	seen := check.Evidence(source, "/"+r.ID+"/expires_on", day, least+" or later")
	switch {
	case ends.IsZero():
		e.out.Unclear(r, "Cloudflare returned no end date of the certificate")
	case !ends.After(e.now):
		e.out.Fail(r, "The certificate "+r.Name+" for mutual TLS ended on "+day+".", seen)
		e.out.As(words.Or(posture.Words{Problem: "The mTLS certificate {name} of this account has ended",
			Impact: "Devices and services that sign in with a certificate of this authority are refused."}))
	case ends.Before(e.now.AddDate(0, 0, e.fail)):
		e.out.Fail(r, "The certificate "+r.Name+" for mutual TLS ends on "+day+".", seen)
		e.out.As(words)
	case ends.Before(e.now.AddDate(0, 0, e.warn)):
		e.out.Warn(r, "The certificate "+r.Name+" for mutual TLS ends on "+day+".", seen)
		e.out.As(words)
	default:
		e.out.Pass()
	}
}

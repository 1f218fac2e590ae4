package tls

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// edgeCertificate judges the certificate packs presented to visitors. Packs that are being issued
// or removed are not judged.
func edgeCertificate() check.Check {
	return check.Check{
		ID: "CFL-SSL-003", Title: "Edge certificates are valid long enough",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone, Edge: true,
		Why: "Cloudflare renews the certificates that it issues; one that is close to its end could not be renewed, often " +
			"because of domain validation or CAA records. Browsers refuse an expired certificate.",
		Fix: "Complete the domain validation of the certificate, or correct the CAA records that exclude its authority.",
		Words: posture.Words{
			Problem:   "The certificate for {name} ends soon",
			Impact:    "Once the certificate has expired, browsers, apps and API clients refuse every connection to these names.",
			Breaks:    "Nothing that works today; the renewed certificate replaces the old one without an interruption.",
			Dashboard: validation,
		},
		References: []string{"https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Encryption does not end with an expired certificate."),
			check.Touches("soc2 A1.2", "An outage is prevented; nothing is recovered by it."),
			check.Supports("pci 4.2.1", "Certificates in use are valid, as this requirement says."),
			check.Supports("nist PR.DS-02", "Protection on the wire goes on."),
		},
		Aliases:  []string{"flareinspect:CFL-SSL-003"},
		Needs:    []snapshot.Named{snapshot.ZoneCertificatePacks, snapshot.ZoneList},
		Evaluate: evaluateEdgeCertificate,
	}
}

func edgeCertificateExamples() []goodtest.Example {
	pack := func(kind, status string, left int) snapshot.CertificatePack {
		return snapshot.CertificatePack{ID: "px", Type: kind, Status: status, Hosts: []string{goodtest.Domain},
			Certificates: []snapshot.EdgeCertificate{{Status: status, ExpiresOn: snapshot.At(goodtest.Now().AddDate(0, 0, left))}}}
	}
	another := func(host string) snapshot.CertificatePack {
		p := pack("universal", "active", 60)
		p.ID, p.Hosts = "py", []string{host}
		return p
	}
	renewing := func(status string, left int) snapshot.CertificatePack {
		p := pack("advanced", "active", left)
		p.Status, p.Certificates = status, append(p.Certificates, snapshot.EdgeCertificate{Status: status})
		return p
	}
	wildcard := "*." + goodtest.Domain
	return []goodtest.Example{
		{Name: "valid for long", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "13 days left", Want: posture.Fail, Resource: "px", Edit: packs(pack("universal", "active", 13))},
		{Name: "expired", Want: posture.Fail, Edit: packs(pack("universal", "active", -1))},
		{Name: "expired, and the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(packs(pack("universal", "active", -1)),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "renewal is late", Want: posture.Warning, Resource: "px", Edit: packs(pack("advanced", "active", 20))},
		{Name: "14 days, 13 left", Want: posture.Pass, Edit: packs(lasting(14, pack("advanced", "active", 13)))},
		{Name: "14 days, 4 left", Want: posture.Pass, Edit: packs(lasting(14, pack("advanced", "active", 4)))},
		{Name: "14 days, 2 left", Want: posture.Warning, Edit: packs(lasting(14, pack("advanced", "active", 2)))},
		{Name: "14 days, 1 left", Want: posture.Fail, Edit: packs(lasting(14, pack("advanced", "active", 1)))},
		{Name: "30 days, 8 left", Want: posture.Pass, Edit: packs(lasting(30, pack("advanced", "active", 8)))},
		{Name: "30 days, 6 left", Want: posture.Warning, Edit: packs(lasting(30, pack("advanced", "active", 6)))},
		{Name: "30 days, 3 left", Want: posture.Fail, Edit: packs(lasting(30, pack("advanced", "active", 3)))},
		{Name: "90 days, 20 left", Want: posture.Warning, Edit: packs(lasting(90, pack("advanced", "active", 20)))},
		{Name: "an uploaded one with 29 days left", Want: posture.Fail, Edit: packs(pack("sni_custom", "active", 29))},
		{Name: "an uploaded one with 31 days left", Want: posture.Pass, Edit: packs(pack("legacy_custom", "active", 31))},
		{Name: "an expired pack nobody replaces", Want: posture.Fail, Edit: packs(pack("advanced", "expired", -9))},
		{Name: "a validation that timed out", Want: posture.Fail, Edit: packs(pack("advanced", "validation_timed_out", 90))},
		{Name: "an expired pack another one replaces", Want: posture.Pass, Edit: packs(pack("advanced", "expired", -9),
			another(goodtest.Domain))},
		{Name: "an expired pack that only another expired one replaces", Want: posture.Fail, Resource: "px",
			Edit: packs(pack("advanced", "expired", -9), func() snapshot.CertificatePack {
				p := pack("universal", "active", -1)
				p.ID = "py"
				return p
			}())},
		{Name: "a wildcard does not cover the apex", Want: posture.Fail, Edit: packs(pack("advanced", "expired", -9), another(wildcard))},
		{Name: "a deletion that timed out", Want: posture.Pass, Edit: packs(pack("advanced", "deletion_timed_out", 60), another(wildcard))},
		{Name: "a pending pack is not judged", Want: posture.Pass, Edit: packs(pack("advanced", "pending_validation", 0), another(wildcard))},
		{Name: "a renewal that waits for validation, 13 days left", Want: posture.Fail, Resource: "px",
			Edit: packs(renewing("pending_validation", 13))},
		{Name: "a renewal that waits for validation, 40 days left", Want: posture.Pass, Edit: packs(renewing("pending_validation", 40))},
		{Name: "a renewal that timed out, 40 days left", Want: posture.Warning, Resource: "px",
			Edit: packs(renewing("validation_timed_out", 40))},
		{Name: "a renewal that timed out, 13 days left", Want: posture.Fail, Resource: "px", Edit: packs(renewing("issuance_timed_out", 13))},
		{Name: "a renewal that just began, 13 days left", Want: posture.Fail, Resource: "px", Edit: packs(renewing("initializing", 13))},
		{Name: "an expired pack that one in renewal replaces", Want: posture.Pass, Edit: packs(pack("advanced", "expired", -9),
			func() snapshot.CertificatePack { p := renewing("pending_issuance", 40); p.ID = "py"; return p }())},
		{Name: "a keyless one with 20 days left", Want: posture.Fail, Edit: packs(pack("keyless", "active", 20))},
		{Name: "no date", Want: posture.Unknown, Edit: packs(snapshot.CertificatePack{ID: "px", Type: "universal", Status: "active",
			Certificates: []snapshot.EdgeCertificate{{Status: "active"}}})},
		{Name: "an active pack without certificates", Want: posture.Unknown, Resource: "px", Edit: packs(snapshot.CertificatePack{ID: "px",
			Type: "universal", Status: "active", Hosts: []string{goodtest.Domain}})},
		{Name: "no pack", Want: posture.NotApplicable, Edit: packs()},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.Edits(packs(pack("universal", "active", 1)),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

func lasting(days int, p snapshot.CertificatePack) snapshot.CertificatePack {
	p.Validity = days
	return p
}

// packs is an example edit of the edge certificates.
func packs(all ...snapshot.CertificatePack) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneCertificatePacks, goodtest.Zone, all) }
}

func evaluateEdgeCertificate(v *check.View) check.Outcome {
	if v.Zone().Status != "active" {
		return v.NotApplicable("the zone is not active")
	}
	all := check.Read(v, snapshot.ZoneCertificatePacks)
	j := v.Judge()
	for _, p := range all {
		res := v.InZone(posture.ResourceCertificate, p.ID, strings.Join(p.Hosts, ", "))
		gone := p.Status == "expired" || p.Stuck()
		switch {
		case p.InForce(v.Now()):
			judgeExpiry(v, j, p, res)
		case gone && !slices.ContainsFunc(p.Hosts, func(h string) bool { return !coveredBy(h, all, v.Now()) }):
			j.Pass()
		case gone:
			j.Fail(res, "The certificate for "+res.Name+" has the status "+strings.ReplaceAll(p.Status, "_", " ")+" and no other covers its names.",
				check.Evidence(snapshot.ZoneCertificatePacks, "/"+p.ID+"/status", p.Status, "active, or another active pack for the names"))
			j.As(posture.Words{Problem: "No active certificate covers {name}",
				Impact: refused})
		}
	}
	return j.Done("Every edge certificate is valid long enough.", "the zone has no edge certificate in force")
}

// judgeExpiry judges the certificate of a pack in force that expires first.
func judgeExpiry(v *check.View, j *check.Judgement, p snapshot.CertificatePack, res posture.Resource) {
	fail, warn := v.Policy.ManagedCertDays, v.Policy.ManagedCertWarnDays
	if renewed := renewedBefore(p.Validity); renewed > 0 {
		fail, warn = min(fail, (renewed+1)/2), min(warn, renewed)
	}
	words := posture.Words{}
	if p.Uploaded() {
		words.Dashboard = replaceUploaded
		fail, warn = v.Policy.UploadedCertDays, v.Policy.UploadedCertDays
	}
	if len(p.Certificates) == 0 {
		j.Unclear(res, "Cloudflare returned no certificate of the active pack")
		return
	}
	var end snapshot.Time
	for _, c := range p.Certificates {
		if p.Status != "active" && c.Status != "active" {
			continue // the one that is to come
		}
		if c.ExpiresOn.IsZero() {
			j.Unclear(res, "Cloudflare returned no end of the certificate")
			return
		}
		if end.IsZero() || c.ExpiresOn.Before(end.Time) {
			end = c.ExpiresOn
		}
	}
	if end.Before(v.Now()) {
		words.Problem, words.Impact = "The certificate for {name} has expired", refused
	}
	seen := check.Evidence(snapshot.ZoneCertificatePacks, "/"+p.ID+"/certificates", "ends "+end.Format(time.DateOnly),
		fmt.Sprintf("at least %d days ahead", warn))
	switch left := end.Sub(v.Now()); {
	case left < days(fail):
		j.Fail(res, "The certificate for "+res.Name+" "+endsOn(end, v.Now())+".", seen)
		j.As(words)
	case p.Stuck():
		j.Warn(res, "The renewal of the certificate for "+res.Name+" has the status "+strings.ReplaceAll(p.Status, "_", " ")+"; the one in use "+
			endsOn(end, v.Now())+".", check.Evidence(snapshot.ZoneCertificatePacks, "/"+p.ID+"/status", p.Status, "active"))
		j.As(posture.Words{Problem: "The certificate for {name} could not be renewed", Dashboard: validation,
			Impact: "When the certificate in use ends, browsers, apps and API clients refuse every connection to these names."})
	case left < days(warn):
		j.Warn(res, "The certificate for "+res.Name+" "+endsOn(end, v.Now())+" and should have been renewed.", seen)
	default:
		j.Pass()
	}
}

// renewedBefore returns how many days before expiry Cloudflare renews a certificate with a short
// validity in days; 0 for others
// (developers.cloudflare.com/ssl/reference/certificate-validity-periods/).
func renewedBefore(validity int) int {
	switch {
	case validity <= 0:
		return 0
	case validity <= 14:
		return 3
	case validity <= 30:
		return 7
	default:
		return 0
	}
}

// endsOn describes when a certificate expires or expired.
func endsOn(end snapshot.Time, now time.Time) string {
	verb := "ends on "
	if end.Before(now) {
		verb = "ended on "
	}
	return verb + check.Day(end)
}

// refused is the consequence of an expired certificate.
const refused = "Browsers, apps and API clients refuse every connection to these names."

// Dashboard paths that several checks use.
const (
	validation = "SSL/TLS › Edge Certificates › the certificate: follow its validation instructions. CAA records are in DNS › Records."

	replaceUploaded = "SSL/TLS › Edge Certificates › the uploaded certificate › Replace SSL certificate and key."
)

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// coveredBy reports whether a pack in force, with a certificate that has not expired, covers a name. A wildcard stands for
// exactly one label (RFC 6125, section 6.4.3).
func coveredBy(name string, all []snapshot.CertificatePack, now time.Time) bool {
	return slices.ContainsFunc(all, func(p snapshot.CertificatePack) bool {
		return p.InForce(now) && !p.Ended(now) && answersFor(p.Hosts, name)
	})
}

func answersFor(hosts []string, name string) bool {
	_, parent, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(hosts, func(h string) bool { return exposure.Same(h, name) || parent != "" && exposure.Same(h, "*."+parent) })
}

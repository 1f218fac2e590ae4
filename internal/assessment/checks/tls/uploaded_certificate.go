package tls

import (
	"fmt"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// uploadedCertificate judges uploaded certificates, which are renewed manually.
func uploadedCertificate() check.Check {
	return check.Check{
		ID: "CFL-SSL-010", Title: "Uploaded certificates are valid for 30 days or more",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone,
		Plans: []string{"business", "enterprise"},
		Why:   "Cloudflare does not renew a certificate that was uploaded. Browsers refuse an expired certificate.",
		Fix:   "Get a successor from your certificate authority, and replace the uploaded certificate and key with it.",
		Words: posture.Words{
			Problem:   "The uploaded certificate for {name} ends soon",
			Impact:    "Once the certificate has expired, browsers, apps and API clients refuse every connection to these hosts.",
			Breaks:    "Clients that pin the old certificate have to learn the new one.",
			Dashboard: replaceUploaded,
			Terraform: `resource "cloudflare_custom_ssl" "successor" {
  zone_id       = "{zone_id}"
  certificate   = file("certificate.pem")
  private_key   = file("private-key.pem")
  bundle_method = "ubiquitous"
}`},
		References: []string{"https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Encryption does not end with an uploaded certificate that expires."),
			check.Touches("soc2 A1.2", "An outage is prevented; nothing is recovered by it."),
			check.Supports("pci 4.2.1", "Uploaded certificates are valid, as this requirement says."),
			check.Supports("nist PR.DS-02", "Protection on the wire goes on."),
		},
		Edge:  true,
		Needs: []snapshot.Named{snapshot.ZoneCustomCertificates},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			expired := posture.Words{Problem: "The uploaded certificate for {name} has expired",
				Impact: refused}
			for _, c := range check.Read(v, snapshot.ZoneCustomCertificates) {
				res := v.InZone(posture.ResourceCertificate, c.ID, strings.Join(c.Hosts, ", "))
				end, left := endsOn(c.ExpiresOn, v.Now()), c.ExpiresOn.Sub(v.Now())
				seen := check.Evidence(snapshot.ZoneCustomCertificates, "/"+c.ID+"/expires_on", c.ExpiresOn.Format(time.DateOnly)+", "+c.Status,
					fmt.Sprintf("active, at least %d days ahead", v.Policy.UploadedCertDays))
				switch {
				case c.Status == "deleted":
				case c.Status == "expired":
					j.Fail(res, "The uploaded certificate for "+res.Name+" has expired.", seen)
					j.As(expired)
				case c.Status != "active":
					j.Unclear(res, "the uploaded certificate has the status "+c.Status)
				case c.ExpiresOn.IsZero():
					j.Unclear(res, "Cloudflare returned no end of the certificate")
				case left < days(v.Policy.UploadedCertDays):
					j.Fail(res, "The uploaded certificate for "+res.Name+" "+end+".", seen)
					if left < 0 {
						j.As(expired)
					}
				case left < days(v.Policy.UploadedCertWarnDays):
					j.Warn(res, "The uploaded certificate for "+res.Name+" "+end+".", seen)
				default:
					j.Pass()
				}
			}
			return j.Done("Every uploaded certificate is valid long enough.", "the zone has no uploaded certificate")
		},
	}
}

func uploadedCertificateExamples() []goodtest.Example {
	with := func(status string, left int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone,
				[]snapshot.CustomCertificate{{ID: "u1", Hosts: []string{goodtest.Domain}, Status: status,
					ExpiresOn: snapshot.At(goodtest.Now().AddDate(0, 0, left))}})
		}
	}
	return []goodtest.Example{
		{Name: "valid for long", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "29 days left", Want: posture.Fail, Resource: "u1", Edit: with("active", 29)},
		{Name: "past", Want: posture.Fail, Edit: with("active", -1)},
		{Name: "expired", Want: posture.Fail, Edit: with("expired", 100)},
		{Name: "44 days left", Want: posture.Warning, Resource: "u1", Edit: with("active", 44)},
		{Name: "46 days left", Want: posture.Pass, Edit: with("active", 46)},
		{Name: "pending", Want: posture.Unknown, Resource: "u1", Edit: with("pending", 100)},
		{Name: "pending, 10 days left", Want: posture.Unknown, Resource: "u1", Edit: with("pending", 10)},
		{Name: "deleted, 10 days left", Want: posture.NotApplicable, Edit: with("deleted", 10)},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(with("active", -1),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "no certificate", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCustomCertificates, goodtest.Zone, []snapshot.CustomCertificate{})
		}},
		{Name: "below business", Want: posture.NotApplicable, Edit: goodtest.Edits(with("expired", -1),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}

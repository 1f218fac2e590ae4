package gateway

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rootCA judges the certificate that signs for inspected sites. Rolling out a new one to every
// device takes weeks.
func rootCA() check.Check {
	return check.Check{
		ID: "CFL-GW-013", Title: "The root certificate of Gateway is in use and valid",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "With TLS decryption, Gateway signs for every site with a root certificate that devices trust. When it ends, every site " +
			"shows a warning, and people learn to click it away.",
		Fix: "Generate a new certificate, install it on all devices, activate it, then choose it for TLS decryption before the old one ends.",
		Words: posture.Words{
			Problem: "The Gateway root certificate of this account is missing or ended",
			Impact: "Sites fail or show warnings on every device; people who click these away no longer notice an attacker with a false " +
				"certificate.",
			Breaks: "Devices that do not have the new certificate yet show a warning for every inspected site.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Certificates: generate and activate a certificate, then mark " +
				"it as in use.",
			Terraform: `resource "cloudflare_zero_trust_gateway_certificate" "successor" {
  account_id           = "{account_id}"
  activate             = true
  validity_period_days = 1826
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/user-side-certificates/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "The certificate behind inspected connections is valid."),
			check.Supports("soc2 A1.2", "Access to sites does not end with a certificate that was forgotten."),
			check.Supports("nist PR.DS-02", "Inspected connections end at a certificate that devices can check."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.GatewayConfig, snapshot.GatewayCertificates},
		Unless:   notDecrypting,
		Evaluate: evaluateRootCA,
	}
}

func rootCAGood(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.GatewayCertificates, goodtest.Account, []snapshot.GatewayCertificate{{ID: "g1", Type: "gateway_managed",
		Status: "available", InUse: &on, ExpiresOn: goodtest.InDays(900)}})
}

func rootCAExamples() []goodtest.Example {
	off := false
	certificate := func(change func(*snapshot.GatewayCertificate)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayCertificates, goodtest.Account, func(cs *[]snapshot.GatewayCertificate) { change(&(*cs)[0]) })
		}
	}
	ends := func(days int) func(*snapshot.Builder) {
		return certificate(func(c *snapshot.GatewayCertificate) { c.ExpiresOn = goodtest.InDays(days) })
	}
	idle := certificate(func(c *snapshot.GatewayCertificate) { c.InUse = &off })
	old := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.GatewayCertificates, goodtest.Account, func(cs *[]snapshot.GatewayCertificate) {
			*cs = append(*cs, snapshot.GatewayCertificate{ID: "g0", Status: "inactive", InUse: &off, ExpiresOn: goodtest.InDays(-100)})
		})
	}
	return []goodtest.Example{
		{Name: "years left", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "an old one that nobody uses", Want: posture.Pass, Edit: old},
		{Name: "chosen in the settings", Want: posture.Pass,
			Edit: goodtest.Edits(certificate(func(c *snapshot.GatewayCertificate) { c.InUse = nil }),
				editConfig(func(s *snapshot.GatewaySettings) { s.Certificate = "g1" }))},
		{Name: "ended", Want: posture.Fail, Resource: goodtest.Account, Edit: ends(-1)},
		{Name: "two weeks left", Want: posture.Fail, Edit: ends(14)},
		{Name: "two months left", Want: posture.Warning, Resource: goodtest.Account, Edit: ends(60)},
		{Name: "none in use", Want: posture.Fail, Resource: goodtest.Account, Edit: idle},
		{Name: "none at all", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.GatewayCertificates, goodtest.Account, []snapshot.GatewayCertificate{})
		}},
		{Name: "not deployed", Want: posture.Fail, Edit: certificate(func(c *snapshot.GatewayCertificate) { c.Status = "inactive" })},
		{Name: "about to be deployed", Want: posture.Unknown, Edit: certificate(func(c *snapshot.GatewayCertificate) {
			c.Status = "pending_deployment"
		})},
		{Name: "the end is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: certificate(func(c *snapshot.GatewayCertificate) { c.ExpiresOn = snapshot.Time{} })},
		{Name: "the use is not told", Want: posture.Unknown, Edit: certificate(func(c *snapshot.GatewayCertificate) { c.InUse = nil })},
		{Name: "encrypted traffic is not seen", Want: posture.NotApplicable,
			Edit: goodtest.Edits(idle, editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = &off }))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(absent, skip(snapshot.GatewayCertificates))},
	}
}

func evaluateRootCA(v *check.View) check.Outcome {
	const day = 24 * time.Hour
	chosen, all := check.Read(v, snapshot.GatewayConfig).Certificate, check.Read(v, snapshot.GatewayCertificates)
	used := func(c snapshot.GatewayCertificate) bool {
		return c.InUse != nil && *c.InUse || c.InUse == nil && c.ID == chosen
	}
	i := slices.IndexFunc(all, used)
	if i < 0 {
		if slices.ContainsFunc(all, func(c snapshot.GatewayCertificate) bool { return c.InUse == nil }) {
			return v.Unknown("Cloudflare did not return which certificate is in use")
		}
		return v.Fail("TLS decryption is on, and no root certificate of the account is in use.",
			check.Evidence(snapshot.GatewayCertificates, "", "none in use", "one in use"))
	}
	c := all[i]
	seen := check.Evidence(snapshot.GatewayCertificates, "/"+c.ID+"/expires_on", c.ExpiresOn.Format(time.DateOnly), "more than 90 days ahead")
	left := c.ExpiresOn.Sub(v.Now())
	soon := posture.Words{Problem: "The Gateway root certificate of this account ends soon"}
	switch {
	case slices.Contains([]string{"inactive", "pending_deletion"}, c.Status):
		return v.Fail("The root certificate that is chosen for TLS decryption is not deployed.",
			check.Evidence(snapshot.GatewayCertificates, "/"+c.ID+"/binding_status", c.Status, "available"))
	case c.ExpiresOn.IsZero():
		return v.Unknown("Cloudflare did not return when the root certificate ends")
	case left <= 0:
		return v.Fail("The root certificate of Gateway ended on "+check.Day(c.ExpiresOn)+".", seen)
	case left < 30*day:
		return v.Fail("The root certificate of Gateway ends on "+check.Day(c.ExpiresOn)+".", seen).As(soon)
	case c.Status != "available":
		return v.Unknown("the root certificate that is in use has the status " + c.Status)
	case left < 90*day:
		return v.Warn("The root certificate of Gateway ends on "+check.Day(c.ExpiresOn)+".", seen).As(soon).Rated(posture.Low)
	}
	return v.Pass("The root certificate of Gateway is in use and valid until %s.", check.Day(c.ExpiresOn))
}

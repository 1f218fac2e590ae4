package tls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// issuanceAlert judges whether somebody hears of a certificate for the zone.
func issuanceAlert() check.Check {
	alert := func(on check.Truth, emails int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			a := snapshot.CTAlerting{Emails: emails}
			if on != check.Undecided {
				enabled := on == check.Yes
				a.Enabled = &enabled
			}
			snapshot.Put(b, snapshot.ZoneCTAlerting, check.GoodZone, a)
		}
	}
	plan := func(name string) func(*snapshot.Builder) {
		return check.EditZone(func(z *snapshot.Zone) { z.Plan = name })
	}
	return check.Check{
		ID: "CFL-SSL-020", Title: "Newly issued certificates are reported",
		Category: "ssl", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "An unexpected certificate is the first sign of a hijack.",
		Fix:        "Turn certificate transparency alerts on.",
		References: []string{"https://developers.cloudflare.com/ssl/", "Cloudflare docs: Certificate Transparency Monitoring"},
		Controls:   posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.2"}, PCI: []string{"10.7.2"}, NIST: []string{"DE.CM-01"}},
		Remedy: &check.Remedy{Operation: "PATCH /zones/{zone_id}/ct/alerting", Risk: "low", Reversible: true,
			Body:    `{"enabled": true}`,
			Inverse: `PATCH {"enabled": false} with the captured addresses`,
			Caution: "Recipients are given by the operator on plans that allow it; otherwise the owner is mailed."},
		Needs: []snapshot.Named{snapshot.ZoneCTAlerting, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if v.Zone().Status != "active" {
				return v.NotApplicable("the zone is not active")
			}
			a := check.Read(v, snapshot.ZoneCTAlerting)
			switch {
			case a.Enabled == nil:
				return v.Unknown("the provider did not return whether alerts are on")
			case !*a.Enabled:
				return v.Fail("Nobody is told when a certificate for "+v.Zone().Name+" is issued.", check.Seen(snapshot.ZoneCTAlerting, "/enabled", "false", "true"))
			case a.Emails == 0 && slices.Contains([]string{"business", "enterprise"}, v.Zone().Plan):
				return v.Warn("Alerts about certificates for "+v.Zone().Name+" go to no address.", check.Seen(snapshot.ZoneCTAlerting, "/emails", "empty", "at least one address"))
			case a.Emails > 0 || slices.Contains([]string{"free", "pro"}, v.Zone().Plan):
				return v.Pass("New certificates are reported.")
			}
			return v.Unknown("the plan of the zone is one this check does not know: " + v.Zone().Plan)
		},
		Examples: []check.Example{
			{Name: "on, with an address", Want: posture.Pass, Resource: check.GoodZone},
			{Name: "off", Want: posture.Fail, Resource: check.GoodZone, Edit: alert(check.No, 1)},
			{Name: "on, nobody is told", Want: posture.Warning, Resource: check.GoodZone, Edit: alert(check.Yes, 0)},
			{Name: "on, the owner is told", Want: posture.Pass, Edit: check.Edits(alert(check.Yes, 0), plan("free"))},
			{Name: "not returned", Want: posture.Unknown, Edit: alert(check.Undecided, 0)},
			{Name: "a plan nobody knows", Want: posture.Unknown, Edit: check.Edits(alert(check.Yes, 0), plan("odd"))},
			{Name: "not active", Want: posture.NotApplicable, Edit: check.Edits(alert(check.No, 0), check.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
		},
	}
}

package tls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// issuanceAlert judges whether anyone is notified of a new certificate for the zone.
func issuanceAlert() check.Check {
	return check.Check{
		ID: "CFL-SSL-020", Title: "Newly issued certificates are reported",
		Category: "ssl", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A certificate that you did not order shows that someone else passed the validation of a certificate " +
			"authority. Public certificates appear in Certificate Transparency logs, which Cloudflare can watch.",
		Fix: "Turn on Certificate Transparency Monitoring, with a mailbox that someone reads.",
		Words: posture.Words{
			Problem: "Nobody is told of new certificates for {zone}",
			Impact:  "Someone who took over a name or a DNS account can use a valid certificate for months before anyone notices.",
			Breaks:  "Nothing for visitors; the recipients get a mail for each certificate that Cloudflare did not issue.",
			Dashboard: "SSL/TLS › Edge Certificates › Certificate Transparency Monitoring: On. Business and Enterprise: also Add " +
				"Email.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/ct/alerting",
				Body: `{"enabled": true}`},
		},
		References: []string{"https://developers.cloudflare.com/ssl/", "Cloudflare docs: Certificate Transparency Monitoring"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Newly issued certificates are announced where alerts are seen."),
			check.Supports("soc2 CC7.2", "A certificate nobody asked for is noticed."),
			check.Touches("pci 10.7.2", "A false certificate is an attack, not a failed control."),
			check.Supports("nist DE.CM-01", "Certificates issued for the domain are monitored."),
		},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/ct/alerting", Risk: "low", Reversible: true,
			Body:    `{"enabled": true}`,
			Inverse: `PATCH {"enabled": false} with the captured addresses`,
			Caution: "On Business and Enterprise plans you name who gets the mail; otherwise the owner gets it.",
			Inputs:  alertInputs(),
			Propose: proposeAlert},
		Needs:  []snapshot.Named{snapshot.ZoneCTAlerting, snapshot.ZoneList},
		Unless: check.NotPublic, // no authority issues for it
		Evaluate: func(v *check.View) check.Outcome {
			a := check.Read(v, snapshot.ZoneCTAlerting)
			named, words := slices.Contains([]string{"business", "enterprise"}, v.Zone().Plan), posture.Words{}
			if named && a.Emails == 0 { // on these plans only the named recipients get mail
				words.Call = posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/ct/alerting",
					Body:   `{"enabled": true, "emails": ["{$RECIPIENT}"]}`,
					Choose: "RECIPIENT: who is told of new certificates (such as security@shop.example)"}
			}
			switch {
			case a.Enabled == nil:
				return v.Unknown("Cloudflare did not return whether alerts are on")
			case !*a.Enabled:
				return v.Fail("Certificate Transparency Monitoring is off for "+v.Zone().Name+".", check.Evidence(snapshot.ZoneCTAlerting, "/enabled",
					"false", "true")).As(words)
			case a.Emails == 0 && named:
				return v.Warn("Certificate Transparency Monitoring is on for "+v.Zone().Name+", but has no recipient.",
					check.Evidence(snapshot.ZoneCTAlerting, "/emails", "empty", "at least one address")).As(words)
			case a.Emails > 0 || slices.Contains([]string{"free", "pro"}, v.Zone().Plan):
				return v.Pass("New certificates are reported.")
			}
			return v.Unknown("the plan of the zone is one this check does not know: " + v.Zone().Plan)
		},
	}
}

func issuanceAlertExamples() []goodtest.Example {
	alert := func(on truth.Value, emails int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			a := snapshot.CTAlerting{Emails: emails}
			if on != truth.Undecided {
				enabled := on == truth.Yes
				a.Enabled = &enabled
			}
			snapshot.Put(b, snapshot.ZoneCTAlerting, goodtest.Zone, a)
		}
	}
	plan := func(name string) func(*snapshot.Builder) {
		return goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = name })
	}
	return []goodtest.Example{
		{Name: "on, with an address", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: alert(truth.No, 1)},
		{Name: "on, nobody is told", Want: posture.Warning, Resource: goodtest.Zone, Edit: alert(truth.Yes, 0)},
		{Name: "on, the owner is told", Want: posture.Pass, Edit: goodtest.Edits(alert(truth.Yes, 0), plan("free"))},
		{Name: "not returned", Want: posture.Unknown, Edit: alert(truth.Undecided, 0)},
		{Name: "a plan nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(alert(truth.Yes, 0), plan("odd"))},
		{Name: "an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(alert(truth.No, 0), goodtest.Type("internal"))},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.Edits(alert(truth.No, 0),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

func alertInputs() []change.Input {
	return []change.Input{{Name: "emails", Description: "Who is told of new certificates: up to 10 mail addresses in own domains, on " +
		"business and enterprise plans.", Example: `["security@your-domain"]`}}
}

// proposeAlert turns the alerts on. On plans where recipients can be named but none is, a person
// names them; otherwise the owner of the zone gets the mail.
func proposeAlert(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/ct/alerting")
	if err != nil {
		return nil, err
	}
	if live == nil {
		return nil, propose.Refuse("Cloudflare returns no alerts of certificates for this zone.")
	}
	recipients, _ := live["emails"].([]any)
	nameable := slices.Contains([]string{"business", "enterprise"}, c.ZonePlan)
	want := map[string]any{"enabled": true}
	switch {
	case len(recipients) == 0 && nameable:
		if want["emails"], err = chosenRecipients(c); err != nil {
			return nil, err
		}
	case propose.Flag(live, "enabled"):
		return nil, nil
	}
	e := propose.Patch("PATCH", place, place.Path, live, want)
	// Undo sends the captured addresses, in case the provider changes them when only the switch is
	// sent.
	e.Undo.Body = change.Encode(map[string]any{"enabled": live["enabled"], "emails": live["emails"]})
	return []change.Edit{e}, nil
}

func chosenRecipients(c *propose.Case) ([]any, error) {
	var chosen []string
	if err := c.Input("emails", &chosen); err != nil {
		return nil, err
	}
	if len(chosen) == 0 || len(chosen) > 10 {
		return nil, propose.Refuse("The input emails must name between 1 and 10 addresses.")
	}
	var out []any
	for _, address := range chosen {
		if err := c.OwnAddress("emails", address); err != nil {
			return nil, err
		}
		out = append(out, address)
	}
	return out, nil
}

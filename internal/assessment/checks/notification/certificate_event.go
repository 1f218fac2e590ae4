package notification

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// certificateEvent judges the alert on certificate events.
func certificateEvent() check.Check {
	return check.Check{
		ID: "CFL-ALERT-003", Title: "Certificate events raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Certificates renew by themselves until a DNS record or a CAA record is in the way. A notification tells in " +
			"time.",
		Fix: "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("Universal SSL Alert", "Certificate events", "universal_ssl_event_type", posture.Words{
			Problem: "Certificate events raise no alert in this account",
			Impact:  "A failed renewal is noticed when visitors see certificate errors.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Alerts about certificates reach a place where they are seen."),
			check.Supports("soc2 CC7.3", "A certificate that is about to fail is looked at in time."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of certificate events."),
			check.Touches("pci 10.4.1.1", "An alert about certificates reviews no audit log."),
			check.Supports("pci 10.7.2", "The end of encryption by an expired certificate would be announced."),
			check.Supports("nist DE.AE-06", "Certificate events reach the people named in the policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ALERT-003"},
		Remedy:   newPolicy(certificateAlert),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: evaluateCertificateEvent,
	}
}

// universal is the alert on universal certificates.
const universal = "universal_ssl_event_type"

// otherCertificates are the alerts on advanced and on uploaded certificates.
func otherCertificates() []string {
	return []string{"dedicated_ssl_certificate_event_type", "custom_ssl_certificate_event_type"}
}

// certificateAlert returns the alert types to subscribe to: another alert counts only where the one
// on universal certificates is not offered.
func certificateAlert(c *propose.Case, policies []snapshot.AlertPolicy, available []string) ([]string, error) {
	if slices.Contains(available, universal) {
		return oneOf(universal)(c, policies, available)
	}
	return oneOf(otherCertificates()...)(c, policies, available)
}

// evaluateCertificateEvent requires the alert on universal certificates, which every zone has
// unless they were turned off. The alerts on advanced and on uploaded certificates do not cover
// them.
func evaluateCertificateEvent(v *check.View) check.Outcome {
	others := otherCertificates()
	if !slices.ContainsFunc(check.Read(v, snapshot.AlertAvailable), func(t snapshot.AlertType) bool { return t.Type == universal }) {
		return raises("certificate events", nil, others...)(v)
	}
	subscribed := func(types ...string) bool {
		return slices.ContainsFunc(check.Read(v, snapshot.AlertPolicies), func(p snapshot.AlertPolicy) bool {
			return p.Enabled && p.Mechanisms() > 0 && slices.Contains(types, p.AlertType)
		})
	}
	if !subscribed(universal) && subscribed(others...) {
		return v.Warn("Events of advanced or uploaded certificates raise an alert, those of universal certificates do not.",
			check.Evidence(snapshot.AlertPolicies, "", "no enabled policy of type "+universal, "one with a destination"))
	}
	return raises("certificate events", nil, universal)(v)
}

func certificateEventExamples() []goodtest.Example {
	of := func(from, to string) func(*snapshot.Builder) {
		return editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == from {
				p.AlertType = to
			}
		})
	}
	return append(raiseExamples("universal_ssl_event_type", nil),
		goodtest.Example{Name: "only uploaded certificates", Want: posture.Warning, Resource: goodtest.Account,
			Edit: of("universal_ssl_event_type", "custom_ssl_certificate_event_type")},
		goodtest.Example{Name: "only uploaded certificates, and nobody is told", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(of("universal_ssl_event_type", "something_else"), editPolicies(func(p *snapshot.AlertPolicy) {
				if slices.Contains(otherCertificates(), p.AlertType) {
					p.Emails, p.EmailKeys, p.Webhooks = 0, nil, nil
				}
			}))},
		goodtest.Example{Name: "only advanced certificates, and no other alert is there", Want: posture.Pass,
			Edit: goodtest.Edits(of("universal_ssl_event_type", "dedicated_ssl_certificate_event_type"), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AlertAvailable, goodtest.Account, []snapshot.AlertType{{Type: "dedicated_ssl_certificate_event_type"}})
			})})
}

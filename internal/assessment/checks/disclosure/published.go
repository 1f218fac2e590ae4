package disclosure

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// published judges whether the edge serves a security contact. A zone whose own Worker does so is
// excluded if the operator declared it.
func published() check.Check {
	return check.Check{
		ID: "CFL-SEC-001", Title: "A security contact file is published",
		Category: "securitytxt", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Researchers who find a hole look for /.well-known/security.txt (RFC 9116) to learn whom to tell.",
		Fix: "Publish a security.txt with a mailbox that somebody reads, and a date of expiry within a year.",
		Words: posture.Words{
			Problem:   "{zone} has no usable security.txt",
			Impact:    "Someone who finds a hole and wants to help tells nobody, or tells everyone.",
			Breaks:    "Nothing; one file is added, and a file that the origin serves at that address is replaced.",
			Dashboard: "Security › Settings › Security.txt: turn it on and enter a contact.",
			Call:      named(),
		},
		References: []string{reference},
		Controls: check.Controls{
			check.Supports("soc2 CC2.3", "Outsiders can learn where to report a weakness."),
			check.Supports("pci 6.3.1", "Reports from outside are one way in which weaknesses are found."),
			check.Touches("nist RS.MA-01", "A contact helps an incident to be heard of; the plan is not seen."),
		},
		Aliases: []string{"flareinspect:CFL-SEC-001"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/security-center/securitytxt", Risk: "low", Reversible: true,
			Body:    `{"enabled": true, "contact": [<operator contact>], "expires": <now plus 330 days>}; captured members are merged`,
			Inverse: "PUT the captured object, or DELETE /zones/{zone_id}/security-center/securitytxt when nothing existed",
			Caution: "Anyone can read the contact you name, so somebody must answer there.",
			Inputs:  contactInputs(),
			Propose: proposePublished},
		Needs:    []snapshot.Named{snapshot.ZoneSecurityTxt, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			name := v.Zone().Name
			if slices.ContainsFunc(v.Policy.SelfServedTxt, func(z string) bool { return exposure.Same(z, name) || z == v.Zone().ID }) {
				return v.NotApplicable("the operator declared that a Worker serves the file")
			}
			f := check.Read(v, snapshot.ZoneSecurityTxt)
			switch {
			case !f.Enabled:
				return v.Fail("Cloudflare serves no security contact file for "+name+".", check.Evidence(snapshot.ZoneSecurityTxt, "/enabled", "false",
					"true"))
			case len(f.Contacts) == 0:
				return v.Fail("The security contact file of "+name+" names no contact.", check.Evidence(snapshot.ZoneSecurityTxt, "/contacts", "none",
					"at least one"))
			}
			return v.Pass("A security contact file is published.")
		},
	}
}

// named is the call that publishes the file with one more contact. Contacts that a researcher can use stay.
func named() posture.Call {
	const path = "/zones/{zone_id}/security-center/securitytxt"
	return posture.Call{Method: "PUT", Path: path, From: path,
		Body: `.result // {} | .contact = ([.contact[]? | select(test("^(mailto|https|tel):.+"; "i"))] - ["mailto:{$SECURITY_CONTACT}"] + ` +
			`["mailto:{$SECURITY_CONTACT}"]) | . + {enabled: true, expires: (now + 330 * 86400 | todate)}`,
		Choose: "SECURITY_CONTACT: the mailbox of your security team (such as security@shop.example)"}
}

func publishedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "published", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "not enabled", Want: posture.Fail, Resource: goodtest.Zone, Edit: file(func(f *snapshot.SecurityTxt) { f.Enabled = false })},
		{Name: "no contact", Want: posture.Fail, Edit: file(func(f *snapshot.SecurityTxt) { f.Contacts = nil })},
		{Name: "never set up", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneSecurityTxt.Source(), snapshot.Absent,
				"", "")
		}},
		{Name: "a Worker serves it, as declared", Want: posture.NotApplicable, Edit: file(func(f *snapshot.SecurityTxt) { f.Enabled = false }),
			Policy: func(p *policy.Policy) { p.SelfServedTxt = []string{goodtest.Domain} }},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" })},
	}
}

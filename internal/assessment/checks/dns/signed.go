package dns

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// signed judges the signing state of the zone.
func signed() check.Check {
	return check.Check{
		ID: "CFL-DNS-001", Title: "The zone is signed with DNSSEC",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "DNS answers without signatures can be forged, by cache poisoning or by anyone between resolver and name " +
			"server. With DNSSEC a validating resolver refuses forged answers.",
		Fix: "Turn DNSSEC on, then publish the DS record at the registrar; Cloudflare Registrar does the second step " +
			"itself.",
		Words: posture.Words{
			Problem:   "DNS answers of {zone} are not signed",
			Impact:    "Someone who can forge answers to a resolver sends visitors and mail of the domain to a server of their own.",
			Breaks:    "Nothing until the DS record is published; a DS record that does not match takes the domain offline.",
			Dashboard: "DNS › Settings › DNSSEC › Enable DNSSEC, then copy the DS record to the registrar.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/dnssec",
				Body: `{"status": "active"}`},
			Terraform: `resource "cloudflare_zone_dnssec" "zone" {
  zone_id = "{zone_id}"
  status  = "active"
}`},
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "DNSSEC is the current, secure form of the name system."),
			check.Supports("soc2 CC6.7", "Answers cannot be changed on their way."),
			check.Touches("pci 2.2.1", "Signing is one setting of a hardening standard that covers much more."),
			check.Supports("nist PR.DS-02", "Answers of the zone are protected on the wire."),
		},
		Aliases: []string{"prowler:zone_dnssec_enabled", "cnspec:dnssec", "grclanker:CF-ZONE-05", "flareinspect:CFL-DNS-001"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/dnssec", Risk: "medium", Reversible: true,
			Body:    `{"status": "active"}`,
			Inverse: "PATCH status disabled, only after the DS record was removed at the registrar and its TTL passed",
			Caution: "Visitors notice nothing until the DS record is published at the registrar. After that it cannot be rolled back " +
				"here: remove the DS record first, or the domain stops resolving.",
			Propose: proposeSigning},
		Needs: []snapshot.Named{snapshot.ZoneDNSSEC, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			z, d := v.Zone(), check.Read(v, snapshot.ZoneDNSSEC)
			switch {
			case z.Type == "partial" || z.Type == "internal":
				return v.NotApplicable("the zone is of type " + z.Type + "; it is signed elsewhere or not public")
			case d.Presigned:
				return v.NotApplicable("the zone is transferred with its signatures")
			case z.Status != "active":
				return v.NotApplicable("the zone is not active")
			}
			seen := check.Evidence(snapshot.ZoneDNSSEC, "/status", d.Status, "active")
			switch d.Status {
			case "active":
				return v.Pass("The zone is signed and resolvers validate it.")
			case "disabled", "pending-disabled":
				return v.Fail("DNSSEC of "+z.Name+" has the status "+d.Status+".", seen)
			case "pending", "error":
				return v.Warn("DNSSEC of "+z.Name+" is on but not in force: its status is "+d.Status+".", seen).
					As(posture.Words{Problem: "DNSSEC of {zone} is not in force yet", ByHand: true,
						Dashboard: "DNS › Settings › DNSSEC › DS Record: copy the values to the registrar and wait for the status Active."})
			default:
				return v.Unknown("Cloudflare returned a DNSSEC status this check does not know: " + d.Status)
			}
		},
	}
}

func signedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "signed", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: dnssec("disabled", false)},
		{Name: "being turned off", Want: posture.Fail, Resource: goodtest.Zone, Edit: dnssec("pending-disabled", false)},
		{Name: "pending is not signed: the DS record is missing", Want: posture.Warning, Resource: goodtest.Zone, Edit: dnssec("pending", false)},
		{Name: "an error", Want: posture.Warning, Resource: goodtest.Zone, Edit: dnssec("error", false)},
		{Name: "off in a secondary zone", Want: posture.Fail, Edit: goodtest.Edits(dnssec("disabled", false),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "secondary" }))},
		{Name: "off in an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(dnssec("disabled", false),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "internal" }))},
		{Name: "signed before transfer", Want: posture.NotApplicable, Edit: dnssec("disabled", true)},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(dnssec("disabled", false),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" }))},
		{Name: "not active yet", Want: posture.NotApplicable, Edit: goodtest.Edits(dnssec("disabled", false),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
		{Name: "no status", Want: posture.Unknown, Edit: dnssec("", false)},
	}
}

func dnssec(status string, presigned bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneDNSSEC, goodtest.Zone, snapshot.DNSSEC{Status: status, Presigned: presigned})
	}
}

// proposeSigning turns DNSSEC on. It stays pending until the registrar has the DS record; from then
// on Undo is barred, because resolvers that find a DS record but no signatures do not answer at all
// (RFC 4035, section 5).
func proposeSigning(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/dnssec")
	if err != nil {
		return nil, err
	}
	switch status := propose.Text(live, "status"); status {
	case "active":
		return nil, nil
	case "disabled":
	case "pending", "error":
		return nil, propose.Refuse("DNSSEC is on and its status is %s: publish the DS record at the registrar, as the zone shows it.", status)
	case "pending-disabled":
		return nil, propose.Refuse("Somebody is turning DNSSEC off right now; ask who it is before it is turned on again.")
	default:
		return nil, propose.Refuse("Cloudflare returned no DNSSEC status this remedy knows.")
	}
	e := propose.Patch("PATCH", place, place.Path, live, map[string]any{"status": "active"})
	e.Or = change.Encode(map[string]any{"status": "pending"})
	e.Bar = &change.Bar{When: change.Encode(map[string]any{"status": "active"}),
		Why: "DNSSEC is active, so a DS record stands in the parent zone and turning it off would take the domain off the net; remove the DS " +
			"record at the registrar, wait until its TTL passed, then turn DNSSEC off by hand"}
	return []change.Edit{e}, nil
}

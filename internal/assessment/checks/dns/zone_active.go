package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// zoneActive judges whether the zone is active.
func zoneActive() check.Check {
	return check.Check{
		ID: "CFL-ZONE-003", Title: "The zone is active on the network",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Cloudflare serves a zone only after the registrar lists its name servers. Until then, or after it moved " +
			"away, no setting of the zone has an effect.",
		Fix: "Enter the assigned name servers at the registrar; for a zone with a CNAME setup, add the verification TXT record at its " +
			"DNS provider instead. Delete the zone when the domain is served elsewhere.",
		Words: posture.Words{
			Problem: "{zone} is not active on Cloudflare",
			Impact: "Visitors are not protected by anything configured here, and nobody notices because the zone is in the " +
				"account.",
			Breaks:    "Records that exist only at the present DNS provider stop answering once the name servers change.",
			Dashboard: "Overview › Cloudflare nameservers: copy both names to the registrar, then Check nameservers now.",
		},
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 1.1", "A zone that is listed is also in service."),
			check.Supports("soc2 CC6.6", "Protection that is configured is also in force."),
			check.Supports("pci 12.5.1", "The inventory of zones says what is in service."),
			check.Supports("nist ID.AM-02", "The list of zones agrees with what runs."),
		},
		Aliases: []string{"flareinspect:cf-zone-001"},
		Needs:   []snapshot.Named{snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			z := v.Zone()
			starting := z.Status == "pending" || z.Status == "initializing"
			seen := check.Evidence(snapshot.ZoneList, "/"+z.ID+"/status", z.Status, "active")
			switch {
			case z.Type == "internal":
				return v.NotApplicable("the zone is internal")
			case z.Status == "active":
				return v.Pass("The zone is active.")
			case slices.Contains([]string{"moved", "deactivated", "deleted"}, z.Status):
				return v.Fail("The zone "+z.Name+" has the status "+z.Status+", so no setting of it has an effect.", seen).
					As(posture.Words{Problem: "{zone} no longer uses Cloudflare"})
			case !starting:
				return v.Unknown("the zone has a status this check does not know: " + z.Status)
			case z.CreatedOn.IsZero():
				return v.Unknown("the zone is " + z.Status + " and Cloudflare did not say since when")
			case z.CreatedOn.Before(v.Now().AddDate(0, 0, -v.Policy.PendingDays)):
				return v.Fail("The zone "+z.Name+" was created on "+check.Day(z.CreatedOn)+" and still has the status "+z.Status+".", seen).
					As(partialZone(z))
			}
			return v.Warn("The zone "+z.Name+" was created on "+check.Day(z.CreatedOn)+" and has the status "+z.Status+".", seen).
				As(partialZone(z).Or(posture.Words{Problem: "{zone} is not active on Cloudflare yet"}))
		},
	}
}

// partialZone has the words for a zone whose records another provider answers: it keeps its name servers
// (developers.cloudflare.com/dns/zone-setups/partial-setup/).
func partialZone(z snapshot.Zone) posture.Words {
	if !z.Partial() {
		return posture.Words{}
	}
	return posture.Words{
		Breaks: "Nothing at the DNS provider of {zone}, which stays; do not change the name servers.",
		Dashboard: "DNS › Records › Verification TXT Record: add it at the DNS provider of {zone}; then point the names that " +
			"Cloudflare is to serve to {zone}.cdn.cloudflare.net there."}
}

func zoneActiveExamples() []goodtest.Example {
	state := func(status string, age int) func(*snapshot.Builder) {
		return goodtest.EditZone(func(z *snapshot.Zone) {
			z.Status = status
			if age >= 0 {
				z.CreatedOn = snapshot.At(goodtest.Now().AddDate(0, 0, -age))
			}
		})
	}
	return []goodtest.Example{
		{Name: "active", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "moved", Want: posture.Fail, Resource: goodtest.Zone, Edit: state("moved", 100)},
		{Name: "pending for long", Want: posture.Fail, Edit: state("pending", 8)},
		{Name: "pending", Want: posture.Warning, Resource: goodtest.Zone, Edit: state("pending", 6)},
		{Name: "initializing", Want: posture.Warning, Edit: state("initializing", 1)},
		{Name: "no date", Want: posture.Unknown, Edit: state("pending", -1)},
		{Name: "a status nobody knows", Want: posture.Unknown, Edit: state("odd", 1)},
		{Name: "internal", Want: posture.NotApplicable, Edit: goodtest.Edits(state("moved", 1),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "internal" }))},
	}
}

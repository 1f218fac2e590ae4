package waf

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hold judges whether another account may add the zone or part of it. A hold that was lifted
// temporarily is off until it is restored automatically at hold_after
// (developers.cloudflare.com/api/resources/zones/subresources/holds/methods/edit/).
func hold() check.Check {
	return check.Check{
		ID: "CFL-HOLD-001", Title: "A zone hold blocks re-creation elsewhere",
		Category: "account-waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans: []string{"enterprise"},
		Why: "Another Cloudflare account can add a zone of the same name, or of a subdomain, and wait for its activation. " +
			"A zone hold refuses that.",
		Fix: "Turn the zone hold on and include subdomains.",
		Words: posture.Words{
			Problem: "Another Cloudflare account can add {zone}",
			Impact: "Someone who gets control of the name servers or of a delegated subdomain takes it over in an account of " +
				"their own, and gets certificates.",
			Breaks:    "Another team that adds a subdomain as a zone of its own has to ask for the hold to be lifted.",
			Dashboard: "Overview › Zone Hold: On, subdomains included.",
			Call:      posture.Call{Method: "POST", Path: "/zones/{zone_id}/hold?include_subdomains=true"},
			Terraform: `# Version 5.24 makes a hold without its subdomains: make it with the API first.
resource "cloudflare_zone_hold" "hold" {
  zone_id            = "{zone_id}"
  include_subdomains = true
}`},
		References: []string{"https://developers.cloudflare.com/fundamentals/account/account-security/zone-holds/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "The hold is part of a hardened zone."),
			check.Supports("soc2 CC6.6", "Nobody can put the zone's names into an account of theirs."),
			check.Touches("pci 2.2.1", "The hold is one setting of a standard that covers much more."),
			check.Supports("nist PR.AA-05", "Creating the zone elsewhere takes a deliberate release."),
		},
		Aliases: []string{"flareinspect:CFL-HOLD-001", "union:zone-hold"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/hold", Risk: "low", Reversible: true,
			Body:    "query include_subdomains=true",
			Inverse: "DELETE /zones/{zone_id}/hold (state was off), or PATCH the captured hold_after and include_subdomains",
			Caution: "Another team that legitimately adds a subdomain zone has to lift the hold first.",
			Propose: proposeHold},
		Needs: []snapshot.Named{snapshot.ZoneHold, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			h := check.Read(v, snapshot.ZoneHold)
			switch {
			case v.Zone().Type == "internal":
				return v.NotApplicable("the zone is internal, and another account may have the name")
			case h.After.After(v.Now()):
				return v.Warn("The zone hold of "+v.Zone().Name+" is lifted until "+check.Day(h.After)+".",
					check.Evidence(snapshot.ZoneHold, "/hold_after", h.After.Format(time.RFC3339), "empty or past")).
					As(posture.Words{Problem: "The zone hold of {zone} is lifted for now", ByHand: true,
						Breaks: "Whoever asked for the hold to be lifted can no longer add the zone."})
			case !h.Hold:
				return v.Fail(v.Zone().Name+" has no zone hold, so another account can add it.", check.Evidence(snapshot.ZoneHold, "/hold",
					"false", "true"))
			case !h.IncludeSubdomains:
				return v.Warn("The zone hold of "+v.Zone().Name+" does not include subdomains.", check.Evidence(snapshot.ZoneHold,
					"/include_subdomains", "false", "true")).As(posture.Words{
					Problem: "Another Cloudflare account can add a subdomain of {zone}",
					Impact: "Someone who gets control of a delegated subdomain adds it as a zone or a custom hostname of their own account, and " +
						"gets certificates."})
			}
			return v.Pass("The zone and its subdomains are held.")
		},
	}
}

func holdExamples() []goodtest.Example {
	with := func(h snapshot.Hold) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneHold, goodtest.Zone, h) }
	}
	at := func(d int) snapshot.Time { return snapshot.At(goodtest.Now().AddDate(0, 0, d)) }
	return []goodtest.Example{
		{Name: "held", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "held since it was lifted once", Want: posture.Pass,
			Edit: with(snapshot.Hold{Hold: true, After: at(-1), IncludeSubdomains: true})},
		{Name: "no hold", Want: posture.Fail, Resource: goodtest.Zone, Edit: with(snapshot.Hold{})},
		{Name: "lifted for now", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: with(snapshot.Hold{Hold: true, After: at(2), IncludeSubdomains: true})},
		{Name: "off until it comes back", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: with(snapshot.Hold{After: at(2), IncludeSubdomains: true})},
		{Name: "off, and it would have come back", Want: posture.Fail, Edit: with(snapshot.Hold{After: at(-2), IncludeSubdomains: true})},
		{Name: "off until it comes back without subdomains", Want: posture.Warning, Edit: with(snapshot.Hold{After: at(2)})},
		{Name: "without subdomains", Want: posture.Warning, Edit: with(snapshot.Hold{Hold: true})},
		{Name: "no hold of an internal zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(with(snapshot.Hold{}), goodtest.Type("internal"))},
		{Name: "below enterprise", Want: posture.NotApplicable, Edit: goodtest.Edits(with(snapshot.Hold{}),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" }))},
	}
}

// proposeHold holds the zone with its subdomains. A temporarily lifted hold is restored
// automatically, and someone relies on it staying lifted until then.
func proposeHold(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/hold")
	if err != nil {
		return nil, err
	}
	on := propose.Flag(live, "hold")
	subdomains := live["include_subdomains"] == true || live["include_subdomains"] == "true" // the API returns a string
	after, _ := time.Parse(time.RFC3339, propose.Text(live, "hold_after"))
	switch {
	case after.After(c.Now):
		return nil, propose.Refuse("Somebody lifted the hold until %s; it comes back by itself then.", check.Day(after))
	case on && subdomains:
		return nil, nil
	}
	e := change.Edit{Place: place, Before: change.Encode(map[string]any{"hold": live["hold"],
		"include_subdomains": live["include_subdomains"]}), After: change.Encode(map[string]any{"hold": true, "include_subdomains": "true"}),
		Or: change.Encode(map[string]any{"hold": true, "include_subdomains": true}),
		Do: change.Call{Method: "POST", Path: place.Path + "?include_subdomains=true"}, Undo: &change.Call{Method: "DELETE", Path: place.Path}}
	if on {
		e.Undo = &change.Call{Method: "PATCH", Path: place.Path,
			Body: change.Encode(map[string]any{"hold_after": live["hold_after"], "include_subdomains": subdomains})} // but takes a boolean
	}
	return []change.Edit{e}, nil
}

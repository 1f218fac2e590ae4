package waf

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// hold judges whether another account may add the zone or a part of it.
func hold() check.Check {
	with := func(h snapshot.Hold) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneHold, check.GoodZone, h) }
	}
	at := func(d int) snapshot.Time { return snapshot.At(check.GoodNow().AddDate(0, 0, d)) }
	return check.Check{
		ID: "CFL-HOLD-001", Title: "A zone hold blocks re-creation elsewhere",
		Category: "account-waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans:      []string{"enterprise"},
		Why:        "Without a hold another account can add the same domain or a subdomain and start issuing certificates for it.",
		Fix:        "Activate the hold with subdomains.",
		References: []string{"Cloudflare docs: Zone holds"},
		Controls:   posture.Controls{CIS: []string{"4.1"}, SOC2: []string{"CC6.6"}, PCI: []string{"2.2.1"}, NIST: []string{"PR.AA-05"}},
		Aliases:    []string{"flareinspect:CFL-HOLD-001", "union:zone-hold"},
		Remedy: &check.Remedy{Operation: "POST /zones/{zone_id}/hold", Risk: "low", Reversible: true,
			Body:    "query include_subdomains=true",
			Inverse: "DELETE /zones/{zone_id}/hold (state was off), or PATCH the captured hold_after and include_subdomains",
			Caution: "Another team that legitimately adds a subdomain zone has to lift the hold first."},
		Needs: []snapshot.Named{snapshot.ZoneHold, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			h := check.Read(v, snapshot.ZoneHold)
			switch {
			case !h.Hold:
				return v.Fail("Nothing keeps another account from adding "+v.Zone().Name+".", check.Seen(snapshot.ZoneHold, "/hold", "false", "true"))
			case h.After.After(v.Now()):
				return v.Warn("The hold of "+v.Zone().Name+" is lifted until "+h.After.Format(time.DateOnly)+".", check.Seen(snapshot.ZoneHold, "/hold_after", h.After.Format(time.RFC3339), "empty or past"))
			case !h.IncludeSubdomains:
				return v.Warn("Another account may add a subdomain of "+v.Zone().Name+".", check.Seen(snapshot.ZoneHold, "/include_subdomains", "false", "true"))
			}
			return v.Pass("The zone and its subdomains are held.")
		},
		Examples: []check.Example{
			{Name: "held", Want: posture.Pass, Resource: check.GoodZone},
			{Name: "held since it was lifted once", Want: posture.Pass, Edit: with(snapshot.Hold{Hold: true, After: at(-1), IncludeSubdomains: true})},
			{Name: "no hold", Want: posture.Fail, Resource: check.GoodZone, Edit: with(snapshot.Hold{})},
			{Name: "lifted for now", Want: posture.Warning, Resource: check.GoodZone, Edit: with(snapshot.Hold{Hold: true, After: at(2), IncludeSubdomains: true})},
			{Name: "without subdomains", Want: posture.Warning, Edit: with(snapshot.Hold{Hold: true})},
			{Name: "below enterprise", Want: posture.NotApplicable, Edit: check.Edits(with(snapshot.Hold{}), check.EditZone(func(z *snapshot.Zone) { z.Plan = "business" }))},
		},
	}
}

// Package rule holds the checks of redirect, origin, configuration and transform
// rules.
package rule

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// resource names a rule of the zone of the unit.
func resource(v *check.View, r snapshot.Rule) posture.Resource {
	return v.InZone(posture.ResourceRule, r.ID, r.Name())
}

// raises reports whether a rule sets an encryption mode above that of the zone. Such a rule weakens
// nothing: without it the requests would be protected less.
func raises(v *check.View, setting, value string) truth.Value {
	if setting != "ssl" || value == "off" {
		return truth.No
	}
	settings, _ := check.ReadOptional(v, snapshot.ZoneSettings)
	zone, known := settings.Text("ssl")
	return truth.If(known, above(value, zone))
}

// above reports whether an encryption mode protects more than that of the zone.
func above(mode string, zone any) bool {
	modes := traffic.OriginModes()
	is, _ := zone.(string)
	of := slices.Index(modes, is)
	return of >= 0 && slices.Index(modes, mode) > of
}

// rules is an example edit that sets the rules of the zone in a phase.
func rules(k snapshot.Key[snapshot.Ruleset], all ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "zr", Kind: "zone", Rules: all})
	}
}

// Package rule holds the checks of redirect, origin, configuration and transform
// rules.
package rule

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// resource names a rule of the zone of the unit.
func resource(v *check.View, r snapshot.Rule) posture.Resource {
	return v.InZone(posture.ResourceRule, r.ID, r.Name())
}

// rules is an example edit that sets the rules of the zone in a phase.
func rules(k snapshot.Key[snapshot.Ruleset], all ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "zr", Kind: "zone", Rules: all})
	}
}

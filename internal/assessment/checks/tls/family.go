// Package tls holds the checks of transport encryption between visitor, edge
// and origin.
package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// header is an example edit of the strict-transport-security setting.
func header(h snapshot.HSTS) func(*snapshot.Builder) {
	return goodtest.Setting("security_header", map[string]snapshot.HSTS{"strict_transport_security": h})
}

// entryPoint is an example edit that sets the rules of the zone in a phase.
func entryPoint(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "rx", Kind: "zone", Rules: rules})
	}
}

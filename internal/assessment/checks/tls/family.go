// Package tls holds the checks of transport encryption between visitor, edge
// and origin.
package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// setting is an example edit that gives one zone setting another value.
func setting(id string, value any) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.With(id, value) })
	}
}

// missing is an example edit: the provider did not return a setting.
func missing(id string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without(id) })
	}
}

// header is an example edit of the strict-transport-security setting.
func header(h snapshot.HSTS) func(*snapshot.Builder) {
	return setting("security_header", map[string]snapshot.HSTS{"strict_transport_security": h})
}

// entryPoint is an example edit that gives the zone rules in a phase.
func entryPoint(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "rx", Kind: "zone", Rules: rules})
	}
}

// denied is an example edit: a source the token may not read.
func denied(k snapshot.Named) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { b.Mark(k.Source(), snapshot.Denied, "Zone Read", "") }
}

// notProxied is an example edit: nothing of the zone passes the edge.
func notProxied() func(*snapshot.Builder) {
	return goodtest.EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = false })
}

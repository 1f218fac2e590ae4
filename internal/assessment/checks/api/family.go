// Package api holds the checks of API protection.
package api

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const (
	docsShield   = "https://developers.cloudflare.com/api-shield/"
	docsInsights = "https://developers.cloudflare.com/security-center/security-insights/"
)

const nothingSaved = "the zone has no saved operation"

// saved is an example edit of the saved operations.
func saved(all ...snapshot.APIOperation) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneAPIOperations, goodtest.Zone, all) }
}

// notEntitled is an example edit: the plan lacks API protection.
func notEntitled() func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		b.Mark(snapshot.ZoneAPIOperations.Source(), snapshot.NotEntitled, "", "")
	}
}

// business is an example edit of the plan of the zone.
func business() func(*snapshot.Builder) {
	return goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" })
}

// Package bot holds the checks of automated traffic.
package bot

import (
	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{
		stopped(),
		detections(),
		crawlers(),
		likely(),
	}
}

// config is an example edit of the bot configuration.
func config(change func(*snapshot.BotManagement)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneBotManagement, check.GoodZone, change)
	}
}

// plan is an example edit of the plan of the zone.
func plan(name string) func(*snapshot.Builder) {
	return check.EditZone(func(z *snapshot.Zone) { z.Plan = name })
}

func notProxied() func(*snapshot.Builder) {
	return check.EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = false })
}

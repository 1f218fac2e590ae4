// Package hostname holds the checks of customers' hostnames.
package hostname

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hostname is an example edit of the only hostname of the good snapshot.
func hostname(change func(*snapshot.CustomHostname)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneCustomHostnames, goodtest.Zone, func(all *[]snapshot.CustomHostname) { change(&(*all)[0]) })
	}
}

func none() func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{})
	}
}

func inDays(n int) snapshot.Time {
	return snapshot.At(goodtest.Now().Add(time.Duration(n) * 24 * time.Hour))
}

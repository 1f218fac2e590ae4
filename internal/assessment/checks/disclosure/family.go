// Package disclosure holds the checks of how security researchers can reach the owner.
package disclosure

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const reference = "https://developers.cloudflare.com/security-center/infrastructure/security-file/"

// file is an example edit of the security contact file.
func file(change func(*snapshot.SecurityTxt)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.ZoneSecurityTxt, goodtest.Zone, change) }
}

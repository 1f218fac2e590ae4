// Package developer holds the checks of the developer platform: scripts, sites
// and the public address of buckets.
package developer

import "github.com/edgeposture/edgeposture/internal/assessment/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{
		plainSecret(),
		developmentAddress(),
		aroundZone(),
		scriptLogs(),
		dangling(),
		pagesSecret(),
		previews(),
		failClosed(),
	}
}

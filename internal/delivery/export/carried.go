package export

import (
	"cmp"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// carriedText describes what an incremental run carried forward from earlier ones.
func carriedText(c posture.Carried) string {
	if c.Sections == 0 || c.Oldest == nil {
		return "everything was read: " + cmp.Or(c.Reason, "all of it may have changed")
	}
	return strconv.Itoa(c.Sections) + " of " + strconv.Itoa(c.Of) + " reads carried forward from earlier runs, the oldest of " +
		c.Oldest.UTC().Format("2006-01-02 15:04 UTC")
}

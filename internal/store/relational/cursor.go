package relational

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// The lists that have cursors; a cursor is only valid for the list that issued it.
const (
	listJobs        = "j"
	listAssessments = "a"
	listFindings    = "f"
	listDeliveries  = "d"
	listBundles     = "b"
	listSchedules   = "s"
	listAudit       = "l"
	listLatest      = "n"
	listExceptions  = "e"
	listGroups      = "g"
)

// maxCursor is far above the longest cursor this package makes.
const maxCursor = 512

// sortKey is the sort key of the last row of a page: an instant or a sequence number, and the id that
// tells rows of the same instant apart.
type sortKey struct {
	at int64
	id string
}

// encodeCursor makes the opaque form of a sort key.
func encodeCursor(list string, p sortKey) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s.%d.%s", list, p.at, p.id))
}

// decodeCursor reads a cursor; "" means the start, with ok false. A cursor that encodeCursor cannot
// have made gives a problem for the caller.
func decodeCursor(list, cursor string) (p sortKey, ok bool, err error) {
	if cursor == "" {
		return sortKey{}, false, nil
	}
	refuse := func() (sortKey, bool, error) {
		return sortKey{}, false, posture.Invalid("query.cursor",
			"The cursor is not one that this list gave; leave it out to start from the beginning.", shorten(cursor))
	}
	if len(cursor) > maxCursor {
		return refuse()
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return refuse()
	}
	parts := strings.SplitN(string(raw), ".", 3)
	if len(parts) != 3 {
		return refuse()
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return refuse()
	}
	p = sortKey{at: at, id: parts[2]}
	// Each sort key has exactly one cursor; those of other lists, and variants with "+1", "01" or line
	// breaks, are refused.
	if encodeCursor(list, p) != cursor || clean(p.id) != p.id {
		return refuse()
	}
	return p, true, nil
}

// shorten bounds an error text that repeats a bad value.
func shorten(s string) string {
	if len(s) <= 64 {
		return s
	}
	return strings.ToValidUTF8(s[:64], "") + "…"
}

package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest Retry-After that is honored.
const longestWait = 24 * time.Hour

// RetryAfter parses the Retry-After header: seconds, or a date in one of the three HTTP formats,
// relative to now. A past date is 0, and more than a day is a day. It returns false for an invalid
// value. Source: RFC 9110, sections 10.2.3 and 5.6.7.
func RetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.Trim(value, " \t")
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(longestWait/time.Second) { // an overflow is a long time too
			return longestWait, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longestWait), true
}

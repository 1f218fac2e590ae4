package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest wish to wait that is believed.
const longestWait = 24 * time.Hour

// RetryAfter reads the header of that name: seconds, or a date in one of the
// three forms of HTTP, against now. A date that has passed and 0 are 0; more than
// a day is a day. It reports whether the value had a meaning.
// Source: RFC 9110, sections 10.2.3 and 5.6.7.
func RetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.Trim(value, " \t")
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(longestWait/time.Second) { // too many digits is a long time too
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

package siem

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/secret"
)

// longestReason is how many characters of a reason are kept.
const longestReason = 300

// longestRetryAfter caps what a receiver asks for: an absurd value must not put
// a delivery off for ever.
const longestRetryAfter = 24 * time.Hour

// reasonOf gives the first line of a text, at most longestReason characters and
// without control characters.
func reasonOf(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	r := room{runes: longestReason}
	return strings.TrimSpace(r.text(text))
}

// scrub takes secrets out of a text, whole wherever they stand.
func scrub(text string, secrets ...secret.Text) string {
	for _, s := range secrets {
		if !s.IsZero() {
			text = strings.ReplaceAll(text, s.Reveal(), s.String())
		}
	}
	return text
}

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds or a date.
// What is neither, or in the past, is 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(longestRetryAfter/time.Second) {
			return longestRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestRetryAfter)
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

package siem

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// longestReason is how many characters of a reason are kept.
const longestReason = 300

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

// retryAfter is how long a receiver asks to be left alone; 0 when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait, _ := outbound.RetryAfter(h.Get("Retry-After"), now)
	return wait
}

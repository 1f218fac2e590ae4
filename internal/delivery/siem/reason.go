package siem

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// longestReason is the largest number of characters of a reason.
const longestReason = 300

// reasonOf returns the first line of a text, without control characters and at most longestReason
// characters long.
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

// scrub replaces secrets in a text by their redacted form.
func scrub(text string, secrets ...secret.Text) string {
	for _, s := range secrets {
		if !s.IsZero() {
			text = strings.ReplaceAll(text, s.Reveal(), s.String())
		}
	}
	return text
}

// retryAfter is the wait that a receiver asks for; 0 when it asks for none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait, _ := outbound.RetryAfter(h.Get("Retry-After"), now)
	return wait
}

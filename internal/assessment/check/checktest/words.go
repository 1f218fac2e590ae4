package checktest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// words tests the texts of a check against docs/style.md, as far as a test can.
func words(t *testing.T, c check.Check) {
	sentence(t, "why", c.Why, 8, 60)
	sentence(t, "fix", c.Fix, 6, 60)
	require.NotRegexp(t, `^(The|This|That|There|It|A|An|You) `, c.Fix, "a fix begins with what to do")
	saysAll(t, "the check", c.Words)
	if c.Remedy != nil {
		sentence(t, "caution", c.Remedy.Caution, 2, 45)
		require.NotRegexp(t, forImplementer, c.Remedy.Caution, "a caution speaks to whoever approves the change")
	}
}

// forImplementer finds what only matters to whoever writes a remedy: verbs and members of the API,
// and what the code does about it.
var forImplementer = regexp.MustCompile(`\b(PUT|PATCH|POST|DELETE|[Aa]ppend|[Rr]e-read|[Rr]efuse (when|unless)|operator)\b` +
	`|\b[a-z]+_[a-z_]+\b`)

// saysAll tests the texts that a reader sees for one finding.
func saysAll(t *testing.T, where string, w posture.Words) {
	require.NotEmpty(t, w.Problem, "%s: problem", where)
	require.LessOrEqual(t, len(strings.Fields(w.Problem)), 12, "%s: the title %q has more than twelve words", where, w.Problem)
	require.NotRegexp(t, `[.!]$`, w.Problem, "%s: a title is no sentence", where)
	require.Regexp(t, `^[A-Z0-9"{]`, w.Problem, "%s", where)
	require.Regexp(t, `\{(name|zone)\}|account`, w.Problem, "%s: the title %q names no resource", where, w.Problem)
	plain(t, where+": problem", w.Problem)
	sentence(t, where+": impact", w.Impact, 8, 60)
	sentence(t, where+": breaks", w.Breaks, 4, 60)
	sentence(t, where+": dashboard", w.Dashboard, 4, 70)
	require.Contains(t, w.Dashboard, " › ", "%s: the way through the dashboard", where)
	if c := w.Call; c != (posture.Call{}) {
		require.Contains(t, []string{"POST", "PUT", "PATCH", "DELETE"}, c.Method, where)
		require.Regexp(t, `^/(accounts/(\{account_id\}|[0-9a-f]{32})|zones/\{zone_id\}|user|zones$)`, c.Path, where)
		for line := range strings.Lines(c.Choose) {
			require.Regexp(t, `^[A-Z][A-Z0-9_]*: .+ \(such as .+\)\n?$`, line, "%s: what a person chooses", where)
		}
	}
	if w.Terraform != "" {
		terraform(t, where, w)
	}
}

// sentence tests that a text consists of whole sentences and has the given number of words.
func sentence(t *testing.T, what, text string, least, most int) {
	n := len(strings.Fields(text))
	require.True(t, n >= least && n <= most, "%s: %q has %d words, wanted are %d to %d", what, text, n, least, most)
	require.Regexp(t, `[.?]$`, text, what)
	require.Regexp(t, `^([A-Z0-9"{]|\S*[@.]\S)`, text, what)
	plain(t, what, text)
}

// plain tests that a text has no word that docs/style.md forbids.
func plain(t *testing.T, what, text string) {
	t.Helper()
	require.Empty(t, Unreadable(text), "%s: %q", what, text)
	require.NotContains(t, text, " > ", "%s: say ›", what)
}

// unreadable lists the forbidden words and their replacements.
var unreadable = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bthe provider\b`), "Cloudflare"},
	{regexp.MustCompile(`(?i)\bthe edge network\b`), "Cloudflare"},
	{regexp.MustCompile(`\bcloudflare\b[^./_]`), "Cloudflare"},
	{regexp.MustCompile(`\d+h\d+m\d+s|\d+h0m`), "a duration for people"},
	{regexp.MustCompile(`(?:^|[^.\w/])1 ([a-z]+s\b|[a-z]+ [a-z]+s (are|were|have)\b)`), "one thing in the singular"},
	{regexp.MustCompile(`\w\(s\)`), "the right number"},
	{regexp.MustCompile(`\bGithub\b|\bJavascript\b`), "the brand's own spelling"},
	{regexp.MustCompile(`(?i)\bplease\b`), "nothing"},
	{regexp.MustCompile(`(?i)\b(somebody on the way|whoever sits on the way|nobody knows|is others now)\b`), "plain English"},
	{regexp.MustCompile(`(?i)\b(utilize|leverage|in order to|simply|just|easily)\b`), "a plain word"},
	{regexp.MustCompile(`(?:^|[.:;] )[Ii]t\.`), "what it is"},
}

// Unreadable returns the first word in a text that docs/style.md forbids with its replacement, or
// "" when there is none.
func Unreadable(text string) string {
	for _, bad := range unreadable {
		if found := bad.pattern.FindString(text); found != "" {
			return fmt.Sprintf("%q: say %s", found, bad.instead)
		}
	}
	return ""
}

package export

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// product is our name in other systems.
const product = "Edgeposture"

// demoNotice is in every export of the built-in demo, so that no reader takes it for a statement about
// their own account.
const demoNotice = "Simulated account: this assessment shows the built-in demo. No real account was read."

// notices are what every reader must know first: that no real account was read, or that the run was
// narrowed.
func notices(a posture.AssessmentSummary) []string {
	var out []string
	if a.Demo {
		out = append(out, demoNotice)
	}
	if words := a.Scope.Words(); words != "" {
		out = append(out, words)
	}
	return out
}

// zonesUnread reports whether a run with gaps has no zone, so that nobody knows whether the account has
// any.
func zonesUnread(a posture.AssessmentSummary) bool {
	return len(a.Zones) == 0 && a.Coverage.Unknown > 0
}

// zoneCount returns how many zones were read.
func zoneCount(a posture.AssessmentSummary) string {
	if zonesUnread(a) {
		return "none was read"
	}
	return strconv.Itoa(len(a.Zones))
}

// demoPrefix marks single messages of the demo where a reader may see nothing else.
const demoPrefix = "Simulated account. "

// worded adds the demo prefix to a message where it applies.
func worded(d Document, message string) string {
	if d.Assessment.Demo {
		return demoPrefix + message
	}
	return message
}

// framework is a set of controls with the names that other systems see.
type framework struct {
	key   string // short, for tags
	title string // with its version
	ids   []string
}

// frameworks lists the control sets of a finding in the order of its fields.
func frameworks(c posture.Controls) []framework {
	return []framework{
		{"cis", "CIS Controls v8.1", c.CIS},
		{"soc2", "SOC 2", c.SOC2},
		{"pci", "PCI DSS 4.0.1", c.PCI},
		{"nist", "NIST CSF 2.0", c.NIST},
	}
}

// cut shortens a text to at most limit runes, including the ellipsis, and never inside a rune. Formats
// count their limits in characters.
func cut(s string, limit int) string {
	if most := (limit + 1) * utf8.UTFMax; len(s) > most {
		s = s[:most] // enough to see that it is too long, and bounds the work
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	runes, end := 0, 0
	for at := range s {
		if runes == limit-1 {
			end = at
		}
		runes++
	}
	if runes <= limit {
		return s
	}
	return s[:end] + "…"
}

// orElse returns the first text that is not blank.
func orElse(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// joined is one text of the texts of a list.
func joined[T any](list []T, separator string, text func(T) string) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = text(one)
	}
	return strings.Join(texts, separator)
}

// seenAt returns a time of a finding in UTC; the run's completion time if it is not set.
func seenAt(d Document, t time.Time) time.Time {
	if t.IsZero() {
		t = d.Assessment.CompletedAt
	}
	return t.UTC()
}

// stamp formats a time as RFC 3339 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// recurrent reports whether an earlier run has seen the finding too.
func recurrent(f posture.Finding) bool { return f.FirstSeen.Before(f.LastSeen) }

// shownSeverity is the severity of the finding as an event: a pass is informational, however severe a
// failure would have been.
func shownSeverity(f posture.Finding) posture.Severity {
	if f.Result.Passes() {
		return posture.Informational
	}
	return f.Severity
}

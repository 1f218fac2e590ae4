package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// writeJUnit writes the XML from which CI systems read test results: a test case is a check of a
// resource. FAIL and WARNING are failures. Findings that could not be judged are skipped with their
// reason, and so are accepted risks: neither has passed. The schema of Jenkins (xunit-plugin, junit-10.xsd), which refuses a file
// for an attribute it does not know, has skipped in a suite alone.
func writeJUnit(w io.Writer, d Document) error {
	s, a := newSink(w), d.Assessment
	results := []posture.Result{posture.Fail, posture.Warning, posture.Unknown, posture.Pass}
	tests, failures, skipped := 0, 0, 0
	s.each(d, results, func(f posture.Finding) {
		tests++
		switch junitOutcome(f) {
		case "failure":
			failures++
		case "skipped":
			skipped++
		}
	})
	counts := fmt.Sprintf(` tests="%d" failures="%d" errors="0" time="%.3f"`, tests, failures, a.CompletedAt.Sub(a.StartedAt).Seconds())
	s.text(xml.Header, `<testsuites name="`, product, `"`, counts, ">\n",
		`<testsuite name="`, xmlText(orElse(a.Account.Name, a.Account.ID)), `"`,
		counts, fmt.Sprintf(` skipped="%d" timestamp="`, skipped), a.StartedAt.UTC().Format("2006-01-02T15:04:05"), `">`, "\n")
	if all := notices(a); len(all) > 0 {
		s.text(`<properties><property name="notice" value="`, xmlText(strings.Join(all, " ")), `"/></properties>`, "\n")
	}
	s.each(d, results, func(f posture.Finding) {
		s.text(`<testcase classname="`, xmlText(f.CheckID), `" name="`, xmlText(junitName(f)), `"`)
		switch junitOutcome(f) {
		case "failure":
			s.text(`><failure type="`, string(f.Severity), `" message="`, xmlText(worded(d, f.Title)), `">`, xmlText(junitBody(f)),
				"</failure></testcase>\n")
		case "skipped":
			s.text(`><skipped message="`, xmlText(junitSkip(f)), `"/></testcase>`, "\n")
		default:
			s.text("/>\n")
		}
	})
	s.text("</testsuite>\n</testsuites>\n")
	return s.done("JUnit")
}

// junitName names a test case. GitLab counts cases of one class and name once, and names of records and
// rules repeat: a part of the finding's id tells them apart, the same in each run.
func junitName(f posture.Finding) string {
	name := f.CheckTitle + ": " + orElse(f.Resource.Name, f.Resource.ID)
	if f.Resource.Type == posture.ResourceZone || f.Resource.Type == posture.ResourceAccount {
		return name
	}
	return name + " [" + f.ID[:min(8, len(f.ID))] + "]"
}

func junitOutcome(f posture.Finding) string {
	switch {
	case f.Result == posture.Pass:
		return "pass"
	case f.Result == posture.Unknown || f.Exception != nil:
		return "skipped"
	default:
		return "failure"
	}
}

func junitSkip(f posture.Finding) string {
	if f.Result == posture.Unknown {
		return "Could not be judged: " + orElse(f.Reason, f.Message)
	}
	return "The risk is accepted: " + f.Accepted() + ". " + f.Title
}

func junitBody(f posture.Finding) string {
	lines := []string{f.Message, f.Impact, "Fix: " + f.Fix}
	if t := f.Step(posture.InDashboard).Text; t != "" {
		lines = append(lines, "In the dashboard: "+t)
	}
	return strings.Join(lines, "\n")
}

// xmlText escapes a text for an element or an attribute; characters that XML cannot represent become
// U+FFFD.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder cannot fail
	return b.String()
}

// Package notify turns an assessment into messages for people and machines: a Block Kit message
// (Slack), an Adaptive Card (Teams) and a signed JSON document (webhook), and sends them. Making a
// message is pure: the same summary gives the same bytes. Sending makes one attempt; the caller, which
// keeps the delivery, decides when and how often to retry.
package notify

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const (
	defaultTop = 5
	maxTop     = 10
	maxLink    = 2000 // bytes; a button in Slack accepts 3,000
)

// Input is what a summary is made from. Findings yields at least every FAIL and WARNING finding of the
// assessment, in any order; others are ignored. Drift is nil when there is no earlier assessment.
type Input struct {
	Assessment posture.AssessmentSummary
	Findings   iter.Seq2[posture.Finding, error]
	Paths      []posture.AttackPath
	Drift      *drift.Drift
	Link       string // the dashboard; see ParseLink
	Top        int    // number of findings, paths and changes to list: 1 to 10, 0 means 5
}

// Summary is the content of a message about an assessment. Open findings are FAIL or WARNING, not
// resolved, and not accepted risks; those are only counted.
type Summary struct {
	Assessment posture.AssessmentSummary
	Open       map[posture.Severity]int
	Accepted   int
	Findings   []posture.Finding    // the worst open ones, worst first
	Paths      []posture.AttackPath // the worst ones, worst first
	PathCount  int
	Since      *Since // nil when there is no earlier assessment
	Link       string
}

// New makes a summary. It reads every finding once and keeps the worst. An error of the findings, a
// number of FAIL and WARNING findings other than the assessment counts, the drift of another assessment
// and an invalid link are errors: a message about a part would read as one about the whole.
func New(in Input) (Summary, error) {
	if in.Findings == nil {
		return Summary{}, errors.New("summarise an assessment: there are no findings to read")
	}
	link, err := ParseLink(in.Link)
	if err != nil {
		return Summary{}, err
	}
	top := min(in.Top, maxTop)
	if top <= 0 {
		top = defaultTop
	}
	s := Summary{Assessment: in.Assessment, Open: map[posture.Severity]int{}, Link: link}
	seen, worst := 0, newWorst(top, compareFindings)
	for f, err := range in.Findings {
		if err != nil {
			return Summary{}, fmt.Errorf("read the findings of the assessment to summarise: %w", err)
		}
		if f.Result != posture.Fail && f.Result != posture.Warning {
			continue
		}
		seen++
		switch {
		case f.Status == posture.StatusResolved:
		case f.Exception != nil:
			s.Accepted++
		default:
			s.Open[f.Severity]++
			worst.add(f)
		}
	}
	if counted := in.Assessment.Summary.Fail + in.Assessment.Summary.Warning; seen != counted {
		return Summary{}, fmt.Errorf("summarise an assessment: it counts %d FAIL and WARNING findings, but %d were given", counted, seen)
	}
	s.Findings = worst.rows
	paths := newWorst(top, comparePaths)
	for _, p := range in.Paths {
		paths.add(p)
	}
	s.Paths, s.PathCount = paths.rows, max(in.Assessment.AttackPaths, len(in.Paths))
	s.Since, err = since(in.Drift, in.Assessment.ID, top)
	return s, err
}

// openTotal counts the open findings.
func (s Summary) openTotal() int {
	n := 0
	for _, v := range posture.Severities() {
		n += s.Open[v]
	}
	return n
}

// gaps reports whether something could not be read or judged.
func (s Summary) gaps() bool {
	a := s.Assessment
	return a.Status == posture.CompletedWithGaps || a.Summary.Unknown > 0 || a.Coverage.Unknown > 0 || len(a.Coverage.MissingPermissions) > 0
}

// ParseThreshold parses the lowest severity worth a message. An empty text means no threshold; info is
// accepted for informational. The error names the choices.
func ParseThreshold(s string) (posture.Severity, error) {
	if s == "" {
		return "", nil
	}
	return posture.ParseSeverity(s)
}

// Threshold reports whether a message is due: whether the worst severity among the open FAIL and
// WARNING findings is at or above the threshold. Without a threshold ("") one is always due; with one,
// an assessment without open findings needs none. A word that ParseThreshold would refuse counts as
// informational: better one message too many than none.
func Threshold(s Summary, threshold posture.Severity) bool {
	if threshold == "" {
		return true
	}
	for _, v := range posture.Severities() {
		if s.Open[v] > 0 {
			return v.Rank() >= threshold.Rank()
		}
	}
	return false
}

// ParseLink validates the address that messages link to and returns its normal form. It must be an http
// or https URL with a host, without a user, of at most 2,000 bytes; "" is no link. The error is a
// *posture.Problem that does not repeat it.
func ParseLink(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	const wanted = "The link of a message must be an http or https address of at most 2,000 bytes without a user name; give the address of " +
		"the dashboard."
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(s, unprintable) {
		return "", posture.Invalid("body.link", wanted, nil)
	}
	out := u.String()
	if len(out) > maxLink {
		return "", posture.Invalid("body.link", wanted, nil)
	}
	return out, nil
}

func unprintable(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }

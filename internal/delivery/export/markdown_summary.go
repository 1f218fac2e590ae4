package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// MarkdownSummaryBytes is the largest size of a summary: GitHub accepts 65,536 characters in a comment.
const MarkdownSummaryBytes = 60_000

// The shares of a summary in bytes. The rest is for its head, which is bounded by the length of its
// texts, and for the list of what was left out.
const (
	summaryPermissions = 4_000
	summaryChecks      = 36_000
	summaryPaths       = 10_000
)

// checkGroup is a check with its open findings.
type checkGroup struct {
	id, title, fix string
	severity       posture.Severity
	open           int
	names          []string // the first few
}

// groupNames is how many resources of a check are named.
const groupNames = 3

// summaryCounts is the result of one pass over the findings.
type summaryCounts struct {
	groups             map[string]*checkGroup
	bySeverity         map[posture.Severity]int // open ones
	open, accepted     int
	unknown, unknownBy int // findings, checks
	issues             issue.Sum
}

func countSummary(s *sink, d Document) summaryCounts {
	c := summaryCounts{groups: map[string]*checkGroup{}, bySeverity: map[posture.Severity]int{}}
	unknown := map[string]bool{}
	s.each(d, detailed(), func(f posture.Finding) {
		c.issues.Add(d.Assessment.Account.ID, f)
		switch {
		case f.Exception != nil:
			c.accepted++
			return
		case f.Result == posture.Unknown:
			c.unknown++
			unknown[f.CheckID] = true
			return
		}
		g := c.groups[f.CheckID]
		if g == nil {
			g = &checkGroup{id: f.CheckID, title: orElse(f.CheckTitle, f.Title, f.CheckID), fix: f.Fix, severity: f.Severity}
			c.groups[f.CheckID] = g
		}
		c.open++
		c.bySeverity[f.Severity]++
		if g.open++; f.Severity.Rank() > g.severity.Rank() {
			g.severity = f.Severity
		}
		if name := orElse(f.Resource.Name, f.Resource.ID); len(g.names) < groupNames && name != "" && !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
	})
	c.unknownBy = len(unknown)
	return c
}

// ranked returns the groups in the order of their issues.
func (c *summaryCounts) ranked() (out []*checkGroup) {
	for _, one := range c.issues.Issues() {
		if g := c.groups[one.CheckID]; g != nil {
			out = append(out, g)
		}
	}
	return out
}

func (g checkGroup) row() string {
	text := joined(g.names, ", ", func(name string) string { return code(cut(name, 80)) })
	if more := g.open - len(g.names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return row(prose(string(g.severity)), strconv.Itoa(g.open), prose(cut(g.id, 60))+" "+prose(cut(g.title, 160)), text,
		prose(cut(g.fix, 240)))
}

// writeMarkdownSummary writes what fits into the summary of a pipeline or a comment on a pull request:
// checks with their number of open findings, not the findings themselves. It says what it leaves out,
// and how much.
func writeMarkdownSummary(w io.Writer, d Document) error {
	s := newSink(w)
	c := countSummary(s, d)
	var left []string
	leave := func(n int, one, what string) {
		if n > 0 {
			left = append(left, "- "+english.Plural(n, one, "")+what+"\n")
		}
	}
	summaryHead(s, d, c)
	var rows []string
	for _, m := range d.Assessment.Coverage.MissingPermissions {
		rows = append(rows, row(prose(cut(m.Permission, 120)), strconv.Itoa(len(m.CheckIDs))))
	}
	if len(rows) > 0 {
		s.text("\nThe token lacks permissions; what they would show is unknown.\n", table("Permission", "Checks that could not judge"))
		leave(len(rows)-s.within(rows, summaryPermissions), "permission", " the token lacks")
	}
	rows = nil
	groups := c.ranked()
	for _, g := range groups {
		rows = append(rows, g.row())
	}
	s.text("\n## What is open\n")
	if len(rows) == 0 {
		s.text("\n", c.nothing(), "\n")
	} else {
		s.text(table("Severity", "Open", "Check", "Where", "Fix"))
		shown := s.within(rows, summaryChecks)
		findings := 0
		for _, g := range groups[shown:] {
			findings += g.open
		}
		leave(len(rows)-shown, "check", " with "+english.Plural(findings, "open finding", ""))
	}
	leave(c.open, "open finding", ", with the evidence")
	leave(c.unknown, "finding", " of "+english.Plural(c.unknownBy, "check", "")+" that could not judge (UNKNOWN)")
	leave(c.accepted, "finding", " whose risk is accepted")
	rows = nil
	var lesser []string
	s.eachPath(d, func(p posture.AttackPath) {
		line := fmt.Sprintf("- **%s:** %s\n", prose(string(p.Severity)), prose(cut(p.Title, 240)))
		if p.Severity == posture.Critical {
			rows = append(rows, line)
		} else {
			lesser = append(lesser, line)
		}
	})
	rows = append(rows, lesser...) // paths are critical or high
	if len(rows) > 0 {
		s.text("\n## Attack paths\n\n")
		leave(len(rows)-s.within(rows, summaryPaths), "attack path", " by name")
		leave(len(rows), "attack path", " step by step, with the changes that break it")
	}
	if len(left) > 0 {
		s.text("\n## Left out\n\nThis is a summary. The whole (`edgeposture export --format markdown --full`) also has:\n\n")
		s.text(left...)
	}
	return s.done("Markdown")
}

// nothing says that no finding is open.
func (c *summaryCounts) nothing() string {
	switch {
	case c.accepted > 0:
		return "Nothing but accepted risks."
	case c.unknown > 0:
		return "Nothing that could be judged."
	default:
		return "Nothing."
	}
}

// within writes as many of the parts as fit into room bytes and returns their number.
func (s *sink) within(parts []string, room int) (written int) {
	for _, p := range parts {
		if room -= len(p); room < 0 {
			break
		}
		s.text(p)
		written++
	}
	return written
}

func summaryHead(s *sink, d Document, c summaryCounts) {
	a := d.Assessment
	s.text("# Security posture of ", orElse(code(cut(a.Account.Name, 200)), code(a.Account.ID), "an account without a name"), "\n")
	for _, notice := range notices(a) {
		s.text("\n> **", prose(notice), "**\n")
	}
	grade := prose(cmp.Or(a.Score.Letter(), "none"))
	if n := a.Score.Note(); n != "" {
		grade += ": " + prose(cut(n, 400))
	}
	open := joined(posture.Severities(), ", ", func(v posture.Severity) string { return fmt.Sprintf("%d %s", c.bySeverity[v], v) })
	if c.accepted > 0 {
		open += ", and " + english.Plural(c.accepted, "accepted risk", "")
	}
	s.text(table("Item", "Value"),
		row("Score", strconv.Itoa(a.Score.Value)+" of 100"), row("Grade", grade),
		row("Open", open),
		row("Results", fmt.Sprintf("%d FAIL, %d WARNING, %d UNKNOWN, %d PASS", a.Summary.Fail, a.Summary.Warning, a.Summary.Unknown,
			a.Summary.Pass)),
		row("Coverage", fmt.Sprintf("%.1f %%", a.Coverage.Percent)),
		row("Zones", zoneCount(a)), row("Attack paths", strconv.Itoa(a.AttackPaths)),
		row("Completed", a.CompletedAt.UTC().Format("2006-01-02 15:04 UTC")+", "+prose(strings.ReplaceAll(string(a.Status), "_", " "))),
		row("Assessment", code(a.ID)))
	if a.Carried != nil {
		s.text(row("Incremental", prose(carriedText(*a.Carried))))
	}
	if a.Note != "" {
		s.text(row("Note", prose(cut(a.Note, 400))))
	}
}

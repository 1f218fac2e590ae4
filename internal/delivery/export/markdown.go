package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// markdownBudget is how many bytes of findings the Markdown writer may hold to group them by category.
// Categories that do not fit together are written in further passes over the findings; one that does
// not fit by itself is written as it is read.
const markdownBudget = 16 << 20

// writeMarkdown writes a report for people in GitHub-flavoured Markdown.
func writeMarkdown(w io.Writer, d Document) error {
	if d.Summary {
		return writeMarkdownSummary(w, d)
	}
	return writeMarkdownWithin(w, d, markdownBudget)
}

func writeMarkdownWithin(w io.Writer, d Document, budget int) error {
	s := newSink(w)
	markdownHead(s, d)
	markdownPaths(s, d)
	all := sections(s, d)
	markdownCounts(s, all)
	for _, batch := range batches(all, budget) {
		markdownBatch(s, d, batch)
	}
	return s.done("Markdown")
}

// row writes one line of a table. Cells are escaped by the caller.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// table starts a table; a blank line separates it from what precedes it.
func table(names ...string) string {
	return "\n" + row(names...) + strings.Repeat("| --- ", len(names)) + "|\n"
}

func markdownHead(s *sink, d Document) {
	a := d.Assessment
	s.text("# Security posture of ", orElse(code(a.Account.Name), code(a.Account.ID), "an account without a name"), "\n")
	for _, notice := range notices(a) {
		s.text("\n> **", prose(notice), "**\n")
	}
	grade := prose(cmp.Or(a.Score.Letter(), "none"))
	if n := a.Score.Note(); n != "" {
		grade += ": " + prose(n)
	}
	s.text("\n## Summary\n", table("Item", "Value"),
		row("Account", code(a.Account.ID)),
		row("Assessment", code(a.ID)),
		row("Status", prose(strings.ReplaceAll(string(a.Status), "_", " "))),
		row("Started", a.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC")),
		row("Completed", a.CompletedAt.UTC().Format("2006-01-02 15:04:05 UTC")),
		row("Profile", prose(string(a.Profile))),
		row("Sensitivity", prose(string(a.Sensitivity))),
		row("Zones", zoneCount(a)),
		row("Catalogue", code(a.CatalogueVersion)),
		row("Snapshot", code(a.SnapshotDigest)),
		row("Score", strconv.Itoa(a.Score.Value)+" of 100"),
		row("Grade", grade),
		row("Coverage", fmt.Sprintf("%.1f %%: %d judged, %d unknown", a.Coverage.Percent, a.Coverage.Evaluated, a.Coverage.Unknown)),
		row("Attack paths", strconv.Itoa(d.Assessment.AttackPaths)))
	if a.Carried != nil {
		s.text(row("Incremental", prose(carriedText(*a.Carried))))
	}
	if a.Note != "" {
		s.text(row("Note", prose(a.Note)))
	}
	s.text(table("Result", "Findings"), row("FAIL", strconv.Itoa(a.Summary.Fail)), row("WARNING", strconv.Itoa(a.Summary.Warning)),
		row("UNKNOWN", strconv.Itoa(a.Summary.Unknown)), row("PASS", strconv.Itoa(a.Summary.Pass)),
		row("NOT\\_APPLICABLE", strconv.Itoa(a.Summary.NotApplicable)))
	s.text(table("Severity", "FAIL and WARNING"))
	for _, v := range posture.Severities() {
		s.text(row(string(v), strconv.Itoa(a.Summary.BySeverity[v])))
	}
	if missing := a.Coverage.MissingPermissions; len(missing) > 0 {
		s.text("\nThe token lacks permissions; what they would show is unknown.\n", table("Permission", "Checks that could not judge"))
		for _, m := range missing {
			s.text(row(prose(m.Permission), codes(m.CheckIDs)))
		}
	}
}

// codes lists texts as code spans.
func codes(texts []string) string { return joined(texts, ", ", code) }

func markdownPaths(s *sink, d Document) {
	s.text("\n## Attack paths\n")
	nodes := s.nodes(d)
	n := 0
	s.eachPath(d, func(p posture.AttackPath) {
		n++
		s.text("\n### ", strconv.Itoa(n), ". ", prose(string(p.Severity)), ": ", prose(p.Title), "\n\n")
		way := joined(p.Nodes, " → ", func(id string) string { return orElse(code(nodes[id].Label), code(id)) })
		s.text("- **Way:** ", way, "\n", item("Explanation", prose(p.Explanation)), item("Severity",
			prose(p.SeverityReason)),
			item("Checks", codes(p.RelatedCheckIDs)), item("Path", code(p.ID)))
		if len(p.Breaks) > 0 {
			s.text("- **Each of these changes breaks it:**\n")
		}
		for _, b := range p.Breaks {
			s.text("  - **Change:** ", prose(b.Change), " (", orElse(codes(b.CheckIDs), code(b.NodeID)), ")\n")
		}
	})
	if n == 0 {
		s.text("\nNone was found in what could be read.\n")
	}
}

// item is one line of a list, omitted when the value is empty.
func item(name, escapedValue string) string {
	if escapedValue == "" {
		return ""
	}
	return "- **" + name + ":** " + escapedValue + "\n"
}

// markdownCounts writes how many findings each category has, including PASS.
func markdownCounts(s *sink, all []section) {
	s.text("\n## Findings\n")
	if len(all) == 0 {
		s.text("\nThere are none: nothing was judged.\n")
		return
	}
	s.text(table("Category", "FAIL", "WARNING", "UNKNOWN", "PASS", "NOT\\_APPLICABLE"))
	for _, c := range all {
		cells := []string{prose(string(c.category))}
		for _, r := range posture.Results() {
			cells = append(cells, strconv.Itoa(c.counts[r]))
		}
		s.text(row(cells...))
	}
}

// section is one category of the report.
type section struct {
	category posture.Category
	counts   map[posture.Result]int
	weight   int // the approximate size of its detailed findings in bytes
}

// detailed lists the results that a report shows in full; others are only counted.
func detailed() []posture.Result {
	return []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
}

// sections counts the findings by category in one pass; categories are sorted by name.
func sections(s *sink, d Document) []section {
	at := map[posture.Category]*section{}
	s.each(d, nil, func(f posture.Finding) {
		c := at[f.Category]
		if c == nil {
			c = &section{category: f.Category, counts: map[posture.Result]int{}}
			at[f.Category] = c
		}
		c.counts[f.Result]++
		if slices.Contains(detailed(), f.Result) {
			c.weight += weight(f)
		}
	})
	out := make([]section, 0, len(at))
	for _, c := range at {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b section) int { return strings.Compare(string(a.category), string(b.category)) })
	return out
}

// batches groups adjacent categories with detailed findings as long as they fit the budget.
func batches(all []section, budget int) [][]section {
	var out [][]section
	held := 0
	for _, c := range all {
		if c.weight == 0 {
			continue
		}
		if len(out) == 0 || held+c.weight > budget {
			out, held = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], c)
		held += c.weight
	}
	return out
}

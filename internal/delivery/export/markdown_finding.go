package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// markdownBatch writes the findings of some categories in one pass. A single category is written as it
// is read; for several, the text is held until the end.
func markdownBatch(s *sink, d Document, batch []section) {
	held := make(map[posture.Category][]string, len(batch))
	for _, c := range batch {
		held[c.category] = []string{}
	}
	if len(batch) == 1 {
		s.text(sectionHead(batch[0]))
	}
	s.each(d, detailed(), func(f posture.Finding) {
		parts, wanted := held[f.Category]
		switch {
		case !wanted:
		case len(batch) == 1:
			s.text(findingMarkdown(f))
		default:
			held[f.Category] = append(parts, findingMarkdown(f))
		}
	})
	if len(batch) == 1 {
		return
	}
	for _, c := range batch {
		s.text(sectionHead(c))
		s.text(held[c.category]...)
	}
}

func sectionHead(c section) string {
	return fmt.Sprintf("\n### %s\n\n%d FAIL, %d WARNING, %d UNKNOWN, %d PASS.\n", orElse(prose(string(c.category)), "no category"),
		c.counts[posture.Fail], c.counts[posture.Warning], c.counts[posture.Unknown], c.counts[posture.Pass])
}

func findingMarkdown(f posture.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n#### %s · %s · %s · %s\n\n", prose(string(f.Result)), prose(string(f.Severity)), prose(f.CheckID), prose(f.Title))
	b.WriteString("- **Resource:** " + prose(strings.ReplaceAll(string(f.Resource.Type), "_", " ")) + " " + orElse(code(f.Resource.Name),
		code(f.Resource.ID)))
	if f.Resource.Zone != "" && f.Resource.Zone != f.Resource.Name {
		b.WriteString(" in zone " + code(f.Resource.Zone))
	}
	b.WriteString("\n" + item("Message", prose(f.Message)) + item("Reason", prose(f.Reason)) + item("Missing permission", prose(f.Permission)))
	if f.Risk > 0 {
		fmt.Fprintf(&b, "- **Risk:** %.1f of 10\n", f.Risk)
	}
	if len(f.Evidence) > 0 {
		b.WriteString(table("Source", "Pointer", "Observed", "Expected"))
		for _, e := range f.Evidence {
			b.WriteString(row(code(e.Source), code(e.Pointer), code(e.Observed), code(e.Expected)))
		}
		b.WriteString("\n")
	}
	b.WriteString(item("Impact", prose(f.Impact)) + item("Why", prose(f.Why)) + item("Fix", prose(f.Fix)))
	for _, s := range f.Steps {
		b.WriteString(item(stepWord(s.Where), prose(s.Text)) + block(s.Code))
	}
	b.WriteString(item("What it may break", prose(f.Breaks)) + item("Controls", controlList(f.Controls)))
	b.WriteString(item("Exception", prose(f.Accepted())) + item("Attack paths", codes(f.AttackPathIDs)))
	if !f.FirstSeen.IsZero() {
		fmt.Fprintf(&b, "- **Seen:** first %s, last %s, %s\n", f.FirstSeen.UTC().Format(time.DateOnly), f.LastSeen.UTC().Format(time.DateOnly),
			prose(string(f.Status)))
	}
	return b.String()
}

// controlList lists the controls by framework, escaped.
func controlList(c posture.Controls) string {
	var parts []string
	for _, f := range frameworks(c) {
		if len(f.ids) > 0 {
			parts = append(parts, f.title+": "+prose(strings.Join(f.ids, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// weight estimates the size of a finding in the report in bytes, from its texts.
func weight(f posture.Finding) int {
	const frame = 400 // headings, names of fields and table lines
	n := frame + len(f.Title) + len(f.Message) + len(f.Impact) + len(f.Breaks) + len(f.Reason) + len(f.Why) + len(f.Fix) +
		len(f.Resource.Name) + len(f.Resource.Zone)
	for _, e := range f.Evidence {
		n += len(e.Source) + len(e.Pointer) + len(e.Observed) + len(e.Expected)
	}
	for _, id := range f.AttackPathIDs {
		n += len(id)
	}
	return n
}

package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// driftRows is how many entries of a list a comment contains; code hosts cut comments at 64 kB.
const driftRows = 50

// WriteDrift writes what changed between two assessments as a comment for a pull request: what could
// not be judged, new and regressed findings, new attack paths, and resolved findings.
func WriteDrift(w io.Writer, d drift.Drift) error {
	s := newSink(w)
	opened := slices.Concat(d.New, d.Regressed)
	slices.SortStableFunc(opened, func(a, b drift.Difference) int { return cmp.Compare(b.Severity.Rank(), a.Severity.Rank()) })
	s.text("### Edgeposture: ", fmt.Sprint(len(d.New)), " new, ", fmt.Sprint(len(d.Regressed)), " regressed, ", fmt.Sprint(len(d.Resolved)),
		" resolved\n\nScore ", fmt.Sprint(d.Current.Score), " of 100 (", d.ScoreChange(), ").")
	if n := len(d.Unknown); n > 0 {
		s.text(" ", english.Plural(n, "finding", ""), " could not be judged this time; they may still be there.")
	}
	s.text("\n")
	driftTable(s, "New or regressed", opened)
	pathList(s, "New attack paths", d.Paths.Appeared, func(p drift.NewPath) string { return pathName(p.AttackPath) + since(p.Reason) })
	driftTable(s, "Resolved", d.Resolved)
	return s.done("drift")
}

func driftTable(s *sink, title string, list []drift.Difference) {
	if len(list) == 0 {
		return
	}
	s.text("\n**", title, "**\n", table("Severity", "Finding", "Check"))
	for _, e := range list[:min(len(list), driftRows)] {
		title := prose(orElse(e.Title, e.Message))
		if e.Exception != "" {
			title += " (risk accepted)"
		}
		if e.Reason != "" {
			title += " " + prose("("+e.Reason+")")
		}
		s.text(row(string(e.Severity), title, code(e.CheckID)))
	}
	more(s, len(list))
}

func pathList[T any](s *sink, title string, paths []T, named func(T) string) {
	if len(paths) == 0 {
		return
	}
	s.text("\n**", title, "**\n\n")
	for _, p := range paths[:min(len(paths), driftRows)] {
		s.text("- ", prose(named(p)), "\n")
	}
	more(s, len(paths))
}

func pathName(p posture.AttackPath) string { return string(p.Severity) + ": " + p.Title }

// since says why something may be older than it looks.
func since(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func more(s *sink, n int) {
	if n > driftRows {
		s.text("\nand ", fmt.Sprint(n-driftRows), " more.\n")
	}
}

package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
)

// History is how an account developed up to an assessment. Nil or empty fields are unknown.
type History struct {
	Points []trend.Point // up to the assessment, oldest first
	Before *drift.Drift  // since the previous run of the whole account
	Week   *drift.Drift  // since about a week ago; also nil when that is the previous run
	Same   bool          // the previous run is the one from last week
}

// HTML is the report for people: one self-contained page without scripts or further requests.
func HTML() Format {
	return Format{
		Name: "html", Title: "HTML", Use: "The report for people: one page, no script, printable.",
		ContentType: "text/html; charset=utf-8", Extension: "html", Summary: true, Report: true,
		Write: func(w io.Writer, d Document) error { return writeReport(w, d, "HTML", paper.WriteHTML) },
	}
}

// PDF is the same report on numbered pages.
func PDF() Format {
	return Format{
		Name: "pdf", Title: "PDF", Use: "The report for people, on pages: summary, issues, compliance, method.",
		ContentType: "application/pdf", Extension: "pdf", Binary: true, Summary: true, Report: true,
		Write: func(w io.Writer, d Document) error {
			return writeReport(w, d, "PDF", func(w io.Writer, p paper.Document) error {
				return paper.WritePDF(w, p, d.Assessment.CompletedAt)
			})
		},
	}
}

// ReportPolicy is the Content-Security-Policy header of a response with the HTML report.
func ReportPolicy() string { return paper.HTMLPolicy() + "; frame-ancestors 'self'" }

func writeReport(w io.Writer, d Document, format string, write func(io.Writer, paper.Document) error) error {
	r, err := read(d)
	if err == nil {
		err = write(w, r.paper())
	}
	if err != nil {
		return fmt.Errorf("write the %s export: %w", format, err)
	}
	return nil
}

// paper builds the report from the reading.
func (r *reading) paper() paper.Document {
	a := r.doc.Assessment
	account := cmp.Or(a.Account.Name, a.Account.ID)
	p := paper.Document{Title: account + ": security posture report",
		Subject: "Assessment " + a.ID + " of " + clock(a.CompletedAt),
		Running: "Edgeposture security posture report of " + account + ", " + clock(a.CompletedAt), Notice: strings.Join(notices(a), " ")}
	p.Blocks = r.summary()
	if r.doc.Summary {
		return p
	}
	p.Blocks = append(p.Blocks, paper.Heading{Level: 2, ID: "contents", Text: "Contents"}, paper.Contents{Entries: r.entries()})
	for _, part := range [][]paper.Block{r.issueList(), r.issueParts(), r.paths(), r.compliance(), r.unread(), r.checks(), r.zones(),
		r.method()} {
		p.Blocks = append(p.Blocks, part...)
	}
	return p
}

func (r *reading) entries() []paper.Entry {
	a := r.doc.Assessment
	out := []paper.Entry{
		{ID: "issues", Text: "Issues", Note: plural(len(r.issues), "check") + " with open findings, in the order of what to do first"},
		{ID: "paths", Text: "Attack paths", Note: "ways from the internet to something that should not be reached"},
	}
	if len(r.doc.Compliance) > 0 {
		out = append(out, paper.Entry{ID: "compliance", Text: "Compliance", Note: plural(len(r.doc.Compliance), "framework")})
	}
	return append(out, paper.Entry{ID: "unread", Text: "What could not be read", Note: plural(a.Summary.Unknown, "finding")},
		paper.Entry{ID: "checks", Text: "Every check with its counts", Note: plural(len(r.doc.Checks), "check")},
		paper.Entry{ID: "zones", Text: "Zones", Note: plural(len(a.Zones), "zone")},
		paper.Entry{ID: "method", Text: "Method and words", Note: "how it was measured, and what the words mean"})
}

// errNoSource is the error of a report without findings to read.
var errNoSource = errors.New("the document has no findings to read, and an empty report would pass for good news")

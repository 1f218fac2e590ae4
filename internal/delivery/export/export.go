// Package export writes an assessment in the formats that other systems read. Each format is one file.
// An exporter streams: it holds one finding at a time, so memory does not grow with their number. Every
// text of an assessment may be of foreign origin (DNS records, names of rules) and is escaped for its
// format.
package export

import (
	"io"
	"iter"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Document is what is exported. Exporters do not modify it.
type Document struct {
	Assessment posture.AssessmentSummary
	Checks     []posture.CheckTally
	// Paths yields the attack paths and can be iterated repeatedly; nil when there are none.
	Paths iter.Seq2[posture.AttackPath, error]
	Graph graph.Source
	// Compliance holds every framework, for the report.
	Compliance []compliance.Report
	// References maps checks to Cloudflare's documentation, for the report.
	References map[string]string
	// History is how the account developed up to this assessment, for the report.
	History History
	// Findings yields the findings with the given results (none means all) in report order: worst
	// first. Each call starts anew; an error ends it.
	Findings func(results ...posture.Result) iter.Seq2[posture.Finding, error]
	// Closed yields what the run closed without a verdict of its own, as passed and resolved; nil when
	// there is nothing.
	Closed iter.Seq2[posture.Finding, error]
	// Version is the version of the service.
	Version string
	// ASFF holds the AWS account and region; only that format reads it.
	ASFF ASFF
	// Summary limits a report to its first pages, or Markdown to at most MarkdownSummaryBytes.
	Summary bool
}

// found yields the findings of some results, and an error when there is nothing to read.
func (d Document) found(results ...posture.Result) iter.Seq2[posture.Finding, error] {
	if d.Findings == nil {
		return func(yield func(posture.Finding, error) bool) { yield(posture.Finding{}, errNoFindings) }
	}
	return d.Findings(results...)
}

// Judged yields the findings that say something about a resource, in report order, and then what was
// closed. A receiver that keeps findings learns of the end of each.
func (d Document) Judged() iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		for f, err := range d.found(posture.Fail, posture.Warning, posture.Unknown, posture.Pass) {
			if !yield(f, err) || err != nil {
				return
			}
		}
		if d.Closed != nil {
			d.Closed(yield)
		}
	}
}

// Only returns the document with only the findings that picked accepts, and what was closed.
func (d Document) Only(picked func(id string) bool) Document {
	all := d.Findings
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for f, err := range all(results...) {
				if (err != nil || picked(f.ID)) && !yield(f, err) {
					return
				}
			}
		}
	}
	return d
}

// Format is one output format.
type Format struct {
	Name        string // as in /api/download/<name>
	Title       string // for people
	Use         string // its purpose, shown in the dashboard
	ContentType string
	Extension   string
	Binary      bool // not text
	Summary     bool // it has a summary form
	// Report marks the report for people: it reads Document.Compliance, References and History, which
	// cost passes over all findings.
	Report bool
	// Write writes the whole document. It may have written a part when it fails.
	Write func(w io.Writer, d Document) error
}

// Formats lists every format in the order in which they are offered.
func Formats() []Format {
	return []Format{
		{Name: "json", Title: "JSON", ContentType: "application/json", Extension: "json", Write: writeJSON,
			Use: "Everything: findings of all results, paths and graph. Reads back without loss."},
		HTML(),
		PDF(),
		{Name: "sarif", Title: "SARIF 2.1.0", ContentType: "application/sarif+json", Extension: "sarif", Write: writeSARIF,
			Use: "Code scanning tools: open findings as results, checks as rules."},
		{Name: "markdown", Title: "Markdown", ContentType: "text/markdown; charset=utf-8", Extension: "md", Summary: true, Write: writeMarkdown,
			Use: "Tickets and wikis: summary, attack paths, findings by category."},
		{Name: "csv", Title: "CSV", ContentType: "text/csv; charset=utf-8; header=present", Extension: "csv", Write: writeCSV,
			Use: "Spreadsheets: one row for each finding of any result."},
		{Name: "asff", Title: "ASFF", ContentType: "application/x-ndjson", Extension: "ndjson", Write: writeASFF,
			Use: "AWS Security Hub: each line is the body of one import."},
		{Name: "ocsf", Title: "OCSF", ContentType: "application/x-ndjson", Extension: "ndjson", Write: writeOCSF,
			Use: "Security data lakes: one event a line, for each compliance finding and each attack path."},
		{Name: "junit", Title: "JUnit", ContentType: "application/xml", Extension: "xml", Write: writeJUnit,
			Use: "Test reports of CI systems: each check of a resource is a test case."},
		{Name: "gitlab", Title: "GitLab SAST", ContentType: "application/json", Extension: "json", Write: writeGitLab,
			Use: "GitLab: open findings on merge requests and in the list of vulnerabilities."},
	}
}

// Texts lists the names of the text formats.
func Texts() (names []string) {
	for _, f := range Formats() {
		if !f.Binary {
			names = append(names, f.Name)
		}
	}
	return names
}

// Names lists the names of the formats in the order in which they are offered.
func Names() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// Package export writes an assessment in the formats other systems read. Each
// format is one file. An exporter streams: it holds one finding at a time, so
// memory does not grow with their number. Every text of an assessment may come
// from a stranger (DNS records, names of rules) and is escaped for its format.
package export

import (
	"io"
	"iter"

	"github.com/edgeposture/edgeposture/internal/compliance"
	"github.com/edgeposture/edgeposture/internal/graph"
	"github.com/edgeposture/edgeposture/internal/posture"
)

// Document is what is exported. Nothing in it is changed.
type Document struct {
	Assessment posture.AssessmentSummary
	Checks     []posture.CheckTally
	Paths      []posture.AttackPath
	Graph      graph.Graph
	// Compliance holds every framework, for the report.
	Compliance []compliance.Report
	// Findings gives the findings of the results asked for (none means all) in
	// report order: worst first. Each call starts anew; an error ends it.
	Findings func(results ...posture.Result) iter.Seq2[posture.Finding, error]
	// Version is that of the service.
	Version string
}

// Format is one way to write a document.
type Format struct {
	Name        string // as in /api/download/<name>
	ContentType string
	Extension   string
	// Write writes the whole document. It may have written a part when it fails.
	Write func(w io.Writer, d Document) error
}

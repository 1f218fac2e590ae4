package export

import (
	"flag"
	"io"
)

// Update is the flag of the golden files of both packages of tests.
var Update = flag.Bool("update", false, "rewrite golden files")

// What follows lets the tests of this package, which use its generator and so
// live outside it, reach limits and escapes.

// WriteSARIFWithin writes SARIF with other limits than GitHub's.
func WriteSARIFWithin(w io.Writer, d Document, results, runs int) error {
	return writeSARIFWithin(w, d, sarifLimits{results: results, runs: runs})
}

// WriteMarkdownWithin writes Markdown that holds at most about budget bytes.
func WriteMarkdownWithin(w io.Writer, d Document, budget int) error {
	return writeMarkdownWithin(w, d, budget)
}

// Cut shortens a text.
func Cut(s string, limit int) string { return cut(s, limit) }

// HTMLAlarms lists what a report must not hold.
func HTMLAlarms(page string) []string {
	_, bad := reportShape(page)
	return bad
}

// AnchorOf is the name of the place of a check in the report.
func AnchorOf(checkID string) string { return anchorOf(checkID) }

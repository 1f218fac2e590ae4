// Package paper represents a document for people as data and writes it as HTML and as PDF. In:
// headings, paragraphs, tables and small charts, whose texts may be of foreign origin. Out: bytes that
// are the same for the same document. It knows nothing about assessments.
package paper

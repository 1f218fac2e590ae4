// Package paper holds a document for people as data and writes it as HTML and as PDF. In: headings, paragraphs, tables and small
// charts, whose texts may be a stranger's. Out: bytes that are the same for the same document. It knows nothing of assessments.
package paper

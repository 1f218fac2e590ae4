package siem

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// action is the line that precedes a document in a bulk request.
type action struct {
	Index  *documentID `json:"index,omitempty"`
	Create *documentID `json:"create,omitempty"`
}

type documentID struct {
	Index string `json:"_index"`
	ID    string `json:"_id"`
}

// appendBulk appends the two lines of a document in a bulk request (Elasticsearch, Bulk API).
func appendBulk(to []byte, d Document) ([]byte, error) {
	a, t := action{}, &documentID{Index: d.Index, ID: d.ID}
	if d.Create {
		a.Create = t
	} else {
		a.Index = t
	}
	line, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode the action of a document: %w", err)
	}
	to = append(append(to, line...), '\n')
	return append(append(to, d.Body...), '\n'), nil
}

// WriteDocuments writes the assessment as the lines of a bulk request, an action before each document.
// The sender posts the same lines, so a file can be posted later by hand. It may have written a part
// when it fails.
func WriteDocuments(w io.Writer, d export.Document, o Options) error {
	return writeLines(w, "documents of the search index", Documents(d, o), appendBulk)
}

// WriteEvents writes the assessment as envelopes, one per line, in a form that a collector accepts
// unchanged. It may have written a part when it fails.
func WriteEvents(w io.Writer, d export.Document, o Options) error {
	return writeLines(w, "events of the collector", Events(d, o), func(to []byte, e Event) ([]byte, error) {
		return append(append(to, e.Body...), '\n'), nil
	})
}

// writeLines writes the lines that each item appends.
func writeLines[T any](w io.Writer, what string, items iter.Seq2[T, error], lines func(to []byte, item T) ([]byte, error)) error {
	out, buffer := bufio.NewWriterSize(w, MaxDocument), []byte(nil)
	for item, err := range items {
		if err == nil {
			buffer, err = lines(buffer[:0], item)
		}
		if err == nil {
			_, err = out.Write(buffer)
		}
		if err != nil {
			return fmt.Errorf("write the %s: %w", what, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the %s: %w", what, err)
	}
	return nil
}

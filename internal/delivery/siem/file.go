package siem

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

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
	out, line := bufio.NewWriterSize(w, MaxDocument), []byte(nil)
	for doc, err := range Documents(d, o) {
		if err == nil {
			line, err = appendBulk(line[:0], doc)
		}
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return fmt.Errorf("write the documents of the search index: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the documents of the search index: %w", err)
	}
	return nil
}

// WriteEvents writes the assessment as envelopes, one per line, in a form that a collector accepts
// unchanged. It may have written a part when it fails.
func WriteEvents(w io.Writer, d export.Document, o Options) error {
	out := bufio.NewWriterSize(w, MaxDocument)
	for e, err := range Events(d, o) {
		if err == nil {
			_, err = out.Write(append(e.Body, '\n'))
		}
		if err != nil {
			return fmt.Errorf("write the events of the collector: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the events of the collector: %w", err)
	}
	return nil
}

package siem

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// room is how much of each text and list a document may take. It records whether something was cut.
type room struct {
	runes   int // of one text
	entries int // of one list
	cut     bool
}

// ample is the first try; it is halved until the document fits.
func ample() room { return room{runes: 2000, entries: 50} }

// text returns a text cut to the available room, between runes and without invalid UTF-8. It reads no
// more of s than it may return.
func (r *room) text(s string) string { return r.limit(s, r.runes) }

// ident returns an identifier. Identifiers are cut last; cut ones can still be told apart by the id of
// the document.
func (r *room) ident(s string) string { return r.limit(s, min(max(r.runes, 128), 1024)) }

func (r *room) limit(s string, runes int) string {
	long := false
	if most := (runes + 1) * utf8.UTFMax; len(s) > most {
		s, long = s[:most], true
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	n, end := 0, 0
	for at := range s {
		if n == runes-1 {
			end = at
		}
		n++
	}
	r.cut = r.cut || long || n > runes
	if n <= runes {
		return s
	}
	return s[:end] + "…"
}

func (r *room) idents(list []string) []string {
	return fill(r, list, func(s string) string { return r.ident(s) })
}

// fill makes at most as many entries as there is room for. It is never nil, so that it becomes an array
// in JSON.
func fill[From, To any](r *room, list []From, entry func(From) To) []To {
	if len(list) > r.entries {
		list, r.cut = list[:r.entries], true
	}
	out := make([]To, 0, len(list))
	for _, v := range list {
		out = append(out, entry(v))
	}
	return out
}

// fit builds a document with less and less room until its JSON has at most MaxDocument bytes. The
// encoder escapes line breaks, U+2028 and < > &, so a document is always one line.
func fit(build func(r *room) any) ([]byte, error) {
	for r := ample(); ; r = (room{runes: max(r.runes/2, 8), entries: max(r.entries/2, 1)}) {
		b, err := json.Marshal(build(&r))
		if err != nil {
			return nil, fmt.Errorf("encode a document: %w", err)
		}
		if len(b) <= MaxDocument {
			return b, nil
		}
		if r.runes <= 8 && r.entries <= 1 {
			return nil, fmt.Errorf("a document has %d bytes even when every text is cut; at most %d are sent", len(b), MaxDocument)
		}
	}
}

// orElse returns the first text that is not blank.
func orElse(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

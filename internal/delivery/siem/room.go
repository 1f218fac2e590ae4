package siem

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// room is how much of each text and list a document may take. It remembers
// whether something did not fit.
type room struct {
	runes   int // of one text
	entries int // of one list
	cut     bool
}

// ample is tried first; it is halved until the document fits.
func ample() room { return room{runes: 2000, entries: 50} }

// text gives a text at most as long as there is room, cut between runes and
// without bytes that are not UTF-8. It looks at no more than it may give.
func (r *room) text(s string) string { return r.limit(s, r.runes) }

// ident gives an identifier. It is cut last of all; what is cut can still be
// told apart by the id of the document.
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

// fill makes at most as many entries as there is room for. It is never nil, so
// that it is an array in JSON.
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

// fit builds a document with less and less room until its JSON has at most
// MaxDocument bytes. The encoder writes line breaks, U+2028 and < > & as
// escapes, so a document is always one line.
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

// orElse gives the first text that says something.
func orElse(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

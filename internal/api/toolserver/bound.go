package toolserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Sizes in bytes. An answer holds its words, and its value both as structured content and as text;
// together with the protocol's envelope these are at most 64 KiB.
const (
	maxWords = 2 << 10
	maxValue = 58 << 10
	// maxItems bounds the items of one page.
	maxItems = 52 << 10
)

// bounded returns a value as a JSON object of at most max bytes. A larger value loses the ends of
// its longest lists and texts, and its member leftOut says so.
func bounded(value any, max int, more string) (json.RawMessage, error) {
	raw, err := encode(value)
	if err != nil || size(raw) <= max {
		return raw, err
	}
	for _, keep := range []struct{ items, text int }{{200, 4000}, {100, 2000}, {50, 1000}, {20, 500}, {10, 200}, {5, 100}, {2, 50}, {1, 20},
		{0, 10}} {
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("read the answer again: %w", err)
		}
		s := shortener{items: keep.items, text: keep.text, left: map[string]int{}}
		v = s.shorten("", v)
		if object, ok := v.(map[string]any); ok {
			object["leftOut"] = s.report(more)
		}
		smaller, err := encode(v)
		if err != nil || size(smaller) <= max {
			return smaller, err
		}
	}
	return nil, posture.Problemf(posture.CodeTooLarge, "The answer is too large for a tool. %s", more)
}

func encode(v any) (json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return raw, nil
}

// shortener cuts lists and texts, and counts the removed list items by member.
type shortener struct {
	items, text int
	left        map[string]int
}

func (s *shortener) shorten(member string, v any) any {
	switch t := v.(type) {
	case map[string]any:
		for name, value := range t {
			t[name] = s.shorten(inside(member, name), value)
		}
	case []any:
		if len(t) > s.items {
			s.left[member] += len(t) - s.items
			t = t[:s.items]
		}
		for i := range t {
			t[i] = s.shorten(member, t[i])
		}
		return t
	case string:
		return cut(t, s.text)
	}
	return v
}

func inside(member, name string) string {
	if member == "" {
		return name
	}
	return member + "." + name
}

func (s *shortener) report(more string) string {
	var parts []string
	for member, n := range s.left {
		parts = append(parts, fmt.Sprintf("%d of %s", n, member))
	}
	slices.Sort(parts)
	if len(parts) > 12 {
		parts = append(parts[:12], "and others")
	}
	said := "The answer was too large: "
	if len(parts) > 0 {
		said += strings.Join(parts, ", ") + " left out; "
	}
	return strings.TrimSpace(said + "long texts are cut. " + more)
}

// cut shortens a text to at most n bytes on a character boundary and marks it with an ellipsis.
func cut(s string, n int) string {
	const sign = "…"
	if len(s) <= n {
		return s
	}
	end := max(0, n-len(sign))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + sign
}

// fitting returns how many items, counted from the first, fit into room bytes.
func fitting[T any](items []T, room int) (int, error) {
	for i, item := range items {
		raw, err := encode(item)
		if err != nil {
			return 0, err
		}
		if room -= size(raw) + 2; room < 0 {
			return i, nil
		}
	}
	return len(items), nil
}

// fitted returns the first items that fit into an answer, at least one of them.
func fitted[T any](items []T) ([]T, error) {
	fits, err := fitting(items, maxItems)
	return items[:min(len(items), max(1, fits))], err
}

// size returns the bytes that a JSON value takes in an answer: once as structured content, in which
// HTML characters are escaped, and once as quoted text.
func size(raw json.RawMessage) int {
	var b bytes.Buffer
	json.HTMLEscape(&b, raw)
	text := visible(b.Bytes())
	return b.Len() + len(text) + strings.Count(text, `"`) + strings.Count(text, `\`)
}

package planner

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Patterns of rejected notes. No address is ever sent to a model, so one in a note is invented, or
// meant to be followed.
const (
	tagPattern     = `<\s*[a-zA-Z/!?]|&#|&[a-zA-Z0-9]+;`
	addressPattern = `(?i)://|www\s*\.|@|\b(?:https?|ftp|file|data|javascript|vbscript|mailto|tel|ssh)\s*:` +
		`|[\pL\pN][.。]\pL{2}|[.。](?:com|net|org|info|io|dev|app|example)\b|\d+\.\d+\.\d+\.\d+|[0-9a-f]{0,4}:[0-9a-f]{0,4}:[0-9a-f:]*`
	cut    = "..."
	markup = "<>[]{}|`*~#\\^$"
)

// sanitized reduces a model's remark to plain text: one line, at most MaxNote characters, without
// control, format and combining characters and without markup characters. It returns "" for a
// remark with a tag, a character reference or an address.
func sanitized(note string) string {
	if len(note) > 16*MaxNote { // longer ones are not worth the work below
		note = strings.ToValidUTF8(note[:16*MaxNote], "")
	}
	note = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), unicode.IsMark(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, norm.NFKC.String(note))
	note = norm.NFKC.String(note) // adjacent characters may now combine
	if regexp.MustCompile(tagPattern).MatchString(note) {
		return ""
	}
	note = strings.Map(func(r rune) rune {
		if strings.ContainsRune(markup, r) {
			return -1
		}
		return r
	}, note)
	note = strings.Join(strings.Fields(note), " ")
	if regexp.MustCompile(addressPattern).MatchString(note) {
		return ""
	}
	if all := []rune(note); len(all) > MaxNote {
		note = strings.TrimRight(string(all[:MaxNote-len(cut)]), " ") + cut
	}
	return note
}

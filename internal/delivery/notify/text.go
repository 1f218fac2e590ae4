package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes a text one line without invisible characters or characters that change the writing
// direction, so that a name cannot pass for another one or for a line of ours.
func visible(s string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case r == '\u200C', r == '\u200D': // joiners in some scripts and many emoji
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	return strings.Join(strings.Fields(clean), " ")
}

// cut shortens a text to at most limit characters, including the ellipsis.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, string(unicode.ReplacementChar))
	if limit < 1 {
		return ""
	}
	seen, end := 0, 0
	for at := range s {
		if seen == limit-1 {
			end = at
		}
		if seen++; seen > limit {
			return s[:end] + "…"
		}
	}
	return s
}

// units is the length of a text in UTF-16 code units, as a receiver written in JavaScript counts it. It
// is never less than the number of characters.
func units(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// mrkdwn makes a foreign text inert in Slack's markup and cuts it so that the result has at most limit
// units. That markup has no escape character, but a code span switches off everything except the three
// entities; so each word that could be markup, a mention, an emoji or a link becomes a code span.
// Source: docs.slack.dev, "Formatting message text".
func mrkdwn(s string, limit int) string {
	s = visible(s)
	for n := limit; ; n = n * 3 / 4 {
		words := strings.Fields(cut(s, n))
		for i, w := range words {
			words[i] = inert(w)
		}
		if out := strings.Join(words, " "); units(out) <= limit {
			return out
		}
	}
}

// inert returns a word unchanged, or as a code span. Brackets around it and punctuation at its end stay
// outside, where they read better.
func inert(word string) string {
	before, core, after := core(word)
	if core == "" || !live(word) {
		return entities(word)
	}
	// A code span cannot contain a backtick; the grave accent looks like one.
	return before + "`" + entities(strings.ReplaceAll(core, "`", "ˋ")) + "`" + after
}

// core separates a word from the brackets and the punctuation around it. A closing bracket that matches
// one inside the word belongs to the word: f(x).
func core(word string) (before, core, after string) {
	core = strings.TrimLeft(word, "([")
	before = word[:len(word)-len(core)]
	for {
		rest := strings.TrimRight(core, ".,;:")
		for _, pair := range []string{"()", "[]"} {
			if strings.HasSuffix(rest, pair[1:]) && strings.Count(rest, pair[1:]) > strings.Count(rest, pair[:1]) {
				rest = strings.TrimSuffix(rest, pair[1:])
			}
		}
		if rest == core {
			return before, core, word[len(before)+len(core):]
		}
		core = rest
	}
}

// live reports whether Slack may interpret a word.
func live(word string) bool {
	if strings.ContainsAny(word, "*_~`@#<>") || strings.Contains(strings.TrimRight(word, ":"), ":") || strings.Contains(strings.ToLower(word),
		"www.") {
		return true
	}
	for at, r := range word { // a dot before a letter, as in a host name
		if r == '.' {
			if next, _ := utf8.DecodeRuneInString(word[at+1:]); unicode.IsLetter(next) {
				return true
			}
		}
	}
	return false
}

// entities escapes the three characters that control Slack's parser.
func entities(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "&", "&amp;"), "<", "&lt;"), ">", "&gt;")
}

// run makes a foreign text inert in a text run of a card, cut to limit characters. A run has no
// Markdown, but the date and time functions of cards work in every text: they begin with two braces,
// which are separated here. Source: adaptivecards.io, TextRun and "Text features".
func run(s string, limit int) string {
	s = cut(visible(s), limit)
	for strings.Contains(s, "{{") {
		s = strings.ReplaceAll(s, "{{", "{ {")
	}
	return s
}

package export

import (
	"slices"
	"strings"
	"unicode"
)

// prose makes a text safe inside a line of GitHub-flavoured Markdown: characters that could start
// markup are escaped, and a word that a renderer would link by itself (a URL, an email address, a
// mention) becomes a code span, because neither backslashes nor entities prevent that. The result is
// one line; it must not start a block. Source: the GFM specification, sections 2.4 and 6.9.
func prose(s string) string {
	words := strings.Fields(visible(s))
	for i, word := range words {
		if linkable(word) {
			words[i] = code(word)
		} else {
			words[i] = escaped(word)
		}
	}
	return strings.Join(words, " ")
}

// Prose escapes a text for use inside a line, for other packages that write GitHub-flavoured Markdown.
func Prose(s string) string { return prose(s) }

// Code makes a code span that contains exactly the text, such as a name.
func Code(s string) string { return code(s) }

// Block makes a fenced code block inside a list item, for text to copy.
func Block(s string) string { return block(s) }

// Visible makes a text one line in which nothing is hidden.
func Visible(s string) string { return visible(s) }

// VisibleLines is Visible for each line.
func VisibleLines(s string) string { return visibleLines(s) }

// linkable reports whether a renderer might turn a word into a link or a mention without any markup.
func linkable(word string) bool {
	if strings.ContainsAny(word, "@#") {
		return true
	}
	low := strings.ToLower(word)
	if _, number, found := strings.Cut(low, "gh-"); found && number != "" && number[0] >= '0' && number[0] <= '9' {
		return true // GH-12 is issue 12 at GitHub
	}
	return slices.ContainsFunc([]string{"www.", "://", "mailto:", "xmpp:"}, func(sign string) bool { return strings.Contains(low, sign) })
}

func escaped(word string) string {
	var b strings.Builder
	for _, r := range word {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '&', '~', '$':
			b.WriteRune('\\')
			b.WriteRune(r)
		case '|':
			b.WriteString("&#124;") // the effect of a backslash would depend on what precedes it
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code makes a code span that contains exactly the text, with a fence longer than any run of backticks
// in it. Spans are split at pipes, which end a table cell even inside a span; parsers differ on escaped
// ones.
func code(s string) string {
	parts := strings.Split(visible(s), "|")
	for i, p := range parts {
		parts[i] = span(p)
	}
	return strings.Join(parts, "&#124;")
}

func span(s string) string {
	switch {
	case s == "":
		return ""
	case strings.Trim(s, " ") == "":
		return "` `"
	}
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	pad := ""
	if first, last := s[0], s[len(s)-1]; first == '`' || last == '`' || first == ' ' && last == ' ' {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// visible makes a text one line: white space becomes a space, and invisible characters and those that
// change the writing direction become the replacement character, so that a name cannot look like
// another.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\uFEFF', r == '\u200B':
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// block makes a fenced code block inside a list item. The fence is longer than any in the text.
func block(s string) string {
	if s == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return "\n  " + fence + "\n  " + strings.ReplaceAll(visibleLines(s), "\n", "\n  ") + "\n  " + fence + "\n\n"
}

func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	return strings.Join(lines, "\n")
}

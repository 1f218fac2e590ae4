package export

import (
	"strings"
	"unicode"
)

// prose makes a text safe inside a line of GitHub-flavoured Markdown: what could
// start markup is escaped, and a word that a renderer would link by itself (an
// address, a mail address, a mention) becomes a code span, because neither
// backslashes nor entities stop that. The result is one line; it must not stand
// at the start of a block. Source: the GFM specification, sections 2.4 and 6.9.
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

// Prose is a text inside of a line, for other packages whose text is read as GitHub-flavoured Markdown.
func Prose(s string) string { return prose(s) }

// Code is a code span that holds exactly a text, such as a name.
func Code(s string) string { return code(s) }

// Block is a fenced block inside of a list item, with what is to be copied.
func Block(s string) string { return block(s) }

// Visible is a text on one line in which nothing is hidden.
func Visible(s string) string { return visible(s) }

// VisibleLines is Visible for each line.
func VisibleLines(s string) string { return visibleLines(s) }

// linkable tells whether a renderer might make a link or a mention of a word
// without any markup.
func linkable(word string) bool {
	if strings.ContainsAny(word, "@#") {
		return true
	}
	low := strings.ToLower(word)
	if _, number, found := strings.Cut(low, "gh-"); found && number != "" && number[0] >= '0' && number[0] <= '9' {
		return true // GH-12 is issue 12 at GitHub
	}
	for _, sign := range []string{"www.", "://", "mailto:", "xmpp:"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

func escaped(word string) string {
	var b strings.Builder
	for _, r := range word {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '&', '~', '$':
			b.WriteRune('\\')
			b.WriteRune(r)
		case '|':
			b.WriteString("&#124;") // a backslash before it would depend on what stands before that
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code makes a code span that holds exactly the text, with a fence longer than
// any run of backticks in it. Spans are parted at pipes: those end a table cell
// even inside a span, and parsers differ on an escaped one.
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

// visible makes a text one line: white space becomes a space, and what has no
// picture or turns the direction of writing becomes the replacement sign, so that
// a name cannot look like another.
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

// block is a text to copy, inside of a list item. The fence is longer than any in the text.
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

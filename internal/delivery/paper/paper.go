package paper

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Document is what both writers write.
type Document struct {
	Title   string // of the file and its window
	Subject string
	Running string // stands at the foot of every page
	Notice  string // stands at the head of every page on paper; "" is none
	Blocks  []Block
}

// Block is a piece of a document: Heading, Paragraph, List, Facts, Table, Figures, Bars, Line or Contents.
type Block interface{ block() }

// Heading begins a part. Level 1 is the title, 2 a chapter and 3 a section of one. ID is where links lead, made of letters,
// digits and dashes.
type Heading struct {
	Level   int
	ID      string
	Sign    Sign
	Text    string
	Aside   string // quiet, behind the text
	NewPage bool
}

// Paragraph is running text. Boxed sets it apart; a lead stays on the page of what it leads to.
type Paragraph struct {
	Text  Text
	Boxed bool
	Lead  bool
}

// List is a list of short texts.
type List struct {
	Numbered bool
	Items    []Text
}

// Facts are names with what is said of each.
type Facts []Fact

// Fact is one of them.
type Fact struct {
	Name string
	Text Text
}

// Table has rows under one head, which stands on each page again. Folded ones can be opened on the screen; on paper they are open.
// No two tables have the same name, which is read out.
type Table struct {
	Name    string
	Caption string
	Folded  bool
	Dense   bool // in small letters, for what is looked up
	Columns []Column
	Rows    []Row
}

// Column has a share of the width.
type Column struct {
	Head   string
	Share  float64
	Number bool
}

// Row has one cell for each column, or only the first, which then is a heading among the rows.
type Row []Text

// Figures are the few numbers that come first.
type Figures []Figure

// Figure is one of them.
type Figure struct{ Name, Value, Note string }

// Bars are rows of one whole each, parted. Legend names the parts, in the order of the values.
type Bars struct {
	Caption string
	Legend  []Sign
	Rows    []Bar
}

// Bar is one row.
type Bar struct {
	Name   string
	Note   string
	Values []int
}

// Line is how a number moved, from 0 to 100.
type Line struct {
	Caption string
	Points  []Point
}

// Point is a value at a time. What does not compare with the others is hollow, and no line leads there.
type Point struct {
	Label  string
	Value  int
	Hollow bool
}

// Contents lists the chapters, with their pages on paper.
type Contents struct{ Entries []Entry }

// Entry is one of them.
type Entry struct{ ID, Text, Note string }

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Facts) block()     {}
func (Table) block()     {}
func (Figures) block()   {}
func (Bars) block()      {}
func (Line) block()      {}
func (Contents) block()  {}

// Text is a text in parts.
type Text []Span

// Span is a part of a text. To leads to an ID and Address to elsewhere; an address is written by us, never a
// stranger's.
type Span struct {
	Text    string
	Bold    bool
	Quiet   bool
	Sign    Sign
	ID      string // where links lead
	To      string
	Address string
}

// Plain is a text without more.
func Plain(s string) Text { return Text{{Text: s}} }

// Bold is a text that stands out.
func Bold(s string) Text { return Text{{Text: s, Bold: true}} }

// Quiet is a text that steps back.
func Quiet(s string) Text { return Text{{Text: s, Quiet: true}} }

// Signed is a word with its colour and shape.
func Signed(s Sign) Text { return Text{{Text: s.Word(), Sign: s}} }

// Also adds another text.
func (t Text) Also(more Text) Text { return append(slices.Clip(t), more...) }

// String is the text alone.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Visible shows a text as it is and not as it wants to look: controls, marks of direction and signs without width are named by their
// code point. The two joiners stay, because some scripts need them.
func Visible(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s { // a byte that is not UTF-8 comes as U+FFFD
		if hidden(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t', r == '\u200c', r == '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

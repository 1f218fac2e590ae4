package paper

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Document is the input of both writers.
type Document struct {
	Title   string // of the file and its window
	Subject string
	Running string // at the foot of every page
	Notice  string // at the head of every page on paper; "" for none
	Blocks  []Block
}

// Block is a part of a document: Heading, Paragraph, List, Facts, Table, Figures, Bars, Line or
// Contents.
type Block interface{ block() }

// Heading begins a part. Level 1 is the title, 2 a chapter and 3 a section within it. ID is a link
// target, made of letters, digits and dashes.
type Heading struct {
	Level   int
	ID      string
	Sign    Sign
	Text    string
	Aside   string // muted, after the text
	NewPage bool
}

// Paragraph is running text. Boxed sets it apart; a Lead stays on the same page as what follows.
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

// Facts are names, each with a text.
type Facts []Fact

// Fact is one name with its text.
type Fact struct {
	Name string
	Text Text
}

// Table has rows under one head, which is repeated on each page. Folded tables can be opened on screen;
// on paper they are open. Names must be unique, because screen readers read them out.
type Table struct {
	Name    string
	Caption string
	Folded  bool
	Dense   bool // in small type, for reference
	Columns []Column
	Rows    []Row
}

// Column is a column of a table; Share is its relative width.
type Column struct {
	Head   string
	Share  float64
	Number bool
}

// Row has one cell for each column, or a single one, which is a heading within the table.
type Row []Text

// Figures are the few key numbers at the beginning.
type Figures []Figure

// Figure is one key number.
type Figure struct{ Name, Value, Note string }

// Bars are stacked bars of equal length. Legend names the parts, in the order of the values.
type Bars struct {
	Caption string
	Legend  []Sign
	Rows    []Bar
}

// Bar is one bar.
type Bar struct {
	Name   string
	Note   string
	Values []int
}

// Line is a chart of a number between 0 and 100 over time.
type Line struct {
	Caption string
	Points  []Point
}

// Point is a value at a time. A point that does not compare with the others is hollow, and no line
// leads to it.
type Point struct {
	Label  string
	Value  int
	Hollow bool
}

// Contents lists the chapters, on paper with their pages.
type Contents struct{ Entries []Entry }

// Entry is one line of the contents.
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

// Text is a text made of spans.
type Text []Span

// Span is a part of a text. To links to an ID and Address to another site; addresses are always our
// own, never of foreign origin.
type Span struct {
	Text    string
	Bold    bool
	Quiet   bool
	Sign    Sign
	ID      string // a link target
	To      string
	Address string
}

// Plain is a text without formatting.
func Plain(s string) Text { return Text{{Text: s}} }

// Bold is an emphasized text.
func Bold(s string) Text { return Text{{Text: s, Bold: true}} }

// Quiet is a muted text.
func Quiet(s string) Text { return Text{{Text: s, Quiet: true}} }

// Signed is the word of a sign with its colour and shape.
func Signed(s Sign) Text { return Text{{Text: s.Word(), Sign: s}} }

// Also appends another text.
func (t Text) Also(more Text) Text { return append(slices.Clip(t), more...) }

// String returns the text without formatting.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Visible makes hidden characters visible: control characters, direction marks and zero-width
// characters are replaced by their code points. The two joiners are kept, because some scripts need
// them.
func Visible(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s { // invalid UTF-8 comes as U+FFFD
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

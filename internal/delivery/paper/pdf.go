package paper

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
)

//go:embed font/Inter-Regular.ttf
var regularFont []byte

//go:embed font/Inter-SemiBold.ttf
var boldFont []byte

// The page is A4, in points.
const (
	pageHeight = 841.89
	left       = 48.0
	right      = 595.28 - left
	top        = 54.0
	bottom     = pageHeight - 54
	textWidth  = right - left
)

// Font sizes and line heights.
const (
	bodySize   = 9.2
	bodyLine   = 13.2
	tableSize  = 8.0
	tableLine  = 10.6
	denseSize  = 7.2
	denseLine  = 9.4
	smallSize  = 7.4
	cellPad    = 4.0
	keepRows   = 2 // rows that stay with the head of their table
	headLength = 640
	// The largest number of lines, so that no row needs more than a page and no foreign text fills the
	// report.
	headLines = 4
	cellLines = 14
	textLines = 24
)

// The dashboard's colours, in its light theme.
const (
	black  = 0x1b2330
	grey   = 0x566074
	rule   = 0xd9dee7
	ground = 0xf7f8fa
	accent = 0x4338ca
	white  = 0xffffff
)

// WritePDF writes the document as PDF, dated at. It holds all pages until they are numbered.
func WritePDF(w io.Writer, d Document, at time.Time) error {
	p, err := newPen(d, at)
	if err != nil {
		return err
	}
	for _, b := range d.Blocks {
		p.block(b)
	}
	p.flush()
	p.finish(d)
	if err := p.f.Output(w); err != nil {
		return fmt.Errorf("write the PDF: %w", err)
	}
	return nil
}

// pen writes pages. Boxes wait until a page break after them is allowed, so that what belongs together
// is not separated.
type pen struct {
	f       *fpdf.Fpdf
	covered map[rune]bool
	widths  [2]map[rune]float64 // of a letter at 1000 points, regular and bold
	y       float64
	waiting []box
	places  map[string]place
	refs    []reference
	notice  string
}

type place struct{ link, page int }

// reference is where a page number is written once all are known.
type reference struct {
	page int
	y    float64
	id   string
}

// box is a strip of a page. A glued box stays on the page of the next one. Head is drawn above the box
// when the box begins a page.
type box struct {
	height float64
	draw   func(y float64)
	glued  bool
	fresh  bool // begins a page
	head   *box
}

func newPen(d Document, at time.Time) (*pen, error) {
	covered, err := coveredBy(regularFont)
	if err != nil {
		return nil, err
	}
	f := fpdf.New("P", "pt", "A4", "")
	f.SetAutoPageBreak(false, 0)
	f.SetMargins(left, top, left)
	f.SetCellMargin(0)
	f.AddUTF8FontFromBytes("Inter", "", regularFont)
	f.AddUTF8FontFromBytes("Inter", "B", boldFont)
	f.SetCatalogSort(true)
	f.SetCreationDate(at.UTC())
	f.SetModificationDate(at.UTC())
	f.SetLang("en")
	p := &pen{f: f, covered: covered, widths: [2]map[rune]float64{{}, {}}, places: map[string]place{}}
	p.notice = p.shown(d.Notice)
	f.SetTitle(p.shown(d.Title), true)
	f.SetSubject(p.shown(d.Subject), true)
	f.SetProducer("Edgeposture", true)
	f.SetCreator("Edgeposture", true)
	p.page()
	return p, f.Error()
}

func (p *pen) page() {
	p.f.AddPage()
	p.y = top
	if p.notice != "" {
		p.write(left, top-18, smallSize, grey, false, p.notice)
	}
}

// put adds a box. A box that is not glued causes all waiting boxes to be drawn.
func (p *pen) put(b box) {
	p.waiting = append(p.waiting, b)
	if !b.glued {
		p.flush()
	}
}

func (p *pen) flush() {
	total, fresh := 0.0, false
	for _, b := range p.waiting {
		total += b.height
		fresh = fresh || b.fresh
	}
	if len(p.waiting) > 0 && p.y > top && (fresh || p.y+total > bottom && total < bottom-top) {
		p.turn(p.waiting[0])
	}
	for _, b := range p.waiting {
		if p.y > top && p.y+b.height > bottom {
			p.turn(b)
		}
		b.draw(p.y)
		p.y += b.height
	}
	p.waiting = p.waiting[:0]
}

// turn begins a page for a box.
func (p *pen) turn(b box) {
	p.page()
	if b.head != nil {
		b.head.draw(p.y)
		p.y += b.head.height
	}
}

// space adds a distance, which is dropped at the top of a page.
func (p *pen) space(h float64) {
	p.put(box{height: h, glued: true, draw: func(y float64) {
		if y == top {
			p.y -= h
		}
	}})
}

// finish numbers the pages.
func (p *pen) finish(d Document) {
	last := p.f.PageCount()
	for n := 1; n <= last; n++ {
		p.f.SetPage(n)
		p.f.SetFont("Inter", "", 1) // a page that is reopened has forgotten its font
		y := pageHeight - 30
		p.write(left, y, smallSize, grey, false, p.fit(d.Running, smallSize, textWidth-60))
		p.writeRight(right, y, smallSize, grey, fmt.Sprintf("%d of %d", n, last))
		for _, r := range p.refs {
			if at, known := p.places[r.id]; known && r.page == n {
				p.writeRight(right, r.y, bodySize, grey, fmt.Sprint(at.page))
			}
		}
	}
	for id, at := range p.places {
		if at.page == 0 {
			p.f.SetErrorf("a link leads to %q, which is nowhere", id)
		}
	}
}

// link returns the PDF's link number for an ID.
func (p *pen) link(id string) int {
	at, known := p.places[id]
	if !known {
		at.link = p.f.AddLink()
		p.places[id] = at
	}
	return at.link
}

func (p *pen) arrive(id string, y float64) {
	if id == "" || p.places[id].page > 0 { // for a text of several lines the first line counts
		return
	}
	n := p.link(id)
	p.places[id] = place{n, p.f.PageNo()}
	p.f.SetLink(n, max(0, y-8), p.f.PageNo())
}

func (p *pen) write(x, y, size float64, colour int, bold bool, s string) {
	style := ""
	if bold {
		style = "B"
	}
	p.f.SetFont("Inter", style, size)
	p.f.SetTextColor(parts(colour))
	p.f.Text(x, y, s)
}

func (p *pen) writeRight(x, y, size float64, colour int, s string) {
	p.write(x-p.width(s, size, false), y, size, colour, false, s)
}

func (p *pen) fill(colour int)   { p.f.SetFillColor(parts(colour)) }
func (p *pen) stroke(colour int) { p.f.SetDrawColor(parts(colour)) }

// parts splits a colour into red, green and blue.
func parts(colour int) (r, g, b int) { return colour >> 16, colour >> 8 & 255, colour & 255 }

func (p *pen) hairline(x1, x2, y float64) {
	p.stroke(rule)
	p.f.SetLineWidth(0.5)
	p.f.Line(x1, y, x2, y)
}

// fit cuts a text to a width.
func (p *pen) fit(s string, size, width float64) string {
	s = strings.Join(strings.Fields(p.shown(s)), " ")
	if !p.longer(s, size, width, false) {
		return s
	}
	end, left := 0, width-p.width("…", size, false)
	for i, r := range s {
		if left -= p.width(string(r), size, false); left < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return s[:end] + "…"
}

package paper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// coveredBy lists the characters that a font has, from its character map (OpenType, table cmap, format
// 4).
func coveredBy(font []byte) (map[rune]bool, error) {
	broken := errors.New("read the typeface of the PDF: its character map is not one of format 4")
	be, find := binary.BigEndian, -1
	for i := range int(be.Uint16(font[4:])) {
		if entry := font[12+16*i:]; string(entry[:4]) == "cmap" {
			find = int(be.Uint32(entry[8:]))
		}
	}
	if find < 0 {
		return nil, broken
	}
	cmap := font[find:]
	for i := range int(be.Uint16(cmap[2:])) {
		table := cmap[be.Uint32(cmap[4+8*i+4:]):]
		if be.Uint16(table) != 4 {
			continue
		}
		covered, n := map[rune]bool{}, int(be.Uint16(table[6:])) // twice the number of ranges
		for at := 0; at < n; at += 2 {
			for r := rune(be.Uint16(table[16+n+at:])); r <= rune(be.Uint16(table[14+at:])) && r < 0xffff; r++ {
				covered[r] = true
			}
		}
		return covered, nil
	}
	return nil, broken
}

// shown replaces characters that the typeface lacks by their code points, so that nothing vanishes.
func (p *pen) shown(s string) string {
	s = Visible(s)
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < 0x7f
	}
	if ascii {
		return s
	}
	var b strings.Builder
	named := false
	for _, r := range s {
		has := r < ' ' || p.covered[r]
		switch {
		case has && named:
			b.WriteByte(']')
			b.WriteRune(r)
		case has:
			b.WriteRune(r)
		case named:
			fmt.Fprintf(&b, " U+%04X", r)
		default:
			fmt.Fprintf(&b, "[U+%04X", r)
		}
		named = !has
	}
	if named {
		b.WriteByte(']')
	}
	return b.String()
}

// width is the width of a text that shown has returned.
func (p *pen) width(s string, size float64, bold bool) float64 {
	known, total := p.widths[0], 0.0
	if bold {
		known = p.widths[1]
	}
	for _, r := range s {
		w, measured := known[r]
		if !measured {
			style := ""
			if bold {
				style = "B"
			}
			p.f.SetFont("Inter", style, bodySize)
			w = float64(p.f.GetStringSymbolWidth(string(r)))
			known[r] = w
		}
		total += w
	}
	return total * size / 1000
}

// run is a part of a line that is written at once.
type run struct {
	x, w float64
	text string
	of   *Span
}

type line []run

// longer reports whether a text is wider than width. It stops as soon as it knows.
func (p *pen) longer(s string, size, width float64, bold bool) bool {
	for i, r := range s {
		if width -= p.width(s[i:i+utf8.RuneLen(r)], size, bold); width < 0 {
			return true
		}
	}
	return false
}

// lines breaks a text into up to most lines of a width. The last one ends in an ellipsis when there
// was more.
func (p *pen) lines(t Text, size, width float64, most int) []line {
	out := p.broken(t, size, width, most)
	if len(out) > most {
		out = out[:most]
		last := &out[most-1]
		for n := len(*last); n > 0 && (*last)[n-1].x+(*last)[n-1].w > width-size; n-- {
			*last = (*last)[:n-1]
		}
		x := 0.0
		if n := len(*last); n > 0 {
			x = (*last)[n-1].x + (*last)[n-1].w
		}
		*last = append(*last, run{x, size, "…", &Span{}})
	}
	return out
}

func (p *pen) broken(t Text, size, width float64, most int) []line {
	out := []line{nil}
	x := 0.0
	next := func() { out, x = append(out, nil), 0 }
	for i := range t {
		span := &t[i]
		if span.Sign != "" {
			w := p.signWidth(span.Sign, size)
			if x > 0 && x+w > width {
				next()
			}
			out[len(out)-1] = append(out[len(out)-1], run{x, w, span.Sign.Word(), span})
			x += w
			continue
		}
		for n, part := range strings.Split(p.shown(span.Text), "\n") {
			if n > 0 {
				next()
			}
			for _, word := range words(strings.ReplaceAll(part, "\t", " ")) {
				if x > 0 && p.longer(strings.TrimRight(word, " "), size, width-x, span.Bold) {
					next()
				}
				for p.longer(strings.TrimRight(word, " "), size, width, span.Bold) && len(out) <= most {
					cut := p.breakAt(word, size, width, span.Bold)
					out[len(out)-1] = append(out[len(out)-1], run{x, p.width(word[:cut], size, span.Bold), word[:cut], span})
					next()
					word = word[cut:]
				}
				if len(out) > most {
					return out
				}
				x = out[len(out)-1].add(p, x, word, size, span)
			}
		}
	}
	return out
}

// add appends a word to the line and returns where it ends.
func (l *line) add(p *pen, x float64, word string, size float64, span *Span) float64 {
	w := p.width(word, size, span.Bold)
	if n := len(*l); n > 0 && (*l)[n-1].of == span {
		(*l)[n-1].text += word
		(*l)[n-1].w += w
	} else if word != "" {
		*l = append(*l, run{x, w, word, span})
	}
	return x + w
}

// words splits a text after its spaces.
func words(s string) []string {
	var out []string
	for s != "" {
		end := strings.IndexByte(s, ' ')
		if end < 0 {
			return append(out, s)
		}
		for end < len(s) && s[end] == ' ' {
			end++
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out
}

// breakAt is where a word that is longer than a line is broken: after a separator character, if there
// is one late enough.
func (p *pen) breakAt(word string, size, width float64, bold bool) int {
	x, end, good := 0.0, 0, 0
	for i, r := range word {
		w := p.width(string(r), size, bold)
		if i > 0 && x+w > width {
			break
		}
		x += w
		end = i + len(string(r))
		if strings.ContainsRune("./-_:, ", r) {
			good = end
		}
	}
	if good > end/2 {
		return good
	}
	return end
}

// draw writes a line; y is the baseline.
func (p *pen) draw(l line, x, y, size float64) {
	for _, r := range l {
		switch s := r.of; {
		case s.Sign != "":
			p.sign(s.Sign, x+r.x, y, size)
		default:
			colour := black
			if s.Quiet {
				colour = grey
			}
			if s.To != "" || s.Address != "" {
				colour = accent
			}
			p.write(x+r.x, y, size, colour, s.Bold, r.text)
			if s.ID != "" {
				p.arrive(s.ID, y-size)
			}
			if s.To != "" {
				p.f.Link(x+r.x, y-size, r.w, size*1.3, p.link(s.To))
			}
			if s.Address != "" {
				p.f.LinkString(x+r.x, y-size, r.w, size*1.3, s.Address)
			}
		}
	}
}

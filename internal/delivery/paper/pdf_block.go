package paper

import "fmt"

func (p *pen) block(b Block) {
	switch b := b.(type) {
	case Heading:
		p.heading(b)
	case Paragraph:
		p.paragraph(b)
	case List:
		p.list(b)
	case Facts:
		p.facts(b)
	case Table:
		p.table(b)
	case Figures:
		p.figures(b)
	case Bars:
		p.bars(b)
	case Line:
		p.line(b)
	case Contents:
		p.contents(b)
	}
}

func (p *pen) heading(h Heading) {
	size, above, below := 22.0, 0.0, 8.0
	switch h.Level {
	case 2:
		size, above, below = 14.5, 15, 7
	case 3:
		size, above, below = 10.2, 9, 3
	}
	text := Bold(h.Text)
	if h.Sign != "" {
		text = Signed(h.Sign).Also(text)
	}
	if h.Aside != "" {
		text = text.Also(Quiet("  " + h.Aside))
	}
	if !h.NewPage {
		p.space(above)
	}
	for i, l := range p.lines(text, size, textWidth, headLines) {
		p.put(box{height: size * 1.3, glued: true, fresh: h.NewPage && i == 0, draw: func(y float64) {
			if i == 0 {
				p.arrive(h.ID, y)
				if h.Level > 1 {
					p.f.SetFont("Inter", "", size)
					p.f.Bookmark(p.fit(h.Text, smallSize, headLength), h.Level-2, y-6)
				}
			}
			p.draw(l, left, y+size, size)
		}})
	}
	p.put(box{height: below, glued: true, draw: func(y float64) {
		if h.Level == 2 {
			p.hairline(left, right, y+1)
		}
	}})
}

// stack puts lines below each other and keeps two together at both ends; those of a lead stay with what follows.
func (p *pen) stack(ls []line, x, size, height float64, lead bool, first func(y float64)) {
	for i, l := range ls {
		p.put(box{height: height, glued: lead || i == 0 && len(ls) > 1 || i == len(ls)-2, draw: func(y float64) {
			if i == 0 && first != nil {
				first(y)
			}
			p.draw(l, x, y+size, size)
		}})
	}
}

func (p *pen) paragraph(t Paragraph) {
	if !t.Boxed {
		p.stack(p.lines(t.Text, bodySize, textWidth, textLines), left, bodySize, bodyLine, t.Lead, nil)
		p.space(4)
		return
	}
	ls := p.lines(t.Text, bodySize, textWidth-28, textLines)
	h := float64(len(ls))*bodyLine + 12
	p.put(box{height: h + 8, draw: func(y float64) {
		p.fill(ground)
		p.stroke(rule)
		p.f.SetLineWidth(0.5)
		p.f.RoundedRect(left, y, textWidth, h, 4, "1234", "FD")
		p.part(Unknown, left, y, 7, h)
		for i, l := range ls {
			p.draw(l, left+18, y+6+bodySize+float64(i)*bodyLine, bodySize)
		}
	}})
}

func (p *pen) list(l List) {
	for i, item := range l.Items {
		mark := "•"
		if l.Numbered {
			mark = fmt.Sprint(i+1, ".")
		}
		p.stack(p.lines(item, bodySize, textWidth-16, textLines), left+16, bodySize, bodyLine, false, func(y float64) {
			p.write(left+3, y+bodySize, bodySize, grey, false, mark)
		})
	}
	p.space(4)
}

const factWidth = 104.0

func (p *pen) facts(all Facts) {
	for _, f := range all {
		p.stack(p.lines(f.Text, bodySize, textWidth-factWidth, textLines), left+factWidth, bodySize, bodyLine, false, func(y float64) {
			p.write(left, y+bodySize, bodySize, grey, false, p.fit(f.Name, bodySize, factWidth-6))
		})
		p.space(1.5)
	}
	p.space(3)
}

func (p *pen) figures(all Figures) {
	const gap, h = 8.0, 60.0
	w := (textWidth - gap*float64(len(all)-1)) / float64(len(all))
	p.put(box{height: h + 10, draw: func(y float64) {
		for i, f := range all {
			x := left + float64(i)*(w+gap)
			p.stroke(rule)
			p.f.SetLineWidth(0.7)
			p.f.RoundedRect(x, y, w, h, 4, "1234", "D")
			p.write(x+8, y+14, smallSize, grey, false, p.fit(f.Name, smallSize, w-14))
			p.write(x+8, y+37, 20, black, true, p.fit(f.Value, 21, w-14))
			p.write(x+8, y+51, smallSize, grey, false, p.fit(f.Note, smallSize, w-14))
		}
	}})
}

func (p *pen) contents(c Contents) {
	for i, e := range c.Entries {
		p.put(box{height: 16, glued: i+1 < len(c.Entries), draw: func(y float64) {
			text := p.fit(e.Text, bodySize, textWidth/2)
			x := left + p.width(text, bodySize, false) + 10
			p.draw(line{{0, x - left - 10, text, &Span{To: e.ID}}}, left, y+bodySize+1, bodySize)
			p.write(x, y+bodySize+1, bodySize, grey, false, p.fit(e.Note, bodySize, right-40-x))
			p.refs = append(p.refs, reference{p.f.PageNo(), y + bodySize + 1, e.ID})
			p.hairline(left, right, y+14)
		}})
	}
	p.space(6)
}

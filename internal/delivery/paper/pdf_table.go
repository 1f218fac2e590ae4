package paper

// letters is the font size and line height of a table.
type letters struct{ size, line float64 }

// cell is a cell after layout.
type cell struct {
	x, w  float64
	lines []line
	right bool
}

func (p *pen) table(t Table) {
	total := 0.0
	for _, c := range t.Columns {
		total += c.Share
	}
	if t.Caption != "" {
		p.space(2)
		for _, l := range p.lines(Quiet(t.Caption), tableSize, textWidth, cellLines) {
			p.put(box{height: tableLine, glued: true, draw: func(y float64) { p.draw(l, left, y+tableSize, tableSize) }})
		}
		p.space(2)
	}
	of := letters{tableSize, tableLine}
	if t.Dense {
		of = letters{denseSize, denseLine}
	}
	heads := make(Row, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = Quiet(c.Head)
	}
	head := p.row(t.Columns, total, heads, of)
	head.glued = true
	p.put(head)
	for i, r := range t.Rows {
		b := p.row(t.Columns, total, r, of)
		b.head = &head
		b.glued = b.glued || i < keepRows-1 && i+1 < len(t.Rows) || i == len(t.Rows)-2
		p.put(b)
	}
	p.space(7)
}

// row lays out a row. A row with a single cell is a heading, which stays with the row below.
func (p *pen) row(columns []Column, total float64, r Row, of letters) box {
	group := len(r) == 1 && len(columns) > 1
	cells, x, height := make([]cell, 0, len(r)), left, 1
	for i, t := range r {
		w := columns[i].Share / total * textWidth
		if group {
			w = textWidth
		}
		ls := p.lines(t, of.size, w-2*cellPad, cellLines)
		cells = append(cells, cell{x, w, ls, columns[i].Number})
		height = max(height, len(ls))
		x += w
	}
	h := float64(height)*of.line + 4
	return box{height: h, glued: group, draw: func(y float64) {
		if group {
			p.fill(ground)
			p.f.Rect(left, y, textWidth, h, "F")
		}
		for _, c := range cells {
			for i, l := range c.lines {
				at := c.x + cellPad
				if n := len(l); c.right && n > 0 {
					at = c.x + c.w - cellPad - l[n-1].x - l[n-1].w
				}
				p.draw(l, at, y+2+of.size+float64(i)*of.line, of.size)
			}
		}
		p.hairline(left, right, y+h)
	}}
}

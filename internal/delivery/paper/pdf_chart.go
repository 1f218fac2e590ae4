package paper

import "fmt"

func (p *pen) caption(s string) {
	if s != "" {
		p.put(box{height: tableLine + 3, glued: true, draw: func(y float64) {
			p.write(left, y+tableSize, tableSize, grey, false, p.fit(s, tableSize, textWidth))
		}})
	}
}

// bars draws each row as one stacked bar.
func (p *pen) bars(b Bars) {
	const name, note, h = 104.0, 92.0, 11.0
	width := textWidth - name - note
	p.caption(b.Caption)
	for _, r := range b.Rows {
		p.put(box{height: h + 8, glued: true, draw: func(y float64) {
			p.write(left, y+h-2, bodySize, black, false, p.fit(r.Name, bodySize, name-6))
			p.writeRight(right, y+h-2, tableSize, grey, p.fit(r.Note, tableSize, note-6))
			sum := 0
			for _, v := range r.Values {
				sum += v
			}
			x := left + name
			for i, v := range r.Values {
				if v > 0 {
					w := width * float64(v) / float64(sum)
					p.part(b.Legend[i], x, y, max(0.6, w-0.8), h)
					x += w
				}
			}
		}})
	}
	legend := Text{}
	for _, s := range b.Legend {
		legend = legend.Also(Signed(s)).Also(Plain("   "))
	}
	p.put(box{height: tableLine + 8, draw: func(y float64) {
		x := left + name
		for _, s := range b.Legend {
			p.part(s, x, y+1.5, 7, 7)
			p.write(x+10, y+tableSize, tableSize, grey, false, s.Word())
			x += 22 + p.width(s.Word(), tableSize, false)
		}
	}})
}

// line draws a number over time.
func (p *pen) line(l Line) {
	const h, axis = 92.0, 24.0
	p.caption(l.Caption)
	p.put(box{height: h + 30, draw: func(y float64) {
		y += 6
		at := func(i int) (float64, float64) {
			x := left + axis + 12
			if n := len(l.Points); n > 1 {
				x += (textWidth - axis - 40) * float64(i) / float64(n-1)
			}
			return x, y + h - h*float64(min(max(l.Points[i].Value, 0), 100))/100
		}
		for _, v := range []int{0, 50, 100} {
			gy := y + h - h*float64(v)/100
			p.hairline(left+axis, right, gy)
			p.writeRight(left+axis-5, gy+2.6, smallSize, grey, fmt.Sprint(v))
		}
		p.curve(l.Points, at)
		for i, point := range l.Points {
			x, py := at(i)
			p.fill(white)
			style := "FD"
			if !point.Hollow {
				p.fill(accent)
			}
			p.stroke(accent)
			p.f.SetLineWidth(1)
			p.f.Circle(x, py, 2.4, style)
			if i == 0 || i == len(l.Points)-1 {
				p.write(x-p.width(fmt.Sprint(point.Value), tableSize, true)/2, py-6, tableSize, black, true, fmt.Sprint(point.Value))
				label := p.fit(point.Label, smallSize, 120)
				x = min(max(x-p.width(label, smallSize, false)/2, left+axis), right-p.width(label, smallSize, false))
				if i == 0 || len(l.Points) > 2 || x > left+200 {
					p.write(x, y+h+12, smallSize, grey, false, label)
				}
			}
		}
	}})
}

// curve joins the comparable points.
func (p *pen) curve(points []Point, at func(int) (float64, float64)) {
	p.stroke(accent)
	p.f.SetLineWidth(1.3)
	last := -1
	for i, point := range points {
		if point.Hollow {
			continue
		}
		if last >= 0 {
			x1, y1 := at(last)
			x2, y2 := at(i)
			p.f.Line(x1, y1, x2, y2)
		}
		last = i
	}
}

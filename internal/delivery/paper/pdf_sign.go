package paper

import "codeberg.org/go-pdf/fpdf"

// badge reports whether a sign has a background of its own, as severities do.
func (s Sign) badge() bool {
	switch s {
	case Critical, High, Medium, Low, Informational:
		return true
	default:
		return false
	}
}

func (p *pen) signWidth(s Sign, size float64) float64 {
	w := size*0.9 + 3 + p.width(s.Word(), size, false)
	if s.badge() {
		w += 7
	}
	return w + 4
}

// sign draws the shape and the word; y is the baseline.
func (p *pen) sign(s Sign, x, y, size float64) {
	c := s.ink()
	if s.badge() {
		p.fill(c.tint)
		p.f.RoundedRect(x, y-size*0.98, p.signWidth(s, size)-4, size*1.32, 2.2, "1234", "F")
		x += 3.5
	}
	p.shape(s, x, y-size*0.76, size*0.8)
	colour := c.word
	if !s.badge() {
		colour = black
	}
	p.write(x+size*0.9+3, y, size, colour, false, s.Word())
}

// shape draws the symbol of a sign into a square.
func (p *pen) shape(s Sign, x, y, size float64) {
	c, u := s.ink(), size/12
	p.fill(c.fill)
	p.stroke(c.fill)
	p.f.SetLineWidth(1.7 * u)
	at := func(xy ...float64) []fpdf.PointType {
		out := make([]fpdf.PointType, 0, len(xy)/2)
		for i := 0; i < len(xy); i += 2 {
			out = append(out, fpdf.PointType{X: x + xy[i]*u, Y: y + xy[i+1]*u})
		}
		return out
	}
	switch s {
	case Critical:
		p.f.Polygon(at(3.6, 0, 8.4, 0, 12, 3.6, 12, 8.4, 8.4, 12, 3.6, 12, 0, 8.4, 0, 3.6), "F")
		p.fill(white)
		p.f.Rect(x+2.6*u, y+4.9*u, 6.8*u, 2.2*u, "F")
	case High:
		p.f.Polygon(at(6, .5, 11.8, 11, .2, 11), "F")
	case Medium:
		p.f.Polygon(at(6, 0, 12, 6, 6, 12, 0, 6), "F")
	case Low:
		p.f.Circle(x+6*u, y+6*u, 5*u, "F")
	case Informational:
		p.f.Rect(x+u, y+4.5*u, 10*u, 3*u, "F")
	case Fail:
		p.f.Line(x+2*u, y+2*u, x+10*u, y+10*u)
		p.f.Line(x+10*u, y+2*u, x+2*u, y+10*u)
	case Warning, Partial:
		p.f.Line(x+6*u, y+u, x+6*u, y+7.5*u)
		p.f.Circle(x+6*u, y+10.4*u, 1.1*u, "F")
	case Pass:
		p.f.Line(x+1.5*u, y+6.5*u, x+4.5*u, y+9.5*u)
		p.f.Line(x+4.5*u, y+9.5*u, x+10.5*u, y+2.5*u)
	case None:
		p.f.Line(x+2*u, y+6*u, x+10*u, y+6*u)
	default:
		p.stroke(grey)
		p.f.SetDashPattern([]float64{2.4 * u, 2.3 * u}, 0)
		p.f.Circle(x+6*u, y+6*u, 4.5*u, "D")
		p.f.SetDashPattern(nil, 0)
	}
}

// part fills a piece of a bar; what was not assessed is hatched.
func (p *pen) part(s Sign, x, y, w, h float64) {
	if s != Unknown {
		p.fill(s.ink().fill)
		p.f.Rect(x, y, w, h, "F")
		return
	}
	p.f.ClipRect(x, y, w, h, false)
	p.stroke(s.ink().fill)
	p.f.SetLineWidth(0.9)
	for at := x - h; at < x+w; at += 3.2 {
		p.f.Line(at, y+h, at+h, y)
	}
	p.f.ClipEnd()
}

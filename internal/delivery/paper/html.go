package paper

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // for the style sheet and the signs
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

//go:embed html/paper.css
var htmlStyle string

//go:embed html/signs.svg
var htmlSigns string

// HTMLPolicy is the Content-Security-Policy of WriteHTML's output (CSP Level 3), the same as in the
// page itself: our own style sheet, identified by its hash, and nothing else. A header may add
// frame-ancestors, which a meta element cannot set.
func HTMLPolicy() string {
	sum := sha256.Sum256([]byte(htmlStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// WriteHTML writes the document as one page without scripts or further requests.
func WriteHTML(w io.Writer, d Document) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := htmlPage(d).Render(out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write the HTML page: %w", err)
	}
	return nil
}

func htmlPage(d Document) g.Node {
	meta := func(name, content string) g.Node { return lined(h.Meta(h.Name(name), h.Content(content))) }
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(lined(h.Meta(h.Charset("utf-8"))),
			lined(h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(HTMLPolicy()))),
			meta("viewport", "width=device-width, initial-scale=1"), meta("color-scheme", "light dark"), meta("robots", "noindex"),
			lined(h.TitleEl(shown(d.Title))), lined(h.StyleEl(g.Raw(htmlStyle)))),
		h.Body(lined(h.A(h.Class("skip"), h.Href("#content"), g.Text("Skip to the content"))), g.Raw(htmlSigns),
			lined(h.Main(h.ID("content"), h.TabIndex("-1"), each(d.Blocks, htmlBlock))),
			lined(h.Footer(h.Class("foot"), shown(d.Running))))))
}

// each renders the node of every value in turn, so that a long table is never in memory as a whole.
func each[T any](values []T, node func(T) g.Node) g.Node {
	return g.NodeFunc(func(w io.Writer) error {
		for _, v := range values {
			if err := node(v).Render(w); err != nil {
				return err //nolint:wrapcheck // it says nothing more
			}
		}
		return nil
	})
}

// lined adds a line break after a node.
func lined(n g.Node) g.Node { return g.Group{n, g.Raw("\n")} }

func shown(s string) g.Node { return g.Text(Visible(s)) }

func ariaHidden() g.Node { return h.Aria("hidden", "true") }

func named(words string) g.Node { return h.Aria("label", Visible(words)) }

func muted(s string) g.Node { return h.Span(h.Class("muted"), shown(s)) }

// captioned is the caption above a block; "" gives none.
func captioned(s string) g.Node { return g.If(s != "", lined(h.P(h.Class("muted"), shown(s)))) }

func htmlBlock(b Block) g.Node {
	switch b := b.(type) {
	case Heading:
		return lined(b.html())
	case Paragraph:
		return lined(h.P(g.If(b.Boxed, h.Class("banner gap")), b.Text.html()))
	case List:
		list := h.Ul
		if b.Numbered {
			list = h.Ol
		}
		return lined(list(each(b.Items, func(t Text) g.Node { return lined(h.Li(t.html())) })))
	case Facts:
		return lined(h.Dl(h.Class("pairs"), each(b, func(f Fact) g.Node {
			return lined(g.Group{h.Dt(shown(f.Name)), h.Dd(f.Text.html())})
		})))
	case Table:
		return b.html()
	case Figures:
		return lined(h.Dl(h.Class("figures"), each(b, func(f Figure) g.Node {
			return lined(h.Div(h.Dt(shown(f.Name)), h.Dd(h.Strong(shown(f.Value)), g.Text(" "), muted(f.Note))))
		})))
	case Bars:
		return b.html()
	case Line:
		return b.html()
	case Contents:
		return lined(h.Nav(h.Class("contents"), named("Contents"), h.Ul(each(b.Entries, func(e Entry) g.Node {
			return lined(h.Li(h.A(h.Href("#"+e.ID), shown(e.Text)), g.Text(" "), muted(e.Note)))
		}))))
	default:
		return g.Group{}
	}
}

func (b Heading) html() g.Node {
	return g.El("h"+strconv.Itoa(b.Level), g.If(b.ID != "", h.ID(b.ID)), g.If(b.Sign != "", g.Group{b.Sign.html(), g.Text(" ")}),
		h.Span(h.Class("name"), shown(b.Text)),
		g.If(b.Aside != "", g.Group{g.Text(" "), h.Span(h.Class("aside"), shown(b.Aside))}))
}

func (s Sign) html() g.Node {
	return h.Span(h.Class("sign "+string(s)), h.SVG(ariaHidden(), g.El("use", h.Href("#i-"+string(s)))), g.Text(s.Word()))
}

func (t Text) html() g.Node { return each(t, Span.html) }

func (s Span) html() g.Node {
	switch text := shown(s.Text); {
	case s.ID != "":
		return h.Span(h.Class("name"), h.ID(s.ID), text)
	case s.Sign != "":
		return g.Group{s.Sign.html(), g.Text(" ")}
	case s.To != "":
		return h.A(h.Href("#"+s.To), text)
	case s.Address != "":
		return h.A(h.Href(s.Address), h.Rel("noreferrer"), text)
	case s.Bold:
		return h.Strong(text)
	case s.Quiet:
		return muted(s.Text)
	default:
		return text
	}
}

func (b Table) html() g.Node {
	aligned := func(c Column) g.Node { return g.If(c.Number, h.Class("number")) }
	row := func(cells Row) g.Node {
		if len(cells) == 1 && len(b.Columns) > 1 {
			return lined(h.Tr(h.Th(h.Class("group"), h.Scope("rowgroup"), h.ColSpan(strconv.Itoa(len(b.Columns))), cells[0].html())))
		}
		tds := make(g.Group, len(cells))
		for i, cell := range cells {
			tds[i] = h.Td(aligned(b.Columns[i]), cell.html())
		}
		return lined(h.Tr(tds))
	}
	table := lined(h.Div(h.Class("scroll"), h.Role("region"), h.TabIndex("0"), named(b.Name), h.Table(g.If(b.Dense, h.Class("dense")),
		lined(h.THead(h.Tr(each(b.Columns, func(c Column) g.Node { return h.Th(h.Scope("col"), aligned(c), g.Text(c.Head)) })))),
		h.TBody(each(b.Rows, row)))))
	if b.Folded {
		return lined(h.Details(lined(h.Summary(shown(b.Caption))), table))
	}
	return g.Group{captioned(b.Caption), table}
}

func (b Bars) html() g.Node {
	part := func(sign Sign, rest ...g.Node) g.Node {
		return g.El("rect", h.Class(string(sign)), g.Group(rest), h.Height("100%"))
	}
	row := func(r Bar) g.Node {
		sum, at := 0, 0.0
		for _, v := range r.Values {
			sum += v
		}
		words, parts := make([]string, len(r.Values)), g.Group{}
		for n, v := range r.Values {
			words[n] = fmt.Sprint(v, " ", strings.ToLower(b.Legend[n].Word()))
			if v > 0 {
				size := 100 * float64(v) / float64(sum)
				parts = append(parts, part(b.Legend[n], g.Attr("x", number(at)+"%"), h.Width(number(size)+"%")))
				at += size
			}
		}
		return lined(g.Group{h.Span(shown(r.Name)),
			h.SVG(h.Class("bar"), h.Role("img"), named(r.Name+": "+strings.Join(words, ", ")), parts), muted(r.Note)})
	}
	return g.Group{captioned(b.Caption), lined(h.Div(h.Class("bars"), each(b.Rows, row))),
		lined(h.P(h.Class("legend"), each(b.Legend, func(s Sign) g.Node {
			return g.Group{h.Span(h.SVG(h.Class("swatch"), ariaHidden(), part(s, h.Width("100%"))), g.Text(s.Word())), g.Text(" ")}
		})))}
}

func (b Line) html() g.Node {
	at := func(kind, x, y string) g.Node { return g.Group{g.Attr(kind+"x", x), g.Attr(kind+"y", y)} }
	label := func(x, y, text string, more ...g.Node) g.Node {
		return g.If(text != "", g.El("text", at("", x, y), g.Group(more), shown(text)))
	}
	end, middle := g.Attr("text-anchor", "end"), g.Attr("text-anchor", "middle")
	height := func(v int) string { return number(108 - 0.94*float64(min(max(v, 0), 100))) }
	grid := func(v int) g.Node {
		return lined(g.Group{g.El("line", g.Attr("x1", "34"), g.Attr("x2", "630"), g.Attr("y1", height(v)), g.Attr("y2", height(v))),
			label("28", height(v), strconv.Itoa(v), g.Attr("dy", "4"), end)})
	}
	var way, first, last string
	var marks g.Group
	words := make([]string, len(b.Points))
	for i, p := range b.Points {
		x, y := number(48+566*float64(i)/float64(max(1, len(b.Points)-1))), height(p.Value)
		marks = append(marks, g.El("circle", g.If(p.Hollow, h.Class("hollow")), at("c", x, y), g.Attr("r", "3.5")))
		if i == 0 || i == len(b.Points)-1 {
			marks = append(marks, label(x, y, strconv.Itoa(p.Value), h.Class("value"), g.Attr("dy", "-8"), middle))
		}
		if !p.Hollow {
			way += x + "," + y + " "
		}
		words[i] = p.Label + " " + strconv.Itoa(p.Value)
	}
	if n := len(b.Points); n > 0 {
		first = b.Points[0].Label
		if n > 1 {
			last = b.Points[n-1].Label
		}
	}
	return g.Group{captioned(b.Caption), lined(h.SVG(h.Class("curve"), g.Attr("viewBox", "0 0 640 130"), h.Role("img"),
		named(strings.Join(words, ", ")), each([]int{0, 50, 100}, grid), lined(g.El("polyline", g.Attr("points", way))), lined(marks),
		label("34", "126", first), label("630", "126", last, end)))}
}

// number formats a length with two decimals.
func number(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

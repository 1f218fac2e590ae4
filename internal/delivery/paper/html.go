package paper

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
)

//go:embed html/paper.html
var htmlFiles embed.FS

//go:embed html/paper.css
var htmlStyle string

// HTMLPolicy is the Content-Security-Policy of what WriteHTML writes (CSP Level 3), as in the page itself: our own style
// sheet, known by its hash, and nothing else. A header may add frame-ancestors, which a meta element cannot set.
func HTMLPolicy() string {
	sum := sha256.Sum256([]byte(htmlStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// templates holds the template of each block.
func templates() (*template.Template, error) {
	t, err := template.New("paper").Funcs(template.FuncMap{"shown": Visible}).ParseFS(htmlFiles, "html/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the templates of the HTML page: %w", err)
	}
	return t, nil
}

// WriteHTML writes the document as one page without script and without a second request.
func WriteHTML(w io.Writer, d Document) error {
	t, err := templates()
	if err != nil {
		return err
	}
	return writeHTML(w, d, t)
}

// engine is what is needed of html/template.
type engine interface {
	ExecuteTemplate(w io.Writer, name string, data any) error
}

func writeHTML(w io.Writer, d Document, t engine) error {
	out := bufio.NewWriterSize(w, 64<<10)
	frame := struct {
		Document
		Policy string
		Style  template.CSS
	}{d, HTMLPolicy(), template.CSS(htmlStyle)} //nolint:gosec // our own embedded file
	if err := t.ExecuteTemplate(out, "top", frame); err != nil {
		return fmt.Errorf("write the HTML page: %w", err)
	}
	for _, b := range d.Blocks {
		name, data := seen(b)
		if err := t.ExecuteTemplate(out, name, data); err != nil {
			return fmt.Errorf("write a %s of the HTML page: %w", name, err)
		}
	}
	if err := t.ExecuteTemplate(out, "bottom", frame); err != nil {
		return fmt.Errorf("write the HTML page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the HTML page: %w", err)
	}
	return nil
}

// seen gives the template of a block and what it reads.
func seen(b Block) (name string, data any) {
	switch b := b.(type) {
	case Heading:
		return "heading", b
	case Paragraph:
		return "paragraph", b
	case List:
		return "list", b
	case Facts:
		return "facts", b
	case Table:
		return "table", b
	case Figures:
		return "figures", b
	case Bars:
		return "bars", seenBars(b)
	case Line:
		return "line", seenLine(b)
	default:
		return "contents", b
	}
}

type barView struct {
	Name, Note, Words string
	Parts             []partView
}

type partView struct {
	Sign     Sign
	At, Size string
}

func seenBars(b Bars) any {
	rows := make([]barView, len(b.Rows))
	for i, r := range b.Rows {
		sum, at := 0, 0.0
		for _, v := range r.Values {
			sum += v
		}
		words := make([]string, 0, len(r.Values))
		for n, v := range r.Values {
			words = append(words, fmt.Sprint(v, " ", strings.ToLower(b.Legend[n].Word())))
			if v > 0 {
				size := 100 * float64(v) / float64(sum)
				rows[i].Parts = append(rows[i].Parts, partView{b.Legend[n], number(at), number(size)})
				at += size
			}
		}
		rows[i].Name, rows[i].Note, rows[i].Words = r.Name, r.Note, r.Name+": "+strings.Join(words, ", ")
	}
	return struct {
		Caption string
		Rows    []barView
		Legend  []Sign
	}{b.Caption, rows, b.Legend}
}

type markView struct {
	X, Y, Text string
	Hollow     bool
}

func seenLine(l Line) any {
	out := struct {
		Caption, Words, Way, First, Last string
		Grid, Marks                      []markView
	}{Caption: l.Caption}
	y := func(v int) string { return number(108 - 0.94*float64(min(max(v, 0), 100))) }
	for _, v := range []int{0, 50, 100} {
		out.Grid = append(out.Grid, markView{Y: y(v), Text: strconv.Itoa(v)})
	}
	words := make([]string, 0, len(l.Points))
	for i, p := range l.Points {
		m := markView{X: number(48 + 566*float64(i)/float64(max(1, len(l.Points)-1))), Y: y(p.Value), Hollow: p.Hollow}
		if i == 0 || i == len(l.Points)-1 {
			m.Text = strconv.Itoa(p.Value)
		}
		if !p.Hollow {
			out.Way += m.X + "," + m.Y + " "
		}
		out.Marks, words = append(out.Marks, m), append(words, p.Label+" "+strconv.Itoa(p.Value))
	}
	if n := len(l.Points); n > 0 {
		out.First = l.Points[0].Label
		if n > 1 {
			out.Last = l.Points[n-1].Label
		}
	}
	out.Words = strings.Join(words, ", ")
	return out
}

// number writes a length with two decimals.
func number(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

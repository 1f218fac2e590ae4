package export

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed html/*.html
var htmlFiles embed.FS

//go:embed html/report.css
var htmlStyle string

const (
	// htmlFullLimit is how many open findings (FAIL, WARNING, UNKNOWN) are all
	// written in full. Above it only critical to medium ones are, because browsers
	// give up on pages of hundreds of megabytes.
	htmlFullLimit = 20_000
	// htmlBatchBytes bounds the text that waits for its place in the document; packed it
	// takes about a tenth.
	htmlBatchBytes = 32 << 20
	// htmlMaxPieces is how many written pieces are kept; a run has about 210 checks.
	htmlMaxPieces = 1000
)

// HTML is the report for people: one self-contained page without script, links
// to elsewhere or a second request. It is written in one pass to count, and one
// or more to write, so that categories are together although findings come
// worst first; at most htmlBatchBytes of text are held, packed.
func HTML() Format {
	return Format{
		Name: "html", Title: "HTML", Use: "The report for people: one page, no script, printable.",
		ContentType: "text/html; charset=utf-8", Extension: "html", Frameworks: true,
		Write: func(w io.Writer, d Document) error {
			t, err := htmlTemplates()
			if err != nil {
				return err
			}
			return htmlWrite(w, d, t, htmlLimits{full: htmlFullLimit, batch: htmlBatchBytes})
		},
	}
}

// ReportPolicy is the Content-Security-Policy header (CSP Level 3) of a response
// that carries the report. The page itself names the same policy but for
// frame-ancestors, which a meta element cannot set.
func ReportPolicy() string { return htmlPolicy() + "; frame-ancestors 'self'" }

// htmlPolicy allows our own style sheet, known by its hash, and nothing else.
func htmlPolicy() string {
	sum := sha256.Sum256([]byte(htmlStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

func htmlTemplates() (*template.Template, error) {
	t, err := template.ParseFS(htmlFiles, "html/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the templates of the HTML export: %w", err)
	}
	return t, nil
}

// htmlEngine is what the writer needs of html/template.
type htmlEngine interface {
	ExecuteTemplate(w io.Writer, name string, data any) error
}

type htmlLimits struct {
	full  int // open findings
	batch int // bytes
}

// htmlWriter writes one document. Pieces are parts of findings that many have in
// common, already written.
type htmlWriter struct {
	doc    Document
	plan   *htmlPlan
	engine htmlEngine
	limits htmlLimits
	out    *bufio.Writer
	pieces map[htmlPiece]template.HTML
}

// htmlPiece is a template with what it was given.
type htmlPiece struct {
	name string
	data any
}

func htmlWrite(w io.Writer, d Document, engine htmlEngine, limits htmlLimits) error {
	if d.Findings == nil {
		return errors.New("write the HTML export: the document has no findings to read, and an empty report would pass for good news")
	}
	plan, err := newHTMLPlan(d, limits.full)
	if err != nil {
		return err
	}
	nodes, err := pathNodes(d)
	if err != nil {
		return fmt.Errorf("write the HTML export: %w", err)
	}
	h := &htmlWriter{doc: d, plan: plan, engine: engine, limits: limits, out: bufio.NewWriterSize(w, 64<<10),
		pieces: map[htmlPiece]template.HTML{}}
	if err := h.render(h.out, "top", newHTMLTop(d, plan, nodes)); err != nil {
		return err
	}
	if plan.broken != nil {
		return fmt.Errorf("read attack paths for the HTML export: %w", plan.broken)
	}
	for _, batch := range plan.batches(limits.batch) {
		if err := h.batch(batch); err != nil {
			return err
		}
	}
	if err := h.render(h.out, "bottom", newHTMLBottom(d, plan)); err != nil {
		return err
	}
	if err := h.out.Flush(); err != nil {
		return fmt.Errorf("write the HTML export: %w", err)
	}
	return nil
}

func (h *htmlWriter) render(w io.Writer, name string, data any) error {
	if err := h.engine.ExecuteTemplate(w, name, data); err != nil {
		return fmt.Errorf("write %s of the HTML export: %w", name, err)
	}
	return nil
}

// piece writes a template once for equal data, which must be comparable. It
// forgets what it knows before that grows, in case no two findings are alike.
func (h *htmlWriter) piece(name string, data any) (template.HTML, error) {
	key := htmlPiece{name, data}
	if text, known := h.pieces[key]; known {
		return text, nil
	}
	var b strings.Builder
	if err := h.render(&b, name, data); err != nil {
		return "", err
	}
	if len(h.pieces) >= htmlMaxPieces {
		clear(h.pieces)
	}
	text := template.HTML(b.String()) //nolint:gosec // html/template has written and escaped it
	h.pieces[key] = text
	return text, nil
}

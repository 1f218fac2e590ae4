package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"
	"unicode"
)

// clean makes a text safe to show on a terminal: names of records and rules are
// written by strangers, and control characters could move the cursor, colour or
// hide what follows.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return '·'
		}
		return r
	}, s)
}

func clipped(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// reason is why a file could not be used, without its path.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// show gives the answer: as JSON on stdout with the words on stderr, or as words
// on stdout.
func (p *program) show(raw json.RawMessage, words func(w io.Writer)) error {
	if p.output != outputJSON {
		words(p.out)
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	b.WriteByte('\n')
	if _, err := p.out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if !p.quiet {
		words(p.errs)
	}
	return nil
}

// say tells something on stderr.
func (p *program) say(format string, args ...any) {
	if !p.quiet {
		_, _ = fmt.Fprintln(p.errs, oneLine(fmt.Sprintf(format, args...)))
	}
}

// line writes one line of words.
func line(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintln(w, oneLine(fmt.Sprintf(format, args...)))
}

// table writes rows in columns. Cells are cleaned and clipped; the last may be
// longer.
func table(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = oneLine(cell); i < len(row)-1 {
				cells[i] = clipped(cells[i])
			}
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // a writer that fails is the person's own
}

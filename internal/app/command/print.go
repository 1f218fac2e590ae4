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
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// clean makes text safe to print on a terminal: names of records and rules are written by
// strangers, and control characters could move the cursor, or colour or hide what follows. In the
// log of a pipeline it is no command to the runner either: GitHub's take ##[ and Azure's ##vso[
// anywhere in a line, and GitHub's take :: at its start.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return '·'
		}
		return r
	}, s)
	s = strings.NewReplacer("##[", "#·#[", "##vso[", "#·#vso[").Replace(s)
	if strings.HasPrefix(strings.TrimSpace(s), "::") {
		s = "·" + s
	}
	return s
}

func clipped(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// reason returns why a file could not be used, without its path.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// show prints the result: as JSON on stdout with text on stderr, or as text on stdout.
func (p *program) show(raw json.RawMessage, words func(w io.Writer)) error {
	if !p.structured() {
		words(p.out)
		return nil
	}
	if err := p.print(raw); err != nil {
		return err
	}
	if !p.quiet {
		words(p.errs)
	}
	return nil
}

// structured reports whether the output is meant for a program.
func (p *program) structured() bool { return p.output == outputJSON || p.output == outputYAML }

// print writes JSON in the requested format and keeps the order of members.
func (p *program) print(raw json.RawMessage) error {
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", "  ")
	b.WriteByte('\n')
	if err == nil && p.output == outputYAML {
		var tree yaml.Node // JSON is valid YAML
		if err = yaml.Unmarshal(raw, &tree); err == nil {
			plain(&tree)
			b.Reset()
			encoder := yaml.NewEncoder(&b)
			encoder.SetIndent(2)
			err = errors.Join(encoder.Encode(&tree), encoder.Close())
		}
	}
	if err == nil {
		_, err = p.out.Write(b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// plain resets the style of a tree that was parsed from JSON, so that it is written as ordinary YAML.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		plain(c)
	}
}

// say prints a message on stderr, unless quiet.
func (p *program) say(format string, args ...any) {
	if !p.quiet {
		_, _ = fmt.Fprintln(p.errs, oneLine(fmt.Sprintf(format, args...)))
	}
}

// line prints one line of text.
func line(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintln(w, oneLine(fmt.Sprintf(format, args...)))
}

// instant prints a time, to the minute.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// table prints rows in columns. Cells are cleaned and clipped, except that the last cell is not clipped.
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
	_ = t.Flush() // a failing writer is the user's own problem
}

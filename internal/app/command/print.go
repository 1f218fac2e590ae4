package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
)

// hidden reports whether a character could move the cursor of a terminal, or colour, reorder or hide what follows.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// clean makes text for people safe to print on a terminal, because names of records and rules are written by
// strangers; what programs read is escaped instead (print). In the log of a pipeline it is no command to the
// runner either: GitHub's take ##[ and Azure's ##vso[ anywhere in a line, and GitHub's take :: at its start.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if hidden(r) {
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
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// mostListed is how many lines text has of one list.
const mostListed = 20

// listed writes the first of a list, a line each, and how many more there are.
func listed[T any](w io.Writer, are string, all []T, said func(T) string) {
	for _, one := range all[:min(mostListed, len(all))] {
		line(w, "%s %s", are, said(one))
	}
	if more := len(all) - mostListed; more > 0 {
		line(w, "%d more are %s; --output json has all", more, are)
	}
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

// print writes JSON in the requested format and keeps the order of members. What clean would replace is escaped,
// so a program reads the same text that the service sent.
func (p *program) print(raw json.RawMessage) error {
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", "  ")
	b.WriteByte('\n')
	var text string
	if err == nil && p.output == outputYAML {
		text, err = asYAML(b.String())
	} else {
		text = escaped(b.String(), jsonEscape, hidden)
	}
	if err == nil {
		_, err = io.WriteString(p.out, text)
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// asYAML converts JSON, which is YAML except that it may hold characters that a document of YAML may only escape.
func asYAML(text string) (string, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(escaped(text, yamlEscape, func(r rune) bool { return r > '~' })), &tree); err != nil {
		return "", err //nolint:wrapcheck // by print
	}
	plain(&tree)
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(&tree), encoder.Close())
	return escaped(b.String(), yamlEscape, hidden), err
}

func jsonEscape(r rune) string {
	if high, low := utf16.EncodeRune(r); r > 0xffff {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

func yamlEscape(r rune) string { return fmt.Sprintf(`\U%08x`, r) }

// escaped escapes characters in quoted text, and what a pipeline would take for a command.
func escaped(text string, escape func(rune) string, must func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		if must(r) && r != '\n' {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return strings.NewReplacer("##[", `\u0023#[`, "##vso[", `\u0023#vso[`).Replace(b.String())
}

// otherwise is text that YAML 1.1, which many still read, takes for a truth value, a number of base 60 or a sign of its own.
var otherwise = regexp.MustCompile(`^((?i:y|n|yes|no|on|off)|[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?|=|<<)$`)

// plain resets the style of a tree that was parsed from JSON, so that it is written as ordinary YAML, except that
// text which needs escapes or has two meanings is quoted.
func plain(n *yaml.Node) {
	n.Style = 0
	if n.Tag == "!!str" && otherwise.MatchString(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for part := range strings.SplitSeq(n.Value, "\n") {
		if clean(part) != part {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
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

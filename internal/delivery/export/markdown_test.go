package export_test

import (
	"bytes"
	"fmt"
	"html"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dustin/go-humanize/english"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func gfm() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))
}

// outline lists the blocks and the bold parts of a report in their order. Data
// may fill them, but must not add, move or end one.
func outline(t *testing.T, md []byte) []string {
	t.Helper()
	var out []string
	require.NoError(t, ast.Walk(gfm().Parser().Parse(text.NewReader(md)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindText || n.Kind() == ast.KindString || n.Kind() == ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		word := n.Kind().String()
		if h, ok := n.(*ast.Heading); ok {
			word += fmt.Sprint(h.Level)
		}
		if !entering {
			word = "/" + word
		}
		out = append(out, word)
		return ast.WalkContinue, nil
	}))
	return out
}

// foreign lists what a report never writes itself and so must be from data. Text
// outside code spans is also looked at for what GitHub links although this
// parser does not. The commands and configurations of the steps are the blocks it writes.
func foreign(t *testing.T, md []byte, blocks ...string) []string {
	t.Helper()
	var out []string
	selfLinking := regexp.MustCompile(`(?i)www\.|://|@|mailto:|xmpp:|(^|[^&])#`)
	require.NoError(t, ast.Walk(gfm().Parser().Parse(text.NewReader(md)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if block, ok := n.(*ast.FencedCodeBlock); ok && slices.Contains(blocks, strings.TrimSuffix(string(block.Lines().Value(md)), "\n")) {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindCodeBlock, ast.KindFencedCodeBlock,
			ast.KindThematicBreak:
			out = append(out, n.Kind().String())
		case ast.KindCodeSpan:
			return ast.WalkSkipChildren, nil
		case ast.KindText:
			if t, ok := n.(*ast.Text); ok && selfLinking.Match(t.Value(md)) {
				out = append(out, "self-linking text "+string(t.Value(md)))
			}
		}
		return ast.WalkContinue, nil
	}))
	return out
}

// shown is what a reader sees of Markdown: rendered, tags taken away, spaces folded.
func shown(t *testing.T, md string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gfm().Convert([]byte(md), &b))
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(b.String(), ""))), " ")
}

func folded(s string) string { return strings.Join(strings.Fields(export.Visible(s)), " ") }

// tame gives the document with a harmless word for every text of a stranger.
func tame(t *testing.T, d export.Document) export.Document {
	t.Helper()
	word := func(s *string) {
		if folded(*s) != "" {
			*s = "x"
		}
	}
	findings := all(t, d)
	for i := range findings {
		f := &findings[i]
		for _, s := range []*string{&f.Title, &f.Message, &f.Impact, &f.Breaks, &f.Why, &f.Fix, &f.Reason, &f.Permission,
			&f.Resource.Name, &f.Resource.Zone} {
			word(s)
		}
		f.Steps = slices.Clone(f.Steps)
		for n := range f.Steps {
			word(&f.Steps[n].Text)
			word(&f.Steps[n].Code)
		}
		evidence := make([]posture.Evidence, len(f.Evidence))
		for n := range evidence {
			evidence[n] = posture.Evidence{Source: "x", Pointer: "x", Observed: "x", Expected: "x"}
		}
		f.Evidence = evidence
		word(&f.ExceptionNote)
	}
	d.Findings = exporttest.Of(findings)
	d.Assessment.Account.Name, d.Assessment.Coverage.MissingPermissions = "x", append([]posture.MissingPermission{},
		d.Assessment.Coverage.MissingPermissions...)
	word(&d.Assessment.Note)
	for i := range d.Assessment.Coverage.MissingPermissions {
		word(&d.Assessment.Coverage.MissingPermissions[i].Permission)
	}
	d.Graph = nil
	paths := exporttest.Paths(&d)
	for i := range paths {
		p := &paths[i]
		p.Breaks = append([]posture.Break{}, p.Breaks...)
		word(&p.Title)
		word(&p.Explanation)
		for n := range p.Breaks {
			word(&p.Breaks[n].Change)
		}
	}
	return d
}

func validMarkdown(t *testing.T, d export.Document, file []byte) {
	var blocks []string
	for _, f := range all(t, d) {
		for _, s := range f.Steps {
			lines := strings.Split(s.Code, "\n")
			for i := range lines {
				lines[i] = export.Visible(lines[i])
			}
			blocks = append(blocks, strings.Join(lines, "\n"))
		}
	}
	require.Empty(t, foreign(t, file, blocks...))
	require.Equal(t, outline(t, write(t, format(t, "markdown"), tame(t, d))), outline(t, file), "data must not change the outline")
	full := 0
	for _, f := range all(t, d) {
		if f.Result == posture.Fail || f.Result == posture.Warning || f.Result == posture.Unknown {
			full++
		}
	}
	headings := 0
	for _, word := range outline(t, file) {
		if word == "Heading4" {
			headings++
		}
	}
	require.Equal(t, full, headings, "each FAIL, WARNING and UNKNOWN has its heading")
}

func TestMarkdownNamesStayText(t *testing.T) {
	for _, name := range exporttest.Names(500) {
		staysText(t, name)
	}
}

// staysText holds that a text in a line and in cells of a table adds nothing to
// the outline and is shown as it is.
func staysText(t *testing.T, name string) {
	t.Helper()
	const frame = "- **Message:** %s\n\n| A | B |\n| --- | --- |\n| %s | %s |\n"
	want := outline(t, fmt.Appendf(nil, frame, "x", "x", "x"))
	md := fmt.Sprintf(frame, export.Prose(name), export.Prose(name), export.Code(name))
	require.Empty(t, foreign(t, []byte(md)), "%q", name)
	require.Equal(t, want, outline(t, []byte(md)), "%q became %s", name, md)
	require.Equal(t, strings.Join(strings.Fields("Message: "+folded(name)+" A B "+folded(name)+" "+folded(name)), " "), shown(t, md), "%q",
		name)
}

// FuzzMarkdownText looks for a text that does not stay one.
func FuzzMarkdownText(f *testing.F) {
	for _, name := range exporttest.Names(200) {
		if len(name) < 40 {
			f.Add(name)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		defer fuzztest.Bound(t)()
		staysText(t, name)
	})
}

// TestMarkdownGuardIsNeeded shows that the looks above see each kind of attack
// when nothing is escaped.
func TestMarkdownGuardIsNeeded(t *testing.T) {
	const frame = "- **Message:** %s\n\n| A | B |\n| --- | --- |\n| %s | y |\n"
	want := outline(t, fmt.Appendf(nil, frame, "x", "x"))
	for _, c := range []struct{ name, sees string }{
		{"[a](https://evil.example)", "Link"}, {"![a](b.png)", "Image"}, {"<img src=x>", "RawHTML"}, {"http://evil.example", "AutoLink"},
		{"www.evil.example", "AutoLink"},
		{"a@evil.example", "AutoLink"}, {"@everyone", "self-linking"}, {"#1", "self-linking"}, {"x\n\n<div>", "HTMLBlock"},
		{"x\n\n```\ny", "FencedCodeBlock"},
	} {
		require.Contains(t, strings.Join(foreign(t, fmt.Appendf(nil, frame, c.name, "x")), ","), c.sees, c.name)
	}
	for _, name := range []string{"x\n\n# heading", "x\n  ===", "x\n- item", "**bold**", "a | b\n| --- | --- |\n| c | d"} {
		require.NotEqual(t, want, outline(t, fmt.Appendf(nil, frame, name, "x")), name)
	}
	require.NotEqual(t, shown(t, fmt.Sprintf(frame, "x", "a")), shown(t, fmt.Sprintf(frame, "x", "a | b")), "a pipe moves cells")
}

// TestMarkdownSummary fits a comment whatever the assessment is, changes nothing by
// what names hold, and counts what it leaves out.
func TestMarkdownSummary(t *testing.T) {
	hostile := func(d export.Document, text string) export.Document {
		d.Assessment.Note, d.Assessment.Account.Name = text, text
		for i := range 500 {
			d.Assessment.Coverage.MissingPermissions = append(d.Assessment.Coverage.MissingPermissions,
				posture.MissingPermission{Permission: fmt.Sprint(text, i), CheckIDs: []string{text}})
		}
		all := d.Findings
		d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
			return func(yield func(posture.Finding, error) bool) {
				n := 0
				for f, err := range all(results...) {
					n++
					f.CheckID, f.CheckTitle, f.Fix, f.Resource.Name = fmt.Sprintf("CFL-X-%d", n), text, text, text
					if !yield(f, err) {
						return
					}
				}
			}
		}
		return d
	}
	documents := map[string]export.Document{"small": exporttest.Large(3), "large": exporttest.Large(20_000), "names": exporttest.Document(3)}
	for _, fill := range []string{"<", "😀", "`", "|", "a@b ", "x"} {
		documents["full of "+fill] = hostile(exporttest.Large(2000), strings.Repeat(fill, 4000))
	}
	for name, d := range documents {
		t.Run(name, func(t *testing.T) {
			d.Summary = true
			file := write(t, format(t, "markdown"), d)
			require.LessOrEqual(t, len(file), export.MarkdownSummaryBytes)
			require.Empty(t, foreign(t, file))
			open, groups, unknown := 0, map[string]bool{}, 0
			for _, f := range all(t, d, posture.Fail, posture.Warning, posture.Unknown) {
				switch {
				case f.Exception != nil:
				case f.Result == posture.Unknown:
					unknown++
				default:
					open, groups[f.CheckID] = open+1, true
				}
			}
			rows := regexp.MustCompile(`(?m)^\| (?:critical|high|medium|low|informational) \| (\d+) \|`).FindAllStringSubmatch(string(file), -1)
			told := 0
			for _, r := range rows {
				n, err := strconv.Atoi(r[1])
				require.NoError(t, err)
				told += n
			}
			if len(rows) < len(groups) {
				require.Contains(t, string(file), fmt.Sprintf("- %s with %s\n", english.Plural(len(groups)-len(rows), "check", ""),
					english.Plural(open-told, "open finding", "")))
			} else {
				require.Equal(t, open, told)
			}
			require.Contains(t, string(file), fmt.Sprintf("- %s, with the evidence\n", english.Plural(open, "open finding", "")))
			head := regexp.MustCompile(`(?m)^\| Open \| (\d+) critical, (\d+) high, (\d+) medium, (\d+) low, (\d+) informational`).
				FindStringSubmatch(string(file))
			require.NotEmpty(t, head)
			for _, number := range head[1:] {
				n, err := strconv.Atoi(number)
				require.NoError(t, err)
				open -= n
			}
			require.Zero(t, open, "what is open is one number in its head and below")
			if unknown > 0 {
				require.Contains(t, string(file), "- "+english.Plural(unknown, "finding", "")+" of ")
			}
		})
	}
}

// TestMarkdownSummarySaysWhatIsNotOpen: nothing is open, what is left out is counted as it is, and critical paths come first.
func TestMarkdownSummarySaysWhatIsNotOpen(t *testing.T) {
	risk := "0198c5b2"
	unknown := posture.Finding{ID: "1", CheckID: "CFL-A-1", Result: posture.Unknown}
	accepted := posture.Finding{ID: "2", CheckID: "CFL-B-1", Result: posture.Fail, Severity: posture.High, Exception: &risk}
	for name, tc := range map[string]struct {
		findings []posture.Finding
		want     []string
	}{
		"all passed": {nil, []string{"## What is open\n\nNothing.\n"}},
		"accepted":   {[]posture.Finding{accepted, unknown}, []string{"Nothing but accepted risks.", "- 1 finding whose risk is accepted\n"}},
		"could not tell": {[]posture.Finding{unknown}, []string{"Nothing that could be judged.",
			"- 1 finding of 1 check that could not judge (UNKNOWN)\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := exporttest.Document(1)
			d.Summary, d.Findings = true, exporttest.Of(tc.findings)
			d.Paths = export.Listed([]posture.AttackPath{{ID: "a", Title: "First", Severity: posture.High},
				{ID: "b", Title: "Second", Severity: posture.Critical}})
			file := string(write(t, format(t, "markdown"), d))
			for _, want := range append(tc.want, "- **critical:** Second\n- **high:** First\n", "- 2 attack paths step by step") {
				require.Contains(t, file, want)
			}
		})
	}
}

// TestMarkdownSummaryIsInTheOrderOfIssues: one resource on an attack path comes before three that are on none.
func TestMarkdownSummaryIsInTheOrderOfIssues(t *testing.T) {
	d := exporttest.Document(1)
	finding := func(check, id string, paths ...string) posture.Finding {
		return posture.Finding{ID: id, CheckID: check, CheckTitle: check, Result: posture.Fail, Severity: posture.High, AttackPathIDs: paths}
	}
	d.Findings = exporttest.Of([]posture.Finding{finding("CFL-A-1", "1"), finding("CFL-A-1", "2"), finding("CFL-A-1", "3"),
		finding("CFL-B-1", "4", "path")})
	d.Summary = true
	file := string(write(t, format(t, "markdown"), d))
	require.Less(t, strings.Index(file, "CFL-B-1"), strings.Index(file, "CFL-A-1"))
}

func TestMarkdownIsTheSameWithinAnyBudget(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		d := exporttest.Document(seed)
		want := write(t, format(t, "markdown"), d)
		for _, budget := range []int{1, 3000, 40_000} {
			var b bytes.Buffer
			require.NoError(t, export.WriteMarkdownWithin(&b, d, budget))
			require.Equal(t, string(want), b.String())
		}
	}
}

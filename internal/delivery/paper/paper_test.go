package paper_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/paper"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func at() time.Time { return time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC) }

func pdf(t testing.TB, d paper.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, paper.WritePDF(&b, d, at()))
	return b.Bytes()
}

// long is a document with a table of many pages, every third row of which has two lines.
func long(rows int) paper.Document {
	table := paper.Table{Columns: []paper.Column{{Head: "Number of the row", Share: 30}, {Head: "Said", Share: 20}}}
	for n := range rows {
		said := fmt.Sprintf("begin-%d end-%d", n, n)
		if n%3 == 0 {
			said = fmt.Sprintf("begin-%d\nend-%d", n, n)
		}
		table.Rows = append(table.Rows, paper.Row{paper.Plain(fmt.Sprint("row ", n)), paper.Plain(said)})
	}
	return paper.Document{Title: "A long table", Subject: "Rows", Running: "At the foot", Notice: "At the head", Blocks: []paper.Block{
		paper.Heading{Level: 1, Text: "A long table"}, paper.Contents{Entries: []paper.Entry{{ID: "end", Text: "The end"}}},
		paper.Heading{Level: 2, ID: "rows", Text: "The rows"}, table, paper.Heading{Level: 2, ID: "end", Text: "Last part"},
		paper.Heading{Level: 3, ID: "more", Text: "A section of it"},
		paper.Paragraph{Text: paper.Text{{Text: "Back", To: "rows"}, {Text: " "}, {Text: "docs",
			Address: "https://developers.cloudflare.com/"}}}}}
}

// TestPages: each page has its number, the head of the table and what stands on every page; a row is whole on one page.
func TestPages(t *testing.T) {
	pages := papertest.Pages(t, pdf(t, long(300)))
	require.Greater(t, len(pages), 5)
	row := regexp.MustCompile(`begin-(\d+)`)
	rows := 0
	for i, page := range pages {
		require.Contains(t, page, fmt.Sprintf("%d of %d", i+1, len(pages)))
		require.Contains(t, page, "At the foot")
		require.Contains(t, page, "At the head")
		found := row.FindAllStringSubmatch(page, -1)
		for _, m := range found {
			require.Contains(t, page, "end-"+m[1], "row %s is cut in two", m[1])
			rows++
		}
		if len(found) > 0 {
			require.Contains(t, page, "Number of the row")
			require.GreaterOrEqual(t, len(found), 2, "a row stands alone")
		}
	}
	require.Equal(t, 300, rows)
	require.Regexp(t, fmt.Sprintf(`The end +%d\n`, len(pages)), pages[0], "the contents name the page")
}

// TestFile: what a reader is told about the file, and that it is the same each time.
func TestFile(t *testing.T) {
	d := long(60)
	file := pdf(t, d)
	for range 20 {
		require.Equal(t, file, pdf(t, d))
	}
	info := papertest.Run(t, file, "pdfinfo", "-isodates", "FILE")
	for _, want := range []string{`Title: +A long table`, `Subject: +Rows`, `CreationDate: +2026-11-20T14:05:00`,
		`Page size: +595.28 x 841.89 pts \(A4\)`,
		`JavaScript: +no`, `Encrypted: +no`} {
		require.Regexp(t, want, info)
	}
	outline := papertest.Run(t, file, "pdftohtml", "-xml", "-stdout", "-i", "FILE")
	require.Regexp(t, `(?s)<outline>\s*<item page="1">The rows</item>\s*<item page="\d">Last part</item>\s*`+
		`<outline>\s*<item page="\d">A section of it`, outline)
	require.Contains(t, outline, `<a href="https://developers.cloudflare.com/">docs</a>`)
	require.Equal(t, 1, bytes.Count(file, []byte("/URI (https://developers.cloudflare.com/)")))
	require.Regexp(t, `(?s)Identity-H +yes +\w+ +yes.*Identity-H +yes +\w+ +yes`, papertest.Run(t, file, "pdffonts", "FILE"),
		"embedded, and to be copied as text")
}

// TestScripts: what the typeface has is written, and what it lacks is named, so that nothing vanishes.
func TestScripts(t *testing.T) {
	for in, want := range map[string]string{
		"müller.example Łódź ćirilica": "müller.example Łódź ćirilica", "магазин.example": "магазин.example",
		"κατάστημα.example": "κατάστημα.example",
		"東京.example":        "[U+6771 U+4EAC].example", "متجر": "[U+0645 U+062A U+062C U+0631]", "חנות": "[U+05D7 U+05E0 U+05D5 U+05EA]",
		"🔒 shop":           "[U+1F512] shop",
		"\u202egnp.elgoog": "[U+202E]gnp.elgoog", "pay\u200bpal": "pay[U+200B]pal", "a\x00b": "a[U+0000]b", "\xff": "[U+FFFD]",
	} {
		d := paper.Document{Title: in, Subject: in, Blocks: []paper.Block{paper.Heading{Level: 2, Text: in}}}
		require.Equal(t, want+" 1 of 1", papertest.Text(t, pdf(t, d)))
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"shop.example": "shop.example", "müller.example 東京 🔒 שלום": "müller.example 東京 🔒 שלום", "\u202egnp": "[U+202E]gnp",
		"a\x00b\x1b[31m\r": "a[U+0000]b[U+001B][31m[U+000D]", "\u2066x\u2069\ufeff\u2028\u00ad": "[U+2066]x[U+2069][U+FEFF][U+2028][U+00AD]",
		"line\n\ttwo می\u200cخواهم": "line\n\ttwo می\u200cخواهم", "\xff": "\ufffd", "\x7f": "[U+007F]",
	} {
		require.Equal(t, want, paper.Visible(in))
	}
}

// everything has a text in every place that takes one.
func everything(text string) paper.Document {
	words := paper.Text{{Text: text}, {Text: text, Bold: true}, {Text: text, Quiet: true}, {Text: text, To: "here"}}
	return paper.Document{Title: text, Subject: text, Running: text, Notice: text, Blocks: []paper.Block{
		paper.Heading{Level: 1, Text: text, Aside: text}, paper.Heading{Level: 2, ID: "here", Text: text},
		paper.Heading{Level: 3, Sign: paper.Critical, Text: text}, paper.Paragraph{Text: words}, paper.Paragraph{Text: words, Boxed: true},
		paper.List{Items: []paper.Text{words}}, paper.List{Numbered: true, Items: []paper.Text{words}}, paper.Facts{{Name: text, Text: words}},
		paper.Table{Caption: text, Columns: []paper.Column{{Head: "A", Share: 1}, {Head: "B", Share: 9, Number: true}},
			Rows: []paper.Row{{words, words}, {words}, {paper.Signed(paper.Unknown), words}}},
		paper.Figures{{Name: text, Value: text, Note: text}},
		paper.Bars{Caption: text, Legend: []paper.Sign{paper.Pass, paper.Unknown}, Rows: []paper.Bar{{Name: text, Note: text, Values: []int{3,
			1}},
			{Name: text, Values: []int{0, 0}}}},
		paper.Line{Caption: text, Points: []paper.Point{{Label: text, Value: 3}, {Label: text, Value: 400, Hollow: true}, {Label: text,
			Value: 9}}},
		paper.Contents{Entries: []paper.Entry{{ID: "here", Text: text, Note: text}}}}}
}

// TestTextsOfAnyLength: a text without end takes neither time nor pages without end.
func TestTextsOfAnyLength(t *testing.T) {
	for _, text := range []string{"", " ", strings.Repeat("x", 200_000), strings.Repeat("word ", 50_000), strings.Repeat("\n", 10_000),
		strings.Repeat("東", 50_000), strings.Repeat("a.", 50_000)} {
		require.Less(t, len(papertest.Pages(t, pdf(t, everything(text)))), 12)
	}
}

func FuzzAnyText(f *testing.F) {
	for _, s := range []string{"shop", "(\\)", "%PDF-1.7", "endstream\nendobj", "/URI (javascript:alert(1))",
		"<</S/JavaScript/JS(app.alert(1))>>",
		"\u202e", "\xff", "{nb}", "a\rb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		file := pdf(t, everything(text))
		require.NotContains(t, string(file), "/URI")
		require.NotContains(t, string(file), "/JavaScript")
		require.NoError(t, paper.WriteHTML(io.Discard, everything(text)))
	})
}

type full struct{ err error }

func (w full) Write([]byte) (int, error) { return 0, w.err }

func TestErrors(t *testing.T) {
	gone := errors.New("the reader has gone")
	require.ErrorIs(t, paper.WritePDF(full{gone}, long(3), at()), gone)
	require.ErrorIs(t, paper.WriteHTML(full{gone}, long(3)), gone)
	lost := paper.Document{Blocks: []paper.Block{paper.Paragraph{Text: paper.Text{{Text: "there", To: "nowhere"}}}}}
	require.ErrorContains(t, paper.WritePDF(io.Discard, lost, at()), `a link leads to "nowhere"`)
}

// TestLooksLikeTheDashboard compares the tokens of both, so that a colour is changed in one place and the other is not forgotten.
func TestLooksLikeTheDashboard(t *testing.T) {
	theirs, err := os.ReadFile(filepath.Join("..", "..", "..", "web", "src", "styles", "tokens.css"))
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join("html", "paper.css"))
	require.NoError(t, err)
	token := regexp.MustCompile(`(?m)^  (--[a-z-]+): (.*);$`)
	want := map[string]string{}
	for _, m := range token.FindAllStringSubmatch(string(theirs), -1) {
		want[m[1]] = m[2]
	}
	found := token.FindAllStringSubmatch(string(ours), -1)
	require.Greater(t, len(found), 25)
	for _, m := range found {
		require.Equal(t, want[m[1]], m[2], m[1])
	}
	require.NotRegexp(t, `url\([^#]|@import|</`, string(ours))
	var page bytes.Buffer
	require.NoError(t, paper.WriteHTML(&page, long(1)))
	require.Contains(t, page.String(), "<style>"+string(ours)+"</style>", "the style is the one whose hash the policy names")
}

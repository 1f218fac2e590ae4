package export

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// reportPayloads are 500 names that break careless pages.
func reportPayloads() []string {
	seeds := []string{
		`<script>alert(1)</script>`, `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`, `</script><script>alert(1)//`, `<svg/onload=alert(1)>`,
		`<svg><animate onbegin=alert(1) attributeName=x>`,
		`<img src=x onerror=alert(1)>`, `"><img src=x onerror=alert(1)>`, `'><img src=x onerror=alert(1)>`, `" onmouseover="alert(1)`,
		`' onfocus='alert(1)' autofocus='`,
		"` onclick=`alert(1)", `" style="background:url(//evil.example)`, `<style>*{display:none}</style>`, `</style><script>alert(1)</script>`,
		`</title><script>alert(1)</script>`,
		`<!-- `, `--><b>`, `<![CDATA[`, `]]><b>`, `<?php echo 1 ?>`, `{{.Policy}}`, `{{template "top" .}}`, `{{"<b>"}}`, `${7*7}`, `<%= 7*7 %>`,
		`javascript:alert(1)`, `#" onclick="alert(1)`, `data:text/html,<script>alert(1)</script>`, `<a href=//evil.example>x</a>`,
		`<meta http-equiv=refresh content=0;url=//evil.example>`,
		`<base href=//evil.example>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<object data=//evil.example>`,
		`<form action=//evil.example><button>`, `<details ontoggle=alert(1) open>`,
		`</details></article></main></body></html><b>`, `</summary><b>`, `</table><b>`, `</dd></dl><b>`, `<plaintext>`, `<textarea>`,
		`<noscript><b>`, `<math><mtext><b>`,
		"\u202egnp.elgoog", "\u2066shop\u2069", "\u200fshop", "sh\u200bop", "a\x00b\x07\x1b[31m", "\xff\xfe<b>", "\u2028\u2029<b>",
	}
	frames := []string{"%s", "shop %s", "%s.example", `"%s"`, "'%s'", "&lt;%s&gt;", "<%s>", "\n%s\t", "\ufeff%s", "%[1]s%[1]s"}
	var out []string
	for _, seed := range seeds {
		for _, frame := range frames {
			out = append(out, fmt.Sprintf(frame, seed))
		}
	}
	return out
}

// reportPoisoned puts a text into every text of a value. Words with a fixed set of
// values, such as severities, keep theirs unless asked.
func reportPoisoned(v reflect.Value, text string, words bool) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() != reflect.TypeFor[posture.Result]() && (words || v.Type() == reflect.TypeFor[string]()) {
			v.SetString(text)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			reportPoisoned(field, text, words)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			reportPoisoned(v.Index(i), text, words)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			reportPoisoned(v.Elem(), text, words)
		}
	}
}

func reportPoisonedDocument(text string, words bool) Document {
	findings := reportSmallFindings()
	d := reportDocument(findings)
	reportPoisoned(reflect.ValueOf(findings), text, words)
	reportPoisoned(reflect.ValueOf(&d).Elem(), text, words)
	d.Findings = reportListing(findings)
	return d
}

// reportShape counts the elements of a page and their attributes, and lists what
// no report may hold.
func reportShape(page string) (shape map[string]int, bad []string) {
	shape = map[string]int{}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return shape, []string{err.Error()}
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			bad = append(bad, "comment "+n.Data)
		case html.TextNode:
			if n.Parent.Data != "style" && paper.Visible(n.Data) != n.Data {
				bad = append(bad, "hidden sign in "+n.Data)
			}
		case html.ElementNode:
			shape[n.Data]++
			for _, a := range n.Attr {
				shape[n.Data+" "+a.Key]++
				link := a.Key == "href" || a.Key == "src" || strings.HasSuffix(a.Key, ":href")
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || link && !strings.HasPrefix(a.Val, "#") &&
					!strings.HasPrefix(a.Val, "https://developers.cloudflare.com/") {
					bad = append(bad, n.Data+" "+a.Key+"="+a.Val)
				}
			}
		}
	}
	return shape, bad
}

func reportHeading(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "h1" {
			return n.FirstChild.FirstChild.Data
		}
	}
	return ""
}

func reportPage(t testing.TB, d Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, HTML().Write(&b, d))
	return b.String()
}

func reportPDF(t testing.TB, d Document) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, PDF().Write(&b, d))
	return b.Bytes()
}

// TestSweepReportHoldsNothingOfStrangers renders 500 hostile names in every text of a document: the page has the same elements and
// attributes as with a plain name, and the PDF no more that acts.
func TestSweepReportHoldsNothingOfStrangers(t *testing.T) {
	plain, bad := reportShape(reportPage(t, reportPoisonedDocument("shop", false)))
	require.Empty(t, bad)
	require.Greater(t, plain["td"], 50, "the document must show issues and paths for this test to say something")
	links := bytes.Count(reportPDF(t, reportPoisonedDocument("shop", false)), []byte("/URI"))
	streams := regexp.MustCompile(`(?s)stream\r?\n.*?endstream`)
	payloads := reportPayloads()
	require.Len(t, payloads, 500)
	for i, text := range payloads {
		if testing.Short() && i%10 != 0 {
			continue
		}
		d := reportPoisonedDocument(text, i < 100)
		page := reportPage(t, d)
		shape, bad := reportShape(page)
		require.Empty(t, bad, "%q", text)
		if i >= 100 {
			require.Equal(t, plain, shape, "%q", text)
			require.Equal(t, strings.Trim(paper.Visible(text), "\n"), strings.Trim(reportHeading(t, page), "\n"), "%q is not shown as it is", text)
		}
		for name := range maps.Keys(shape) {
			require.Contains(t, plain, name, "%q", text)
		}
		// What is packed may look like anything.
		file := streams.ReplaceAll(reportPDF(t, d), nil)
		require.NotRegexp(t, "/(JavaScript|JS|Launch|SubmitForm|OpenAction|EmbeddedFile)\\b", string(file), "%q", text)
		if i >= 100 {
			require.LessOrEqual(t, bytes.Count(file, []byte("/URI")), 2*links, "%q", text)
		}
		if i%50 == 0 {
			require.NotEmpty(t, papertest.Text(t, reportPDF(t, d)))
		}
	}
}

func FuzzReportHoldsNothingOfStrangers(f *testing.F) {
	plain, _ := reportShape(reportPage(f, reportPoisonedDocument("shop", false)))
	for _, text := range reportPayloads()[:50] {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		if strings.TrimSpace(text) == "" {
			return // an empty text leaves out what would name it
		}
		d := reportPoisonedDocument(text, false)
		shape, bad := reportShape(reportPage(t, d))
		require.Empty(t, bad)
		require.Equal(t, plain, shape)
		require.NotEmpty(t, reportPDF(t, d))
	})
}

package export

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	texttemplate "text/template"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// htmlPayloads are 500 names that break careless pages.
func htmlPayloads() []string {
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

// htmlPoisoned puts a text into every text of a value. Words with a fixed set of
// values, such as severities, keep theirs unless asked.
func htmlPoisoned(v reflect.Value, text string, words bool) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() != reflect.TypeFor[posture.Result]() && (words || v.Type() == reflect.TypeFor[string]()) {
			v.SetString(text)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			htmlPoisoned(field, text, words)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			htmlPoisoned(v.Index(i), text, words)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			htmlPoisoned(v.Elem(), text, words)
		}
	}
}

func htmlPoisonedDocument(text string, words bool) Document {
	findings := htmlSmallFindings()
	d := htmlDocument(findings)
	htmlPoisoned(reflect.ValueOf(findings), text, words)
	htmlPoisoned(reflect.ValueOf(&d).Elem(), text, words)
	d.Findings = htmlListing(findings)
	return d
}

// htmlShape counts the elements of a page and their attributes, and lists what
// no report may hold.
func htmlShape(page string) (shape map[string]int, bad []string) {
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
			if n.Parent.Data != "style" && strings.ContainsFunc(n.Data, htmlHidden) {
				bad = append(bad, "hidden sign in "+n.Data)
			}
		case html.ElementNode:
			shape[n.Data]++
			for _, a := range n.Attr {
				shape[n.Data+" "+a.Key]++
				link := a.Key == "href" || a.Key == "src" || strings.HasSuffix(a.Key, ":href")
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || link && !strings.HasPrefix(a.Val, "#") {
					bad = append(bad, n.Data+" "+a.Key+"="+a.Val)
				}
			}
		}
	}
	return shape, bad
}

func htmlHeading(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "h1" {
			return n.FirstChild.Data
		}
	}
	return ""
}

func htmlWith(t testing.TB, engine htmlEngine, d Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, htmlWrite(&b, d, engine, htmlLimits{full: htmlFullLimit, batch: htmlBatchBytes}))
	return b.String()
}

// TestSweepHTMLHoldsNothingOfStrangers renders 500 hostile names in every text of a
// document: the page has the same elements and attributes as with a plain name.
func TestSweepHTMLHoldsNothingOfStrangers(t *testing.T) {
	engine, err := htmlTemplates()
	require.NoError(t, err)
	plain, bad := htmlShape(htmlWith(t, engine, htmlPoisonedDocument("shop", false)))
	require.Empty(t, bad)
	require.Greater(t, plain["article"], 5, "the document must show findings and paths for this test to say something")
	payloads := htmlPayloads()
	require.Len(t, payloads, 500)
	for _, text := range payloads {
		page := htmlWith(t, engine, htmlPoisonedDocument(text, false))
		shape, bad := htmlShape(page)
		require.Empty(t, bad, "%q", text)
		require.Equal(t, plain, shape, "%q", text)
		require.Equal(t, strings.Trim(htmlText(text), "\n"), strings.Trim(htmlHeading(t, page), "\n"), "%q is not shown as it is", text)
	}
	for _, text := range payloads[:100] {
		shape, bad := htmlShape(htmlWith(t, engine, htmlPoisonedDocument(text, true)))
		require.Empty(t, bad, "%q", text)
		for name := range maps.Keys(shape) {
			require.Contains(t, plain, name, "%q", text)
		}
	}
}

// TestHTMLGuardSeesMarkup shows that the test above can fail: the same templates
// without escaping are caught.
func TestHTMLGuardSeesMarkup(t *testing.T) {
	raw, err := texttemplate.ParseFS(htmlFiles, "html/*.html")
	require.NoError(t, err)
	escaped, err := htmlTemplates()
	require.NoError(t, err)
	for _, text := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<b style="color:red">`,
		`<a href=//evil.example>`, `<!-- -->`} {
		for _, row := range []struct {
			name   string
			engine htmlEngine
			caught bool
		}{{"escaped", escaped, false}, {"raw", raw, true}} {
			plain, _ := htmlShape(htmlWith(t, row.engine, htmlPoisonedDocument("shop", false)))
			shape, bad := htmlShape(htmlWith(t, row.engine, htmlPoisonedDocument(text, false)))
			require.Equal(t, row.caught, len(bad) > 0 || !maps.Equal(plain, shape), "%s %q", row.name, text)
		}
	}
}

func FuzzHTMLHoldsNothingOfStrangers(f *testing.F) {
	engine, err := htmlTemplates()
	require.NoError(f, err)
	plain, _ := htmlShape(htmlWith(f, engine, htmlPoisonedDocument("shop", false)))
	for _, text := range htmlPayloads()[:50] {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		if strings.TrimSpace(text) == "" {
			return // an empty text leaves out what would name it
		}
		shape, bad := htmlShape(htmlWith(t, engine, htmlPoisonedDocument(text, false)))
		require.Empty(t, bad)
		require.Equal(t, plain, shape)
	})
}

package export

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestHTMLFailsLoudly: a report that could not be read or written to its end is
// an error, never a shorter report.
func TestHTMLFailsLoudly(t *testing.T) {
	broken := errors.New("the disk is gone")
	whole := htmlListing(htmlSmallFindings())
	breaking := func(pass int) func(...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
			if pass--; pass == 0 {
				return func(yield func(posture.Finding, error) bool) { yield(posture.Finding{}, broken) }
			}
			return whole(results...)
		}
	}
	for pass := 1; pass <= 3; pass++ {
		d := htmlDocument(htmlSmallFindings())
		d.Findings = breaking(pass)
		require.ErrorIs(t, HTML().Write(io.Discard, d), broken, "pass %d", pass)
	}
	d := htmlDocument(htmlSmallFindings())
	require.ErrorIs(t, HTML().Write(htmlBroken{broken}, d), broken)
	d.Findings = nil
	require.ErrorContains(t, HTML().Write(io.Discard, d), "would pass for good news")
	calls := 0
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		if calls++; calls < 3 {
			return whole(results...)
		}
		return htmlListing(htmlSmallFindings()[1:])(results...)
	}
	require.ErrorContains(t, HTML().Write(io.Discard, d), "had 3 findings when counted and 2 when written")
}

type htmlBroken struct{ err error }

func (b htmlBroken) Write([]byte) (int, error) { return 0, b.err }

// htmlOrder lists the anchors of categories and findings as they stand in a page.
func htmlOrder(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`id="([fk]-[a-z0-9-]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasSuffix(m[1], "-title") {
			out = append(out, m[1])
		}
	}
	return out
}

// TestHTMLBatches: however the categories are parted into passes, the page is the same.
func TestHTMLBatches(t *testing.T) {
	engine, err := htmlTemplates()
	require.NoError(t, err)
	findings := make([]posture.Finding, 500)
	for n := range findings {
		findings[n] = htmlMany(n, len(findings))
	}
	d := htmlDocument(findings)
	passes, listing := 0, d.Findings
	d.Findings = func(r ...posture.Result) iter.Seq2[posture.Finding, error] { passes++; return listing(r...) }
	var pages []string
	var counts []int
	for _, batch := range []int{1 << 30, 50_000, 1} {
		var b bytes.Buffer
		passes = 0
		require.NoError(t, htmlWrite(&b, d, engine, htmlLimits{full: 1000, batch: batch}))
		pages, counts = append(pages, b.String()), append(counts, passes)
	}
	require.Equal(t, pages[0], pages[1])
	require.Equal(t, pages[0], pages[2])
	require.Equal(t, 2, counts[0], "one pass to count and one to write")
	require.Greater(t, counts[1], 5)
	require.Equal(t, 44, counts[2], "a pass for each of the 43 categories")
	var want []string
	seen := map[posture.Category]bool{}
	for _, f := range findings {
		if seen[f.Category] {
			continue
		}
		seen[f.Category] = true
		want = append(want, "k-"+string(f.Category))
		for _, other := range findings {
			if other.Category == f.Category {
				want = append(want, "f-"+other.ID)
			}
		}
	}
	require.Equal(t, want, htmlOrder(pages[0]))
}

// TestHTMLCut: above the limit low and informational findings are counted, and
// the page says so at its top.
func TestHTMLCut(t *testing.T) {
	engine, err := htmlTemplates()
	require.NoError(t, err)
	findings := htmlSmallFindings()
	for n := range 40 {
		f := htmlMade("CFL-DNS-020", "Names are tidy", "dns", posture.Low, posture.Warning, 100+n)
		findings = append(findings, f)
	}
	d := htmlDocument(findings)
	for limit, cut := range map[int]bool{46: true, 47: false} {
		var b bytes.Buffer
		require.NoError(t, htmlWrite(&b, d, engine, htmlLimits{full: limit, batch: 1 << 20}))
		text, articles := htmlFlat(t, b.String()), strings.Count(b.String(), `<article class="finding"`)
		if !cut {
			require.Equal(t, 47, articles)
			require.NotContains(t, text, "only counted")
			continue
		}
		require.Equal(t, 5, articles, "critical to medium, and what nobody knows of that severity")
		require.Contains(t, text, "47 findings are open or not assessed, and 5 of them are listed here in full. Above 46, those of low and "+
			"informational severity are only counted by check: 42 in this report.")
		require.Contains(t, text, "CFL-DNS-020 Names are tidy Low 0 40 0")
		require.Contains(t, text, "CFL-CAC-003 The cache does not keep what is private Info 1 0 0")
		require.Less(t, strings.Index(text, "only counted by check"), strings.Index(text, "Summary"))
	}
}

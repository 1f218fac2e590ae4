package export

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlChart is a drawing and the table that says the same.
type htmlChart struct {
	Title string // read out in place of the drawing
	Total string
	Rows  []htmlSlice
}

// htmlSlice is one row and its piece of the drawing. At and Size are percent of
// the whole; a piece without a size is not drawn. Gap is the rest of a ring.
type htmlSlice struct {
	Word          htmlWord
	Count         string
	At, Size, Gap string
	Drawn         bool
}

func htmlSeverityChart(s posture.Summary) htmlChart {
	counts := make([]int, 0, len(posture.Severities())+1)
	words := make([]htmlWord, 0, cap(counts))
	for _, v := range posture.Severities() {
		counts, words = append(counts, s.BySeverity[v]), append(words, htmlSeverity(v))
	}
	return newHTMLChart("Open findings by severity", append(words, htmlResult(posture.Unknown)), append(counts, s.Unknown))
}

// htmlResultChart counts resources, as coverage does: what passed is one finding
// for many of them. What does not apply is not drawn, because nothing was judged there.
func htmlResultChart(tallies []posture.CheckTally) htmlChart {
	var s posture.CheckTally
	for _, c := range tallies {
		s.Fail, s.Warning, s.Unknown, s.Pass, s.NotApplicable = s.Fail+c.Fail, s.Warning+c.Warning, s.Unknown+c.Unknown, s.Pass+c.Pass,
			s.NotApplicable+c.NotApplicable
	}
	words := []htmlWord{htmlResult(posture.Fail), htmlResult(posture.Warning), htmlResult(posture.Unknown), htmlResult(posture.Pass)}
	c := newHTMLChart("Results", words, []int{s.Fail, s.Warning, s.Unknown, s.Pass})
	c.Rows = append(c.Rows, htmlSlice{Word: htmlResult(posture.NotApplicable), Count: htmlCount(s.NotApplicable)})
	return c
}

// newHTMLChart places the pieces one after another. A piece is at least 1 percent
// wide, so that one critical finding among thousands is seen; the widest gives way.
func newHTMLChart(title string, words []htmlWord, counts []int) htmlChart {
	total, widest, most := 0, 0, 0
	for i, n := range counts {
		total += n
		if n > most {
			widest, most = i, n
		}
	}
	c := htmlChart{Title: title + ": ", Total: htmlCount(total)}
	sizes := htmlSizes(counts, total, widest)
	at := 0.0
	for i, n := range counts {
		row := htmlSlice{Word: words[i], Count: htmlCount(n), Drawn: n > 0, At: htmlNumber(at), Size: htmlNumber(sizes[i]),
			Gap: htmlNumber(100 - sizes[i])}
		at += sizes[i]
		c.Rows = append(c.Rows, row)
		if i > 0 {
			c.Title += ", "
		}
		c.Title += htmlCount(n) + " " + words[i].Text
	}
	return c
}

func htmlSizes(counts []int, total, widest int) []float64 {
	sizes := make([]float64, len(counts))
	if total == 0 {
		return sizes
	}
	rest := 100.0
	for i, n := range counts {
		if n > 0 {
			sizes[i] = max(1, float64(n)*100/float64(total))
		}
		if i != widest {
			rest -= sizes[i]
		}
	}
	sizes[widest] = rest
	return sizes
}

// htmlNumber writes a length with two decimals.
func htmlNumber(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

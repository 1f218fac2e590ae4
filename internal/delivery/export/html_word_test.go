package export

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestHTMLWords(t *testing.T) {
	for in, want := range map[string]string{
		"shop.example": "shop.example", "müller.example 東京 🔒 שלום": "müller.example 東京 🔒 שלום", "\u202egnp": "[U+202E]gnp",
		"pay\u200bpal":     "pay[U+200B]pal",
		"a\x00b\x1b[31m\r": "a[U+0000]b[U+001B][31m[U+000D]", "\u2066x\u2069\ufeff\u2028\u00ad": "[U+2066]x[U+2069][U+FEFF][U+2028][U+00AD]",
		"line\n\ttwo می\u200cخواهم": "line\n\ttwo می\u200cخواهم", "\xff": "\ufffd", "\x7f": "[U+007F]",
	} {
		require.Equal(t, want, htmlText(in))
	}
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		require.Equal(t, want, htmlCount(in))
	}
	for in, want := range map[float64]string{0: "0 %", 99.96: "99.9 %", 100: "100 %", 28.57: "28.5 %", 0.04: "0 %"} {
		require.Equal(t, want, htmlPercent(in))
	}
	for in, want := range map[int64]string{-1: "unknown", 0: "0 ms", 999: "999 ms", 1400: "1 s", 59_499: "59 s", 59_500: "1 min 0 s",
		3_600_000: "1 h 0 min", 93_784_000: "26 h 3 min"} {
		require.Equal(t, want, htmlDuration(in), in)
	}
	names := htmlCategoryNames()
	for _, c := range posture.Categories() {
		require.NotEmpty(t, names[c], c)
	}
	require.Len(t, names, len(posture.Categories()))
}

// TestHTMLChart: the pieces fill the whole, and the smallest is seen.
func TestHTMLChart(t *testing.T) {
	for _, counts := range [][]int{{1, 0, 0}, {1, 100_000, 3}, {1, 1, 1}, {0, 0, 7}, {2, 3, 5}} {
		c := newHTMLChart("Chart", make([]htmlWord, len(counts)), counts)
		end := 0.0
		for i, row := range c.Rows {
			var at, size float64
			_, err := fmt.Sscanf(row.At+" "+row.Size, "%f %f", &at, &size)
			require.NoError(t, err)
			require.InDelta(t, end, at, 0.02)
			require.Equal(t, counts[i] > 0, row.Drawn)
			if row.Drawn {
				require.GreaterOrEqual(t, size, 1.0)
			}
			end = at + size
		}
		require.InDelta(t, 100, end, 0.02, "%v", counts)
	}
	for _, row := range newHTMLChart("Chart", make([]htmlWord, 2), []int{0, 0}).Rows {
		require.False(t, row.Drawn)
	}
}

// TestHTMLCountsResources: the ring shows what the table of checks adds up to.
func TestHTMLCountsResources(t *testing.T) {
	c := htmlResultChart([]posture.CheckTally{{Pass: 1500, Fail: 2, NotApplicable: 7}, {Pass: 1, Warning: 3, Unknown: 4}})
	require.Equal(t, "1,510", c.Total)
	require.Equal(t, "Results: 2 Fail, 3 Warning, 4 Not assessed, 1,501 Pass", c.Title)
	require.Equal(t, "7", c.Rows[4].Count)
	require.False(t, c.Rows[4].Drawn)
}

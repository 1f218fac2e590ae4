package export

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

func htmlRendered(t testing.TB, d Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, HTML().Write(&b, d))
	return b.String()
}

// TestHTMLIsGolden holds the report of a small document, which the browser tests
// open as well; -update writes it anew.
func TestHTMLIsGolden(t *testing.T) {
	path := filepath.Join("testdata", "report.golden.html")
	got := htmlRendered(t, htmlDocument(htmlSmallFindings()))
	require.Equal(t, got, htmlRendered(t, htmlDocument(htmlSmallFindings())), "two reports of the same document differ")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

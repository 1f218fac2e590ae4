package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLinesAreShort: no Go file that a person writes has a line over 140 characters. The linter says so
// sooner, but not of modules of their own and of files with build tags.
func TestLinesAreShort(t *testing.T) {
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && path != ".."):
			return fs.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		if generated.Match(src) {
			return nil
		}
		files++
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			if length := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); length > 140 {
				t.Errorf("%s:%d has %d characters", path, n, length)
			}
		}
		return nil
	}))
	require.Greater(t, files, 1000)
}

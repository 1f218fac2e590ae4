package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFuzzTargetsAreBounded: a target without a bound would take a hang for a slow run, and
// one without an input of its own tries nothing when the tests run.
func TestFuzzTargetsAreBounded(t *testing.T) {
	target := regexp.MustCompile(`(?ms)^func (Fuzz\w*)\(f \*testing\.F\) \{\n(.*?)^\}`)
	targets := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		found := target.FindAllStringSubmatch(string(src), -1)
		require.Len(t, found, strings.Count(string(src), "\nfunc Fuzz"), path)
		for _, m := range found {
			targets++
			require.Regexp(t, `f\.Fuzz\(func\(t \*testing\.T, [^{]*\{\n\t\tdefer fuzztest\.Bound\(t\)\(\)\n`, m[2],
				"%s: %s begins with fuzztest.Bound", path, m[1])
			kept, err := filepath.Glob(filepath.Join(filepath.Dir(path), "testdata", "fuzz", m[1], "*"))
			require.NoError(t, err)
			require.True(t, len(kept) > 0 || strings.Contains(m[2], "f.Add("), "%s: %s has no input", path, m[1])
		}
		return nil
	}))
	require.Greater(t, targets, 50)
}

package record

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write compared.txt and published.txt")

// TestVocabularyIsCommitted: the words checks compare with, those of the readers and those of the published interface
// are kept in a record.
func TestVocabularyIsCommitted(t *testing.T) {
	compared := map[string]bool{}
	for _, dir := range []string{"../../assessment", "../../core/snapshot", "../../core/mailauth", "../cloudflare"} {
		literals(t, dir, func(s string) {
			if !prose(s) {
				collect(compared, s)
			}
		})
	}
	published := map[string]bool{}
	operations, err := os.ReadFile("../apitest/operations.json")
	require.NoError(t, err)
	collect(published, string(operations))
	for name, words := range map[string]map[string]bool{"compared.txt": compared, "published.txt": published} {
		want := strings.Join(slices.Sorted(maps.Keys(words)), "\n") + "\n"
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o600))
		}
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(have), "run go test ./internal/provider/record -run TestVocabularyIsCommitted -update")
	}
}

// collect adds the words of a text; long ones with digits are ids and keys of examples.
func collect(words map[string]bool, text string) {
	for _, w := range regexp.MustCompile(`[0-9A-Za-z]+`).FindAllString(text, -1) {
		if len(w) > 1 && len(w) <= 32 && (len(w) < 8 || !strings.ContainsAny(w, "0123456789")) {
			words[strings.ToLower(w)] = true
		}
	}
}

// prose tells what is no value to compare with: sentences, and what is made up for an example. Titles, such as names of
// permissions, are values.
func prose(s string) bool {
	title := func(w string) bool { return strings.ToLower(w[:1]) != w[:1] || !unicode.IsLetter(rune(w[0])) }
	words := strings.Fields(s)
	return len(s) > 120 || len(words) > 1 && slices.ContainsFunc(words, func(w string) bool { return !title(w) }) ||
		regexp.MustCompile(`^[{\[]|%[svdq]|acme|\.example`).MatchString(s)
}

// literals gives the texts of the code below a folder, without those of its tests and prose.
func literals(t *testing.T, dir string, use func(string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, "_examples.go") || strings.Contains(path, "goodtest") || strings.Contains(path, "/gen/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if name, ok := kv.Key.(*ast.Ident); ok && slices.Contains([]string{"Example", "Examples", "Edit", "Title", "Why", "Fix"}, name.Name) {
					return false
				}
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				s, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				use(s)
			}
			return true
		})
		return nil
	}))
}

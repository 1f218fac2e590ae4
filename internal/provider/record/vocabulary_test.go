package record

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write vocabulary.txt")

// TestVocabularyIsCommitted: the words checks compare with, those of the readers and those of the published interface
// are kept in a record.
func TestVocabularyIsCommitted(t *testing.T) {
	words := map[string]bool{}
	word := regexp.MustCompile(`[0-9A-Za-z]+`)
	add := func(text string) {
		for _, w := range word.FindAllString(text, -1) {
			if len(w) > 1 && len(w) <= 32 && (len(w) < 8 || !strings.ContainsAny(w, "0123456789")) {
				words[strings.ToLower(w)] = true
			}
		}
	}
	for _, dir := range []string{"../../assessment", "../../core/snapshot", "../../core/mailauth", "../cloudflare"} {
		literals(t, dir, func(s string) {
			if len(s) <= 120 && len(strings.Fields(s)) <= 5 && !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
				add(s)
			}
		})
	}
	published, err := os.ReadFile("../apitest/operations.json")
	require.NoError(t, err)
	add(string(published))
	list := []string{}
	for w := range words {
		list = append(list, w)
	}
	slices.Sort(list)
	want := strings.Join(list, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("vocabulary.txt", []byte(want), 0o600))
	}
	require.Equal(t, strings.Fields(want), strings.Fields(vocabularyText),
		"run go test ./internal/provider/record -run TestVocabularyIsCommitted -update")
}

// literals gives the texts of the code below a folder, without those of its tests and prose.
func literals(t *testing.T, dir string, use func(string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if name, ok := kv.Key.(*ast.Ident); ok && slices.Contains([]string{"Example", "Title", "Description", "Why", "Remediation"}, name.Name) {
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

package exposure

import (
	_ "embed" // the words of personal paths
	"slices"
	"strings"
)

//go:embed personal_words.tsv
var personalWords string

// Personal reports whether a word of a path suggests pages where visitors are signed in, buy
// something or read their own data.
func Personal(path string) bool {
	return slices.ContainsFunc(Words(path), func(w string) bool {
		return isPersonalWord(w) || isPersonalWord(strings.TrimPrefix(w, "my"))
	})
}

func isPersonalWord(w string) bool { return w != "" && strings.Contains(personalWords, "\n"+w+"\t") }

// Words splits a path or a pattern at every character that is not a letter or digit.
func Words(path string) []string {
	return strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

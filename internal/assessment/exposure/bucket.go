package exposure

import (
	_ "embed" // the list of words
	"strings"
	"unicode"
)

//go:embed bucket_words.tsv
var bucketWords string

// NotForEveryone returns what the name of a bucket, or of a path in one, suggests it contains that
// must not be public: logs, backups, exports or private files. It is "" when the name suggests
// nothing.
func NotForEveryone(name string) string {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if _, rest, there := strings.Cut(bucketWords, "\n"+word+"\t"); there {
			what, _, _ := strings.Cut(rest, "\t")
			return what
		}
		for _, inside := range [][2]string{{"backup", "backups"}, {"export", "exports"}, {"private", "private files"}} {
			if strings.Contains(word, inside[0]) {
				return inside[1]
			}
		}
	}
	return ""
}

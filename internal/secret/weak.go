package secret

import (
	"fmt"
	"strings"

	"github.com/ccojocar/zxcvbn-go"
)

// looked is how many bytes of a secret its strength is judged by; the time that takes grows
// faster than the length.
const looked = 64

// Weakness says in a few words why a text is no good secret of so many bytes, "" when it
// looks like one that nobody chose: long, without repeats, and not made of words, names,
// dates, sequences or ways over a keyboard.
func Weakness(text string, length int) string {
	if len(text) < length {
		return fmt.Sprintf("has %d bytes, and needs at least %d", len(text), length)
	}
	text = text[:min(len(text), looked)]
	if distinct(text, 1) < length/4 || distinct(text, 4)*5 < (len(text)-3)*4 {
		return repeats
	}
	random := 0
	for _, m := range zxcvbn.PasswordStrength(text, nil).MatchSequence {
		if m.Pattern == "bruteforce" || len(m.Token) < 4 { // three letters are a word by chance
			for _, r := range m.Token {
				if !punctuation(r) {
					random++
				}
			}
		}
	}
	if random < length*3/8 {
		return words
	}
	return ""
}

// Guessable says in a few words why a text is a bad key, "" when nobody guesses it in the
// number of tries that callers are allowed. It asks for less than Weakness.
func Guessable(text string) string {
	text = text[:min(len(text), looked)]
	switch {
	case distinct(text, 1) < 5:
		return repeats
	case zxcvbn.PasswordStrength(text, nil).Entropy < 24: // bits: 16 million tries
		return words
	default:
		return ""
	}
}

// Why a text is weak.
const (
	repeats = "repeats itself"
	words   = "is made of words, names, dates or sequences"
)

func punctuation(r rune) bool { return strings.ContainsRune(" -_.,:;/+=!@#", r) }

// distinct counts the different pieces of n bytes in a text.
func distinct(text string, n int) int {
	seen := map[string]bool{}
	for i := 0; i+n <= len(text); i++ {
		seen[text[i:i+n]] = true
	}
	return len(seen)
}

package secret

import (
	"fmt"
	"strings"
)

// Reasons why a text is weak.
const (
	repeats = "repeats itself"
	walks   = "is made of sequences of letters, digits or keys"
	words   = "is made of words, names or dates"
)

// Weakness says in a few words why a text is not a good secret of the given length in bytes, or
// returns "" when it looks random: long, without repeats, and not made of words, dates, sequences
// or keyboard walks.
func Weakness(text string, length int) string {
	if len(text) < length {
		return fmt.Sprintf("has %d bytes, and needs at least %d", len(text), length)
	}
	if distinct(text, 1) < length/4 {
		return repeats
	}
	if why := Guessable(text); why != "" {
		return why
	}
	if !strings.ContainsFunc(strings.ToLower(text), func(r rune) bool { return r > 'f' && r <= 'z' }) {
		return "" // hexadecimal text has hardly any words
	}
	// Half of the letter pairs in English are among these, but only one in twelve of random ones.
	const usual = " th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea " +
		"ra ce li ch ll be ma si om ur an ry br ap"
	if pairs, common := pairsOf(text, func(a, b byte) bool { return strings.Contains(usual, strings.ToLower(string([]byte{' ', a, b}))) },
		letter); pairs >= 16 && pairs*2 > lettersOf(text) && common*10 > pairs*3 {
		return words
	}
	return ""
}

// Guessable says in a few words why a text is a bad key, or returns "" when it has neither repeats
// nor sequences. It is less strict than Weakness.
func Guessable(text string) string {
	if distinct(text, 1) < 5 || distinct(text, 4)*5 < (len(text)-3)*4 {
		return repeats
	}
	const rows = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm qwertzuiop azertyuiop"
	pairs, next := pairsOf(text, func(a, b byte) bool {
		there, back := strings.ToLower(string([]byte{a, b})), strings.ToLower(string([]byte{b, a}))
		return strings.Contains(rows, there) || strings.Contains(rows, back)
	}, func(a, b byte) bool { return letter(a, b) || alike(a, b, '0', '9') })
	if pairs >= 8 && pairs*4 >= len(text)*3 && next*10 > pairs*7 {
		return walks
	}
	return ""
}

func alike(a, b, from, to byte) bool { return from <= a && a <= to && from <= b && b <= to }

// letter reports whether two neighbours are letters of the same case, as inside a word.
func letter(a, b byte) bool { return alike(a, b, 'a', 'z') || alike(a, b, 'A', 'Z') }

func lettersOf(text string) (n int) {
	for i := range len(text) {
		if letter(text[i], text[i]) {
			n++
		}
	}
	return n
}

// pairsOf counts the neighbouring pairs of a kind in a text, and how many of them match.
func pairsOf(text string, match, kind func(a, b byte) bool) (pairs, matching int) {
	for i := 1; i < len(text); i++ {
		if a, b := text[i-1], text[i]; kind(a, b) {
			pairs++
			if match(a, b) {
				matching++
			}
		}
	}
	return pairs, matching
}

// distinct counts the different substrings of n bytes in a text.
func distinct(text string, n int) int {
	seen := map[string]bool{}
	for i := 0; i+n <= len(text); i++ {
		seen[text[i:i+n]] = true
	}
	return len(seen)
}

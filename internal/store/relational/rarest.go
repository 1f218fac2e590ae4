package relational

// partLength is how many characters of a searched text the index of parts is asked for.
const partLength = 6

// rarest gives the part of a text, of up to partLength characters, that probably fewest
// texts hold. The index walks the list of every three letters it is asked for, and those of
// a common word are as long as the table; what it finds is held against the whole text.
func rarest(text string) string {
	runes := []rune(text)
	if len(runes) <= partLength {
		return text
	}
	best, from := -1, 0
	for i := 0; i+partLength <= len(runes); i++ {
		sum := 0
		for _, r := range runes[i : i+partLength] {
			sum += rarity(r)
		}
		if sum > best {
			best, from = sum, i
		}
	}
	return string(runes[from : from+partLength])
}

// rarity is a guess: digits number things, some letters are rare, and most texts are
// words of the others.
func rarity(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return 4
	case r == 'j' || r == 'k' || r == 'q' || r == 'v' || r == 'w' || r == 'x' || r == 'y' || r == 'z' || r > 0x7f:
		return 2
	case r >= 'a' && r <= 'z':
		return 1
	default:
		return 0
	}
}

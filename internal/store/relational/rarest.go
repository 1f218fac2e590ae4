package relational

// partLength is how many characters of a searched text are looked up in the text index.
const partLength = 6

// rarest gives the part of a text, up to partLength characters long, that is probably in the fewest
// texts. The trigram index reads the list of every three letters it is asked for, and those of a common
// word are as long as the table; its matches are then compared with the whole text.
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

// rarity is a guess: digits are mostly in identifiers, some letters are rare, and most texts are words
// of the other letters.
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

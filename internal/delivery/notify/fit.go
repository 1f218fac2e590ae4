package notify

import "fmt"

// fit renders a message and, while it does not fit, removes one line after the other: the last line of
// the section with the most lines, or of the later (less important) one if several have as many. The
// headings still count what is left out.
func fit(channel string, m message, render func(message) (body []byte, fits bool, err error)) ([]byte, error) {
	for {
		body, fits, err := render(m)
		if err != nil || fits {
			return body, err
		}
		if !shorten(&m) {
			return nil, fmt.Errorf("make a message for %s: it is too long even without its lists", channel)
		}
	}
}

func shorten(m *message) bool {
	longest := -1
	for i, s := range m.sections {
		if len(s.lines) > 0 && (longest < 0 || len(s.lines) >= len(m.sections[longest].lines)) {
			longest = i
		}
	}
	if longest < 0 {
		return false
	}
	s := &m.sections[longest]
	s.lines = s.lines[:len(s.lines)-1]
	return true
}

package metric

import "sync"

// bounds limits the number of values of each label, in case a caller ever passes one from outside.
type bounds struct {
	mu   *sync.Mutex
	seen map[string]map[string]bool
}

func newBounds() bounds { return bounds{mu: &sync.Mutex{}, seen: map[string]map[string]bool{}} }

// of returns the value, or "other" once the label has too many values.
func (b bounds) of(label, value string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.seen[label]
	if known == nil {
		known = map[string]bool{}
		b.seen[label] = known
	}
	if !known[value] {
		if len(known) >= maxSeries || len(value) > 100 {
			return "other"
		}
		known[value] = true
	}
	return value
}

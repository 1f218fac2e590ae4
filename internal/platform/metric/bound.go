package metric

import "sync"

// bounds keeps the values of each label few, should a caller ever pass one that
// comes from outside.
type bounds struct {
	mu   *sync.Mutex
	seen map[string]map[string]bool
}

func newBounds() bounds { return bounds{mu: &sync.Mutex{}, seen: map[string]map[string]bool{}} }

// of gives the value, or other once the label has had too many.
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

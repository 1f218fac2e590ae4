//go:build race

package setting

// Raced tells that the race detector is on. The long sweep has one goroutine and
// nothing for it to find; the whole of it runs without.
const Raced = true

//go:build race

package export

// Raced tells that the race detector is on. It has nothing to find here, where
// one goroutine writes, and makes the long sweeps ten times slower; the whole of
// them runs without it.
const Raced = true

//go:build race

package notify_test

// raced tells that the race detector is on. It has nothing to find in code of one
// goroutine and makes the long sweeps slow; the whole of them runs without it.
const raced = true

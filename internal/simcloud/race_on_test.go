//go:build race

package simcloud

// raced tells that the race detector is on, which makes the long sweeps many
// times slower; the whole of them runs without it.
const raced = true

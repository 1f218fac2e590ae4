//go:build race

package app_test

// raced tells that the race detector is on. It makes the long sweeps ten times
// slower and has seen all there is to see after a part of them; the whole of
// them runs without it.
const raced = true

//go:build race

package siem

// Raced tells that the race detector is on. The documents are written by one
// goroutine, where it finds nothing and makes the long sweeps ten times slower;
// the whole of them runs without it.
const Raced = true

//go:build !race

package siem

// Raced tells that the race detector is on.
const Raced = false

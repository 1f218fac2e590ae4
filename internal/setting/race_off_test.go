//go:build !race

package setting

// Raced tells that the race detector is on.
const Raced = false

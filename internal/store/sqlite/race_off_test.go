//go:build !race

package sqlite

// How much the sweeps do: flips of bits, and runs over how many days, one every so many.
const (
	tampered  = 1000
	runsOver  = 1095
	runsEvery = 1
)

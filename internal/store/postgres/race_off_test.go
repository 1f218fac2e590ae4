//go:build !race

package postgres

// How much the sweeps do: flips of bits, and runs over how many days, one every so many.
const (
	tampered  = 200
	runsOver  = 1095
	runsEvery = 3
)

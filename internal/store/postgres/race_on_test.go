//go:build race

package postgres

// How much the sweeps do: flips of bits, and runs over how many days, one every so many.
const (
	tampered  = 17
	runsOver  = 548
	runsEvery = 10
)

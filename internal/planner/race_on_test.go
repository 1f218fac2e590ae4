//go:build race

package planner

// raced tells that the race detector is on. The order of a plan is one
// goroutine's work, where it finds nothing and makes the long sweep slow; the
// whole of it runs without it.
const raced = true

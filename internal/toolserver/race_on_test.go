//go:build race

package toolserver_test

// raced tells that the race detector is on, which makes whole runs and whole
// reports ten times slower; they are read whole without it.
const raced = true

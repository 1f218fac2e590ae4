//go:build race

package evidence_test

// raced tells that the race detector is on: the long sweeps then do a part.
const raced = true

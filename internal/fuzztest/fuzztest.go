// Package fuzztest bounds the time of one input of a fuzz target.
package fuzztest

import (
	"os"
	"testing"
	"time"
)

// Slow is what an input may take, by the clock, while scripts/fuzz runs. The tests, which feed
// the same inputs on machines that do other things besides, are not held to it.
const Slow = time.Second

// Bound begins to measure an input; the function it gives fails a target that took longer.
func Bound(t testing.TB) (end func()) {
	t.Helper()
	if os.Getenv("EDGEPOSTURE_FUZZ") == "" {
		return func() {}
	}
	begun := time.Now()
	return func() {
		t.Helper()
		if took := time.Since(begun); took > Slow {
			t.Errorf("one input took %s", took)
		}
	}
}

// Package fuzztest bounds what one input of a fuzz target costs.
package fuzztest

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// Most is the processor time one input may take while scripts/fuzz runs; a machine that does
// other things besides does not change it. The tests, which feed the same inputs under the race
// detector, are not held to it.
const Most = time.Second

// Bound begins to measure an input; the function it gives fails a target that took longer.
func Bound(t testing.TB) (end func()) {
	t.Helper()
	if os.Getenv("EDGEPOSTURE_FUZZ") == "" {
		return func() {}
	}
	before := spent(t)
	return func() {
		t.Helper()
		if took := spent(t) - before; took > Most {
			t.Errorf("one input took %s of processor time", took)
		}
	}
}

// spent is the processor time of this process so far.
func spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

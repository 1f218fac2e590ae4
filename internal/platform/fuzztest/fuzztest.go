// Package fuzztest bounds the cost of one input of a fuzz target.
package fuzztest

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// Most is the processor time that one input may take while scripts/fuzz runs; the load of the
// machine does not affect it. Tests feed the same inputs under the race detector without this
// limit.
const Most = time.Second

// Bound starts measuring an input. The returned function fails the target if it took longer than Most.
func Bound(t testing.TB) (end func()) {
	t.Helper()
	if os.Getenv("EDGEPOSTURE_FUZZ") == "" {
		return func() {}
	}
	before := Spent(t)
	return func() {
		t.Helper()
		if took := Spent(t) - before; took > Most {
			t.Errorf("one input took %s of processor time", took)
		}
	}
}

// Spent returns the processor time of this process.
func Spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 200, 10 << 20: 200, 40 << 20: 200, 70 << 20: 100, 100 << 20: 40, 160 << 20: 20, 4 << 30: 20} {
		require.Equal(t, want, garbagePercent(live, 200), live)
		require.Equal(t, min(want, 50), garbagePercent(live, 50), live)
	}
}

// TestGarbageIsBounded holds 160 MB and waits until the collector has been told, and lets
// go of them again.
func TestGarbageIsBounded(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	boundGarbage(ctx, mostGarbage(Role{Worker: true}))
	told := func(want func(percent uint64) bool) {
		require.Eventually(t, func() bool {
			runtime.GC()
			return want(collectorReads("/gc/gogc:percent"))
		}, 10*time.Second, 10*time.Millisecond)
	}
	func() {
		ballast := make([]byte, 160<<20)
		told(func(percent uint64) bool { return percent <= 40 })
		runtime.KeepAlive(ballast)
	}()
	told(func(percent uint64) bool { return percent > 50 })
}

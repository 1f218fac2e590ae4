package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is how many bytes of garbage a process may hold beside what it uses, unless
// that is less than a quarter or more than all of it.
const headroom = 64 << 20

// boundGarbage makes the collector run more often the more is in use: by default garbage
// may take as much memory as that, which for a large account is most of the process. What
// the operator said with GOGC is left alone.
func boundGarbage() {
	const byDefault = 100
	if collectorReads("/gc/gogc:percent") == byDefault {
		new(cycle).follow(byDefault)
	}
}

// cycle is out of use as soon as it is made, so that its cleanup runs after the next
// collection.
type cycle struct{ _ [64]byte }

func (c *cycle) follow(percent int) {
	runtime.AddCleanup(c, func(before int) {
		now := garbagePercent(collectorReads("/gc/heap/live:bytes"))
		if now != before {
			debug.SetGCPercent(now)
		}
		new(cycle).follow(now)
	}, percent)
}

// garbagePercent is how much garbage may come to so many bytes in use.
func garbagePercent(live uint64) int {
	return int(min(max(headroom*100/max(live, 1), 25), 100))
}

func collectorReads(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

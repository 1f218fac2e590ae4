package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// headroom is how many bytes of garbage a process may hold beside what it uses, within
// leastGarbage and mostGarbage.
const headroom = 40 << 20

const leastGarbage = 20 // percent of what is in use

// mostGarbage is the most garbage beside little that is in use, in percent of it. An API reads
// large runs for a few people: memory is dearer to it than the processor time of collecting
// twice as often.
func mostGarbage(role Role) int {
	if role.API {
		return 50
	}
	return 100
}

// boundGarbage makes the collector run more often the more is in use: by default garbage
// may take as much memory as that, which for a large account is most of the process. What
// the operator said with GOGC is left alone. It ends with the context.
func boundGarbage(ctx context.Context, most int) {
	const byDefault = 100
	if collectorReads("/gc/gogc:percent") == byDefault {
		debug.SetGCPercent(most)
		new(cycle).follow(ctx, most, most)
	}
}

// cycle is out of use as soon as it is made, so that its cleanup runs after the next
// collection.
type cycle struct{ _ [64]byte }

func (c *cycle) follow(ctx context.Context, most, percent int) {
	runtime.AddCleanup(c, func(before int) {
		if ctx.Err() != nil {
			return
		}
		now := garbagePercent(collectorReads("/gc/heap/live:bytes"), most)
		if now != before {
			debug.SetGCPercent(now)
		}
		new(cycle).follow(ctx, most, now)
	}, percent)
}

// garbagePercent is how much garbage may come to so many bytes in use.
func garbagePercent(live uint64, most int) int {
	return min(max(int(headroom*100/max(live, 1)), leastGarbage), most)
}

// A process is at rest while it makes less than atRest bytes in a second, and gives back what
// is free from freeEnough bytes on.
const (
	atRest     = 4 << 20
	freeEnough = 32 << 20
)

// giveBack returns free memory to the system when the process comes to rest. The collector
// runs when something is made, so by itself what a crowd of callers took would stay for minutes.
func giveBack(ctx context.Context) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		made := collectorReads("/gc/heap/allocs:bytes")
		garbage := int64(collectorReads("/memory/classes/heap/objects:bytes")) - int64(collectorReads("/gc/heap/live:bytes"))
		free := int64(collectorReads("/memory/classes/heap/free:bytes")) + max(garbage, 0)
		if made-before < atRest && free > freeEnough {
			debug.FreeOSMemory()
		}
		before = made
	}
}

func collectorReads(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

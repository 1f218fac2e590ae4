package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// room is how many bytes the live heap and its garbage may take together, within the bounds of
// leastGarbage and mostGarbage.
const room = 140 << 20

const leastGarbage = 20 // percent of the live heap

// mostGarbage returns the GC percent for a small live heap. A process that only answers reads large runs for a
// few people, so it trades processor time, by collecting more often, for memory.
func mostGarbage(role Role) int {
	if role.API && !role.Worker {
		return 50
	}
	return 200
}

// boundGarbage makes the garbage collector run more often as the live heap grows, and less often while it is
// small. By default, garbage may take as much memory as the live heap, which for a large account is most of the
// process. It does nothing when GOGC is set, and stops when the context ends.
func boundGarbage(ctx context.Context, most int) {
	const byDefault = 100
	if collectorReads("/gc/gogc:percent") == byDefault {
		debug.SetGCPercent(most)
		new(cycle).follow(ctx, most, most)
	}
}

// cycle is unreachable as soon as it is created, so that its cleanup runs after the next collection.
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

// garbagePercent returns the GC percent for a number of live bytes.
func garbagePercent(live uint64, most int) int {
	return min(max(int(room*100/max(live, 1))-100, leastGarbage), most)
}

// A process is idle while it allocates less than atRest bytes in a second. It then returns memory
// to the system once at least freeEnough bytes are free.
const (
	atRest     = 4 << 20
	freeEnough = 32 << 20
)

// giveBack returns free memory to the system when the process becomes idle. The collector runs only
// on allocation, so the memory taken by a burst of requests would otherwise stay for minutes.
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

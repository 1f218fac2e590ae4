package relational

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// recent keeps what was made of assessments, by their numbers, up to a limit in bytes.
// What was used longest ago goes first; the newest stays, whatever its size. A saved
// assessment never changes, so nothing here is ever stale.
type recent[V interface{ size() int }] struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[int64, V]
	bytes int
	limit int
}

func newRecent[V interface{ size() int }](limit int) *recent[V] {
	r := &recent[V]{limit: limit}
	r.kept = must(simplelru.NewLRU(math.MaxInt, func(_ int64, v V) { r.bytes -= v.size() }))
	return r
}

func (r *recent[V]) get(no int64) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.Get(no)
}

func (r *recent[V]) put(no int64, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Remove(no)
	r.kept.Add(no, v)
	for r.bytes += v.size(); r.bytes > r.limit && r.kept.Len() > 1; {
		r.kept.RemoveOldest()
	}
}

// must is for a cache whose size is a constant: only a size below one is refused.
func must[C any](cache C, err error) C {
	if err != nil {
		panic(err)
	}
	return cache
}

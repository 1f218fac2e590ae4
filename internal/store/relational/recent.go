package relational

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// recent keeps what was made of assessments, by their numbers, up to a limit in bytes.
// What was used longest ago goes first; the newest stays, whatever its size. A saved
// assessment never changes, so nothing here is ever stale.
type recent[V interface{ size() int }] = keptBy[int64, V]

// keptBy is recent by something else.
type keptBy[K comparable, V interface{ size() int }] struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[K, V]
	bytes int
	limit int
}

func newRecent[V interface{ size() int }](limit int) *recent[V] { return newKeptBy[int64, V](limit) }

func newKeptBy[K comparable, V interface{ size() int }](limit int) *keptBy[K, V] {
	r := &keptBy[K, V]{limit: limit}
	r.kept = must(simplelru.NewLRU(math.MaxInt, func(_ K, v V) { r.bytes -= v.size() }))
	return r
}

func (r *keptBy[K, V]) get(of K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.Get(of)
}

func (r *keptBy[K, V]) put(of K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Remove(of)
	r.kept.Add(of, v)
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

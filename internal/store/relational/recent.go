package relational

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// recent is an LRU cache of values derived from assessments, mostly by assessment number, limited in
// bytes. The newest value stays whatever its size. A saved assessment never changes, so what is derived
// from one is never stale; values over several carry their own validity.
type recent[K comparable, V interface{ size() int }] struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[K, V]
	bytes int
	limit int
}

func newRecent[K comparable, V interface{ size() int }](limit int) *recent[K, V] {
	r := &recent[K, V]{limit: limit}
	r.kept = must(simplelru.NewLRU(math.MaxInt, func(_ K, v V) { r.bytes -= v.size() }))
	return r
}

func (r *recent[K, V]) get(of K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.Get(of)
}

func (r *recent[K, V]) put(of K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Remove(of)
	r.kept.Add(of, v)
	for r.bytes += v.size(); r.bytes > r.limit && r.kept.Len() > 1; {
		r.kept.RemoveOldest()
	}
}

// must unwraps a cache whose size is a constant; only sizes below one are refused.
func must[C any](cache C, err error) C {
	if err != nil {
		panic(err)
	}
	return cache
}

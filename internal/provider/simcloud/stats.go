package simcloud

import (
	"maps"
	"net/http"
)

// Stats counts the requests the simulated API received.
type Stats struct {
	// Total is the number of requests, including those refused or hit by a fault.
	Total int
	// Patterns counts by "METHOD /pattern" of the routes table, unknown paths as "unrouted".
	Patterns map[string]int
	// Paths counts by "METHOD /path?query" with sorted query members; a value above one shows a
	// repeated read.
	Paths map[string]int
	// Statuses counts by HTTP status; zero stands for dropped connections.
	Statuses map[int]int
	// RateLimited is the number of 429 responses, including injected ones.
	RateLimited int
	// MaxInFlight is the largest number of requests handled at one time.
	MaxInFlight int
}

type counters struct {
	Stats
	inFlight int
}

func newCounters() counters {
	return counters{Stats: Stats{Patterns: map[string]int{}, Paths: map[string]int{}, Statuses: map[int]int{}}}
}

// Requests returns a copy of the counters.
func (cl *Cloud) Requests() Stats {
	cl.statMu.Lock()
	defer cl.statMu.Unlock()
	s := cl.stats.Stats
	s.Patterns, s.Paths, s.Statuses = maps.Clone(s.Patterns), maps.Clone(s.Paths), maps.Clone(s.Statuses)
	return s
}

// ResetRequests sets the counters to zero, except for the requests in flight.
func (cl *Cloud) ResetRequests() {
	cl.statMu.Lock()
	defer cl.statMu.Unlock()
	inFlight := cl.stats.inFlight
	cl.stats = newCounters()
	cl.stats.inFlight, cl.stats.MaxInFlight = inFlight, inFlight
}

func (cl *Cloud) countStart(r *http.Request, pattern string) {
	path := r.Method + " " + r.URL.Path
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.Query().Encode()
	}
	cl.statMu.Lock()
	defer cl.statMu.Unlock()
	s := &cl.stats
	s.Total++
	s.Patterns[pattern]++
	s.Paths[path]++
	s.inFlight++
	s.MaxInFlight = max(s.MaxInFlight, s.inFlight)
}

func (cl *Cloud) countEnd(status int) {
	cl.statMu.Lock()
	defer cl.statMu.Unlock()
	cl.stats.inFlight--
	cl.stats.Statuses[status]++
	if status == http.StatusTooManyRequests {
		cl.stats.RateLimited++
	}
}

package simcloud

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Faults are injected failures. Rates are fractions from 0 to 1 of the requests; their sum should
// not exceed 1. Whether a request is hit depends only on Seed, method, path and how often that path
// was requested before.
type Faults struct {
	// Rate429, Rate500 and Rate502 respond with that status before handling.
	Rate429, Rate500, Rate502 float64
	// RateHang delays the response for HangFor, then drops the connection.
	RateHang float64
	// RateTruncate handles the request and cuts the body in half.
	RateTruncate float64
	// RateReset closes the connection without a response.
	RateReset float64
	// RateLose handles the request and closes the connection without a response.
	RateLose float64
	// RateRefuse responds to a write with 400 without carrying it out; RateIgnore responds as if it
	// had been carried out. Reads are not affected.
	RateRefuse, RateIgnore float64
	// RetryAfter is sent with injected 429 responses; zero means one second.
	RetryAfter time.Duration
	// HangFor limits a hang; zero means until the client or server gives up.
	HangFor time.Duration
	// Seed selects which requests are hit.
	Seed uint64
	// Only limits faults to the requests it accepts; nil means all.
	Only func(method, path string) bool
}

type faultKind int

const (
	faultNone faultKind = iota
	fault429
	fault500
	fault502
	faultHang
	faultTruncate
	faultReset
	faultLose
	faultRefuse
	faultIgnore
)

// pick decides the fault of the nth (from 1) request of a path.
func (f Faults) pick(method, path string, nth int) faultKind {
	rates := [...]struct {
		rate float64
		kind faultKind
	}{
		{f.Rate429, fault429}, {f.Rate500, fault500}, {f.Rate502, fault502},
		{f.RateHang, faultHang}, {f.RateTruncate, faultTruncate}, {f.RateReset, faultReset},
		{f.RateLose, faultLose}, {f.RateRefuse, faultRefuse}, {f.RateIgnore, faultIgnore},
	}
	sum := 0.0
	for _, r := range rates {
		sum += r.rate
	}
	if sum == 0 || (f.Only != nil && !f.Only(method, path)) {
		return faultNone
	}
	draw := newStream(f.Seed, method, path, num(nth)).share()
	for _, r := range rates {
		if draw < r.rate {
			return r.kind
		}
		draw -= r.rate
	}
	return faultNone
}

// SetFaults replaces the injected faults for later requests.
func (cl *Cloud) SetFaults(f Faults) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.faults = f
	cl.faultCalls = map[string]int{}
}

// Outage makes every call respond with 503 until it is switched off.
func (cl *Cloud) Outage(on bool) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.outage = on
}

// Hold blocks requests before they are handled until release is called or their client disconnects:
// those whose path contains one of parts, or all if there are no parts. Calling Hold again while
// held replaces the gate; requests waiting at the old one continue when that is released.
func (cl *Cloud) Hold(parts ...string) (release func()) {
	gate := make(chan struct{})
	cl.mu.Lock()
	cl.gate, cl.gated = gate, parts
	cl.mu.Unlock()
	return sync.OnceFunc(func() {
		cl.mu.Lock()
		if cl.gate == gate {
			cl.gate = nil
		}
		cl.mu.Unlock()
		close(gate)
	})
}

func (cl *Cloud) waitAtGate(r *http.Request) {
	cl.mu.Lock()
	gate, parts := cl.gate, cl.gated
	cl.mu.Unlock()
	hit := func(part string) bool { return strings.Contains(r.URL.Path, part) }
	if gate == nil || len(parts) > 0 && !slices.ContainsFunc(parts, hit) {
		return
	}
	select {
	case <-gate:
	case <-r.Context().Done():
	}
}

func (cl *Cloud) drawFault(r *http.Request) (faultKind, Faults, bool) {
	key := r.Method + " " + r.URL.Path
	cl.mu.Lock()
	cl.faultCalls[key]++
	faults, nth, outage := cl.faults, cl.faultCalls[key], cl.outage
	cl.mu.Unlock()
	// Only is the caller's code and may call the Cloud, so no lock is held.
	return faults.pick(r.Method, r.URL.Path, nth), faults, outage
}

// hang waits for the client to disconnect, for at most limit when it is positive.
func hang(r *http.Request, limit time.Duration) {
	if limit <= 0 {
		<-r.Context().Done()
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
}

// reset drops the connection so that the client sees a reset, not a clean end.
func reset(w http.ResponseWriter) {
	if hj, isHijacker := w.(http.Hijacker); isHijacker {
		if conn, _, err := hj.Hijack(); err == nil {
			if tcp, isTCP := conn.(*net.TCPConn); isTCP {
				_ = tcp.SetLinger(0) // best effort: a plain close is a fault too
			}
			_ = conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

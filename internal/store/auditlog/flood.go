package auditlog

import (
	"context"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// window is how long the refusals of one address are collected into one entry.
const window = time.Minute

// maxAddresses bounds how many addresses are told apart in one window. The refusals of all further
// addresses share one entry, so a flood writes at most this many entries a minute.
const maxAddresses = 256

// others stands for the addresses beyond maxAddresses.
const others = "others"

// flood collects refusals. They are written every minute and at the end of the process; a killed
// process loses the counts of its last minute.
type flood struct {
	mu   sync.Mutex
	held map[key]*audit.Entry
}

type key struct {
	address, code string
	object        string // the type of the target, "" for a call that was refused before it had one
	read          bool
}

func newFlood() *flood { return &flood{held: map[key]*audit.Entry{}} }

// add collects a refusal. It reports whether to write the entry at once: the case for the first refusal
// of an address in a window that is not a read.
func (f *flood) add(e audit.Entry) (now bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := key{address: e.Address, code: e.Code, object: e.Target.Type, read: e.Action == audit.Read}
	if f.held[k] == nil && len(f.held) >= maxAddresses {
		k = key{address: others, read: true}
		e = audit.Entry{At: e.At, Actor: e.Actor, Address: others, Action: audit.Read, Outcome: audit.Refused}
	}
	held := f.held[k]
	if held == nil {
		e.Count = 1
		if !k.read {
			e.Count = 0 // this one is written now; the held entry counts those after it
		}
		f.held[k] = &e
		return !k.read
	}
	held.Count++
	return false
}

// take returns the collected entries and starts anew.
func (f *flood) take() []audit.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []audit.Entry
	for _, e := range f.held {
		if e.Count > 0 {
			out = append(out, *e)
		}
	}
	clear(f.held)
	return out
}

// Refused records a call that was refused before anything was read, or of somebody who has not signed in.
// Reads are one entry per address and minute, written when the minute is over; of other calls, the first is
// written at once and the rest of the minute is one more entry.
func (t *Log) Refused(ctx context.Context, e audit.Entry) {
	e.Outcome = audit.Refused
	if e.At.IsZero() {
		e.At = t.o.Now()
	}
	if t.flood.add(e) {
		t.Note(ctx, e)
	}
}

// Flush writes the refusals collected so far.
func (t *Log) Flush(ctx context.Context) {
	for _, e := range t.flood.take() {
		t.Note(ctx, e)
	}
}

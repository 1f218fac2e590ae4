package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Genesis is the hash before the first entry.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// version starts every encoding, so that a different format never yields the same bytes.
const version = "edgeposture-audit-1"

// Sum is the hash of an entry: SHA-256 over every member except the hash itself, each prefixed with
// its length, so that text cannot move from one member to the next.
func Sum(e Entry) string {
	h := sha256.New()
	var length [8]byte
	parts := []string{
		version, strconv.FormatInt(e.Seq, 10), strconv.FormatInt(e.At.UnixMicro(), 10), e.Actor, e.Address, string(e.Action), e.Method,
		e.Target.Type, e.Target.ID,
		string(e.Outcome), strconv.Itoa(e.Status), e.Code, e.RequestID, e.JobID, strconv.Itoa(e.Count), e.Previous,
	}
	if e.Detail != "" { // older entries have no details
		parts = append(parts, e.Detail)
	}
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = h.Write(length[:])
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Chained returns the entry as the successor of a head.
func Chained(after Head, e Entry) Entry {
	e = e.Normal()
	e.Seq, e.Previous = after.Seq+1, after.Hash
	if after.Seq == 0 {
		e.Previous = Genesis
	}
	e.Hash = Sum(e)
	return e
}

// Checkpoint makes the entry that records the removal of all entries up to and including last.
func Checkpoint(e Entry, last Head) Entry {
	e.Action, e.Outcome, e.Target = Cut, Succeeded, Target{Type: "audit", ID: strconv.FormatInt(last.Seq, 10) + ":" + last.Hash}
	return e
}

// cut returns the head that a checkpoint records.
func cut(e Entry) (Head, bool) {
	if e.Action != Cut {
		return Head{}, false
	}
	head, err := ParseHead(e.Target.ID)
	return head, err == nil
}

// ParseHead parses seq:hash.
func ParseHead(s string) (Head, error) {
	no, hash, ok := strings.Cut(s, ":")
	seq, err := strconv.ParseInt(no, 10, 64)
	if !ok || err != nil || seq < 0 || len(hash) != len(Genesis) || strings.Trim(hash, "0123456789abcdef") != "" {
		return Head{}, fmt.Errorf("%q is not of the form seq:hash, a number and 64 digits of hex", printable(s, maxText))
	}
	return Head{Seq: seq, Hash: hash}, nil
}

// BrokenError says where the chain is broken.
type BrokenError struct {
	Seq int64
	Why string
}

// Error returns one sentence.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("The audit log is not as it was written: entry %d %s.", e.Seq, e.Why)
}

// Walk verifies a chain from its newest entry to its oldest. Create one with From, pass every entry
// in that order to Add, then call End.
type Walk struct {
	next   Head // the expected entry
	from   Head
	cuts   map[int64]string
	anchor Head
	seen   bool // whether the anchor was seen
	any    bool
}

// From starts at the head that the store reports. anchor is a head noted earlier, or the zero Head
// for none.
func From(head, anchor Head) *Walk {
	return &Walk{next: head, from: head, cuts: map[int64]string{}, anchor: anchor, seen: anchor.Seq == 0}
}

// Add verifies the next older entry.
func (w *Walk) Add(e Entry) error {
	broken := func(seq int64, why string) error { return &BrokenError{Seq: seq, Why: why} }
	switch {
	case e.Seq != w.next.Seq:
		return broken(w.next.Seq, "is missing")
	case Sum(e) != e.Hash:
		return broken(e.Seq, "was changed")
	case e.Hash != w.next.Hash:
		return broken(e.Seq, "is not the one the next entry follows")
	}
	if e.Seq == w.anchor.Seq {
		if e.Hash != w.anchor.Hash {
			return broken(e.Seq, "is not the one that was noted")
		}
		w.seen = true
	}
	if head, ok := cut(e); ok {
		w.cuts[head.Seq] = head.Hash
	}
	w.next, w.any = Head{Seq: e.Seq - 1, Hash: e.Previous}, true
	return nil
}

// End verifies that the chain begins where it may: at the first entry, or where a checkpoint
// records that older ones were removed.
func (w *Walk) End() error {
	broken := func(seq int64, why string) error { return &BrokenError{Seq: seq, Why: why} }
	switch {
	case w.from.Seq > 0 && !w.any:
		return broken(w.from.Seq, "is missing")
	case w.next.Seq == 0 && w.any && w.next.Hash != Genesis:
		return broken(1, "does not begin the chain")
	case w.next.Seq > 0 && w.cuts[w.next.Seq] != w.next.Hash:
		return broken(w.next.Seq, "is missing, and no checkpoint tells that it was cut off")
	case !w.seen && w.anchor.Seq > w.from.Seq:
		return broken(w.anchor.Seq, "was noted and is missing at the end")
	case !w.seen && w.cuts[w.next.Seq] == "":
		return broken(w.anchor.Seq, "was noted and is missing")
	case !w.seen && w.anchor.Seq == w.next.Seq && w.anchor.Hash != w.next.Hash:
		return broken(w.anchor.Seq, "is not the one that was noted")
	}
	return nil
}

package deliver

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
)

// mostReasons is how many refused documents keep their reason.
const mostReasons = 100

// progress records which documents of a delivery the receiver has and which it refused for good, by
// their position. A position stands for an id as long as the documents are those of the listing.
type progress struct {
	Sent    []byte         `json:"sent"`              // one bit each
	Refused []byte         `json:"refused,omitempty"` // one bit each
	Reasons map[int]string `json:"reasons,omitempty"`
	Listed  int            `json:"listed,omitempty"`  // how many documents the positions are of
	Listing []byte         `json:"listing,omitempty"` // the digest of their ids
}

// listing is a digest of the ids of documents, in their order.
type listing struct{ hash hash.Hash }

func newListing() listing { return listing{sha256.New()} }

func (l listing) add(id string) { _, _ = fmt.Fprintf(l.hash, "%q", id) }

func (l listing) sum() []byte { return l.hash.Sum(nil) }

// list keeps the listing of the first n documents, unless that of more is known.
func (p *progress) list(n int, l listing) {
	if n > p.Listed {
		p.Listed, p.Listing = n, l.sum()
	}
}

func newProgress() *progress { return &progress{Reasons: map[int]string{}} }

func readProgress(raw []byte) (*progress, error) {
	p := newProgress()
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, p); err != nil {
			return nil, fmt.Errorf("read how far a delivery is: %w", err)
		}
	}
	return p, nil
}

func (p *progress) encode() ([]byte, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write how far a delivery is: %w", err)
	}
	return raw, nil
}

func has(bits []byte, n int) bool { return n/8 < len(bits) && bits[n/8]&(1<<(n%8)) != 0 }

func set(bits []byte, n int) []byte {
	for len(bits) <= n/8 {
		bits = append(bits, 0)
	}
	bits[n/8] |= 1 << (n % 8)
	return bits
}

func count(bits []byte) int {
	n := 0
	for _, b := range bits {
		for ; b != 0; b &= b - 1 {
			n++
		}
	}
	return n
}

// settled reports whether a document needs no further try.
func (p *progress) settled(n int) bool { return has(p.Sent, n) || has(p.Refused, n) }

func (p *progress) sent(n int) { p.Sent = set(p.Sent, n) }

func (p *progress) refuse(n int, reason string) {
	p.Refused = set(p.Refused, n)
	if len(p.Reasons) < mostReasons {
		p.Reasons[n] = reason
	}
}

// forgive clears the refusals, so that a replay retries them.
func (p *progress) forgive() { p.Refused, p.Reasons = nil, map[int]string{} }

// errors lists the distinct reasons of refused documents, in their order.
func (p *progress) errors() []string {
	out := []string{}
	positions := make([]int, 0, len(p.Reasons))
	for n := range p.Reasons {
		positions = append(positions, n)
	}
	slices.Sort(positions)
	for _, n := range positions {
		if !slices.Contains(out, p.Reasons[n]) {
			out = append(out, p.Reasons[n])
		}
	}
	return out
}

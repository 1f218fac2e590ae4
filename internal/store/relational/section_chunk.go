package relational

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Sections of a run that has ended are kept in chunks, like findings: one that an earlier run of
// the account has is not written again. When they were read differs from run to run, so that is
// with the run.
const (
	// sectionWeight is the size of a value that makes it twice as likely that its section ends a
	// chunk.
	sectionWeight = 2 << 10
	// sectionBytes bounds a chunk wherever it would end: it is in memory as a whole.
	sectionBytes = 256 << 10
)

// sectionChunks cuts sections, in their order, into chunks. What is left has no end yet.
type sectionChunks struct {
	chunk []snapshot.Section
	bytes int
}

// add takes the next section and gives the chunk that it ends. The section itself decides, by its
// name and roughly by its size, so that one that comes, goes or grows moves no border far away.
func (c *sectionChunks) add(sec snapshot.Section) (complete []snapshot.Section) {
	c.chunk = append(c.chunk, sec)
	c.bytes += len(sec.Value)
	likely := uint32(1) << bits.Len(uint(len(sec.Value)/sectionWeight))
	if uint32(resourceKey(sec.Source+"\x00"+sec.Scope))%chunkEnds < likely || len(c.chunk) == chunkMax || c.bytes >= sectionBytes {
		complete, c.chunk, c.bytes = c.chunk, nil, 0
	}
	return complete
}

// newSectionPiece makes the piece of some sections.
func newSectionPiece(account string, sections []snapshot.Section) *pieceRow {
	w := chunkWriter{}
	w.number(len(sections))
	for i := range sections {
		s := &sections[i]
		for _, text := range []string{s.Source, s.Scope, string(s.Status), s.Permission, s.Reason} {
			w.text(text)
		}
		w.b = binary.AppendVarint(w.b, int64(s.Code))
		if s.Value == nil { // which is not the same as one of no bytes
			w.number(0)
			continue
		}
		w.number(1)
		w.text(string(s.Value))
	}
	return &pieceRow{ProviderAccountID: account, Hash: pieceHash(nil, w.b), Facts: []byte{}, Texts: []byte{}, Value: squeezed(w.b)}
}

// decodeSections reads what newSectionPiece wrote.
func decodeSections(stored []byte) ([]snapshot.Section, error) {
	content, err := unsqueeze(stored)
	if err != nil {
		return nil, err
	}
	r := chunkReader{rest: content}
	out := make([]snapshot.Section, r.count())
	text := func() string { return strings.Clone(r.text()) } // a part would hold the whole chunk
	for i := range out {
		s := &out[i]
		s.Source, s.Scope, s.Status, s.Permission, s.Reason = text(), text(), snapshot.Status(text()), text(), text()
		if i > 0 && out[i-1].Source == s.Source {
			s.Source = out[i-1].Source // thousands share one
		}
		s.Code = int(r.instant())
		if r.number() == 1 {
			s.Value = []byte(r.text())
		}
	}
	if r.bad || r.rest != "" {
		return nil, errChunk
	}
	return out, nil
}

// encodeTimes writes instants, mostly the same one after the other.
func encodeTimes(times []int64) (b []byte) {
	last := int64(0)
	for len(times) > 0 {
		n := slices.IndexFunc(times, func(t int64) bool { return t != times[0] })
		if n < 0 {
			n = len(times)
		}
		b = binary.AppendVarint(binary.AppendUvarint(b, uint64(n)), times[0]-last)
		last, times = times[0], times[n:]
	}
	return b
}

// decodeTimes reads so many.
func decodeTimes(b []byte, n int) ([]int64, error) {
	r := chunkReader{rest: string(b)}
	out, last := make([]int64, 0, n), int64(0)
	for r.rest != "" {
		many := r.number()
		last += r.instant()
		if many > n-len(out) {
			return nil, errChunk
		}
		out = append(out, slices.Repeat([]int64{last}, many)...)
	}
	if r.bad || len(out) != n {
		return nil, errChunk
	}
	return out, nil
}

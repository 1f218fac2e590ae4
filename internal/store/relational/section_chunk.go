package relational

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Sections of a finished run are kept in chunks, like findings: a chunk that equals one of an earlier
// run of the account is not written again. The times at which they were read differ from run to run, so
// those are stored with the run.
const (
	// sectionWeight is the value size that doubles the probability that a section ends a chunk.
	sectionWeight = 2 << 10
	// sectionBytes bounds a chunk, which is held in memory as a whole.
	sectionBytes = 256 << 10
)

// sectionChunks cuts sections, in order, into chunks; chunk holds those after the last cut.
type sectionChunks struct {
	chunk []snapshot.Section
	bytes int
}

// add takes the next section and gives the chunk that it ends. The section alone decides, by the hash
// of its name and roughly by its size, so that adding, removing or growing one moves no distant
// boundary.
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
		if s.Value == nil { // nil differs from an empty value
			w.number(0)
			continue
		}
		w.number(1)
		w.text(string(s.Value))
	}
	return &pieceRow{ProviderAccountID: account, Hash: pieceHash(nil, w.b), Facts: []byte{}, Texts: []byte{}, Value: squeezed(w.b)}
}

// decodeSections decodes a piece made by newSectionPiece.
func decodeSections(stored []byte) ([]snapshot.Section, error) {
	content, err := unsqueeze(stored)
	if err != nil {
		return nil, err
	}
	r := chunkReader{rest: content}
	out := make([]snapshot.Section, r.count())
	text := func() string { return strings.Clone(r.text()) } // a substring would keep the whole chunk alive
	for i := range out {
		s := &out[i]
		s.Source, s.Scope, s.Status, s.Permission, s.Reason = text(), text(), snapshot.Status(text()), text(), text()
		if i > 0 && out[i-1].Source == s.Source {
			s.Source = out[i-1].Source // thousands share one source
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

// encodeTimes run-length encodes instants, most of which repeat.
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

// decodeTimes decodes n instants.
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

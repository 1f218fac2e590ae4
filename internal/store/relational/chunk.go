package relational

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/klauspost/compress/s2"
)

// A run keeps its findings in chunks, and a chunk that equals one of an earlier run of the account is
// not written again. So its bytes must depend only on the findings, not on the run: checks and zones go
// by name, and the last-seen time is stored as "this run" where it is that.
const (
	// chunkEnds is the inverse probability that a finding ends a chunk. The hash of the finding
	// decides, so that adding or removing one moves no other boundary.
	chunkEnds = 32
	chunkMin  = 8
	chunkMax  = 128
)

// chunk is a group of a run's findings that is stored in one piece.
type chunk struct {
	facts *facts
	rows  []chunkRow
}

// chunkRow is the part of a finding that facts does not hold.
type chunkRow struct {
	findingID, resourceID string
	search                string // only when fetched
	body                  bodyParts
	seenNow               bool // last seen by the run that is being read
}

// faceNames names the faces of a catalogue: the check id and the position among the check's faces.
func faceNames(c *catalogue) []string {
	out, of := make([]string, len(c.Faces)), map[string]int{}
	for no, f := range c.Faces {
		out[no] = faceName(f.CheckID, of[f.CheckID])
		of[f.CheckID]++
	}
	return out
}

func faceName(checkID string, no int) string { return checkID + "\x00" + strconv.Itoa(no) }

// endsChunk reports whether a chunk ends after the last of rows.
func endsChunk(rows []findingRow) bool {
	n := len(rows)
	return n >= chunkMin && uint32(resourceKey(rows[n-1].FindingID))%chunkEnds == 0 || n == chunkMax
}

// These bits tell which optional fields of a finding follow.
const (
	hasFirst byte = 1 << iota
	hasLast
	lastIsNow
)

// encodeBodies writes the ids and bodies of findings; now is when their run saw them.
func encodeBodies(rows []findingRow, now int64) []byte {
	w := chunkWriter{}
	for i := range rows {
		r := &rows[i]
		w.text(r.FindingID)
		w.text(r.ResourceID)
		w.text(r.body.head)
		w.text(r.body.tail)
		w.seen(r.body, now)
	}
	return w.b
}

// encodeTexts writes the texts that a search looks at.
func encodeTexts(rows []findingRow) []byte {
	w := chunkWriter{}
	for i := range rows {
		w.text(rows[i].Search)
	}
	return w.b
}

type chunkWriter struct{ b []byte }

func (w *chunkWriter) number(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *chunkWriter) text(s string) {
	w.number(len(s))
	w.b = append(w.b, s...)
}

func (w *chunkWriter) seen(b bodyParts, now int64) {
	var bits byte
	if b.first != 0 {
		bits |= hasFirst
	}
	switch b.last {
	case 0:
	case now:
		bits |= lastIsNow
	default:
		bits |= hasLast
	}
	w.b = append(w.b, bits)
	if bits&hasFirst != 0 {
		w.b = binary.AppendVarint(w.b, b.first)
	}
	if bits&hasLast != 0 {
		w.b = binary.AppendVarint(w.b, b.last)
	}
}

// seal prefixes content with a checksum, so that even a single flipped bit on disk is noticed. unseal
// verifies and removes it.
func seal(content []byte) []byte {
	out := binary.BigEndian.AppendUint32(make([]byte, 0, len(content)+checksumBytes), crc32.ChecksumIEEE(content))
	return append(out, content...)
}

const checksumBytes = 4

func unseal(stored []byte) ([]byte, error) {
	if len(stored) < checksumBytes || binary.BigEndian.Uint32(stored) != crc32.ChecksumIEEE(stored[checksumBytes:]) {
		return nil, errChunk
	}
	return stored[checksumBytes:], nil
}

// squeezed compresses and seals content; unsqueeze reverses it and gives a string.
func squeezed(content []byte) []byte { return seal(s2.EncodeBetter(nil, content)) }

func unsqueeze(stored []byte) (string, error) {
	packed, err := unseal(stored)
	if err != nil {
		return "", err
	}
	content, err := s2.Decode(nil, packed)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errChunk, err)
	}
	return string(content), nil
}

// errChunk means that a stored part of a run is damaged.
var errChunk = errors.New("a stored part of an assessment is damaged")

// decodeChunk decodes the findings of a piece, with their searched texts only when those were fetched.
func decodeChunk(p *pieceRow) (*chunk, error) {
	f, err := decodeFacts(p.Facts)
	if err != nil {
		return nil, err
	}
	content, err := unsqueeze(p.Value)
	if err != nil {
		return nil, err
	}
	r := chunkReader{rest: content}
	c := &chunk{facts: f, rows: make([]chunkRow, len(f.rows))}
	for i := range c.rows {
		row := &c.rows[i]
		row.findingID, row.resourceID = r.text(), r.text()
		row.body.head, row.body.tail = r.text(), r.text()
		r.seen(row)
	}
	if r.bad || r.rest != "" {
		return nil, errChunk
	}
	if p.Texts == nil {
		return c, nil
	}
	texts, err := decodeTexts(p.Texts, len(c.rows))
	for i := range texts {
		c.rows[i].search = texts[i]
	}
	return c, err
}

// decodeTexts decodes the searched texts of n findings.
func decodeTexts(stored []byte, n int) ([]string, error) {
	content, err := unsqueeze(stored)
	if err != nil {
		return nil, err
	}
	r := chunkReader{rest: content}
	out := make([]string, n)
	for i := range out {
		out[i] = r.text()
	}
	if r.bad || r.rest != "" {
		return nil, errChunk
	}
	return out, nil
}

// size is the approximate memory use of the chunk in bytes.
func (c *chunk) size() int {
	n := 0
	for i := range c.rows {
		r := &c.rows[i]
		n += 250 + len(r.findingID) + len(r.resourceID) + len(r.body.head) + len(r.body.tail)
	}
	return n
}

// row gives finding i of the chunk as a row of run of; faces and zones map the chunk's numbers to those
// of the run.
func (c *chunk) row(i int, of *run, faces, zones []int) findingRow {
	r, f := c.rows[i], c.facts.rows[i]
	if r.seenNow {
		r.body.last = of.seen
	}
	return findingRow{CheckNo: faces[f.face], ZoneNo: zones[f.zone], Result: c.facts.results[f.result], FindingID: r.findingID,
		ResourceID: r.resourceID, ResourceKey: resourceKey(r.resourceID), Search: r.search, Body: r.body.json()}
}

package relational

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/klauspost/compress/s2"
)

// A run keeps its findings in chunks, and a chunk that an earlier run of the account has
// is not written again. So nothing in it may differ from run to run while the finding does
// not: checks and zones go by name, and when it was seen last by whether that was this run.
const (
	// chunkEnds is one of how many findings ends a chunk. The finding itself decides, so that
	// one that comes or goes moves no other border.
	chunkEnds = 32
	chunkMin  = 8
	chunkMax  = 128
)

// chunk is what of the findings of a run is stored in one piece.
type chunk struct {
	facts *facts
	rows  []chunkRow
}

// chunkRow is what facts do not tell of a finding.
type chunkRow struct {
	findingID, resourceID string
	search                string // only when asked for
	body                  bodyParts
	seenNow               bool // by the run that is read
}

// faceNames name the faces of a catalogue: the check, and which of its faces.
func faceNames(c *catalogue) []string {
	out, of := make([]string, len(c.Faces)), map[string]int{}
	for no, f := range c.Faces {
		out[no] = faceName(f.CheckID, of[f.CheckID])
		of[f.CheckID]++
	}
	return out
}

func faceName(checkID string, no int) string { return checkID + "\x00" + strconv.Itoa(no) }

// endsChunk tells whether the last of some findings is that of a chunk.
func endsChunk(rows []findingRow) bool {
	n := len(rows)
	return n >= chunkMin && uint32(resourceKey(rows[n-1].FindingID))%chunkEnds == 0 || n == chunkMax
}

// The bits that say what of a finding follows.
const (
	hasFirst byte = 1 << iota
	hasLast
	lastIsNow
)

// encodeBodies writes ids and bodies of findings of a run that saw findings at an instant.
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

// encodeTexts writes what a search looks at.
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

// seal writes content behind a checksum, so that a single bit that changes on the disk is
// noticed whatever it does to the findings. unseal gives it back.
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

// squeezed is seal of what is compressed; unsqueeze gives it back as a text.
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

// errChunk means that a part of a run is not what was written.
var errChunk = errors.New("a stored part of an assessment is damaged")

// decodeChunk reads findings; their searched texts only when they were fetched.
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

// decodeTexts reads the searched texts of so many findings.
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

// size is about how many bytes of memory the chunk takes.
func (c *chunk) size() int {
	n := 0
	for i := range c.rows {
		r := &c.rows[i]
		n += 250 + len(r.findingID) + len(r.resourceID) + len(r.body.head) + len(r.body.tail)
	}
	return n
}

// row gives the finding at a position of the chunk as that of a run, whose numbers of the
// chunk's lists are given.
func (c *chunk) row(i int, of *run, faces, zones []int) findingRow {
	r, f := c.rows[i], c.facts.rows[i]
	if r.seenNow {
		r.body.last = of.seen
	}
	return findingRow{CheckNo: faces[f.face], ZoneNo: zones[f.zone], Result: c.facts.results[f.result], FindingID: r.findingID,
		ResourceID: r.resourceID, ResourceKey: resourceKey(r.resourceID), Search: r.search, Body: r.body.json()}
}

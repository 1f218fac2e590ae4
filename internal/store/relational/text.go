package relational

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// texts are what a search in an assessment looks at, all of them in one piece of
// memory, with what counting needs. Walking it takes a few milliseconds for 50,000
// findings, the rows many times that.
type texts struct {
	ends  []uint32 // where the text at each position ends
	cells [][3]int32
	all   []byte
}

// assessmentTextRow is the stored form.
type assessmentTextRow struct {
	bun.BaseModel `bun:"table:assessment_text"`

	AssessmentNo int64  `bun:"assessment_no,pk"`
	Texts        []byte `bun:"texts"`
}

// packTexts writes, for each finding, check, zone, result and length, then all texts.
func packTexts(rows []findingRow) []byte {
	size := 0
	for i := range rows {
		size += len(rows[i].words)
	}
	head := make([]byte, 0, len(rows)*8+size+8)
	head = binary.AppendUvarint(head, uint64(len(rows)))
	for i := range rows {
		head = binary.AppendUvarint(head, uint64(rows[i].CheckNo))
		head = binary.AppendUvarint(head, uint64(rows[i].ZoneNo))
		head = binary.AppendUvarint(head, uint64(resultNo(rows[i].Result)+1))
		head = binary.AppendUvarint(head, uint64(len(rows[i].words)))
	}
	for i := range rows {
		head = append(head, rows[i].words...)
	}
	return s2.EncodeBetter(nil, head)
}

// errTexts means that the stored texts are not what packTexts writes.
var errTexts = errors.New("the stored texts of an assessment are damaged")

func unpackTexts(packed []byte) (texts, error) {
	b, err := s2.Decode(nil, packed)
	if err != nil {
		return texts{}, fmt.Errorf("decompress the texts of an assessment: %w", err)
	}
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return 0
		}
		b = b[n:]
		return v
	}
	n := next()
	if n > uint64(len(b)) {
		return texts{}, errTexts
	}
	t := texts{ends: make([]uint32, n), cells: make([][3]int32, n)}
	end := uint64(0)
	for i := range t.ends {
		t.cells[i] = [3]int32{int32(next()), int32(next()), int32(next()) - 1}
		end += next()
		t.ends[i] = uint32(end)
	}
	if end != uint64(len(b)) {
		return texts{}, errTexts
	}
	t.all = b
	return t, nil
}

// size is about how many bytes of memory the texts take.
func (t *texts) size() int { return len(t.all) + len(t.ends)*(4+3*4) }

// find gives the positions of the texts that hold part, in order. A part never matches
// across two texts.
func (t texts) find(part string) []int {
	var out []int
	needle := []byte(part)
	for from, seq := 0, 0; ; {
		i := bytes.Index(t.all[from:], needle)
		if i < 0 {
			return out
		}
		at := from + i
		for int(t.ends[seq]) <= at {
			seq++
		}
		if at+len(needle) <= int(t.ends[seq]) {
			out, from = append(out, seq), int(t.ends[seq])
		} else {
			from = at + 1
		}
	}
}

// among is find, with the findings of checks whose id holds the part.
func (t texts) among(part string, checks []bool) []int {
	found := t.find(part)
	if !slices.Contains(checks, true) {
		return found
	}
	out := make([]int, 0, len(found))
	for seq, c := range t.cells {
		if len(found) > 0 && found[0] == seq {
			found = found[1:]
			out = append(out, seq)
		} else if int(c[0]) < len(checks) && checks[c[0]] {
			out = append(out, seq)
		}
	}
	return out
}

// textsOf gives the texts of an assessment; known is false when a version before them
// made it.
func (s *Store) textsOf(ctx context.Context, no int64) (_ *texts, known bool, err error) {
	if t, ok := s.texts.get(no); ok {
		return t, true, nil
	}
	var row assessmentTextRow
	err = s.read(ctx, "read the texts of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Where("assessment_no = ?", no).Scan(ctx))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	t, err := unpackTexts(row.Texts)
	if err != nil {
		return nil, false, err
	}
	s.texts.put(no, &t)
	return &t, true, nil
}

// textsKept bounds the texts in memory, in bytes: nine assessments of 50,000 findings. A page
// and its counts ask for the same, and so does every letter somebody types.
const textsKept = 64 << 20

// searching gives the positions that a filter with a text leaves, in order, and their
// results; known is false when the assessment has no packed texts.
func (s *Store) searching(ctx context.Context, a openAssessment, f store.FindingFilter, part string) (seqs []int, counts map[posture.Result]int, known bool, err error) {
	t, known, err := s.textsOf(ctx, a.no)
	if err != nil || !known {
		return nil, nil, false, err
	}
	named := a.catalogue.named(part)
	faces, every := a.catalogue.chosen(f.Severities, f.Categories, f.Checks)
	zones := a.catalogue.inZones(f.Zones)
	counts = map[posture.Result]int{}
	for _, seq := range t.among(part, named) {
		c := t.cells[seq]
		if !every && !slices.Contains(faces, int(c[0])) || len(f.Zones) > 0 && !slices.Contains(zones, int(c[1])) {
			continue
		}
		if c[2] < 0 || int(c[2]) >= len(posture.Results()) {
			continue
		}
		if r := posture.Results()[c[2]]; allows(f.Results, r) {
			counts[r]++
			seqs = append(seqs, seq)
		}
	}
	return seqs, counts, true, nil
}

package relational

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/uptrace/bun"
)

// run tells where the findings of an assessment are stored. It is nil for assessments of versions
// before chunks.
type run struct {
	seen   int64 // when the run saw its findings
	chunks []int64
	ends   []int // the position after each chunk
	faces  map[string]int
	zones  map[zoneRef]int
}

// encodeRun encodes the chunk list of an assessment.
func encodeRun(seen int64, chunks []int64, ends []int) []byte {
	b := binary.AppendVarint(nil, seen)
	no, end := int64(0), 0
	for i := range chunks {
		b = binary.AppendVarint(b, chunks[i]-no)
		b = binary.AppendUvarint(b, uint64(ends[i]-end))
		no, end = chunks[i], ends[i]
	}
	return b
}

// decodeRun decodes the result of encodeRun.
func decodeRun(b []byte) (*run, error) {
	seen, size := binary.Varint(b)
	out := &run{seen: seen}
	no, end := int64(0), uint64(0)
	for size > 0 && len(b) > size {
		b = b[size:]
		by, n := binary.Varint(b)
		count, m := binary.Uvarint(b[max(0, n):])
		if n <= 0 || m <= 0 || count > chunkMax {
			return nil, errChunk
		}
		no, end, size = no+by, end+count, n+m
		out.chunks, out.ends = append(out.chunks, no), append(out.ends, int(end))
	}
	if size <= 0 {
		return nil, errChunk
	}
	return out, nil
}

// place gives the index of the chunk that holds a position, and the position within it.
func (r *run) place(seq int) (chunk, at int, ok bool) {
	i := sort.SearchInts(r.ends, seq+1)
	if i == len(r.ends) || seq < 0 {
		return 0, 0, false
	}
	if i == 0 {
		return i, seq, true
	}
	return i, seq - r.ends[i-1], true
}

// findings is the number of findings.
func (r *run) findings() int {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// chunksAtOnce bounds the chunks of one query.
const chunksAtOnce = 200

// chunksKept bounds the cached chunks, in bytes: lists over all accounts show the same findings again
// and again.
const chunksKept = 32 << 20

// chunksOf gives chunks by number, from the cache where possible; a deleted chunk is nil.
func (s *Store) chunksOf(ctx context.Context, nos []int64, keep bool) (map[int64]*chunk, error) {
	out := make(map[int64]*chunk, len(nos))
	var missing []int64
	for _, no := range nos {
		if _, looked := out[no]; looked {
			continue
		}
		c, ok := s.chunks.get(no)
		if out[no] = c; !ok {
			missing = append(missing, no)
		}
	}
	err := s.eachPiece(ctx, "read findings", missing, []string{"facts", "value"}, func(p *pieceRow) error {
		c, err := decodeChunk(p)
		if out[p.No] = c; keep && err == nil {
			s.chunks.put(p.No, c)
		}
		return err
	})
	return out, err
}

// eachPiece reads some columns of pieces, in any order.
func (s *Store) eachPiece(ctx context.Context, attempted string, nos []int64, columns []string, do func(*pieceRow) error) error {
	for part := range slices.Chunk(nos, chunksAtOnce) {
		var rows []pieceRow
		err := s.read(ctx, attempted, func(db bun.IDB) error {
			rows = nil
			return db.NewSelect().Model(&rows).Column("no").Column(columns...).Where("no IN (?)", bun.List(part)).Scan(ctx)
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if err := do(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachChunk calls do with the stored chunks of a run in order, each with the position of its first
// finding and the number of its findings.
func (s *Store) eachChunk(ctx context.Context, of *run, columns []string, do func(p *pieceRow, from, n int) error) error {
	from := 0
	for i := 0; i < len(of.chunks); i += chunksAtOnce {
		part := of.chunks[i:min(i+chunksAtOnce, len(of.chunks))]
		there := make(map[int64]*pieceRow, len(part))
		if err := s.eachPiece(ctx, "read findings", part, columns, func(p *pieceRow) error { there[p.No] = p; return nil }); err != nil {
			return err
		}
		for k, no := range part {
			if there[no] == nil {
				return errChunk
			}
			if err := do(there[no], from, of.ends[i+k]-from); err != nil {
				return err
			}
			from = of.ends[i+k]
		}
	}
	return nil
}

// eachDecoded is eachChunk with the chunks decoded, and with the lists of the run that they refer to.
func (s *Store) eachDecoded(ctx context.Context, of *run, columns []string, do func(c *chunk, from int, faces, zones []int) error) error {
	return s.eachChunk(ctx, of, columns, func(p *pieceRow, from, n int) error {
		c, err := decodeChunk(p)
		if err != nil {
			return err
		}
		faces, zones, err := of.lists(c.facts)
		if err != nil || len(c.rows) != n {
			return orElse(err, errChunk)
		}
		return do(c, from, faces, zones)
	})
}

// spot identifies a finding by its assessment and position.
type spot struct {
	AssessmentNo int64
	Seq          int
}

func (p spot) compare(other spot) int {
	return cmp.Or(cmp.Compare(p.AssessmentNo, other.AssessmentNo), cmp.Compare(p.Seq, other.Seq))
}

// rowsAt gives the findings at some spots; those that no longer exist are left out.
func (s *Store) rowsAt(ctx context.Context, of map[int64]openAssessment, spots []spot) (map[spot]findingRow, error) {
	out := make(map[spot]findingRow, len(spots))
	var nos []int64
	old := map[int64][]int{}
	for _, p := range spots {
		a, ok := of[p.AssessmentNo]
		if !ok || a.catalogue == nil {
			continue
		}
		if a.run == nil {
			old[p.AssessmentNo] = append(old[p.AssessmentNo], p.Seq)
		} else if i, _, ok := a.run.place(p.Seq); ok {
			nos = append(nos, a.run.chunks[i])
		}
	}
	chunks, err := s.chunksOf(ctx, nos, len(spots) <= findingsAtOnce) // a caller that reads all does not read it again
	if err != nil {
		return nil, err
	}
	var last *chunk
	var lastRun *run
	var faces, zones []int
	for _, p := range spots {
		a := of[p.AssessmentNo]
		if a.run == nil {
			continue
		}
		i, at, ok := a.run.place(p.Seq)
		if !ok || chunks[a.run.chunks[i]] == nil || at >= len(chunks[a.run.chunks[i]].rows) {
			continue
		}
		c := chunks[a.run.chunks[i]]
		if c != last || a.run != lastRun {
			if faces, zones, err = a.run.lists(c.facts); err != nil {
				return nil, err
			}
			last, lastRun = c, a.run // adjacent spots share a chunk
		}
		row := c.row(at, a.run, faces, zones)
		row.Seq = p.Seq
		out[p] = row
	}
	return out, s.oldRowsAt(ctx, old, out)
}

// oldRowsAt adds findings of runs that are stored in the finding table.
func (s *Store) oldRowsAt(ctx context.Context, seqs map[int64][]int, into map[spot]findingRow) error {
	for no, all := range seqs {
		for at := range slices.Chunk(all, findingsAtOnce) {
			rows, err := readRows[findingRow](ctx, s, "read findings", func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("assessment_no = ? AND seq IN (?)", no, bun.List(at))
			})
			if err != nil {
				return err
			}
			for _, r := range rows {
				into[spot{no, r.Seq}] = r
			}
		}
	}
	return nil
}

// eachRow calls visit with the findings of an assessment in order, in batches.
func (s *Store) eachRow(ctx context.Context, a openAssessment, visit func([]findingRow) error) error {
	if a.run == nil {
		return s.eachOldRow(ctx, a.no, visit)
	}
	var rows []findingRow
	err := s.eachDecoded(ctx, a.run, []string{"facts", "texts", "value"}, func(c *chunk, from int, faces, zones []int) error {
		for at := range c.rows {
			row := c.row(at, a.run, faces, zones)
			row.Seq, row.AssessmentNo = from+at, a.no
			rows = append(rows, row)
		}
		if len(rows) < findingsAtOnce {
			return nil
		}
		err := visit(rows)
		rows = nil
		return err
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	return visit(rows)
}

func (s *Store) eachOldRow(ctx context.Context, assessmentNo int64, visit func([]findingRow) error) error {
	for after := -1; ; {
		rows, err := readRows[findingRow](ctx, s, "read the findings of an assessment", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("assessment_no = ? AND seq > ?", assessmentNo,
				after).Order("seq").Limit(findingsAtOnce)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := visit(rows); err != nil {
			return err
		}
		after = rows[len(rows)-1].Seq
	}
}

// openRun decodes the chunk list, with the numbers of the checks and zones; nil when the findings are
// rows.
func openRun(row assessmentRow, c *catalogue) (*run, error) {
	if row.Pieces == nil {
		return nil, nil
	}
	r, err := decodeRun(row.Pieces)
	if err != nil {
		return nil, fmt.Errorf("read where the findings of assessment %s are: %w", row.ID, err)
	}
	r.faces, r.zones = make(map[string]int, len(c.Faces)), make(map[zoneRef]int, len(c.Zones))
	for no, name := range faceNames(c) {
		r.faces[name] = no
	}
	for no, z := range c.Zones {
		r.zones[z] = no
	}
	return r, nil
}

package relational

import (
	"encoding/binary"
	"hash"

	"github.com/edgeposture/edgeposture/internal/core/merkle"
)

// digest is the root of a hash tree over the rows of one assessment: its own row, its
// graph, its record, then its findings, 1,000 to a leaf. Every column counts but the
// number of the assessment, which is the database's own; each is written with its
// length, so that no two sets of rows read the same.
type digest struct {
	leaves []merkle.Hash
	leaf   hash.Hash
	inLeaf int
	column []byte
}

func newDigest() *digest { return &digest{leaf: merkle.NewLeaf()} }

// sum gives the digest of an assessment whose findings were added.
func (d *digest) sum(row assessmentRow, graph graphRow, record []byte) []byte {
	if d.inLeaf > 0 {
		d.end()
	}
	findings := d.leaves
	d.leaves = nil
	d.text(row.ID, row.JobID, row.AccountID, row.ProviderAccountID, row.Status)
	d.number(row.CompletedAt)
	d.bytes(row.Summary, row.Checks, row.Catalogue)
	d.end()
	d.bytes(graph.Graph, graph.Paths, graph.Modifications)
	d.end()
	d.bytes(record)
	d.end()
	root := merkle.Root(append(d.leaves, findings...))
	return root[:]
}

// add takes the next findings in their order.
func (d *digest) add(rows []findingRow) {
	for i := range rows {
		r := &rows[i]
		d.number(int64(r.Seq), int64(r.CheckNo), int64(r.ZoneNo), int64(r.ResourceKey))
		d.text(r.Result, r.FindingID, r.ResourceID, r.Search)
		d.bytes(r.Body)
		if d.inLeaf++; d.inLeaf == findingsAtOnce {
			d.end()
		}
	}
}

func (d *digest) end() {
	d.flush()
	d.leaves = append(d.leaves, merkle.Hash(d.leaf.Sum(nil)))
	d.leaf.Reset()
	_, _ = d.leaf.Write([]byte{0}) // the prefix of a leaf; a hash takes everything
	d.inLeaf = 0
}

// flushAt is how much is gathered before it is hashed: many short writes cost more
// than the hash does.
const flushAt = 32 << 10

func (d *digest) flush() {
	_, _ = d.leaf.Write(d.column)
	d.column = d.column[:0]
}

func (d *digest) bytes(columns ...[]byte) {
	for _, c := range columns {
		d.column = binary.BigEndian.AppendUint64(d.column, uint64(len(c)))
		if len(d.column)+len(c) >= flushAt {
			d.flush()
			_, _ = d.leaf.Write(c)
		} else {
			d.column = append(d.column, c...)
		}
	}
}

func (d *digest) text(columns ...string) {
	for _, c := range columns {
		d.column = append(binary.BigEndian.AppendUint64(d.column, uint64(len(c))), c...)
	}
}

func (d *digest) number(columns ...int64) {
	for _, c := range columns {
		d.column = binary.BigEndian.AppendUint64(d.column, uint64(c))
	}
}

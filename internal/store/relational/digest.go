package relational

import (
	"encoding/binary"
	"hash"

	"github.com/edgeposture/edgeposture/internal/core/merkle"
)

// digest computes the root of a hash tree over the rows of one assessment: its own row, its graph, its
// record, then its findings, 1,000 to a leaf. Every column counts except the number of the assessment,
// which the database assigns; each is preceded by its length, so that no two sets of rows hash alike.
type digest struct {
	leaves []merkle.Hash
	leaf   hash.Hash
	inLeaf int
	column []byte
}

func newDigest() *digest { return &digest{leaf: merkle.NewLeaf()} }

// sum gives the digest of the assessment once its findings were added.
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

// add adds the next findings in their order.
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
	_, _ = d.leaf.Write([]byte{0}) // the leaf prefix; writing to a hash cannot fail
	d.inLeaf = 0
}

// flushAt is how many bytes are buffered before they are hashed: many short writes cost more than the
// hashing itself.
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

package relational

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/uptrace/bun"
)

// sharedAbove is the size from which a packed value of an assessment is stored as a piece, which the
// runs of an account share while it does not change.
const sharedAbove = 128

// valuesShared lists the columns that may refer to a piece, with the join of their table. Summary and
// checks never do, because every page of an assessment begins with them.
func valuesShared() [][2]string {
	const of = "assessment AS v ON v.no = a.no"
	const graph, evidence = "assessment_graph AS v ON v.assessment_no = a.no", "assessment_evidence AS v ON v.assessment_no = a.no"
	return [][2]string{{of, "catalogue"}, {of, "counts"}, {graph, "graph"}, {graph, "paths"}, {graph, "modifications"}, {evidence, "record"}}
}

// sharing replaces values by references to pieces.
type sharing struct {
	values []*[]byte
	pieces []*pieceRow
}

// share moves the values that are large enough into pieces.
func share(account string, values ...*[]byte) *sharing {
	out := &sharing{}
	for _, v := range values {
		if len(*v) > sharedAbove {
			out.values = append(out.values, v)
			out.pieces = append(out.pieces, &pieceRow{ProviderAccountID: account, Hash: pieceHash(*v), Facts: []byte{}, Texts: []byte{},
				Value: seal(*v)})
			*v = nil // free the memory; some are large
		}
	}
	return out
}

// refer writes the references, once the pieces have numbers.
func (s *sharing) refer() {
	for i, p := range s.pieces {
		*s.values[i] = binary.AppendUvarint([]byte{packedShared}, uint64(p.No))
	}
}

// sharedNo gives the number of the piece that a value refers to.
func sharedNo(value []byte) (no int64, ok bool) {
	if len(value) < 2 || value[0] != packedShared {
		return 0, false
	}
	n, size := binary.Uvarint(value[1:])
	return int64(n), size == len(value)-1
}

// resolve replaces references by the values of their pieces. A reference to a missing or damaged piece
// stays, and then fails to unpack.
func (s *Store) resolve(ctx context.Context, values ...*[]byte) error {
	of := map[int64][]*[]byte{}
	var nos []int64
	for _, v := range values {
		if no, ok := sharedNo(*v); ok {
			of[no] = append(of[no], v)
			nos = append(nos, no)
		}
	}
	slices.Sort(nos)
	return s.eachPiece(ctx, "read a part of an assessment", slices.Compact(nos), []string{"value"}, func(p *pieceRow) error {
		if value, err := unseal(p.Value); err == nil {
			for _, v := range of[p.No] {
				*v = value
			}
		}
		return nil
	})
}

// orGone returns err, but ErrNotFound where a part of an assessment is missing because the assessment
// was forgotten meanwhile.
func (s *Store) orGone(ctx context.Context, assessmentNo int64, err error) error {
	if errors.Is(err, errChunk) {
		return orElse(s.stillThere(ctx, assessmentNo), err)
	}
	return err
}

// sharedPieces gives the pieces that values of an account's assessments refer to.
func sharedPieces(ctx context.Context, tx bun.Tx, account string) (map[int64]bool, error) {
	used := map[int64]bool{}
	for _, v := range valuesShared() {
		var names [][]byte
		if err := tx.NewRaw("SELECT v."+v[1]+" FROM assessment AS a JOIN "+v[0]+" WHERE a.provider_account_id = ? AND length(v."+v[1]+") <= ?",
			account, 1+binary.MaxVarintLen64).Scan(ctx, &names); err != nil {
			return nil, err
		}
		for _, name := range names {
			if no, ok := sharedNo(name); ok {
				used[no] = true
			}
		}
	}
	return used, nil
}

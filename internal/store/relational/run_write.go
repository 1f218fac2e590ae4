package relational

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// runWriter makes what is stored of a run's findings. It holds the rows of one chunk at a time: a large
// run has too many findings for a second copy.
type runWriter struct {
	account   string
	catalogue *catalogueBuilder
	counts    counts
	digest    *digest
	seen      int64        // when the run saw its findings
	chunk     []findingRow // the chunk being filled
	n         int          // how many findings were added
	ends      []int        // the position after each chunk
	pieces    []*pieceRow
}

func writeRun(in *store.SaveAssessment) (*runWriter, error) {
	w := &runWriter{account: clean(in.Assessment.Account.ID), catalogue: newCatalogueBuilder(), counts: counts{}, digest: newDigest()}
	var f posture.Finding
	for i := range in.Findings() {
		f = in.Finding(i)
		if w.seen = micros(f.LastSeen); w.seen != 0 {
			break
		}
	}
	for i := range in.Findings() {
		f = in.Finding(i)
		row, err := newFindingRow(&f, i, w.catalogue)
		if err != nil {
			return nil, err
		}
		w.add(row)
	}
	w.endChunk()
	return w, nil
}

func (w *runWriter) add(row findingRow) {
	w.n++
	w.counts.add(&row)
	if w.chunk = append(w.chunk, row); endsChunk(w.chunk) {
		w.endChunk()
	}
}

func (w *runWriter) endChunk() {
	if len(w.chunk) == 0 {
		return
	}
	w.digest.add(w.chunk)
	w.pieces = append(w.pieces, newPiece(w.account, w.chunk, w.catalogue.names, &w.catalogue.catalogue, w.seen))
	w.ends = append(w.ends, w.n)
	w.chunk = w.chunk[:0]
}

// places encodes the list of the assessment's pieces, once they have numbers.
func (w *runWriter) places() []byte {
	nos := make([]int64, len(w.pieces))
	for i, p := range w.pieces {
		nos[i] = p.No
	}
	return encodeRun(w.seen, nos, w.ends)
}

package relational

import (
	"context"
	"crypto/subtle"
	"errors"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type evidenceRow struct {
	bun.BaseModel `bun:"table:assessment_evidence"`

	AssessmentNo int64  `bun:"assessment_no,pk"`
	Digest       []byte `bun:"digest"`
	Record       []byte `bun:"record"` // packed store.Evidence
}

type evidenceKeyRow struct {
	bun.BaseModel `bun:"table:evidence_key"`

	ID         string `bun:"id,pk"`
	No         int64  `bun:"no"`
	Generation int64  `bun:"generation"`
	PublicKey  []byte `bun:"public_key"`
	CreatedAt  int64  `bun:"created_at"`
}

// newEvidenceRow makes the evidence row of the assessment being saved.
func newEvidenceRow(in store.SaveAssessment, row assessmentRow, graph graphRow, findings *digest,
	pack *packer) (out evidenceRow, err error) {
	if out.Record, err = pack.packJSON(in.Evidence); err != nil {
		return out, err
	}
	out.Digest = findings.sum(row, graph, out.Record)
	return out, nil
}

// Evidence implements store.Evidences.
func (s *Store) Evidence(ctx context.Context, assessmentID string) (store.Evidence, error) {
	row, graph, err := s.whole(ctx, assessmentID)
	if err != nil {
		return store.Evidence{}, err
	}
	kept, err := readRow[evidenceRow](ctx, s, "read the digest of an assessment", "assessment_no = ?", row.No)
	if err == nil {
		err = s.resolve(ctx, &row.Catalogue, &row.Counts, &graph.Graph, &graph.Paths, &graph.Modifications, &kept.Record)
	}
	if errors.Is(err, store.ErrNotFound) {
		return store.Evidence{}, nil // saved by a version before digests
	}
	if err != nil {
		return store.Evidence{}, err
	}
	d := newDigest()
	a, damage := s.openRow(row)
	if damage == nil {
		_, damage = decodeTallies(row.Counts)
	}
	if damage == nil {
		if damage = s.eachRow(ctx, a, func(rows []findingRow) error { d.add(rows); return nil }); damage != nil && !errors.Is(damage, errChunk) {
			return store.Evidence{}, damage
		}
	}
	if damage != nil || subtle.ConstantTimeCompare(d.sum(row, graph, kept.Record), kept.Digest) != 1 {
		// An assessment that was forgotten meanwhile was not tampered with.
		if _, _, err := s.whole(ctx, assessmentID); err != nil {
			return store.Evidence{}, err
		}
		return store.Evidence{}, store.ErrTampered
	}
	out := store.Evidence{Digest: kept.Digest}
	return out, unpackJSON(kept.Record, &out)
}

// whole reads the rows of an assessment and of its graph as they are stored.
func (s *Store) whole(ctx context.Context, assessmentID string) (row assessmentRow, graph graphRow, err error) {
	err = s.read(ctx, "read an assessment", func(db bun.IDB) error {
		if err := orNotFound(db.NewSelect().Model(&row).Where("id = ?", clean(assessmentID)).Where(notDeleted).Scan(ctx)); err != nil {
			return err
		}
		return whenNone(db.NewSelect().Model(&graph).Where("assessment_no = ?", row.No).Scan(ctx), nil)
	})
	return row, graph, err
}

// EvidenceKeys implements store.Evidences.
func (s *Store) EvidenceKeys(ctx context.Context) ([]store.EvidenceKey, error) {
	rows, err := readRows[evidenceKeyRow](ctx, s, "list the keys of the evidence", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.OrderExpr("no DESC")
	})
	return mapped(rows, func(r evidenceKeyRow) store.EvidenceKey {
		return store.EvidenceKey{ID: r.ID, No: r.No, Generation: r.Generation, Public: r.PublicKey, CreatedAt: instant(r.CreatedAt)}
	}), err
}

// KeepEvidenceKey implements store.Evidences.
func (s *Store) KeepEvidenceKey(ctx context.Context, k store.EvidenceKey) error {
	return s.inTx(ctx, "keep a key of the evidence", func(tx bun.Tx) error {
		return execute(ctx, tx.NewRaw(`INSERT INTO evidence_key (id, no, generation, public_key, created_at) SELECT ?, ?, ?, ?, ?
			WHERE (SELECT COALESCE(MAX(no), 0) FROM evidence_key) = ? ON CONFLICT DO NOTHING`,
			clean(k.ID), k.No, k.Generation, k.Public, micros(k.CreatedAt), k.No-1), store.ErrChanged)
	})
}

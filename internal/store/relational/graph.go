package relational

import (
	"context"
	"encoding/json"
	"io"
	"iter"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func newGraphRow(in store.SaveAssessment, pack *packer) (row graphRow, err error) {
	if row.Graph, err = packGraph(in.Graph, pack); err != nil {
		return row, err
	}
	if row.Paths, err = packPaths(in.Paths, pack); err != nil {
		return row, err
	}
	row.Modifications, err = pack.packJSON(in.Modifications)
	return row, err
}

// packGraph packs the JSON form of a graph item by item: encoding a large graph at once takes many
// times the memory of the packed result. A graph without nodes is packed as null.
func packGraph(g graph.Source, pack *packer) ([]byte, error) {
	if g == nil {
		g = graph.Graph{}
	}
	return pack.stream(func(w io.Writer) error {
		const nodes, edges = `{"nodes":[`, `],"edges":[`
		before, linked := nodes, false
		put := func(item any) error {
			err := writeItem(w, before, item)
			before = ","
			return err
		}
		stats, err := g.Walk(func(n *graph.Node) error { return put(n) }, func(e *graph.Edge) error {
			if !linked {
				before, linked = edges, true
			}
			return put(e)
		})
		if err != nil {
			return err
		}
		if before == nodes {
			return writeItem(w, "", nil)
		}
		end := `],"stats":`
		if !linked {
			end = edges + end
		}
		if err := writeItem(w, end, stats); err != nil {
			return err
		}
		_, err = io.WriteString(w, "}")
		return err
	})
}

// packPaths packs paths item by item, like packGraph.
func packPaths(paths []posture.AttackPath, pack *packer) ([]byte, error) {
	if len(paths) == 0 {
		return pack.packJSON(paths)
	}
	return pack.stream(func(w io.Writer) error {
		if err := writeList(w, "[", paths); err != nil {
			return err
		}
		_, err := io.WriteString(w, "]")
		return err
	})
}

// writeList writes items separated by commas; before precedes the first.
func writeList[T any](w io.Writer, before string, items []T) error {
	for i := range items {
		if err := writeItem(w, before, &items[i]); err != nil {
			return err
		}
		before = ","
	}
	return nil
}

func writeItem(w io.Writer, before string, v any) error {
	item, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, before); err != nil {
		return err
	}
	_, err = w.Write(item)
	return err
}

// Graph implements store.Assessments. It holds the packed graph while it is read.
func (s *Store) Graph(ctx context.Context, assessmentID string) (graph.Source, error) {
	if _, err := s.one(ctx, ofID(assessmentID), "no"); err != nil {
		return nil, err
	}
	return graph.JSON(s.opening(ctx, assessmentID, "graph")), nil
}

// Paths implements store.Assessments. It holds the packed paths while they are read.
func (s *Store) Paths(ctx context.Context, assessmentID string) (iter.Seq2[posture.AttackPath, error], error) {
	if _, err := s.one(ctx, ofID(assessmentID), "no"); err != nil {
		return nil, err
	}
	return graph.List[posture.AttackPath](s.opening(ctx, assessmentID, "paths")), nil
}

func (s *Store) opening(ctx context.Context, assessmentID, column string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		packed, err := s.packedPart(ctx, assessmentID, column)
		if err != nil {
			return nil, err
		}
		return unpacking(packed)
	}
}

// Modifications implements store.Assessments.
func (s *Store) Modifications(ctx context.Context, assessmentID string) ([]posture.Modification, error) {
	out := []posture.Modification{}
	return out, s.part(ctx, assessmentID, "modifications", &out)
}

// part decodes one column of an assessment's assessment_graph row. It leaves into unchanged for an
// assessment of a version that did not store the column.
func (s *Store) part(ctx context.Context, assessmentID, column string, into any) error {
	packed, err := s.packedPart(ctx, assessmentID, column)
	if err != nil || packed == nil {
		return err
	}
	return unpackJSON(packed, into)
}

func (s *Store) packedPart(ctx context.Context, assessmentID, column string) (packed []byte, err error) {
	var no int64
	err = s.read(ctx, "read the "+column+" of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().TableExpr("assessment AS a").ColumnExpr("a.no, g.?", bun.Ident(column)).
			Join("LEFT JOIN assessment_graph AS g ON g.assessment_no = a.no").Where("a.id = ?", clean(assessmentID)).Where("a."+
			notDeleted).Scan(ctx, &no, &packed))
	})
	if err == nil {
		err = s.resolve(ctx, &packed)
	}
	if _, missing := sharedNo(packed); err == nil && missing {
		err = s.orGone(ctx, no, errChunk)
	}
	return packed, err
}

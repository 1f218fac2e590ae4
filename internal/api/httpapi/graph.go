package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/document"
)

type graphInput struct {
	Choice
	Accept      string `header:"Accept" doc:"application/vnd.edgeposture.columns+json: the graph in columns, a tenth of the size."`
	IfNoneMatch string `header:"If-None-Match"`
}

type graphOutput struct {
	Status int
	Kind   string `header:"Content-Type"`
	Vary   string `header:"Vary"`
	ETag   string `header:"ETag"`
	Cache  string `header:"Cache-Control"`
	Body   any
}

// GraphAnswer is the graph of an assessment with its attack paths.
type GraphAnswer struct {
	AssessmentID string               `json:"assessmentId"`
	Graph        graph.Graph          `json:"graph"`
	AttackPaths  []posture.AttackPath `json:"attackPaths"`
}

// ColumnsAnswer is GraphAnswer with the graph in columns.
type ColumnsAnswer struct {
	AssessmentID string               `json:"assessmentId"`
	Graph        graph.Columns        `json:"graph"`
	AttackPaths  []posture.AttackPath `json:"attackPaths"`
}

func getGraph(s *Server, ctx context.Context, in *graphInput) (*graphOutput, error) {
	a, err := s.pick(ctx, in.Choice)
	if err != nil {
		return nil, err
	}
	columns := strings.Contains(in.Accept, graph.ColumnsType)
	out := &graphOutput{Status: http.StatusOK, Kind: "application/json", Vary: "Accept", Cache: "private, no-cache",
		ETag: fmt.Sprintf(`"%s-nodes"`, a.ID)}
	if columns {
		out.Kind, out.ETag = graph.ColumnsType, fmt.Sprintf(`"%s-columns-%d"`, a.ID, graph.ColumnsVersion)
	}
	if matchesETag(in.IfNoneMatch, out.ETag) {
		out.Status = http.StatusNotModified
		return out, nil
	}
	if out.Body, err = s.drawn(ctx, a.ID, out.ETag, columns); err != nil {
		return nil, err
	}
	return out, nil
}

// drawn returns the graph of an assessment, as a table of columns or as nodes; tag is its cache key.
func (s *Server) drawn(ctx context.Context, id, tag string, columns bool) (*document.Document, error) {
	return s.kept(ctx, s.documents, "graph/"+tag, func(ctx context.Context, w io.Writer) error {
		g, err := s.o.Store.Graph(ctx, id)
		if err != nil {
			return fmt.Errorf("load the graph: %w", err)
		}
		paths, err := s.o.Store.Paths(ctx, id)
		if err != nil {
			return fmt.Errorf("load the attack paths: %w", err)
		}
		write := writeGraph
		if columns {
			write = writeColumns
		}
		if err := write(w, id, g, paths); err != nil {
			return fmt.Errorf("write the graph: %w", err)
		}
		return nil
	})
}

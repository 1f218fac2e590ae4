package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/edgeposture/edgeposture/internal/graph"
	"github.com/edgeposture/edgeposture/internal/posture"
)

type graphInput struct {
	Choice
	Accept      string `header:"Accept" doc:"application/vnd.edgeposture.columns+json gives the graph in columns, a tenth of the size, for maps of many nodes."`
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

// GraphAnswer is the graph of an assessment with the attack paths on it.
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
	a, err := s.chosen(ctx, in.Choice)
	if err != nil {
		return nil, err
	}
	columns := strings.Contains(in.Accept, graph.ColumnsType)
	out := &graphOutput{Status: http.StatusOK, Kind: "application/json", Vary: "Accept", Cache: "private, no-cache", ETag: fmt.Sprintf(`"%s-nodes"`, a.ID)}
	if columns {
		out.Kind, out.ETag = graph.ColumnsType, fmt.Sprintf(`"%s-columns-%d"`, a.ID, graph.ColumnsVersion)
	}
	if matchesETag(in.IfNoneMatch, out.ETag) {
		out.Status = http.StatusNotModified
		return out, nil
	}
	g, err := s.o.Store.Graph(ctx, a.ID)
	if err != nil {
		return nil, fmt.Errorf("load the graph: %w", err)
	}
	paths, err := s.o.Store.Paths(ctx, a.ID)
	if err != nil {
		return nil, fmt.Errorf("load the attack paths: %w", err)
	}
	if columns {
		out.Body = ColumnsAnswer{AssessmentID: a.ID, Graph: g.Columns(), AttackPaths: paths}
	} else {
		out.Body = GraphAnswer{AssessmentID: a.ID, Graph: g.WithIDs(), AttackPaths: paths}
	}
	return out, nil
}

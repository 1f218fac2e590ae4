package export

import (
	"io"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// The name and version of the JSON format. The version changes when a reader of the older version would
// misread the newer one.
const (
	jsonFormat  = "edgeposture-assessment"
	jsonVersion = 1
)

// writeJSON writes everything: the assessment, the tallies, the findings of all
// results, the attack paths and the graph. ReadJSON reads it back.
func writeJSON(w io.Writer, d Document) error {
	s := newSink(w)
	s.text("{\n\"format\":")
	s.json(jsonFormat)
	s.text(",\n\"version\":")
	s.json(jsonVersion)
	s.text(",\n\"serviceVersion\":")
	s.json(d.Version)
	if d.Assessment.Demo {
		s.text(",\n\"notice\":")
		s.json(demoNotice)
	}
	s.text(",\n\"assessment\":")
	s.json(d.Assessment)
	s.text(",\n\"checks\":")
	array(s, d.Checks)
	s.text(",\n\"findings\":[")
	n := 0
	s.each(d, nil, func(f posture.Finding) {
		s.text(comma(n), "\n")
		s.json(f)
		n++
	})
	s.text("],\n\"attackPaths\":")
	s.text("[")
	n = 0
	s.eachPath(d, func(p posture.AttackPath) {
		s.text(comma(n), "\n")
		s.json(p)
		n++
	})
	s.text("]")
	s.text(",\n\"graph\":")
	s.graph(d.Graph)
	s.text("\n}\n")
	return s.done("JSON")
}

// graph streams a graph.
func (s *sink) graph(g graph.Source) {
	if g == nil {
		g = graph.Graph{}
	}
	nodes, edges := 0, 0
	add := func(n *int, v any) error {
		s.text(comma(*n), "\n")
		s.json(v)
		*n++
		return s.err
	}
	s.text("{\"nodes\":[")
	stats, err := g.Walk(func(v *graph.Node) error { return add(&nodes, v) }, func(v *graph.Edge) error {
		if edges == 0 {
			s.text("],\n\"edges\":[")
		}
		return add(&edges, v)
	})
	if s.err == nil {
		s.err = err
	}
	if edges == 0 {
		s.text("],\n\"edges\":[")
	}
	s.text("],\n\"stats\":")
	s.json(stats)
	s.text("}")
}

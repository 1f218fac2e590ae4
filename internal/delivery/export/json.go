package export

import (
	"io"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
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
	s.put("{\n\"format\":", jsonFormat)
	s.put(",\n\"version\":", jsonVersion)
	s.put(",\n\"serviceVersion\":", d.Version)
	if d.Assessment.Demo {
		s.put(",\n\"notice\":", demoNotice)
	}
	s.put(",\n\"assessment\":", d.Assessment)
	s.text(",\n\"checks\":")
	array(s, "\n", Listed(d.Checks))
	s.text(",\n\"findings\":")
	array(s, "\n", d.found())
	s.text(",\n\"attackPaths\":")
	array(s, "\n", d.paths())
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
		s.put(comma(*n)+"\n", v)
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
	s.put("],\n\"stats\":", stats)
	s.text("}")
}

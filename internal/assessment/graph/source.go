package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Source streams a graph: each node, then each edge, both sorted by id, then the counts.
// It can be walked any number of times; an error from a callback ends the walk. A value
// is valid only until the next one.
type Source interface {
	Walk(node func(*Node) error, edge func(*Edge) error) (Stats, error)
}

// Walk implements Source.
func (g Graph) Walk(node func(*Node) error, edge func(*Edge) error) (Stats, error) {
	for i := range g.Nodes {
		if err := node(&g.Nodes[i]); err != nil {
			return g.Stats, err
		}
	}
	for i := range g.Edges {
		if err := edge(&g.Edges[i]); err != nil {
			return g.Stats, err
		}
	}
	return g.Stats, nil
}

// EachNode walks the nodes only. A nil source has none.
func EachNode(s Source, node func(*Node)) error {
	if s == nil {
		return nil
	}
	_, err := s.Walk(func(n *Node) error { node(n); return nil }, func(*Edge) error { return nil })
	return err
}

// Collect reads the whole graph of a source; its lists are never nil.
func Collect(s Source) (g Graph, err error) {
	g.Nodes, g.Edges = []Node{}, []Edge{}
	g.Stats, err = s.Walk(func(n *Node) error {
		g.Nodes = append(g.Nodes, *n)
		return nil
	}, func(e *Edge) error {
		g.Edges = append(g.Edges, *e)
		return nil
	})
	return g, err
}

// List streams the values of a JSON array and reads it again on each iteration. Empty
// input is an empty list.
func List[T any](open func() (io.ReadCloser, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, err := open()
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = r.Close() }() // read-only, so its error is irrelevant
		d := decoder{json.NewDecoder(r)}
		if _, err := list(d, func(v *T) error {
			if !yield(*v, nil) {
				return errEnough
			}
			return nil
		}); err != nil && !errors.Is(err, errEnough) {
			yield(none, fmt.Errorf("read a list: %w", err))
		}
	}
}

// errEnough ends a walk early.
var errEnough = errors.New("no more is wanted")

// JSON is a graph stored as JSON, which each walk reads again as a stream. Empty input is an empty
// graph.
type JSON func() (io.ReadCloser, error)

// Walk implements Source.
func (j JSON) Walk(node func(*Node) error, edge func(*Edge) error) (Stats, error) {
	r, err := j()
	if err != nil {
		return Stats{}, err
	}
	defer func() { _ = r.Close() }() // read-only, so its error is irrelevant
	d := decoder{json.NewDecoder(r)}
	stats, err := d.graph(node, edge)
	if err != nil {
		return Stats{}, fmt.Errorf("read a graph: %w", err)
	}
	return stats, nil
}

type decoder struct{ *json.Decoder }

// graph reads one object. An object without nodes is an empty graph.
func (d decoder) graph(node func(*Node) error, edge func(*Edge) error) (Stats, error) {
	none := Stats{ByNodeType: map[string]int{}, ByEdgeType: map[string]int{}, BySeverity: map[posture.Severity]int{}}
	if begun, err := d.opens('{'); err != nil || !begun {
		return none, err
	}
	var stats Stats
	made := false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return stats, err
		}
		switch name {
		case "nodes":
			made, err = list(d, node)
		case "edges":
			_, err = list(d, edge)
		case "stats":
			err = d.Decode(&stats)
		default:
			err = d.Decode(&json.RawMessage{})
		}
		if err != nil {
			return stats, err
		}
	}
	if !made {
		return none, nil
	}
	_, err := d.Token()
	return stats, err
}

// opens reads the start of an object or array; begun is false for null and for empty input.
func (d decoder) opens(with json.Delim) (begun bool, err error) {
	switch t, err := d.Token(); {
	case errors.Is(err, io.EOF), err == nil && t == nil:
		return false, nil
	case err != nil:
		return false, err
	case t != with:
		return false, fmt.Errorf("%v stands where %v must", t, with)
	default:
		return true, nil
	}
}

func list[T any](d decoder, use func(*T) error) (begun bool, err error) {
	if begun, err = d.opens('['); err != nil || !begun {
		return false, err
	}
	for d.More() {
		var v T
		if err := d.Decode(&v); err != nil {
			return true, err
		}
		if err := use(&v); err != nil {
			return true, err
		}
	}
	_, err = d.Token()
	return true, err
}

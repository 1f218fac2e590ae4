package snapshot

import (
	"fmt"
	"slices"
)

// Outline tells which sections a snapshot has, without the values of those that were
// read: with them, which are kept elsewhere, it gives the sections back.
type Outline struct {
	// Read lists the scopes of the sections that are OK, by source.
	Read map[string][]string `json:"read"`
	// Rest holds the sections that are not.
	Rest []Section `json:"rest"`
}

// Outline gives the outline of a snapshot.
func (s *Snapshot) Outline() Outline {
	o := Outline{Read: map[string][]string{}, Rest: []Section{}}
	for sec := range s.All() {
		if sec.Status == OK {
			o.Read[sec.Source] = append(o.Read[sec.Source], sec.Scope)
		} else {
			o.Rest = append(o.Rest, sec)
		}
	}
	return o
}

// Fill gives the sections of an outline, sorted by source and scope, with values from
// stored, which may hold more. A value that is not there is an error.
func (o Outline) Fill(stored []Section) ([]Section, error) {
	type key struct{ source, scope string }
	have := make(map[key]Section, len(stored))
	for _, s := range stored {
		if s.Status == OK {
			have[key{s.Source, s.Scope}] = s
		}
	}
	out := slices.Clone(o.Rest)
	for source, scopes := range o.Read {
		for _, scope := range scopes {
			s, ok := have[key{source, scope}]
			if !ok {
				return nil, fmt.Errorf("what was read of %s at %q is not there", source, scope)
			}
			out = append(out, s)
		}
	}
	slices.SortFunc(out, compareSections)
	return out, nil
}

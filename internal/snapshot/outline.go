package snapshot

import (
	"errors"
	"fmt"
	"iter"
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
	for _, sec := range s.Sections() {
		if sec.Status == OK {
			o.Read[sec.Source] = append(o.Read[sec.Source], sec.Scope)
		} else {
			o.Rest = append(o.Rest, sec)
		}
	}
	return o
}

// ErrUnread means that a section of an outline is not among those that are stored.
var ErrUnread = errors.New("what was read is not there")

// Fill gives the sections of an outline, sorted by source and scope, with values from
// stored, which is sorted like that and may hold more. ErrUnread ends it.
func (o Outline) Fill(stored iter.Seq2[Section, error]) iter.Seq2[Section, error] {
	rest := slices.SortedFunc(slices.Values(o.Rest), compareSections)
	wanted := o.read()
	return func(yield func(Section, error) bool) {
		rest, wanted := rest, wanted
		before := func(s Section) bool {
			for len(rest) > 0 && compareSections(rest[0], s) < 0 {
				if !yield(rest[0], nil) {
					return false
				}
				rest = rest[1:]
			}
			return true
		}
		for s, err := range stored {
			if err != nil {
				yield(Section{}, err)
				return
			}
			if len(wanted) == 0 || compareSections(wanted[0], s) < 0 {
				break // the rest is of nobody, or one is missing
			}
			if s.Status != OK || compareSections(wanted[0], s) != 0 {
				continue
			}
			if wanted = wanted[1:]; !before(s) || !yield(s, nil) {
				return
			}
		}
		if len(wanted) > 0 {
			yield(Section{}, fmt.Errorf("%s at %q: %w", wanted[0].Source, wanted[0].Scope, ErrUnread))
			return
		}
		for _, s := range rest {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// read lists the sections that are OK, sorted, without values.
func (o Outline) read() (out []Section) {
	for source, scopes := range o.Read {
		for _, scope := range scopes {
			out = append(out, Section{Source: source, Scope: scope})
		}
	}
	slices.SortFunc(out, compareSections)
	return out
}

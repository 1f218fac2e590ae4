package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Outline lists the sections of a snapshot without the values of those that were read. Together
// with the values, which are stored elsewhere, it restores the sections.
type Outline struct {
	// Read lists the scopes of the sections that are OK, by source.
	Read map[string][]string `json:"read"`
	// Rest holds the sections that are not.
	Rest []Section `json:"rest"`
}

// Outline returns the outline of a snapshot.
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

// ErrUnread means that a section of an outline is not among the stored ones.
var ErrUnread = errors.New("what was read is not there")

// Fill yields the sections of an outline, sorted by source and scope, with values from stored,
// which must be sorted the same way and may hold more. It ends with ErrUnread when a value is
// missing.
func (o Outline) Fill(stored iter.Seq2[Section, error]) iter.Seq2[Section, error] {
	all := o.read()
	return func(yield func(Section, error) bool) {
		rest, wanted := o.Rest, all
		for s, err := range stored {
			if err != nil {
				yield(Section{}, err)
				return
			}
			if len(wanted) == 0 || wanted[0].compare(s) < 0 {
				break // no more sections are wanted, or one is missing
			}
			if s.Status != OK || wanted[0].compare(s) != 0 {
				continue
			}
			wanted = wanted[1:]
			for ; len(rest) > 0 && compareSections(rest[0], s) < 0; rest = rest[1:] {
				if !yield(rest[0], nil) {
					return
				}
			}
			if !yield(s, nil) {
				return
			}
		}
		if len(wanted) > 0 {
			yield(Section{}, fmt.Errorf("%s at %q: %w", wanted[0].source, wanted[0].scope, ErrUnread))
			return
		}
		for _, s := range rest {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// place is the sort position of a section.
type place struct{ source, scope string }

func (p place) compare(s Section) int {
	return cmp.Or(strings.Compare(p.source, s.Source), strings.Compare(p.scope, s.Scope))
}

// read lists the OK sections in order.
func (o Outline) read() (out []place) {
	for _, source := range slices.Sorted(maps.Keys(o.Read)) {
		for _, scope := range o.Read[source] {
			out = append(out, place{source, scope})
		}
	}
	return out
}

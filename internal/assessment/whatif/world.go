package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// key names a section.
type key struct{ source, scope string }

// section is a section with the changes so far.
type section struct {
	value  any // decoded
	status snapshot.Status
	reason string
	gone   bool // the item or zone it would be read for no longer exists
}

// world is a snapshot with the changes made so far.
type world struct {
	snap    *snapshot.Snapshot
	sources []snapshot.Source
	zones   []snapshot.Zone
	edited  map[key]section
	doubts  []Doubt
	made    int
}

func newWorld(snap *snapshot.Snapshot) *world {
	return &world{snap: snap, sources: snapshot.Sources(), zones: slices.Clone(snap.Zones), edited: map[key]section{}}
}

func (w *world) source(name string) snapshot.Source {
	i := slices.IndexFunc(w.sources, func(s snapshot.Source) bool { return s.Name == name })
	if i < 0 {
		return snapshot.Source{}
	}
	return w.sources[i]
}

// get returns a section with the changes so far; its value must not be modified. A section that is
// known to be empty has a nil value.
func (w *world) get(k key) (any, snapshot.Status) {
	if s, is := w.edited[k]; is {
		return s.value, s.status
	}
	sec, _ := w.snap.Whole(k.source, k.scope)
	if sec.Status != snapshot.OK {
		return nil, sec.Status
	}
	value, err := decoded(sec.Value)
	if err != nil {
		return nil, snapshot.Failed
	}
	return value, sec.Status
}

// put stores a section; nil means that it no longer has content.
func (w *world) put(k key, value any) {
	s := section{value: value, status: snapshot.OK}
	if value == nil {
		s.status = snapshot.Absent
		if listed(w.source(k.source)) {
			s.status, s.value = snapshot.OK, []any{}
		}
	}
	w.edited[k] = s
}

// find returns the item of a list that a path names.
func (w *world) find(k key, name string) (at int, item any, found bool) {
	value, _ := w.get(k)
	items := of(value)
	at = slices.IndexFunc(items, func(v any) bool { return nameOf(v, name) != "" })
	if at < 0 {
		return 0, nil, false
	}
	return at, items[at], true
}

// putItem replaces the item at an index of a list.
func (w *world) putItem(k key, at int, item any) {
	value, _ := w.get(k)
	items := slices.Clone(of(value))
	items[at] = item
	w.put(k, items)
}

// newID returns an unused id.
func (w *world) newID() string {
	w.made++
	return fmt.Sprintf("new-%d", w.made)
}

// stamps lists the members in which Cloudflare records when an object was written.
func stamps() []string { return []string{"modified_on", "updated_at", "last_updated", "timestamp"} }

// stamped adds the time of writing to the body of an object.
func (w *world) stamped(sent any) any {
	o, is := sent.(object)
	if !is {
		return sent
	}
	o = maps.Clone(o)
	for _, name := range stamps() {
		o[name] = w.snap.TakenAt.Format(time.RFC3339Nano)
	}
	return o
}

// doubt records that a change is in a section that was not read.
func (w *world) doubt(k key) {
	sec := w.snap.Section(k.source, k.scope)
	w.doubts = append(w.doubts, Doubt{What: k.source, Why: cmp.Or(sec.Reason, "this was not read"), Permission: sec.Permission})
}

// known provides the sections, with the changes if now is set, to the rules that decide whether a
// source is read.
func (w *world) known(now bool) *snapshot.Known {
	return snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) {
		if s, is := w.edited[key{source, scope}]; is && now {
			return s.section(key{source, scope}), !s.gone
		}
		return w.snap.Whole(source, scope)
	})
}

func (s section) section(k key) snapshot.Section {
	out := snapshot.Section{Source: k.source, Scope: k.scope, Status: s.status, Reason: s.reason}
	if s.gone {
		out.Status = ""
	} else if s.status == snapshot.OK {
		out.Value = encoded(s.value)
	}
	return out
}

// sections lists the sections that differ, in order.
func (w *world) sections() []snapshot.Section {
	out := make([]snapshot.Section, 0, len(w.edited))
	for k, s := range w.edited {
		was, status := w.before(k)
		if s.gone || status != s.status || !reflect.DeepEqual(was, s.value) {
			out = append(out, s.section(k))
		}
	}
	slices.SortFunc(out, func(a, b snapshot.Section) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	return out
}

func (w *world) before(k key) (any, snapshot.Status) {
	now := w.edited
	w.edited = nil
	defer func() { w.edited = now }()
	return w.get(k)
}

// keys lists the edited sections, in order.
func (w *world) keys() []key {
	return slices.SortedFunc(maps.Keys(w.edited), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.scope, b.scope))
	})
}

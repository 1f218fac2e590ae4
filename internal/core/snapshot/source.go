package snapshot

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Source is one read as data. Use object or list to make one.
type Source struct {
	// Name is the snapshot key, such as "zone/dnssec".
	Name string
	// Path holds {account_id}, {zone_id} and {item}; a query may follow.
	Path   string
	Paging Paging
	// Permission is the group the token needs, as the provider names it.
	Permission string
	// Plans limits a zone source to plans (plan.legacy_id); empty means any.
	Plans []string
	// Parent lists the items a per-item source is read for.
	Parent string
	// After names sources whose sections Skip, Items or Fill look at.
	After []string
	// Skip gives the reason why the call is not needed, or "".
	Skip func(*Known, SourceScope) string
	// Items gives the item ids a per-item source is read for; its scope is the
	// account id, or the zone id when the parent is a zone source.
	Items func(*Known, string) []string
	// Fill gives further path variables, such as {token_id}.
	Fill func(*Known, SourceScope) map[string]string
	// Headers gives request headers; several mean one read each, joined.
	Headers func(*Known, SourceScope) []map[string][]string
	// More names further paths whose pages are joined to those of Path.
	More []string
	// Live marks what changes although nobody changes it, such as the health of a
	// tunnel or who uses a device: the audit log does not tell.
	Volatile bool
	// Window is how far back a log is read; {since} and {before} in a path are
	// its ends.
	Window time.Duration
	// MaxPages ends a list early; 0 means never.
	MaxPages int
	// Enough ends a list as soon as the pages read so far settle the question.
	Enough func(k *Known, t SourceScope, pages []json.RawMessage) bool
	// Singly reads the items of the list one by one, for a provider that refuses the list
	// for any other reason than the token.
	Singly []SingleRead
	// Ends is when the provider ends the list: from then on only its items are asked for.
	Ends time.Time
	// Spare marks what is left out on free zones whose settings are read one by one.
	Spare bool
	// Leads says that the other zones look at the section of the first zone: it shows whether the permission works.
	Leads bool
	// Offline marks a source that is read only when names are not looked up:
	// a look-up tells the same and costs no request.
	Offline bool
	// Feeds marks sources the graph and the attack paths need.
	Feeds bool
	// Example is a result of the provider, for tests and documentation.
	Example string

	// MayBeEmpty says that an object without members is an answer: nothing was
	// ever set up.
	MayBeEmpty bool
	// listed says that the result is a list.
	listed bool
	// wire is what a result is decoded into, stored what a section holds of it.
	wire, stored reflect.Type
	// reduce turns one page into its stored form, join the pages into one.
	reduce func(page json.RawMessage) (json.RawMessage, error)
	join   func(pages []json.RawMessage) (json.RawMessage, error)
	// narrow replaces reduce where what is kept depends on earlier sections.
	narrow func(*Known, SourceScope) func(page json.RawMessage) (json.RawMessage, error)
}

// SingleRead is the read of one item of a list.
type SingleRead struct {
	ID, Path string
	// Plans limits it to zones of these plans; empty means any.
	Plans []string
	// Spare leaves it out on free zones when the list is gone.
	Spare bool
}

// For reports whether the item is asked for in a zone.
func (r SingleRead) For(z Zone, gone bool) bool {
	return (len(r.Plans) == 0 || slices.Contains(r.Plans, z.Plan)) && !(gone && r.Spare && z.Plan == "free")
}

// LeftOut is what stands for the item when it is not asked for.
func (r SingleRead) LeftOut() json.RawMessage {
	return fmt.Appendf(nil, `{"id":%q,"left_out":true}`, r.ID)
}

// Level is the level of the source's scope.
func (s Source) Level() Level { return LevelOf(s.Name) }

// SourceScope says what a source is read for.
type SourceScope struct {
	AccountID string
	Zone      Zone
	Item      string
	// First is the id of the first zone of the run, for a source that leads.
	First string
}

// Scope is the scope id of the section a source gets for the target.
func (s Source) Scope(t SourceScope) string {
	switch s.Level() {
	case LevelUser:
		return UserScope
	case LevelZone:
		return t.Zone.ID
	case LevelItem:
		if InZone(s.Name) {
			return t.Zone.ID + "/" + t.Item
		}
		return t.Item
	default:
		return t.AccountID
	}
}

// SkipReason tells why the read is not needed, or "".
func (s Source) SkipReason(known *Known, t SourceScope) string {
	if len(s.Plans) > 0 && s.Level() == LevelZone && !slices.Contains(s.Plans, t.Zone.Plan) {
		return "the plan of the zone is " + t.Zone.Plan
	}
	if s.Skip != nil {
		return s.Skip(known, t)
	}
	return ""
}

// LeftOutReason tells why a read that is needed is not made, or "".
func (s Source) LeftOutReason(known *Known, t SourceScope) string {
	if !s.Spare || t.Zone.Plan != "free" {
		return ""
	}
	if settings, ok := Cached(known, ZoneSettings, t.Zone.ID); ok && slices.ContainsFunc(settings, func(s Setting) bool { return s.LeftOut }) {
		return toSaveRequests
	}
	return ""
}

// Lacks reports whether a section of a zone that was read earlier leaves out an item that is asked for now.
func (s Source) Lacks(sec Section, z Zone) bool {
	var items Settings
	if len(s.Singly) == 0 || json.Unmarshal(sec.Value, &items) != nil {
		return false
	}
	return slices.ContainsFunc(s.Singly, func(r SingleRead) bool { return items.leftOut(r.ID) && r.For(z, true) })
}

// Reducer gives what turns a page of a read for t into its stored form.
func (s Source) Reducer(known *Known, t SourceScope) func(page json.RawMessage) (json.RawMessage, error) {
	if s.narrow != nil {
		return s.narrow(known, t)
	}
	return s.reduce
}

// Join makes the value of a section of the stored forms of its pages.
func (s Source) Join(pages []json.RawMessage) (json.RawMessage, error) { return s.join(pages) }

// object makes a source whose result is one object of the wire type W, stored
// as the shape T. Null counts as the zero W.
func object[W, T any](key Key[T], s Source, reduce func(W) T) Source {
	s.Name, s.wire, s.stored = key.Source(), reflect.TypeFor[W](), reflect.TypeFor[T]()
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var w W
		if err := decodeInto(page, &w, s.Name); err != nil {
			return nil, err
		}
		return Canonical(reduce(w))
	}
	s.join = func(pages []json.RawMessage) (json.RawMessage, error) { return pages[0], nil }
	return s
}

// without tells why there is nothing beside the items of a list: the product is off, or there are none.
func without[T any](k *Known, key Key[[]T], scope, off, none string) string {
	if s := k.Status(key, scope); s == Absent || s == NotEntitled {
		return off
	}
	if all, ok := Cached(k, key, scope); ok && len(all) == 0 {
		return none
	}
	return ""
}

// asRead is the reduction of an answer that is stored in its shape.
func asRead[T any](v T) T { return v }

type sortable interface{ SortKey() string }

// list makes a source whose result is a list of the wire type W, stored as a
// list of T in the order of SortKey and without duplicates: a page that shifts
// underneath may give an item twice.
func list[W any, T sortable](key Key[[]T], s Source, reduce func(W) T) Source {
	return nested(key, s, func(page []W) []W { return page }, reduce)
}

// nested is list for a result that holds its items somewhere inside the page P.
func nested[P, W any, T sortable](key Key[[]T], s Source, items func(P) []W, reduce func(W) T) Source {
	s.Name, s.wire, s.stored = key.Source(), reflect.TypeFor[P](), reflect.TypeFor[T]()
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var p P
		if err := decodeInto(page, &p, s.Name); err != nil {
			return nil, err
		}
		out := []T{}
		for _, w := range items(p) {
			item := reduce(w)
			if item.SortKey() == "" {
				return nil, fmt.Errorf("decode %s: an item has no id", s.Name)
			}
			out = append(out, item)
		}
		return Canonical(out)
	}
	s.listed = true
	s.join = func(pages []json.RawMessage) (json.RawMessage, error) {
		out := []T{}
		for _, page := range pages {
			var part []T
			if err := decodeInto(page, &part, s.Name); err != nil {
				return nil, err
			}
			out = append(out, part...)
		}
		slices.SortFunc(out, func(a, b T) int { return strings.Compare(a.SortKey(), b.SortKey()) })
		out = slices.CompactFunc(out, func(a, b T) bool { return a.SortKey() == b.SortKey() })
		return Canonical(out)
	}
	return s
}

// Decode turns the result of a page into the stored form; for tests.
func (s Source) Decode(page json.RawMessage) (json.RawMessage, error) {
	part, err := s.reduce(page)
	if err != nil {
		return nil, err
	}
	return s.join([]json.RawMessage{part})
}

// Wire is the type a result is decoded into, Stored that of what is kept, of an item for a list; for tests.
func (s Source) Wire() reflect.Type { return s.wire }

// Stored is the type of what is kept.
func (s Source) Stored() reflect.Type { return s.stored }

// Listed tells whether the result is a list of items.
func (s Source) Listed() bool { return s.listed }

// SourceOf gives the read of a key; its Name is empty when there is none.
func SourceOf(key Named) Source {
	for _, s := range Sources() {
		if s.Name == key.Source() {
			return s
		}
	}
	return Source{}
}

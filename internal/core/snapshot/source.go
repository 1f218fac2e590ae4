package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
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
	// After names sources whose sections Skip, Items or Fill read.
	After []string
	// Skip returns the reason why the call is not needed, or "".
	Skip func(*Known, SourceScope) string
	// Items returns the item ids a per-item source is read for; its scope is the account id, or the
	// zone id when the parent is a zone source.
	Items func(*Known, string) []string
	// Fill returns further path variables, such as {token_id}.
	Fill func(*Known, SourceScope) map[string]string
	// Headers returns request headers; each element means one read, and the results are joined.
	Headers func(*Known, SourceScope) []map[string][]string
	// More names further paths whose pages are joined to those of Path.
	More []string
	// Volatile marks data that changes without anyone editing it, such as the health of a tunnel or
	// who uses a device: the audit log does not record that.
	Volatile bool
	// Window is how far back a log is read; {since} and {before} in a path are its bounds.
	Window time.Duration
	// MaxPages ends a list early; 0 means never.
	MaxPages int
	// Enough ends a list as soon as the pages read so far answer the question.
	Enough func(k *Known, t SourceScope, pages []json.RawMessage) bool
	// Singly lists reads of the single items, used when the provider refuses the whole list for a
	// reason other than the token.
	Singly []SingleRead
	// Ends is when the provider removes the list: from then on only single items are read.
	Ends time.Time
	// Spare marks a source that is left out for free zones whose settings are read one by one.
	Spare bool
	// Leads means that the other zones use the section of the first zone, which shows whether the
	// permission works.
	Leads bool
	// Feeds marks sources the graph and the attack paths need.
	Feeds bool
	// Example is a result of the provider, for tests and documentation.
	Example string

	// MayBeEmpty means that an object without members is a valid answer: nothing was ever
	// configured.
	MayBeEmpty bool
	// listed is set when the result is a list.
	listed bool
	// wire is the type a result is decoded into, stored the type of what a section keeps.
	wire, stored reflect.Type
	// reduce converts one page to its stored form; join merges the pages.
	reduce func(page json.RawMessage) (json.RawMessage, error)
	join   func(pages []json.RawMessage) (json.RawMessage, error)
	// narrow replaces reduce where the stored form depends on earlier sections.
	narrow func(*Known, SourceScope) func(page json.RawMessage) (json.RawMessage, error)
}

// SingleRead is the read of one item of a list.
type SingleRead struct {
	ID, Path string
	// Plans limits the read to zones on these plans; empty means any.
	Plans []string
	// Spare leaves the item out for free zones when the list is gone.
	Spare bool
}

// For reports whether the item is read for a zone.
func (r SingleRead) For(z Zone, gone bool) bool {
	return readOn(r.Plans, z) && !(gone && r.Spare && z.Plan == "free")
}

// readOn reports whether what certain plans have is read for a zone; for one of an unknown plan it is,
// unless no plan has it.
func readOn(plans []string, z Zone) bool {
	return len(plans) == 0 || slices.Contains(plans, z.Plan) || !z.PlanKnown() && !slices.Contains(plans, "none")
}

// LeftOut returns the placeholder for an item that is not read.
func (r SingleRead) LeftOut() json.RawMessage {
	return fmt.Appendf(nil, `{"id":%q,"left_out":true}`, r.ID)
}

// Level is the level of the source's scope.
func (s Source) Level() Level { return LevelOf(s.Name) }

// SourceScope is the target a source is read for.
type SourceScope struct {
	AccountID string
	Zone      Zone
	Item      string
	// First is the id of the first zone of the run, for a source with Leads set.
	First string
}

// Scope returns the scope id of the section that a source gets for a target.
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

// SkipReason returns why the read is not needed, or "".
func (s Source) SkipReason(known *Known, t SourceScope) string {
	if s.Level() == LevelZone && !readOn(s.Plans, t.Zone) {
		return "the plan of the zone is " + t.Zone.Plan
	}
	if s.Skip != nil {
		return s.Skip(known, t)
	}
	return ""
}

// LeftOutReason returns why a needed read is not made, or "".
func (s Source) LeftOutReason(known *Known, t SourceScope) string {
	if !s.Spare || t.Zone.Plan != "free" {
		return ""
	}
	if settings, ok := Cached(known, ZoneSettings, t.Zone.ID); ok && slices.ContainsFunc(settings, func(s Setting) bool { return s.LeftOut }) {
		return toSaveRequests
	}
	return ""
}

// Lacks reports whether an earlier section of a zone left out an item that is needed now.
func (s Source) Lacks(sec Section, z Zone) bool {
	var items Settings
	if len(s.Singly) == 0 || json.Unmarshal(sec.Value, &items) != nil {
		return false
	}
	return slices.ContainsFunc(s.Singly, func(r SingleRead) bool { return items.leftOut(r.ID) && r.For(z, true) })
}

// Reducer returns the function that converts a page of a read for t to its stored form.
func (s Source) Reducer(known *Known, t SourceScope) func(page json.RawMessage) (json.RawMessage, error) {
	if s.narrow != nil {
		return s.narrow(known, t)
	}
	return s.reduce
}

// Join merges the stored forms of the pages into the value of a section.
func (s Source) Join(pages []json.RawMessage) (json.RawMessage, error) { return s.join(pages) }

// object makes a source whose result is one object of the wire type W, stored as T. Null counts as
// the zero W.
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

// asRead is the reduction for a result that is stored unchanged.
func asRead[T any](v T) T { return v }

type sortable interface{ SortKey() string }

// maxKey bounds the id of an item, in bytes. Two of them are the scope of a section, which is part of a key in the database.
const maxKey = 1000

// named reports whether an item whose name is that of a domain has one that can be.
func named(item any) bool {
	z, domain := item.(Zone)
	return !domain || len(z.Name) <= 253 // RFC 1035, section 2.3.4
}

// list makes a source whose result is a list of the wire type W, stored as a list of T sorted by
// SortKey and without duplicates: if items move between pages during the read, an item may be
// returned twice. Within a page, different items with one id are an error, because one would be lost.
func list[W any, T sortable](key Key[[]T], s Source, reduce func(W) T) Source {
	return nested(key, s, func(page []W) []W { return page }, reduce)
}

// nested is list for a result with the items inside the page type P.
func nested[P, W any, T sortable](key Key[[]T], s Source, items func(P) []W, reduce func(W) T) Source {
	s.Name, s.wire, s.stored = key.Source(), reflect.TypeFor[P](), reflect.TypeFor[T]()
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var p P
		if err := decodeInto(page, &p, s.Name); err != nil {
			return nil, err
		}
		out := []T{}
		there := map[string]sortable{}
		for _, w := range items(p) {
			item := reduce(w)
			if err := admit(there, item); err != nil {
				return nil, fmt.Errorf("decode %s: %w", s.Name, err)
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
		keys := make([]string, len(out))
		for i := range out {
			keys[i] = out[i].SortKey()
		}
		sorted := make([]T, 0, len(out))
		for _, i := range inOrder(keys) {
			sorted = append(sorted, out[i])
		}
		return Canonical(sorted)
	}
	return s
}

// admit adds an item to those of its page by their keys, or says what is wrong with it.
func admit(there map[string]sortable, item sortable) error {
	key := item.SortKey()
	earlier, twice := there[key]
	switch {
	case key == "":
		return errors.New("an item has no id")
	case len(key) > maxKey:
		return fmt.Errorf("the id of an item is longer than %d bytes", maxKey)
	case !named(item):
		return errors.New("the name of an item is none of a domain")
	case twice && !reflect.DeepEqual(earlier, item):
		return errors.New("two items of a page have one id")
	}
	there[key] = item
	return nil
}

// inOrder returns the indices of keys in the order of the keys, of equal ones the first. Sorting the items themselves would
// bring an implementation for each of their types, together 2 MB of the program.
func inOrder(keys []string) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(strings.Compare(keys[a], keys[b]), a-b) })
	return slices.CompactFunc(order, func(a, b int) bool { return keys[a] == keys[b] })
}

// Decode converts the result of a page to the stored form; for tests.
func (s Source) Decode(page json.RawMessage) (json.RawMessage, error) {
	part, err := s.reduce(page)
	if err != nil {
		return nil, err
	}
	return s.join([]json.RawMessage{part})
}

// Wire is the type a result is decoded into.
func (s Source) Wire() reflect.Type { return s.wire }

// Stored is the type of what is kept, of one item for a list.
func (s Source) Stored() reflect.Type { return s.stored }

// Listed reports whether the result is a list of items.
func (s Source) Listed() bool { return s.listed }

// SourceOf returns the source of a key; its Name is empty when there is none.
func SourceOf(key Named) Source {
	for _, s := range Sources() {
		if s.Name == key.Source() {
			return s
		}
	}
	return Source{}
}

// Package snapshot holds what one run read from the provider: sections with a status each, decoded
// into small typed shapes, with one canonical encoding and digest. It is pure: it never fetches,
// and the time at which it was taken is data.
//
// A section that is not OK has no value, so that nothing can be concluded from data that was not
// read.
package snapshot

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	"github.com/klauspost/compress/s2"
)

// Key names a source and fixes the type its sections decode to, so that reading a source as the
// wrong type does not compile.
type Key[T any] string

// Source returns the name without its type, for tables and declarations.
func (k Key[T]) Source() string { return string(k) }

// Named is any Key, whatever its type.
type Named interface{ Source() string }

// Status is the result of reading a section.
type Status string

// OK is a complete read. Skipped means that the call was not needed; the section counts as read and
// empty. Absent means that the provider answered that the product is not in use. NeedsUserToken
// means that the endpoint rejects account-owned tokens. LeftOut means that the call was not made,
// to save requests. With NeedsUserToken, LeftOut, Denied and Failed the content is unknown.
const (
	OK             Status = "ok"
	Denied         Status = "denied"
	NeedsUserToken Status = "needs_user_token"
	NotEntitled    Status = "not_entitled"
	Absent         Status = "absent"
	Failed         Status = "failed"
	Skipped        Status = "skipped"
	LeftOut        Status = "left_out"
)

// Known reports whether the status allows a conclusion: the section was read, or is known to be
// empty.
func (s Status) Known() bool { return s == OK || s == Skipped || s == Absent }

// Unexplained reports whether a denied read was refused with a code that does not mean insufficient
// permissions.
func (s Section) Unexplained() bool {
	return s.Code != 0 && !slices.Contains([]int{1000, 6003, 6111, 9103, 9106, 9109, 10000, 10001}, s.Code)
}

// Section is one read: a source at one scope (a zone id, an account id, or "<parent id>" of a
// per-item source). Value is set only when Status is OK and holds the canonical JSON of the
// source's shape.
type Section struct {
	Source     string          `json:"source"`
	Scope      string          `json:"scope"`
	Status     Status          `json:"status"`
	Permission string          `json:"permission,omitempty"`
	Code       int             `json:"code,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	// ReadAt is zero for sections read by the run itself, otherwise the start of the earlier run
	// that read it. It is not part of the digest.
	ReadAt time.Time `json:"readAt,omitzero"`
	// Unanswered is the error of a failed read that may succeed later; nil otherwise. It is never
	// stored.
	Unanswered error `json:"-"`
}

// Snapshot is an immutable set of sections. It is safe for concurrent use.
type Snapshot struct {
	Account AccountRef
	TakenAt time.Time
	Zones   []Zone // the zones in scope of the run, sorted by id
	byKey   map[string]map[string]*cachedSection
	scopes  map[string][]string
}

// AccountRef names the assessed provider account.
type AccountRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// cachedSection is a section with a weak.Pointer[T] to its decoded value: the values of a large
// account take more memory than their encoding, and those of one zone are used in succession.
type cachedSection struct {
	Section
	packed bool // Value is compressed
	value  atomic.Pointer[any]
}

// packedFrom is the size in bytes from which a value is worth compressing: most of a large
// account's data is in few sections.
const packedFrom = 512

func newEntry(sec Section) *cachedSection {
	e := &cachedSection{Section: sec}
	if len(sec.Value) >= packedFrom {
		e.Value, e.packed = slices.Clone(s2.Encode(nil, sec.Value)), true
	}
	return e
}

// head returns the section without its value.
func (e *cachedSection) head() Section {
	sec := e.Section
	sec.Value = nil
	return sec
}

// whole returns the section as it was read.
func (e *cachedSection) whole() Section {
	sec := e.Section
	if e.packed {
		sec.Value, _ = s2.Decode(nil, e.Value) // newEntry packed it, so this cannot fail
	}
	return sec
}

// New freezes sections into a snapshot. Two sections with the same source and scope are an error,
// because it would be unclear which is right.
func New(account AccountRef, takenAt time.Time, zones []Zone, sections []Section) (*Snapshot, error) {
	none := &Snapshot{Account: account, TakenAt: takenAt.UTC(), Zones: slices.Clone(zones)}
	slices.SortFunc(none.Zones, func(a, b Zone) int { return strings.Compare(a.ID, b.ID) })
	return none.With(sections...)
}

// With returns a snapshot with additional sections, under the conditions of New.
func (s *Snapshot) With(sections ...Section) (*Snapshot, error) {
	out := &Snapshot{Account: s.Account, TakenAt: s.TakenAt, Zones: s.Zones, byKey: map[string]map[string]*cachedSection{},
		scopes: map[string][]string{}}
	for source, entries := range s.byKey {
		out.byKey[source] = maps.Clone(entries)
	}
	for _, sec := range sections {
		m := out.byKey[sec.Source]
		if m == nil {
			m = map[string]*cachedSection{}
			out.byKey[sec.Source] = m
		}
		if m[sec.Scope] != nil {
			return nil, fmt.Errorf("section %s of %q is there twice", sec.Source, sec.Scope)
		}
		m[sec.Scope] = newEntry(sec)
	}
	for source, entries := range out.byKey {
		out.scopes[source] = slices.Sorted(maps.Keys(entries))
	}
	return out, nil
}

// Edited returns a snapshot with the given zones and sections, which replace those with the same
// source and scope. A section without a status is removed.
func (s *Snapshot) Edited(zones []Zone, sections ...Section) *Snapshot {
	out := &Snapshot{Account: s.Account, TakenAt: s.TakenAt, Zones: zones, byKey: maps.Clone(s.byKey), scopes: maps.Clone(s.scopes)}
	cloned := map[string]bool{}
	for _, sec := range sections {
		if !cloned[sec.Source] {
			cloned[sec.Source] = true
			if out.byKey[sec.Source] = maps.Clone(s.byKey[sec.Source]); out.byKey[sec.Source] == nil {
				out.byKey[sec.Source] = map[string]*cachedSection{}
			}
		}
		if sec.Status == "" {
			delete(out.byKey[sec.Source], sec.Scope)
		} else {
			out.byKey[sec.Source][sec.Scope] = newEntry(sec)
		}
	}
	for source := range cloned {
		out.scopes[source] = slices.Sorted(maps.Keys(out.byKey[source]))
	}
	return out
}

// Whole returns a section with its value. planned is false when there is none; then sec is as
// Section returns it.
func (s *Snapshot) Whole(source, scope string) (sec Section, planned bool) {
	if e := s.byKey[source][scope]; e != nil {
		return e.whole(), true
	}
	return s.Section(source, scope), false
}

// Section returns the section of a source at a scope without its value; use Read to decode that. A
// section that was never planned is Failed with a reason, so that it can only lead to UNKNOWN.
func (s *Snapshot) Section(source, scope string) Section {
	if e := s.byKey[source][scope]; e != nil {
		return e.head()
	}
	return Section{Source: source, Scope: scope, Status: Failed, Reason: "this was not read in this run"}
}

// SectionOf returns the section of a key. For a single zone setting it is the section of all
// settings, or one with status LeftOut when the setting was not read.
func (s *Snapshot) SectionOf(named Named, scope string) Section {
	setting, single := named.(ZoneSetting)
	if !single {
		return s.Section(named.Source(), scope)
	}
	settings, sec := Read(s, ZoneSettings, scope)
	if settings.leftOut(string(setting)) {
		return Section{Source: setting.Name(), Scope: scope, Status: LeftOut, Reason: toSaveRequests}
	}
	return sec
}

// Scopes lists the scope ids of a source in order.
func (s *Snapshot) Scopes(source string) []string { return slices.Clone(s.scopes[source]) }

// ScopesIn lists the scope ids in a zone, for a per-item source whose items belong to zones.
func (s *Snapshot) ScopesIn(source, zone string) []string {
	all := s.scopes[source]
	from, _ := slices.BinarySearch(all, zone+"/")
	to := from
	for to < len(all) && strings.HasPrefix(all[to], zone+"/") {
		to++
	}
	return slices.Clone(all[from:to])
}

// Read decodes the value of the section of k at scope. It returns the zero T unless the status is
// OK. Callers must not modify the value: it is shared.
func Read[T any](s *Snapshot, k Key[T], scope string) (T, Section) {
	e, sec := s.entry(k.Source(), scope)
	if e == nil {
		return *new(T), sec
	}
	if decoded := e.value.Load(); decoded != nil {
		if known, same := (*decoded).(weak.Pointer[T]); same {
			if v := known.Value(); v != nil {
				return *v, sec
			}
		}
	}
	v := new(T)
	if json.Unmarshal(e.whole().Value, v) != nil {
		sec.Status, sec.Reason = Failed, "the stored section does not decode"
		return *new(T), sec
	}
	var decoded any = weak.Make(v)
	e.value.Store(&decoded)
	return *v, sec
}

// entry returns the section of a source at a scope without its value, and where to find that; nil unless the status is OK.
func (s *Snapshot) entry(source, scope string) (*cachedSection, Section) {
	if e := s.byKey[source][scope]; e != nil && e.Status == OK {
		return e, e.head()
	}
	return nil, s.Section(source, scope)
}

// All yields every section, sorted by source and scope.
func (s *Snapshot) All() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		for _, source := range slices.Sorted(maps.Keys(s.scopes)) {
			for _, scope := range s.scopes[source] {
				if !yield(s.byKey[source][scope].whole()) {
					return
				}
			}
		}
	}
}

// Sections returns the sections of All as a list.
func (s *Snapshot) Sections() []Section { return slices.Collect(s.All()) }

func compareSections(a, b Section) int {
	if c := strings.Compare(a.Source, b.Source); c != 0 {
		return c
	}
	return strings.Compare(a.Scope, b.Scope)
}

// Canonical encodes a value of T as stored in a section.
func Canonical[T any](v T) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a section: %w", err)
	}
	return b, nil
}

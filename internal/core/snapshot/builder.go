package snapshot

import (
	"maps"
	"slices"
	"time"
)

// Builder builds snapshots step by step, for check examples and tests.
type Builder struct {
	Account  AccountRef
	TakenAt  time.Time
	Zones    []Zone
	sections map[string]map[string]Section
}

// NewBuilder starts an empty snapshot.
func NewBuilder(account AccountRef, takenAt time.Time) *Builder {
	return &Builder{Account: account, TakenAt: takenAt, sections: map[string]map[string]Section{}}
}

// Put stores v as the OK section of k at scope, replacing any previous one.
func Put[T any](b *Builder, k Key[T], scope string, v T) {
	raw, err := Canonical(v)
	if err != nil {
		raw = nil
	}
	b.Set(Section{Source: k.Source(), Scope: scope, Status: OK, Value: raw})
}

// Edit decodes the section of k at scope, lets change alter it, and stores it.
func Edit[T any](b *Builder, k Key[T], scope string, change func(*T)) {
	s, err := New(b.Account, b.TakenAt, nil, []Section{b.sections[k.Source()][scope]})
	var v T
	if err == nil {
		v, _ = Read(s, k, scope)
	}
	change(&v)
	Put(b, k, scope, v)
}

// Set stores a section unchanged.
func (b *Builder) Set(s Section) {
	if b.sections[s.Source] == nil {
		b.sections[s.Source] = map[string]Section{}
	}
	b.sections[s.Source][s.Scope] = s
}

// Mark sets another status on every section of a source and drops its value.
func (b *Builder) Mark(source string, status Status, permission, reason string) {
	for scope := range b.sections[source] {
		b.sections[source][scope] = Section{Source: source, Scope: scope, Status: status, Permission: permission, Reason: reason}
	}
}

// Clone returns a copy that can be edited apart.
func (b *Builder) Clone() *Builder {
	sections := make(map[string]map[string]Section, len(b.sections))
	for source, of := range b.sections {
		sections[source] = maps.Clone(of)
	}
	return &Builder{Account: b.Account, TakenAt: b.TakenAt, Zones: slices.Clone(b.Zones), sections: sections}
}

// Sources lists the sources that have a section, in order.
func (b *Builder) Sources() []string {
	var out []string
	for k := range b.sections {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Build freezes the sections.
func (b *Builder) Build() (*Snapshot, error) {
	var all []Section
	for _, m := range b.sections {
		for _, s := range m {
			all = append(all, s)
		}
	}
	return New(b.Account, b.TakenAt, b.Zones, all)
}

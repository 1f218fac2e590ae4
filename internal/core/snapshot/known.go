package snapshot

import (
	"encoding/json"
	"sync"
)

// Known gives a source access to the sections read before it. A section must not change once it
// exists: an account section, which every zone reads, is decoded once.
type Known struct {
	section func(source, scope string) (Section, bool)
	decoded sync.Map // source and scope → value
}

// NewKnown wraps a look-up of finished sections.
func NewKnown(section func(source, scope string) (Section, bool)) *Known {
	return &Known{section: section}
}

// Cached decodes an earlier section; ok is false unless it was read completely. The value is
// shared: callers must not modify it.
func Cached[T any](k *Known, key Key[T], scope string) (value T, ok bool) {
	name := [2]string{key.Source(), scope}
	if known, found := k.decoded.Load(name); found {
		value, ok = known.(T)
		return value, ok
	}
	sec, found := k.section(key.Source(), scope)
	if !found || sec.Status != OK || json.Unmarshal(sec.Value, &value) != nil {
		return value, false
	}
	if LevelOf(key.Source()) != LevelZone {
		k.decoded.Store(name, value)
	}
	return value, true
}

// Status returns the status of an earlier read; Failed when there was none.
func (k *Known) Status(source Named, scope string) Status {
	if sec, found := k.section(source.Source(), scope); found {
		return sec.Status
	}
	return Failed
}

package simcloud

import (
	"maps"
	"reflect"
	"sync"
)

// snapshotState saves everything a write can change in an account and returns a function that
// restores it. The caller holds the account's lock until then.
func (cl *Cloud) snapshotState(a *account) (restore func()) {
	cl.mu.Lock()
	disabled := maps.Clone(cl.disabled)
	cl.mu.Unlock()
	m := accountState{seen: map[any]bool{}}
	m.keep(reflect.ValueOf(a))
	return func() {
		for _, undo := range m.undo {
			undo()
		}
		cl.mu.Lock()
		cl.disabled = disabled
		cl.mu.Unlock()
	}
}

// accountState walks everything reachable from a value and saves the content of each struct, map
// and list. Restoring writes it back in place, so objects that several lists share stay shared.
type accountState struct {
	seen map[any]bool
	undo []func()
}

// once reports whether a memory location is seen for the first time. The type is part of the key: a
// struct and its first field have the same address.
func (m *accountState) once(v reflect.Value, size int) bool {
	key := struct {
		at   uintptr
		size int
		kind reflect.Type
	}{v.Pointer(), size, v.Type()}
	met := m.seen[key]
	m.seen[key] = true
	return !met
}

func (m *accountState) keep(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		m.keep(v.Elem())
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*Cloud]() || !m.once(v, 0) {
			return
		}
		if v.Elem().Kind() == reflect.Struct {
			m.keepStruct(v.Elem())
		} else {
			m.keepValue(v.Elem())
		}
	case reflect.Struct:
		if v.CanAddr() {
			m.keepStruct(v)
		}
	case reflect.Map:
		m.keepMap(v)
	case reflect.Slice:
		m.keepSlice(v)
	default: // everything else is saved with the value that holds it
	}
}

// put writes a value back if it changed. Unchanged ones are not touched: names and ids never
// change, and are read without the lock.
func put(v, old reflect.Value) {
	var same bool
	switch v.Kind() {
	case reflect.Slice:
		same = v.Pointer() == old.Pointer() && v.Len() == old.Len() && v.IsNil() == old.IsNil()
	case reflect.Map, reflect.Func:
		same = v.Pointer() == old.Pointer()
	default:
		same = v.Comparable() && old.Comparable() && v.Equal(old)
	}
	if !same {
		v.Set(old)
	}
}

// keepStruct saves the fields of an addressable struct, except locks and the spec that the account
// was generated from.
func (m *accountState) keepStruct(v reflect.Value) {
	for _, f := range v.Fields() {
		if f.Type() == reflect.TypeFor[sync.Mutex]() || f.Type() == reflect.TypeFor[AccountSpec]() {
			continue
		}
		// Unexported fields can only be set through their address.
		f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
		if f.Kind() == reflect.Struct {
			m.keepStruct(f)
			continue
		}
		m.keepValue(f)
	}
}

// keepValue saves one variable and what it refers to.
func (m *accountState) keepValue(v reflect.Value) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	m.undo = append(m.undo, func() { put(v, old) })
	m.keep(v)
}

func (m *accountState) keepMap(v reflect.Value) {
	if v.IsNil() || !m.once(v, 0) {
		return
	}
	old := reflect.MakeMapWithSize(v.Type(), v.Len())
	for at := v.MapRange(); at.Next(); {
		old.SetMapIndex(at.Key(), at.Value())
		m.keep(at.Value())
	}
	m.undo = append(m.undo, func() {
		v.Clear()
		for at := old.MapRange(); at.Next(); {
			v.SetMapIndex(at.Key(), at.Value())
		}
	})
}

func (m *accountState) keepSlice(v reflect.Value) {
	if v.Len() == 0 || !m.once(v, v.Len()) {
		return
	}
	old := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(old, v)
	m.undo = append(m.undo, func() {
		for i := range old.Len() {
			put(v.Index(i), old.Index(i))
		}
	})
	for i := range v.Len() {
		m.keep(v.Index(i))
	}
}

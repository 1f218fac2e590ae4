package snapshot

import "slices"

// skipRule returns why a source need not be read for a target, or "".
type skipRule = func(*Known, SourceScope) string

// scopeIn returns the scope of the section that a source of an account or of a zone has for a target.
func scopeIn(key Named, t SourceScope) string { return Source{Name: key.Source()}.Scope(t) }

// unused skips what belongs to a product that the account or the zone does not have.
func unused(key Named, reason string) skipRule {
	return func(k *Known, t SourceScope) string {
		if s := k.Status(key, scopeIn(key, t)); s == Absent || s == NotEntitled {
			return reason
		}
		return ""
	}
}

// unlessAny skips what matters only if a list has an item that fulfils a condition. A list that was not read skips nothing.
func unlessAny[T any](key Key[[]T], matters func(T) bool, reason string) skipRule {
	return func(k *Known, t SourceScope) string {
		if all, read := Cached(k, key, scopeIn(key, t)); read && !slices.ContainsFunc(all, matters) {
			return reason
		}
		return ""
	}
}

// whenEmpty skips what matters only if a list has items.
func whenEmpty[T any](key Key[[]T], reason string) skipRule {
	return unlessAny(key, func(T) bool { return true }, reason)
}

// without skips what depends on a list: the product is off, or the list is empty.
func without[T any](key Key[[]T], off, none string) skipRule {
	return firstOf(unused(key, off), whenEmpty(key, none))
}

// firstOf skips for the reason of the first rule that has one.
func firstOf(rules ...skipRule) skipRule {
	return func(k *Known, t SourceScope) string {
		for _, rule := range rules {
			if reason := rule(k, t); reason != "" {
				return reason
			}
		}
		return ""
	}
}

// idsOf returns the items of a source that is read for each item of a list; wanted chooses among them, nil all.
func idsOf[T sortable](key Key[[]T], wanted func(T) bool) func(k *Known, scope string) []string {
	return func(k *Known, scope string) (ids []string) {
		all, _ := Cached(k, key, scope)
		for _, item := range all {
			if wanted == nil || wanted(item) {
				ids = append(ids, item.SortKey())
			}
		}
		return ids
	}
}

// Package truth implements the three-valued logic with which checks combine what was read with what
// could not be read.
package truth

// Value is a three-valued answer: a condition that depends on an unread section is Undecided,
// unless what was read already settles it.
type Value int

// The three values.
const (
	No Value = iota
	Yes
	Undecided
)

// Is turns a bool into a Value.
func Is(b bool) Value {
	if b {
		return Yes
	}
	return No
}

// If returns Is(b) when the fact behind it is known, otherwise Undecided.
func If(known, b bool) Value {
	if !known {
		return Undecided
	}
	return Is(b)
}

// And is Yes when all are, No when any is No.
func And(ts ...Value) Value {
	out := Yes
	for _, t := range ts {
		if t == No {
			return No
		}
		if t == Undecided {
			out = Undecided
		}
	}
	return out
}

// Or is Yes when any is, No when all are No.
func Or(ts ...Value) Value {
	out := No
	for _, t := range ts {
		if t == Yes {
			return Yes
		}
		if t == Undecided {
			out = Undecided
		}
	}
	return out
}

// Not inverts Yes and No.
func Not(t Value) Value {
	switch t {
	case Yes:
		return No
	case No:
		return Yes
	default:
		return Undecided
	}
}

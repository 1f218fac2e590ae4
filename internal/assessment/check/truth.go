package check

// Truth is a three-valued answer: a condition that hangs on an unread section
// is Undecided, unless what was read already settles it.
type Truth int

// The three values.
const (
	No Truth = iota
	Yes
	Undecided
)

// Is turns a bool into a Truth.
func Is(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// If gives Is(b) when the fact behind it is known, else Undecided.
func If(known, b bool) Truth {
	if !known {
		return Undecided
	}
	return Is(b)
}

// And is Yes when all are, No when any is No.
func And(ts ...Truth) Truth {
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
func Or(ts ...Truth) Truth {
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
func Not(t Truth) Truth {
	switch t {
	case Yes:
		return No
	case No:
		return Yes
	default:
		return Undecided
	}
}

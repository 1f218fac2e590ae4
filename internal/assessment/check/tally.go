package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Tally sorts the items of a list that gets one verdict for the account: those that fail, those
// that warn, and whether something about an item is unknown.
type Tally struct {
	failed, doubted []item
	passed          int
	unknown         string
}

type item struct {
	name, id string
	row      posture.Evidence
}

// Found lists what one verdict names, each with its evidence, in the order in which it was found.
type Found struct {
	Names []string
	Rows  []posture.Evidence
}

// Add adds a name.
func (f *Found) Add(name string, row posture.Evidence) {
	f.Names, f.Rows = append(f.Names, name), append(f.Rows, row)
}

// String joins all names.
func (f *Found) String() string { return strings.Join(f.Names, ", ") }

// Said holds the sentences of a tally: the reason when there is nothing to judge, what precedes the
// names of the failing and the warning items, and the message when all items pass.
type Said struct{ None, Fail, Warn, Pass string }

// Pass counts an item that passes.
func (t *Tally) Pass() { t.passed++ }

// Fail records an item that fails.
func (t *Tally) Fail(name, id string, row posture.Evidence) {
	t.failed = append(t.failed, item{name, id, row})
}

// Warn records an item that warns.
func (t *Tally) Warn(name, id string, row posture.Evidence) {
	t.doubted = append(t.doubted, item{name, id, row})
}

// Unknown records the reason why something about an item is unknown.
func (t *Tally) Unknown(reason string) { t.unknown = reason }

// Only returns the id of the item the verdict is about when there is exactly one, otherwise "".
func (t *Tally) Only() string {
	found := t.failed
	if len(found) == 0 {
		found = t.doubted
	}
	if len(found) != 1 {
		return ""
	}
	return found[0].id
}

// Done returns the verdict. Failing and warning items are reported even when others are unknown.
func (t *Tally) Done(v *View, say Said) Outcome {
	switch {
	case len(t.failed) > 0:
		return v.Fail(say.Fail+": "+names(t.failed)+".", rows(t.failed)...)
	case len(t.doubted) > 0:
		return v.Warn(say.Warn+": "+names(t.doubted)+".", rows(t.doubted)...)
	case t.unknown != "":
		return v.Unknown(t.unknown)
	case t.passed == 0:
		return v.NotApplicable(say.None)
	}
	return v.Pass("%s", say.Pass)
}

func names(all []item) string {
	var out []string
	for _, i := range all {
		out = append(out, i.name)
	}
	return Few(out)
}

// Few joins the first five names in alphabetical order and says how many more there are.
func Few(names []string) string {
	const most = 5
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func rows(all []item) (out []posture.Evidence) {
	for _, i := range all {
		out = append(out, i.row)
	}
	return out
}

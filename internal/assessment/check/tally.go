package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Tally sorts the items of a list that gives one verdict for the account: those that fail, those that warn, and whether
// something about one of them is not told.
type Tally struct {
	failed, doubted []item
	passed          int
	untold          string
}

type item struct {
	name, id string
	row      posture.Evidence
}

// Said is what a tally says: why there is nothing to judge, what precedes the names of those that fail and warn, and the
// sentence when all is well.
type Said struct{ None, Fail, Warn, Pass string }

// Pass counts an item that is right.
func (t *Tally) Pass() { t.passed++ }

// Fail records an item that is wrong.
func (t *Tally) Fail(name, id string, row posture.Evidence) {
	t.failed = append(t.failed, item{name, id, row})
}

// Warn records an item that is doubtful.
func (t *Tally) Warn(name, id string, row posture.Evidence) {
	t.doubted = append(t.doubted, item{name, id, row})
}

// Untold records that something about an item is not known.
func (t *Tally) Untold(reason string) { t.untold = reason }

// Only is the id of the item that the verdict is about, when it is about a single one.
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

// Done gives the verdict. What is wrong is said whatever else is not told.
func (t *Tally) Done(v *View, say Said) Outcome {
	switch {
	case len(t.failed) > 0:
		return v.Fail(say.Fail+": "+names(t.failed)+".", rows(t.failed)...)
	case len(t.doubted) > 0:
		return v.Warn(say.Warn+": "+names(t.doubted)+".", rows(t.doubted)...)
	case t.untold != "":
		return v.Unknown(t.untold)
	case t.passed == 0:
		return v.NotApplicable(say.None)
	}
	return v.Pass("%s", say.Pass)
}

// names lists the first items by name.
func names(all []item) string {
	const most = 5
	var out []string
	for _, i := range all {
		out = append(out, i.name)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:most], ", "), len(out)-most)
	}
	return strings.Join(out, ", ")
}

func rows(all []item) (out []posture.Evidence) {
	for _, i := range all {
		out = append(out, i.row)
	}
	return out
}

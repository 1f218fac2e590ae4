// Package platform holds the checks of developer platform products that are judged once per
// account.
package platform

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// put is an example edit of a section of the account.
func put[T any](k snapshot.Key[T], value T) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, k, goodtest.Account, value) }
}

// aged sorts a key by age: one older than the policy's limit warns, one three times as old fails.
func aged(v *check.View, t *check.Tally, source snapshot.Named, name, id string, since snapshot.Time) {
	days := v.Policy.KeyAgeDays
	row := func() posture.Evidence {
		return check.Evidence(source, "/"+id, since.Format(time.DateOnly), "at most "+check.Count(days, "day", "")+" ago")
	}
	switch {
	case since.IsZero():
		t.Unknown("Cloudflare does not tell the age of " + name)
	case since.Before(v.Now().AddDate(0, 0, -3*days)):
		t.Fail(name, id, row())
	case since.Before(v.Now().AddDate(0, 0, -days)):
		t.Warn(name, id, row())
	default:
		t.Pass()
	}
}

// keyAges returns the examples for a list of keys.
func keyAges(k snapshot.Key[[]snapshot.MediaKey]) []goodtest.Example {
	old := func(days ...int) func(*snapshot.Builder) {
		var keys []snapshot.MediaKey
		for i, d := range days {
			keys = append(keys, snapshot.MediaKey{ID: string(rune('a' + i)), Name: "key", Created: goodtest.InDays(-d)})
		}
		return put(k, keys)
	}
	return []goodtest.Example{
		{Name: "young", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "of a year to the day", Want: posture.Pass, Edit: old(365)},
		{Name: "of more than a year", Want: posture.Warning, Resource: goodtest.Account, Edit: old(366)},
		{Name: "of more than three years", Want: posture.Fail, Resource: goodtest.Account, Edit: old(1100)},
		{Name: "an old one beside a young one", Want: posture.Warning, Edit: old(10, 400)},
		{Name: "the age is not told", Want: posture.Unknown, Edit: put(k, []snapshot.MediaKey{{ID: "a", Name: "key"}})},
		{Name: "none", Want: posture.NotApplicable, Edit: put(k, []snapshot.MediaKey{})},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(k.Source(), snapshot.NotEntitled, "", "")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(k)},
	}
}

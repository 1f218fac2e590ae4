package change_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func decode(t testing.TB, raw string) any {
	t.Helper()
	v, err := change.Decode(json.RawMessage(raw))
	require.NoError(t, err)
	return v
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		live, want string
		holds      bool
	}{
		{`{"value":"on","id":"x"}`, `{"value":"on"}`, true}, {`{"value":"off"}`, `{"value":"on"}`, false}, {`null`, `null`, true},
		{`{}`, `null`, false}, {`null`, `{}`, false},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, true}, {`{"a":{"b":1}}`, `{"a":{"b":1,"c":null}}`, true},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"c":null}}`, false},
		{`{"a":[1,2]}`, `{"a":[1]}`, false}, {`{"a":[{"x":1,"y":2}]}`, `{"a":[{"x":1}]}`, false}, {`{"n":3600}`, `{"n":3600}`, true},
		{`{"n":1.0}`, `{"n":1}`, false},
	} {
		require.Equal(t, tc.holds, change.Holds(decode(t, tc.live), decode(t, tc.want)), "%s has %s", tc.live, tc.want)
	}
	require.True(t, change.Holds(decode(t, `{"n":5}`), map[string]any{"n": 5}), "a number is a number, whatever Go calls it")
}

func TestFind(t *testing.T) {
	t.Parallel()
	list := decode(t, `[{"id":"a","name":"x"},{"id":"b","name":"y"}]`)
	rules := decode(t, `{"id":"set","rules":[{"id":"r1","ref":"mine"},{"id":"r2"}]}`)
	require.Equal(t, decode(t, `{"id":"b","name":"y"}`), change.Place{Match: map[string]any{"name": "y"}}.Find(list))
	require.Nil(t, change.Place{Match: map[string]any{"name": "z"}}.Find(list))
	require.Nil(t, change.Place{Match: map[string]any{"name": "x"}}.Find(nil))
	require.Nil(t, change.Place{Within: "rules", Match: map[string]any{"ref": "mine"}}.Find(list))
	require.Equal(t, decode(t, `{"id":"r1","ref":"mine"}`), change.Place{Within: "rules", Match: map[string]any{"ref": "mine"}}.Find(rules))
	require.Equal(t, rules, change.Place{}.Find(rules))
}

func TestSettled(t *testing.T) {
	t.Parallel()
	require.True(t, change.Same(decode(t, `{"a":1,"modified_on":"x","b":[{"version":"2","c":3}]}`),
		decode(t, `{"b":[{"c":3,"version":"9"}],"a":1}`)))
	require.False(t, change.Same(decode(t, `{"a":1}`), decode(t, `{"a":2}`)))
	require.True(t, change.Same(decode(t, `{"id":"1","a":1}`), decode(t, `{"id":"2","a":1}`), "id"))
}

// TestAlike: an application names its policies by id, so that only which ones it has, and their order, are its own.
func TestAlike(t *testing.T) {
	t.Parallel()
	const shown = `{"id":"a","policies":[{"id":"p","precedence":1,"include":["everyone"],"app_count":1}],"x":[{"id":"y","z":1}]}`
	for body, own := range map[string]bool{`{"policies":[{"id":"p","precedence":1}]}`: true, `{"policies":["p"]}`: true,
		`{"policies":[]}`: false, `{"policies":[{"id":"p","include":["everyone"]}]}`: false, `{"x":[{"id":"y"}]}`: false, ``: false} {
		e := change.Edit{Whole: true, Do: change.Call{Body: json.RawMessage(body)}}
		for now, same := range map[string]bool{
			`{"id":"a","policies":[{"id":"p","precedence":1,"include":["staff"]}],"x":[{"id":"y","z":1}]}`:                  own,
			`{"id":"a","policies":[{"id":"q","precedence":1,"include":["everyone"]}],"x":[{"id":"y","z":1}]}`:               false,
			`{"id":"a","policies":[{"id":"p","precedence":2,"include":["everyone"]}],"x":[{"id":"y","z":1}]}`:               false,
			`{"id":"a","policies":[{"id":"p","precedence":1,"include":["everyone"],"app_count":2}],"x":[{"id":"y","z":1}]}`: true,
			`{"id":"a","policies":[],"x":[{"id":"y","z":1}]}`:                                                               false, `null`: false,
		} {
			require.Equal(t, same, e.Alike(decode(t, now), json.RawMessage(shown)), "%s: %s", body, now)
			require.Equal(t, same, e.Restored(json.RawMessage(shown))(decode(t, now)), "%s: %s", body, now)
		}
	}
}

// TestFilled: a path whose id is not known is never sent, because without it the
// path would name the whole collection.
func TestFilled(t *testing.T) {
	t.Parallel()
	call := change.Call{Method: "DELETE", Path: "/zones/z/rulesets/" + change.Parent + "/rules/" + change.Created}
	got, ok := call.Filled(decode(t, `{"id":"r/1"}`), decode(t, `{"id":7}`))
	require.True(t, ok)
	require.Equal(t, "/zones/z/rulesets/7/rules/r%2F1", got.Path)
	for _, missing := range [][2]string{{`null`, `{"id":"s"}`}, {`{"id":"r"}`, `null`}, {`{"id":""}`, `{"id":"s"}`},
		{`{"id":["r"]}`, `{"id":"s"}`}} {
		_, ok := call.Filled(decode(t, missing[0]), decode(t, missing[1]))
		require.False(t, ok, missing)
	}
	plain, ok := change.Call{Path: "/zones/z"}.Filled(nil, nil)
	require.True(t, ok)
	require.Equal(t, "/zones/z", plain.Path)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		want change.State
		of   []change.Status
	}{
		{change.StateApplied, nil}, {change.StateApplied, []change.Status{change.Applied, change.Unchanged}},
		{change.StateApplied, []change.Status{change.Unchanged}},
		{change.StatePartial, []change.Status{change.Applied, change.Skip}},
		{change.StatePartial, []change.Status{change.Applied, change.Failed}},
		{change.StatePartial, []change.Status{change.Unknown}}, {change.StatePartial, []change.Status{change.Writing}},
		{change.StatePartial, []change.Status{change.RolledBack, change.Restoring}},
		{change.StatePartial, []change.Status{change.RolledBack, change.Applied}},
		{change.StateRolledBack, []change.Status{change.RolledBack, change.RolledBack}},
		{change.StateRolledBack, []change.Status{change.RolledBack, change.Skip}},
		{change.StateRolledBack, []change.Status{change.Restored, change.Skip}}, {change.StateNothing, []change.Status{change.Pending}},
		{change.StateNothing, []change.Status{change.Skip, change.Failed}},
	} {
		var b change.Bundle
		for _, s := range tc.of {
			b.Entries = append(b.Entries, change.BundleStep{Status: s})
		}
		require.Equal(t, tc.want, b.Settle(), "%v", tc.of)
	}
}

func TestSpent(t *testing.T) {
	t.Parallel()
	at := time.Now()
	for _, tc := range []struct {
		of   change.BundleStep
		says string
	}{
		{change.BundleStep{Status: change.Failed, At: &at}, "None of the changes of bundle b was made"},
		{change.BundleStep{Status: change.Skip}, "None of the changes"},
		{change.BundleStep{Status: change.RolledBack, At: &at, Landed: change.Encode(nil)}, "Bundle b is rolled back already"},
		{change.BundleStep{Status: change.RolledBack, At: &at}, ""},
		{change.BundleStep{Status: change.Pending, At: &at}, ""}, {change.BundleStep{Status: change.Unknown, At: &at}, ""},
		{change.BundleStep{Status: change.Applied}, ""},
	} {
		b := change.Bundle{ID: "b", Entries: []change.BundleStep{tc.of}}
		b.State = b.Settle()
		err := b.Spent()
		if tc.says == "" {
			require.NoError(t, err, "%v", tc.of)
		} else {
			require.ErrorContains(t, err, tc.says)
		}
	}
}

// FuzzValues: no answer of a provider breaks the comparison, and what is settled
// stays settled.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[1,{"a":[{}]}]`, `{"id":1e400,"modified_on":[]}`, `"x"`, ``, `{"a":`} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, x, y []byte) {
		defer fuzztest.Bound(t)()
		a, err := change.Decode(x)
		if err != nil {
			return
		}
		b, err := change.Decode(y)
		if err != nil {
			return
		}
		require.True(t, change.Holds(a, a))
		require.Equal(t, string(change.Settled(a)), string(change.Settled(decode(t, string(change.Settled(a))))))
		if change.Same(a, b) {
			require.True(t, change.Same(b, a))
		}
		change.Place{Within: "rules", Match: map[string]any{"id": "x"}}.Find(a)
		_, _ = change.Call{Path: change.Created}.Filled(a, b)
	})
}

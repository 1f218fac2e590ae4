package audit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func chain(n int) []Entry {
	var out []Entry
	var head Head
	for i := range n {
		e := Chained(head, Entry{At: time.Unix(int64(i), 0), Actor: "local", Action: "assess", Outcome: Succeeded,
			Target: Target{Type: "accounts", ID: fmt.Sprint(i)}})
		head = Head{Seq: e.Seq, Hash: e.Hash}
		out = append(out, e)
	}
	return out
}

func headOf(e Entry) Head { return Head{Seq: e.Seq, Hash: e.Hash} }

func walk(entries []Entry, head, anchor Head) error {
	w := From(head, anchor)
	for _, entrie := range slices.Backward(entries) {
		if err := w.Add(entrie); err != nil {
			return err
		}
	}
	return w.End()
}

func TestWalk(t *testing.T) {
	all := chain(6)
	head := headOf(all[5])
	with := func(change func(e *Entry)) []Entry {
		out := append([]Entry{}, all...)
		change(&out[2])
		return out
	}
	rehashed := with(func(e *Entry) { e.Outcome = Refused; e.Hash = Sum(*e) })
	cutOff := append(append([]Entry{}, all[3:]...), Chained(head, Checkpoint(Entry{}, headOf(all[2]))))
	lying := append(append([]Entry{}, all[3:]...), Chained(head, Checkpoint(Entry{}, Head{Seq: 3, Hash: all[1].Hash})))
	for name, c := range map[string]struct {
		entries      []Entry
		head, anchor Head
		want         string // "" holds
	}{
		"nothing":                         {nil, Head{}, Head{}, ""},
		"whole":                           {all, head, headOf(all[1]), ""},
		"changed":                         {with(func(e *Entry) { e.Count++ }), head, Head{}, "entry 3 was changed"},
		"changed and hashed anew":         {rehashed, head, Head{}, "entry 3 is not the one the next entry follows"},
		"gone from the middle":            {append(append([]Entry{}, all[:2]...), all[3:]...), head, Head{}, "entry 3 is missing"},
		"gone from the end":               {all[:5], head, Head{}, "entry 6 is missing"},
		"gone from the end with the head": {all[:5], headOf(all[4]), head, "entry 6 was noted and is missing at the end"},
		"gone from the beginning":         {all[2:], head, Head{}, "entry 2 is missing, and no checkpoint"},
		"all gone":                        {nil, head, Head{}, "entry 6 is missing"},
		"all gone with the head":          {nil, Head{}, head, "missing at the end"},
		"written anew":                    {chain(6), head, Head{Seq: 2, Hash: all[4].Hash}, "entry 2 is not the one that was noted"},
		"cut off":                         {cutOff, headOf(cutOff[3]), Head{}, ""},
		"cut off, noted before the cut":   {cutOff, headOf(cutOff[3]), headOf(all[1]), ""},
		"cut off, noted at the cut":       {cutOff, headOf(cutOff[3]), headOf(all[2]), ""},
		"cut off, another noted":          {cutOff, headOf(cutOff[3]), Head{Seq: 3, Hash: all[0].Hash}, "entry 3 is not the one that was noted"},
		"cut off by a checkpoint of ours": {lying, headOf(lying[3]), Head{}, "entry 3 is missing, and no checkpoint"},
	} {
		err := walk(c.entries, c.head, c.anchor)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}

// TestEveryMemberIsHashed changes each member of an entry in turn.
func TestEveryMemberIsHashed(t *testing.T) {
	base := Entry{At: time.Unix(1, 0)}
	changed := func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		default:
			v.Set(reflect.ValueOf(time.Unix(2, 0)))
		}
	}
	typ := reflect.TypeFor[Entry]()
	for i := range typ.NumField() {
		if typ.Field(i).Name == "Hash" {
			continue
		}
		if typ.Field(i).Type == reflect.TypeFor[Target]() {
			for j := range 2 {
				e := base
				changed(reflect.ValueOf(&e.Target).Elem().Field(j))
				require.NotEqual(t, Sum(base), Sum(e))
			}
			continue
		}
		e := base
		changed(reflect.ValueOf(&e).Elem().Field(i))
		require.NotEqual(t, Sum(base), Sum(e), typ.Field(i).Name)
	}
	a, b := base, base
	a.Actor, a.Address, b.Actor, b.Address = "ab", "c", "a", "bc"
	require.NotEqual(t, Sum(a), Sum(b), "a text slides into the next")
}

func FuzzEntry(f *testing.F) {
	f.Add("key:00000000", "::1", "id", int64(5))
	f.Add("a\x00\xff", strings.Repeat("é", 300), "\u2028\n", int64(-1))
	f.Fuzz(func(t *testing.T, actor, address, id string, at int64) {
		defer fuzztest.Bound(t)()
		e := Entry{Actor: actor, Address: address, Target: Target{ID: id}, At: time.UnixMicro(at)}.Normal()
		require.Equal(t, e, e.Normal(), "normal twice is normal once")
		for _, s := range []string{e.Actor, e.Address, e.Target.ID} {
			require.True(t, utf8.ValidString(s))
			require.LessOrEqual(t, len(s), maxText)
			require.False(t, strings.ContainsAny(s, "\x00\n\r"))
		}
	})
}

func FuzzHead(f *testing.F) {
	f.Add("1:" + Genesis)
	f.Add("-1:00")
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		h, err := ParseHead(s)
		if err != nil {
			return
		}
		again, err := ParseHead(fmt.Sprintf("%d:%s", h.Seq, h.Hash))
		require.NoError(t, err)
		require.Equal(t, h, again)
	})
}

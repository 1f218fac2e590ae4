package toolserver

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestPagedGivesEverythingOnce(t *testing.T) {
	all := make([]string, 500)
	for i := range all {
		all[i] = strings.Repeat("<", i)
	}
	var got []string
	for p := (Page{Limit: 200}); ; {
		part, next, err := paged(p, true, all)
		require.NoError(t, err)
		raw, err := encode(part)
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), maxItems+2)
		got = append(got, part...)
		if p.Cursor = next; next == "" {
			break
		}
	}
	require.Equal(t, all, got)
	for _, cursor := range []string{"-1", "501", "x"} {
		_, _, err := paged(Page{Cursor: cursor}, true, all)
		require.Error(t, err)
	}
	_, _, err := paged(Page{Cursor: "1"}, false, all)
	require.Error(t, err, "a cursor without the ids it belongs to")
}

// FuzzBounded: an answer is a JSON object within its size, and says when it was cut.
func FuzzBounded(f *testing.F) {
	f.Add("text", 3, 100)
	f.Add("<&\u2028", 5000, 4000)
	f.Add(strings.Repeat("é", 100), 40, 70)
	f.Fuzz(func(t *testing.T, s string, items, room int) {
		defer fuzztest.Bound(t)()
		items, room = min(max(items, 0), 5000), min(max(room, 100), 70_000)
		list := make([]string, items)
		for i := range list {
			list[i] = s
		}
		in, err := encode(map[string]any{"list": list, "deep": map[string]any{s: list}})
		require.NoError(t, err)
		raw, err := bounded(in, room, "Ask for less.")
		if err != nil {
			require.ErrorContains(t, err, "Ask for less.")
			require.Greater(t, size(in), room)
			return
		}
		var out map[string]any
		require.NoError(t, json.Unmarshal(raw, &out))
		if size(in) <= room {
			require.JSONEq(t, string(in), string(raw))
			return
		}
		require.Contains(t, out["leftOut"], "Ask for less.")
		require.LessOrEqual(t, size(raw), room)
	})
}

func FuzzWhole(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte(strings.Repeat("<é", maxItems)))
	f.Add([]byte(strings.Repeat("\x00\xff", maxItems)))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer fuzztest.Bound(t)()
		text, more := whole(b)
		require.True(t, strings.HasPrefix(string(b), text))
		require.Equal(t, len(text) < len(b), more)
		require.True(t, len(text) > 0 || len(b) == 0, "no progress")
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), maxItems)
		if utf8.Valid(b) {
			require.True(t, utf8.ValidString(text))
		}
	})
}

package relational

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/posture"
)

func FuzzCursor(f *testing.F) {
	for _, p := range []place{{}, {at: 1, id: "x"}, {at: math.MinInt64, id: "a.b.c"}, {at: math.MaxInt64, id: "01890000-0000-7000-8000-00000000acc0"}} {
		for _, list := range []string{listJobs, listAssessments, listFindings} {
			f.Add(list, cursorAt(list, p))
		}
	}
	f.Add(listJobs, "ai4xLgo")
	f.Add(listJobs, "ai4rMS54")
	f.Add(listFindings, "====")
	f.Fuzz(func(t *testing.T, list, cursor string) {
		p, ok, err := placeOf(list, cursor)
		if err != nil {
			var problem *posture.Problem
			require.ErrorAs(t, err, &problem)
			require.Equal(t, "query.cursor", problem.Errors[0].Location)
			if value, isText := problem.Errors[0].Value.(string); isText && utf8.ValidString(cursor) {
				require.True(t, utf8.ValidString(value))
			}
			require.False(t, ok)
			return
		}
		require.Equal(t, cursor != "", ok)
		if ok {
			require.Equal(t, cursor, cursorAt(list, p), "one place has one cursor")
			require.NotContains(t, p.id, "\x00")
		}
	})
}

func FuzzPack(f *testing.F) {
	f.Add([]byte(nil), 0)
	f.Add([]byte("{}"), 1)
	f.Add([]byte("ab"), 5000)
	f.Fuzz(func(t *testing.T, value []byte, times int) {
		for len(value) > 0 && len(value) < min(times, 20_000) {
			value = append(value, value...)
		}
		var p packer
		for range 2 { // the second uses the compressor again
			packed, err := p.pack(value)
			require.NoError(t, err)
			got, err := unpack(packed)
			require.NoError(t, err)
			require.Equal(t, string(value), string(got))
			require.Equal(t, value == nil, got == nil)
		}
	})
}

func TestUnpackRefuses(t *testing.T) {
	for name, stored := range map[string][]byte{"unknown form": {9, 1}, "no gzip": {packedGzip, 1, 2}, "torn gzip": {packedGzip, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0}} {
		_, err := unpack(stored)
		require.Error(t, err, name)
	}
}

func TestCataloguesAreForgottenInOrder(t *testing.T) {
	var c catalogueCache
	name := func(i int) string { return string(rune('a' + i)) }
	for i := range cachedCatalogues {
		c.put(name(i), openAssessment{no: int64(i)})
	}
	_, known := c.get("a") // used again, so b goes first
	require.True(t, known)
	c.put("new", openAssessment{})
	_, known = c.get("a")
	require.True(t, known)
	_, known = c.get("b")
	require.False(t, known)
	require.Len(t, c.entries, cachedCatalogues)
	require.Len(t, c.recent, cachedCatalogues)
}

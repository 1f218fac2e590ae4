package relational

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func FuzzCursor(f *testing.F) {
	for _, p := range []sortKey{{}, {at: 1, id: "x"}, {at: math.MinInt64, id: "a.b.c"},
		{at: math.MaxInt64, id: "01890000-0000-7000-8000-00000000acc0"}} {
		for _, list := range []string{listJobs, listAssessments, listFindings} {
			f.Add(list, encodeCursor(list, p))
		}
	}
	f.Add(listJobs, "ai4xLgo")
	f.Add(listJobs, "ai4rMS54")
	f.Add(listFindings, "====")
	f.Fuzz(func(t *testing.T, list, cursor string) {
		defer fuzztest.Bound(t)()
		p, ok, err := decodeCursor(list, cursor)
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
			require.Equal(t, cursor, encodeCursor(list, p), "one place has one cursor")
			require.NotContains(t, p.id, "\x00")
		}
	})
}

func FuzzPack(f *testing.F) {
	f.Add([]byte(nil), 0)
	f.Add([]byte("{}"), 1)
	f.Add([]byte("ab"), 5000)
	f.Fuzz(func(t *testing.T, value []byte, times int) {
		defer fuzztest.Bound(t)()
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
	for name, stored := range map[string][]byte{"unknown form": {9, 1}, "no gzip": {packedGzip, 1, 2}, "torn gzip": {packedGzip, 0x1f, 0x8b,
		8, 0, 0, 0, 0, 0, 0}} {
		_, err := unpack(stored)
		require.Error(t, err, name)
	}
}

func TestOpenAssessmentsShareTheirChecks(t *testing.T) {
	o := newOpens()
	var pack packer
	read := func(id string, no int64, faces ...*face) openAssessment {
		stored, err := pack.packJSON(catalogue{Faces: faces, Zones: []zoneRef{{}, {ID: id, Name: id}}})
		require.NoError(t, err)
		c, err := o.catalogue(stored)
		require.NoError(t, err)
		require.Equal(t, faces, c.Faces)
		a := openAssessment{no: no, id: id, catalogue: c}
		o.put(a)
		return a
	}
	tls, mail := &face{CheckID: "tls", Title: "TLS"}, &face{CheckID: "mail"}
	one := read("one", 1, tls, mail)
	other := read("other", 2, &face{CheckID: "tls", Title: "TLS"}, &face{CheckID: "mail", Severity: posture.High})
	require.Same(t, one.catalogue.Faces[0], other.catalogue.Faces[0])
	require.NotSame(t, one.catalogue.Faces[1], other.catalogue.Faces[1])
	got, known := o.byID("other")
	require.True(t, known)
	require.Equal(t, int64(2), got.no)
	_, known = o.byID("neither")
	require.False(t, known)
	o.kept.limit = one.size() + other.size()
	read("third", 3, tls)
	_, known = o.byID("one")
	require.False(t, known, "what was used longest ago goes first")
}

func TestRecentIsKeptUpToItsLimit(t *testing.T) {
	one := func() *texts { return &texts{all: make([]byte, 40)} }
	c := newRecent[int64, *texts](100)
	keeps := func(no int64) bool { _, ok := c.get(no); return ok }
	c.put(1, one())
	c.put(2, one())
	require.True(t, keeps(1)) // used again, so 2 goes first
	c.put(3, one())
	require.True(t, keeps(1))
	require.False(t, keeps(2))
	c.put(1, one()) // two readers may unpack the same at once
	require.Equal(t, 80, c.bytes)

	c.put(4, &texts{all: make([]byte, 500)})
	require.True(t, keeps(4), "one beyond the limit is kept alone")
	require.False(t, keeps(3))
	require.Equal(t, 500, c.bytes)
}

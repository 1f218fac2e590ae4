package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

func sectionCases() []testCase {
	return []testCase{
		{"sections come back sorted with every field", sectionFields},
		{"sections of the first writer win", sectionFirstWins},
		{"sections twice in one call: the first wins", sectionTwice},
		{"section values come back byte by byte, small and large", sectionBytes},
		{"sections belong to their job and are dropped alone", sectionDrop},
		{"sections of a worker that lost its job change nothing", sectionZombie},
		{"sections that go while they are read", sectionsGo},
		{"sections of nothing and of nobody", sectionNothing},
		{"section texts come back whatever they hold", sectionTexts},
		{"sections of jobs that run beside each other share a statement", sectionTogether},
	}
}

func sections(t testing.TB, s store.Store, jobID string) []snapshot.Section {
	t.Helper()
	got, err := s.Sections(t.Context(), jobID)
	require.NoError(t, err)
	again, err := store.Collect(s.EachSection(t.Context(), jobID))
	require.NoError(t, err)
	require.Equal(t, got, again)
	return got
}

// sectionsGo checks that reading sections one by one never returns only part of them.
func sectionsGo(t *testing.T, s store.Store) {
	id := running(t, s).ID
	var all []snapshot.Section
	for i := range 250 {
		all = append(all, section("s", fmt.Sprintf("%03d", i), snapshot.OK, fmt.Sprint(i)))
	}
	require.NoError(t, s.PutSections(t.Context(), id, 1, all))
	require.Equal(t, all, sections(t, s, id))
	for sec, err := range s.EachSection(t.Context(), id) {
		if sec.Scope == "000" {
			require.NoError(t, s.DropSections(t.Context(), id, 1))
		}
		if err != nil {
			require.ErrorIs(t, err, store.ErrNotFound)
			return
		}
	}
	t.Fatal("a part passed for the whole")
}

func sectionFields(t *testing.T, s store.Store) {
	id := running(t, s).ID
	ok, denied := section("zone.dns", "b", snapshot.OK, `[]`), section("zone.dns", "A", snapshot.Denied, "")
	denied.Permission, denied.Code, denied.Reason = "Zone:DNS:Read", 10000, "it's 'denied'"
	other := section("account", "", snapshot.Absent, "")
	other.ReadAt = kept(noon().Add(-time.Hour))
	require.NoError(t, s.PutSections(t.Context(), id, 1, []snapshot.Section{ok, other}))
	require.NoError(t, s.PutSections(t.Context(), id, 1, []snapshot.Section{denied}))
	require.Equal(t, []snapshot.Section{other, denied, ok}, sections(t, s, id))
}

func sectionFirstWins(t *testing.T, s store.Store) {
	id := running(t, s).ID
	first := section("a", "1", snapshot.OK, `1`)
	require.NoError(t, s.PutSections(t.Context(), id, 1, []snapshot.Section{first}))
	second := section("b", "1", snapshot.OK, `2`)
	require.NoError(t, s.PutSections(t.Context(), id, 1, []snapshot.Section{section("a", "1", snapshot.Failed, ""), second}))
	require.Equal(t, []snapshot.Section{first, second}, sections(t, s, id))
}

func sectionTwice(t *testing.T, s store.Store) {
	id := running(t, s).ID
	var twice []snapshot.Section
	for i := range 200 {
		twice = append(twice, section("s", fmt.Sprint(i%2), snapshot.OK, fmt.Sprint(i)))
	}
	require.NoError(t, s.PutSections(t.Context(), id, 1, twice))
	require.Equal(t, twice[:2], sections(t, s, id))
}

func sectionBytes(t *testing.T, s store.Store) {
	id := running(t, s).ID
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	values := []string{`{"b":1, "a" : 1.0}`, `"` + strings.Repeat("z", 4096) + `"`, `"` + strings.Repeat("ab", 1<<20) + `"`, string(noise),
		"\x00\x01", "\x1f\x8b", `'`, `"\u0000 \\ '' ?"`}
	var want []snapshot.Section
	for i, v := range values {
		want = append(want, section("s", fmt.Sprintf("%02d", i), snapshot.OK, v))
	}
	empty := section("t", "", snapshot.OK, "")
	empty.Value = json.RawMessage{}
	want = append(want, empty, section("u", "", snapshot.Denied, ""))
	require.NoError(t, s.PutSections(t.Context(), id, 1, want))
	got := sections(t, s, id)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, string(want[i].Value), string(got[i].Value), "value %d differs", i)
	}
	require.Nil(t, got[len(got)-1].Value)
}

func sectionDrop(t *testing.T, s store.Store) {
	a, b := running(t, s).ID, running(t, s).ID
	for _, id := range []string{a, b} {
		require.NoError(t, s.PutSections(t.Context(), id, 1, []snapshot.Section{section("a", "", snapshot.OK, `"`+id+`"`)}))
	}
	require.NoError(t, s.DropSections(t.Context(), a, 1))
	require.Empty(t, sections(t, s, a))
	require.Len(t, sections(t, s, b), 1)
	require.NoError(t, s.DropSections(t.Context(), a, 1))
}

// sectionZombie: what an earlier attempt read, perhaps with another token, is not kept beside what the holder read, and it does not drop
// that, also when both write at the same moment.
func sectionZombie(t *testing.T, s store.Store) {
	asleep := running(t, s)
	holder := claim(t, s, asleep.ID, noon().Add(2*lease))
	read := func(row store.JobRow, scope string) error {
		return s.PutSections(t.Context(), row.ID, row.Attempt, []snapshot.Section{section("a", scope, snapshot.OK, fmt.Sprint(row.Attempt))})
	}
	require.NoError(t, read(holder, "1"))
	require.ErrorIs(t, read(asleep, "2"), store.ErrFenced)
	require.ErrorIs(t, s.DropSections(t.Context(), asleep.ID, asleep.Attempt), store.ErrFenced)
	_, errs := together(callers, func(i int) (bool, error) {
		row := []store.JobRow{asleep, holder}[i%2]
		return i%2 == 0, read(row, fmt.Sprint("at once ", i))
	})
	require.Equal(t, callers/2, tally(t, errs, store.ErrFenced))
	all := sections(t, s, holder.ID)
	require.Len(t, all, 1+callers/2)
	for _, sec := range all {
		require.Equal(t, "2", string(sec.Value))
	}
	require.NoError(t, s.DropSections(t.Context(), holder.ID, holder.Attempt))
	require.NoError(t, s.Finish(t.Context(), holder.ID, holder.Attempt, posture.JobFailed, nil, nil, noon()))
	require.ErrorIs(t, read(holder, "late"), store.ErrFenced, "the job has ended")
}

func sectionNothing(t *testing.T, s store.Store) {
	require.NoError(t, s.PutSections(t.Context(), running(t, s).ID, 1, nil))
	require.Empty(t, sections(t, s, newID(t)))
	require.Error(t, s.PutSections(t.Context(), newID(t), 1, []snapshot.Section{section("a", "", snapshot.OK, `1`)}),
		"sections of a job that does not exist would never be dropped")
}

// sectionTexts saves texts that have a meaning in an SQL statement or in an array.
func sectionTexts(t *testing.T, s store.Store) {
	id := running(t, s).ID
	var want []snapshot.Section
	for i, text := range []string{"", " ", "NULL", `"`, `\`, `\"`, `a","b`, "{}", "},{", "'; --", "''", "?", "?0", "\n\t", "ü 世界 🙂", `\x00`,
		"%s"} {
		one := section("s", fmt.Sprintf("%02d %s", i, text), snapshot.Failed, "")
		one.Reason, one.Permission = text, text+text
		want = append(want, one)
	}
	require.NoError(t, s.PutSections(t.Context(), id, 1, want))
	require.Equal(t, want, sections(t, s, id))
}

// sectionTogether checks that sections jobs have read while a statement is running are written by one
// next statement.
func sectionTogether(t *testing.T, s store.Store) {
	const jobs = 8
	ids := make([]string, jobs)
	for i := range ids {
		ids[i] = running(t, s).ID
	}
	one := func(i int) snapshot.Section { return section("s", "1", snapshot.OK, fmt.Sprint(i)) }
	_, errs, statements := behindOne(t, s, "keep sections of a job", jobs, func(ctx context.Context, i int) (struct{}, error) {
		return struct{}{}, s.PutSections(ctx, ids[i], 1, []snapshot.Section{one(i)})
	})
	require.Equal(t, jobs, tally(t, errs, nil))
	require.LessOrEqual(t, statements, 2)
	for i, id := range ids {
		require.Equal(t, []snapshot.Section{one(i)}, sections(t, s, id))
	}
}

package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

func packCases() []testCase {
	return []testCase{
		{"packed sections are what they were, to the byte, and after each step", packedBytes},
		{"sections that are packed while they are read come once each", packedMeanwhile},
		{"only what ended with an assessment is packed", packedWhat},
		{"a job starts with packed sections as with others", packedResumed},
		{"packed sections are dropped alone, and what comes too late is not seen", packedDropped},
		{"packing that ends at any step goes on", packedInterrupted},
	}
}

// manySections makes n sections, in order, covering every field; those listed in changed get a
// different value.
func manySections(n int, changed ...int) []snapshot.Section {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	statuses := []snapshot.Status{snapshot.OK, snapshot.OK, snapshot.OK, snapshot.Absent, snapshot.Denied, snapshot.Skipped}
	out := make([]snapshot.Section, 0, n)
	for i := range n {
		sec := section(fmt.Sprintf("source-%02d", i*20/n), fmt.Sprintf("zone-%06d", i), statuses[random.IntN(len(statuses))], "")
		switch random.IntN(40) {
		case 0:
			sec.Value = json.RawMessage{}
		case 1:
			sec.Value = make(json.RawMessage, random.IntN(100_000))
		case 2:
			sec.Permission, sec.Reason, sec.Code = "Zone:Read", "it's ü \\ \n", -1000*i
		default:
			sec.Value = json.RawMessage(fmt.Sprintf(`{"b":%d, "a" : 1.0}`, random.IntN(1000)))
		}
		if at := random.IntN(3); at > 0 {
			sec.ReadAt = kept(noon().Add(-time.Duration(at) * time.Hour))
		}
		out = append(out, sec)
	}
	for _, i := range changed {
		out[i].Value = json.RawMessage(`"changed"`)
	}
	return out
}

// ranAt saves an assessment made from the given sections that was completed at a given time.
func ranAt(t testing.TB, s store.Store, account string, at time.Time, all []snapshot.Section) posture.Assessment {
	t.Helper()
	row := running(t, s)
	require.NoError(t, s.PutSections(t.Context(), row.ID, row.Attempt, all))
	a := assessment(t, row.ID, 3)
	a.Account.ID, a.CompletedAt = account, at
	in := saveOf(row, a)
	in.Now = at
	require.NoError(t, s.Save(t.Context(), in))
	return a
}

func ran(t testing.TB, s store.Store, all []snapshot.Section) (jobID string) {
	t.Helper()
	return ranAt(t, s, providerAccount, noon(), all).JobID
}

// packAll packs everything that is unpacked.
func packAll(ctx context.Context, s store.Store) (steps int, err error) {
	ids, err := s.Unpacked(ctx)
	for i := 0; err == nil && i < len(ids); i++ {
		for more := true; more && err == nil; steps++ {
			more, err = s.Pack(ctx, ids[i])
		}
	}
	return steps, err
}

func packed(t testing.TB, s store.Store) {
	t.Helper()
	_, err := packAll(t.Context(), s)
	require.NoError(t, err)
	left, err := s.Unpacked(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

func packedBytes(t *testing.T, s store.Store) {
	for _, n := range []int{0, 1, 127, 129, 3_000} {
		want := manySections(n)
		id := ran(t, s, want)
		require.Equal(t, want, sections(t, s, id))
		steps := 0
		for more := true; more; steps++ {
			var err error
			more, err = s.Pack(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, want, sections(t, s, id))
		}
		require.Equal(t, n > 1000, steps > 2, "%d sections took %d steps", n, steps)
		packed(t, s)
		require.Equal(t, want, sections(t, s, id))
	}
	large := section("s", "large", snapshot.OK, string(make([]byte, 9<<20)))
	want := []snapshot.Section{section("s", "a", snapshot.OK, "1"), large, section("s", "z", snapshot.OK, "2")}
	id := ran(t, s, want)
	packed(t, s)
	require.Equal(t, want, sections(t, s, id))
}

func packedMeanwhile(t *testing.T, s store.Store) {
	want := manySections(2_500)
	for _, at := range [][]int{{0}, {1, 2}, {99}, {100}, {101, 900, 1_900}, {1_200, 1_201, 1_202, 1_203}, {2_450}, {2_499}} {
		id := ran(t, s, want)
		got := []snapshot.Section{}
		for sec, err := range s.EachSection(t.Context(), id) {
			require.NoError(t, err)
			got = append(got, sec)
			if len(at) > 0 && len(got) > at[0] {
				at = at[1:]
				_, err := s.Pack(t.Context(), id)
				require.NoError(t, err)
			}
		}
		require.Equal(t, want, got)
	}
	id := ran(t, s, want)
	packed(t, s)
	for sec, err := range s.EachSection(t.Context(), id) {
		if err != nil {
			require.ErrorIs(t, err, store.ErrNotFound)
			return
		}
		if sec.Scope == want[0].Scope {
			require.NoError(t, s.DropSections(t.Context(), id, 1))
		}
	}
	t.Fatal("a part passed for the whole")
}

func packedWhat(t *testing.T, s store.Store) {
	want := manySections(50)
	busy, failed := running(t, s), running(t, s)
	for _, row := range []store.JobRow{busy, failed} {
		require.NoError(t, s.PutSections(t.Context(), row.ID, row.Attempt, want))
	}
	require.NoError(t, s.Finish(t.Context(), failed.ID, failed.Attempt, posture.JobFailed, nil, nil, noon()))
	ids, err := s.Unpacked(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	for _, id := range []string{busy.ID, failed.ID, newID(t), "", "\x00"} {
		more, err := s.Pack(t.Context(), id)
		require.NoError(t, err)
		require.False(t, more)
	}
	done := ran(t, s, want)
	ids, err = s.Unpacked(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{done}, ids)
	packed(t, s)
	// A run that continues finds what it has read, and adds to it.
	require.NoError(t, s.PutSections(t.Context(), busy.ID, busy.Attempt, []snapshot.Section{section("z", "", snapshot.OK, "1")}))
	require.Equal(t, append(want, section("z", "", snapshot.OK, "1")), sections(t, s, busy.ID))
	require.Equal(t, want, sections(t, s, failed.ID))
}

func packedResumed(t *testing.T, s store.Store) {
	all := manySections(1_500)
	resume := func(from string) []snapshot.Section {
		n := with(newJob(t), func(n *store.NewJob) { n.ResumeFrom = from })
		enqueue(t, s, n)
		return sections(t, s, n.ID)
	}
	id := ran(t, s, all)
	want := resume(id)
	require.Less(t, len(want), len(all), "what was denied is asked for again")
	for more := true; more; {
		var err error
		more, err = s.Pack(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, resume(id))
	}
}

func packedDropped(t *testing.T, s store.Store) {
	want := manySections(300)
	a, b := ran(t, s, want), ran(t, s, want)
	packed(t, s)
	require.ErrorIs(t, s.PutSections(t.Context(), a, 1, []snapshot.Section{section("a", "", snapshot.OK, "1"),
		section(want[7].Source, want[7].Scope, snapshot.Failed, "")}), store.ErrFenced, "the job has ended")
	require.Equal(t, want, sections(t, s, a))
	require.NoError(t, s.DropSections(t.Context(), a, 1))
	require.Empty(t, sections(t, s, a))
	_, err := s.Forget(t.Context(), store.Read, noon().Add(-time.Hour), noon()) // sweeps
	require.NoError(t, err)
	require.Equal(t, want, sections(t, s, b))
	require.NoError(t, s.DropSections(t.Context(), b, 1))
	require.Empty(t, sections(t, s, b))
}

// packedInterrupted cancels the context at every step, as if the process had ended.
func packedInterrupted(t *testing.T, s store.Store) {
	want := manySections(2_500)
	ids := []string{ran(t, s, want), ran(t, s, want)}
	ended := 0
	steps := 8
	if testing.Short() {
		steps = 2
	}
	for after := 1; ; after += 1 + after/steps {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := packAll(newTrigger(ctx, cancel, after), s)
		cancel()
		for _, id := range ids {
			require.Equal(t, want, sections(t, s, id), "ended after %d", after)
		}
		if err == nil {
			break
		}
		ended++
	}
	require.Greater(t, ended, 5)
	packed(t, s)
}

// racePack packs, reads, drops, forgets and saves concurrently: a reader gets all sections or none.
func racePack(t *testing.T, s store.Store) {
	want := manySections(1_500)
	times := 10
	if testing.Short() {
		times = 3
	}
	for round := range times {
		kept, old := ran(t, s, want), ranAt(t, s, providerAccount, noon().Add(-time.Hour), want).JobID
		dropped := ran(t, s, want)
		whole := func(id string) error {
			got, err := store.Collect(s.EachSection(t.Context(), id))
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			if err != nil || len(got) == 0 && id != kept {
				return err
			}
			if len(got) != len(want) || got[700].Scope != want[700].Scope || string(got[1_400].Value) != string(want[1_400].Value) {
				return fmt.Errorf("%d sections of %d", len(got), len(want))
			}
			return nil
		}
		_, errs := together(14, func(i int) (struct{}, error) {
			var err error
			switch i {
			case 0, 1, 2, 3:
				_, err = packAll(t.Context(), s)
			case 4:
				err = s.DropSections(t.Context(), dropped, 1)
			case 5, 6:
				for n := 1; n > 0 && err == nil; {
					n, err = s.Forget(t.Context(), store.Read, noon().Add(-time.Minute), noon())
				}
			case 7:
				ran(t, s, want)
			default:
				for range 3 {
					err = errors.Join(err, whole([]string{kept, old, dropped}[i%3]))
				}
			}
			return struct{}{}, err
		})
		require.Equal(t, len(errs), tally(t, errs, nil), "round %d", round)
		for n := 1; n > 0; {
			var err error
			n, err = s.Forget(t.Context(), store.Read, noon().Add(-time.Minute), noon())
			require.NoError(t, err)
		}
		packed(t, s)
		require.Equal(t, want, sections(t, s, kept))
		require.Empty(t, sections(t, s, old))
		require.Empty(t, sections(t, s, dropped))
	}
}

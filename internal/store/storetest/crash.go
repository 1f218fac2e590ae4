package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// kills is the number of kills in each case.
func kills() int {
	if testing.Short() {
		return 4
	}
	return 10
}

// Crash tests what is left after the store was closed or its process was killed at a random moment:
// everything that was acknowledged, and nothing partial.
func Crash(t *testing.T, o Opener) {
	for name, run := range map[string]func(*testing.T, Opener){
		"committed data is there after a close":         crashClose,
		"killed in the middle of a save":                crashSave,
		"killed while it acknowledges jobs":             crashEnqueue,
		"killed in the middle of writing sections":      crashSections,
		"killed while it packs sections":                crashPack,
		"killed while it writes to the audit log":       crashAppend,
		"a job of a killed worker is claimed and ended": crashTakeover,
	} {
		t.Run(name, func(t *testing.T) { run(t, o) })
	}
}

// session opens the database at a place while fn runs.
func session(t testing.TB, o Opener, place string, fn func(s store.Store)) {
	t.Helper()
	s, err := o.Open(t.Context(), place)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	fn(s)
}

func crashClose(t *testing.T, o Opener) {
	place := o.Place(t)
	a := anAccount(t, "main")
	a.Default = true
	var row store.JobRow
	var report posture.Assessment
	session(t, o, place, func(s store.Store) {
		put(t, s, a, []byte("token"))
		report = saved(t, s, 1500, nil)
		row = running(t, s)
		require.NoError(t, s.PutSections(t.Context(), row.ID, row.Attempt, sectionsOf(30)))
	})
	session(t, o, place, func(s store.Store) {
		got, err := s.DefaultAccount(t.Context())
		require.NoError(t, err)
		require.Equal(t, a, got)
		require.Equal(t, report.Findings, findings(t, s, report.ID, store.FindingFilter{}))
		require.Equal(t, 1500, countStates(t, s))
		require.Equal(t, row, job(t, s, row.ID))
		require.Len(t, sections(t, s, row.ID), 30)
		require.NoError(t, s.SetProgress(t.Context(), row.ID, row.Attempt, posture.Progress{}), "a restart does not fence")
	})
	o.Check(t, place)
}

func crashSave(t *testing.T, o Opener) {
	const size = 2500
	place := o.Place(t)
	// An undisturbed run shows how long one takes on this machine.
	whole := saveInChild(t, o, place, size, 0).elapsed
	complete, nothing := 0, 0
	for i := range kills() {
		c := saveInChild(t, o, place, size, moment(t, i, kills(), whole))
		o.Check(t, place)
		session(t, o, place, func(s store.Store) {
			got := job(t, s, c.jobID)
			all, _, err := s.Findings(t.Context(), c.assessmentID, store.FindingFilter{}, store.Page{})
			if got.State == posture.JobSucceeded {
				complete++
				require.NoError(t, err)
				require.Len(t, all, size)
				require.Equal(t, c.assessmentID, got.AssessmentID)
				require.Len(t, knownStates(t, s, c.account), size)
				return
			}
			nothing++
			require.False(t, c.acknowledged, "an acknowledged save is gone")
			require.Equal(t, posture.JobRunning, got.State)
			require.ErrorIs(t, err, store.ErrNotFound)
			require.Empty(t, knownStates(t, s, c.account))
			next := claim(t, s, c.jobID, noon().Add(time.Hour))
			require.Equal(t, 2, next.Attempt)
		})
	}
	t.Logf("of %d killed saves %d were complete and %d left nothing", kills(), complete, nothing)
}

func crashEnqueue(t *testing.T, o Opener) {
	place := o.Place(t)
	session(t, o, place, func(store.Store) {})
	acknowledged := 0
	for i := range kills() {
		c := startChild(t, o, "enqueue", place)
		// The kill is timed by the number of acknowledged jobs.
		lines := c.killAfter(t, 1+i*3)
		session(t, o, place, func(s store.Store) {
			for _, id := range lines {
				row := job(t, s, id)
				require.Equal(t, posture.JobRunning, row.State, "an acknowledged claim is gone")
				require.Equal(t, 1, row.Attempt)
			}
			acknowledged += len(lines)
			counts := jobStates(t, s)
			require.GreaterOrEqual(t, counts[posture.JobRunning], acknowledged)
		})
	}
	o.Check(t, place)
	require.Positive(t, acknowledged)
}

func crashSections(t *testing.T, o Opener) {
	place := o.Place(t)
	session(t, o, place, func(store.Store) {})
	for i := range kills() {
		c := startChild(t, o, "sections", place)
		lines := c.killAfter(t, 1+i)
		jobID := lines[0]
		session(t, o, place, func(s store.Store) {
			got := sections(t, s, jobID)
			require.Zero(t, len(got)%sectionBatch, "a batch of sections was torn")
			require.GreaterOrEqual(t, len(got), (len(lines)-1)*sectionBatch, "an acknowledged batch is gone")
			batches := map[string]int{}
			for _, sec := range got {
				batch, _, _ := strings.Cut(sec.Scope, "/")
				batches[batch]++
			}
			for batch, n := range batches {
				require.Equal(t, sectionBatch, n, "batch %s", batch)
			}
		})
	}
	o.Check(t, place)
}

func crashPack(t *testing.T, o Opener) {
	place := o.Place(t)
	want := manySections(3_000)
	var ids []string
	session(t, o, place, func(s store.Store) {
		for range 6 {
			ids = append(ids, ran(t, s, want))
		}
	})
	for i := range kills() / 2 {
		startChild(t, o, "pack", place).killAfter(t, 1+i)
		session(t, o, place, func(s store.Store) {
			for _, id := range ids {
				require.Equal(t, want, sections(t, s, id))
			}
			ids = append(ids, ran(t, s, want)) // for the next round
		})
	}
	session(t, o, place, func(s store.Store) {
		packed(t, s)
		for _, id := range ids {
			require.Equal(t, want, sections(t, s, id))
		}
	})
	o.Check(t, place)
}

func crashAppend(t *testing.T, o Opener) {
	place := o.Place(t)
	session(t, o, place, func(store.Store) {})
	acknowledged := map[string]bool{}
	for i := range kills() / 2 {
		c := startChild(t, o, "append", place)
		for _, line := range c.killAfter(t, 1+i*20) {
			require.False(t, acknowledged[line], "an entry was given twice")
			acknowledged[line] = true
		}
	}
	session(t, o, place, func(s store.Store) {
		_, err := store.VerifyAudit(t.Context(), s, audit.Head{})
		require.NoError(t, err)
		all, _, err := s.Audit(t.Context(), store.AuditFilter{}, store.Page{})
		require.NoError(t, err)
		for _, e := range all {
			delete(acknowledged, fmt.Sprintf("%d:%s", e.Seq, e.Hash))
		}
		require.Empty(t, acknowledged, "an acknowledged entry is gone")
	})
}

// crashTakeover kills the first worker of a job; the second one finds its sections and finishes the
// job.
func crashTakeover(t *testing.T, o Opener) {
	place := o.Place(t)
	session(t, o, place, func(store.Store) {})
	c := startChild(t, o, "sections", place)
	jobID := c.killAfter(t, 4)[0]
	session(t, o, place, func(s store.Store) {
		recovered(t, s, noon().Add(time.Hour))
		require.Equal(t, []string{jobID}, due(t, s, noon().Add(time.Hour)))
		row := claim(t, s, jobID, noon().Add(time.Hour))
		require.Equal(t, 2, row.Attempt)
		require.GreaterOrEqual(t, len(sections(t, s, jobID)), 3*sectionBatch)
		require.NoError(t, s.Save(t.Context(), saveOf(row, assessment(t, jobID, 10))))
		require.NoError(t, s.DropSections(t.Context(), jobID, row.Attempt))
	})
	session(t, o, place, func(s store.Store) {
		require.Equal(t, posture.JobSucceeded, job(t, s, jobID).State)
		require.Equal(t, 1, countReports(t, s), "job %s", jobID)
	})
}

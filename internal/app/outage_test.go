package app_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
)

// TestFrozenWorkerCannotCommit stops a worker past its lease, lets another
// finish, and wakes it: the sleeper must notice that the job is no longer its.
func TestFrozenWorkerCannotCommit(t *testing.T) {
	t.Parallel()
	o := small()
	o.Latency = 100 * time.Millisecond
	s, workers := distributed(t, o)
	var j posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &j)
	eventually(t, 20*time.Second, "some reads are done", func() bool { return s.cloud.Requests().Total > 10 })
	i := slices.IndexFunc(workers[:2], func(w *process) bool { return strings.Contains(w.String(), j.ID) })
	require.GreaterOrEqual(t, i, 0)
	require.NoError(t, workers[i].cmd.Process.Signal(syscall.SIGSTOP))
	eventually(t, 60*time.Second, "the other worker finishes", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State == posture.JobSucceeded
	})
	require.Equal(t, 2, j.Attempt)
	require.NoError(t, workers[i].cmd.Process.Signal(syscall.SIGCONT))
	eventually(t, 60*time.Second, "the sleeper gives up", func() bool { return strings.Contains(workers[i].String(), "the lease was lost") })
	var list struct{ Assessments []posture.AssessmentSummary }
	s.get("/api/assessments", &list)
	require.Len(t, list.Assessments, 1, "the job was committed twice")
	after := j
	s.get("/api/jobs/"+j.ID, &after)
	require.Equal(t, j, after)
}

// TestRedisIsLost kills Redis in the middle of a run and starts it empty: the
// API keeps reading, and the run ends after Redis is back.
func TestRedisIsLost(t *testing.T) {
	t.Parallel()
	o := small()
	o.Latency = 100 * time.Millisecond
	server := redistest.Run(t)
	s, _ := distributedOn(t, o, server.URL)
	var j posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &j)
	eventually(t, 20*time.Second, "some reads are done", func() bool { return s.cloud.Requests().Total > 10 })
	server.Down()
	require.Equal(t, 200, s.call("GET", "/api/jobs/"+j.ID, nil).status)
	var h struct{ Status string }
	s.get("/api/health", &h)
	require.Equal(t, "degraded", h.Status)
	server.Up()
	eventually(t, 90*time.Second, "the run ends", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State.Terminal()
	})
	require.Equal(t, posture.JobSucceeded, j.State, "%+v", j.Error)
}

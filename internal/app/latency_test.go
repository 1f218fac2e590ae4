package app_test

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

// startsWithin runs jobs one after the other and gives the median of the time from being enqueued to being started.
func (s *system) startsWithin(jobs int) time.Duration {
	s.t.Helper()
	var waits []time.Duration
	for range jobs {
		got := s.call("POST", "/api/assess", map[string]any{"checks": []string{"CFL-ZONE-001"}})
		require.Equal(s.t, 200, got.status, string(got.body))
		var a posture.Assessment
		got.into(s.t, &a)
		var j posture.Job
		s.get("/api/jobs/"+a.JobID, &j)
		waits = append(waits, j.StartedAt.Sub(j.CreatedAt))
	}
	slices.Sort(waits)
	s.t.Logf("%d jobs: started after median %s, p95 %s", jobs, waits[len(waits)/2], waits[(len(waits)*95+99)/100-1])
	return waits[len(waits)/2]
}

// holdsStart holds that an idle worker is told of a job: one that only looked every second would start half of them 500 ms late or
// more. A machine that is busy with something else has three tries.
func (s *system) holdsStart() {
	s.t.Helper()
	s.startsWithin(3)
	best := s.startsWithin(20)
	for n := 0; n < 2 && best > 300*time.Millisecond; n++ {
		best = min(best, s.startsWithin(20))
	}
	require.LessOrEqual(s.t, best, 300*time.Millisecond)
}

func TestStartLatencyEmbedded(t *testing.T) {
	embedded(t, small()).holdsStart()
}

// shared is the environment of every process of a distributed deployment, with a
// database of its own.
func shared(t *testing.T, cloud *simcloud.Cloud, provider, redisURL string) []string {
	t.Helper()
	return []string{"DATA_DIR=" + t.TempDir(), "DATABASE_URL=" + pgtest.Start(t), "REDIS_URL=" + redisURL, "SERVICE_ENCRYPTION_KEY=" + testKey,
		"CLOUDFLARE_BASE_URL=" + provider, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, names(t, cloud),
		"CLOUDFLARE_REQUESTS_PER_5M=1000000", "SERVICE_LOG_FORMAT=json"}
}

// connected connects to the database of an environment until the test ends.
func connected(t *testing.T, environ []string) *pgx.Conn {
	t.Helper()
	at := slices.IndexFunc(environ, func(v string) bool { return strings.HasPrefix(v, "DATABASE_URL=") })
	conn, err := pgx.Connect(t.Context(), strings.TrimPrefix(environ[at], "DATABASE_URL="))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return conn
}

// distributed starts one API and two workers as processes of their own.
func distributed(t *testing.T, o simcloud.Options) (*system, []*process) {
	t.Helper()
	return distributedOn(t, o, redistest.Start(t))
}

func distributedOn(t *testing.T, o simcloud.Options, redisURL string) (*system, []*process) {
	t.Helper()
	cloud, url := simulate(t, o)
	environ := shared(t, cloud, url, redisURL)
	s := &system{t: t, cloud: cloud}
	api := spawn(t, "serve", environ...)
	s.url = api.says(t, "listening on ")
	workers := []*process{spawn(t, "worker", environ...), spawn(t, "worker", environ...)}
	for _, w := range workers {
		w.says(t, "worker ready")
	}
	return s, append(workers, api)
}

func TestStartLatencyDistributed(t *testing.T) {
	s, _ := distributed(t, small())
	s.holdsStart()
	var h struct{ Workers int }
	s.get("/api/health", &h)
	require.Equal(t, 2, h.Workers)
}

// TestStopHandsJobsBack ends both workers and the API with SIGTERM in the middle
// of a run, the first worker with several of them; the job is queued again and the processes end cleanly and soon.
func TestStopHandsJobsBack(t *testing.T) {
	o := small()
	o.Latency = 150 * time.Millisecond
	s, processes := distributed(t, o)
	var j posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &j)
	eventually(t, 10*time.Second, "some reads are done", func() bool { return s.cloud.Requests().Total > 10 })
	start := time.Now()
	for _, w := range processes[:2] {
		require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM))
	}
	require.Eventually(t, func() bool {
		_ = processes[0].cmd.Process.Signal(syscall.SIGTERM)
		return len(processes[0].done) == 1
	}, 25*time.Second, time.Millisecond)
	for _, w := range processes[:2] {
		require.NoError(t, <-w.done, w.String())
		w.done <- nil
	}
	require.Less(t, time.Since(start), 25*time.Second)
	s.get("/api/jobs/"+j.ID, &j)
	require.Equal(t, posture.JobQueued, j.State, "the job is handed back")
	for _, p := range processes {
		require.NotContains(t, p.String(), s.cloud.Tokens()[0].Secret, "the token is in a log")
	}
	require.NoError(t, processes[2].cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-processes[2].done)
	processes[2].done <- nil
}

// TestStopAndStartGoesOn stops the embedded process in the middle of a run and
// starts it again: the run goes on at once, from what it had read.
func TestStopAndStartGoesOn(t *testing.T) {
	o := small()
	o.Latency = 100 * time.Millisecond
	cloud, url := simulate(t, o)
	environ := []string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		names(t, cloud)}
	p := spawn(t, "serve", environ...)
	s := &system{t: t, cloud: cloud, url: p.says(t, "listening on ")}
	var j posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &j)
	eventually(t, 10*time.Second, "some reads are done", func() bool { return cloud.Requests().Total > 15 })
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-p.done, p.String())
	p.done <- nil
	p = spawn(t, "serve", environ...)
	s.url = p.says(t, "listening on ")
	booted := time.Now()
	eventually(t, 8*time.Second, "the run ends", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State.Terminal()
	})
	require.Equal(t, posture.JobSucceeded, j.State)
	require.Equal(t, 2, j.Attempt)
	t.Logf("ended %s after the restart", time.Since(booted).Round(time.Millisecond))
}

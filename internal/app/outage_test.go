package app_test

import (
	"database/sql"
	"encoding/json"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/porttest"
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
	require.Equal(t, 503, s.call("GET", "/readyz", nil).status)
	require.Equal(t, 503, s.call("HEAD", "/readyz", nil).status)
	server.Up()
	eventually(t, 90*time.Second, "the run ends", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State.Terminal()
	})
	require.Equal(t, posture.JobSucceeded, j.State, "%+v", j.Error)
}

// TestEveryLineOfTheLogIsJSON takes Redis away from an API and a worker, sends the
// API what is no HTTP, and reads what they wrote: that of the libraries, too.
func TestEveryLineOfTheLogIsJSON(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	server := redistest.Run(t)
	port := strconv.Itoa(porttest.Free(t))
	environ := append(shared(t, cloud, url, server.URL), "PORT="+port, "METRICS_ADDR=127.0.0.1:0", "SERVICE_LOG_LEVEL=debug")
	all := []*process{spawn(t, "serve", environ...), spawn(t, "worker", environ...)}
	all[0].says(t, "listening on ")
	all[1].says(t, "worker ready")
	server.Down()
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	_, err = conn.Write([]byte("this is no HTTP\r\n\r\n"))
	require.NoError(t, err)
	_, err = io.ReadAll(conn)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	eventually(t, 30*time.Second, "both speak of it", func() bool {
		code, _, _ := mode(app.Role{API: true}, environ, "health")
		return code == 1 && !slices.ContainsFunc(all, func(p *process) bool { return !strings.Contains(p.String(), "dial tcp") })
	})
	for _, p := range all {
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, <-p.done)
		p.done <- nil
	}
	refused := spawn(t, "serve", append(environ, "SERVICE_LIMIT_JOBS=many")...)
	gone := spawn(t, "worker", environ...) // Redis is not there
	for _, p := range []*process{refused, gone} {
		require.Error(t, <-p.done)
		p.done <- nil
	}
	for _, p := range append(all, refused, gone) {
		for line := range strings.Lines(p.String()) {
			if strings.HasPrefix(line, "listening on ") || line == "worker ready\n" {
				continue // what stdout says
			}
			require.True(t, json.Valid([]byte(line)), line)
		}
	}
}

// TestHealthOfALockedFile blames what holds the file, and nothing that works.
func TestHealthOfALockedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, small(), "DATA_DIR="+dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var h httpapi.Health
	eventually(t, 20*time.Second, "the worker has told of itself", func() bool {
		s.get("/api/health", &h)
		return h.Workers == 1
	})
	tx, err := db.BeginTx(t.Context(), nil) // holds the write lock
	require.NoError(t, err)
	eventually(t, 20*time.Second, "the lock is felt", func() bool {
		s.get("/api/health", &h)
		return h.Store.Status == "failing"
	})
	require.Contains(t, h.Store.Reason, "hold")
	require.Equal(t, "ok", h.Queue.Status, h.Queue.Reason)
	require.Equal(t, 1, h.Workers)
	require.Equal(t, "failing", h.Settings.Status)
	require.NotContains(t, h.Store.Reason+h.Queue.Reason+h.Settings.Reason, "server")
	require.NoError(t, tx.Rollback())
}

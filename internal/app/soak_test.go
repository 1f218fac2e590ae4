package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// sample is what the processes of a deployment hold at one moment.
type sample struct {
	at                              time.Duration
	memory, descriptors, goroutines int // MB, number and number, of all processes together
	redisKeys, redisKB, locks, runs int
}

// TestSoak assesses, reads and breaks a deployment for as long as EDGEPOSTURE_SOAK says
// (make soak: an hour) and holds that what it takes does not grow.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("EDGEPOSTURE_SOAK"))
	if err != nil {
		t.Skip("set EDGEPOSTURE_SOAK to a duration; make soak does")
	}
	program(t)
	p := newPlant(t, 4096, "METRICS_ADDR=127.0.0.1:0")
	rdb := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(p.redis.URL, "redis://")})
	defer func() { require.NoError(t, rdb.Close()) }()
	// Those that kill would replace the processes that are watched.
	list := slices.DeleteFunc(faults(), func(f fault) bool {
		return strings.Contains(f.name, "killed") || strings.Contains(f.name, "stopped") || strings.Contains(f.name, "2m0s") ||
			strings.Contains(f.name, "30s")
	})
	var samples []sample
	began, runs := time.Now(), 0
	for n := 0; time.Since(began) < long; n++ {
		t.Logf("%.0f s: %s", time.Since(began).Seconds(), list[n%len(list)].name)
		out := p.round(list[n%len(list)])
		require.Zero(t, out.different)
		for range 20 {
			for _, path := range []string{"/api/assessment", "/api/findings", "/api/posture/graph", "/api/jobs", "/api/trends", "/report"} {
				require.Equal(t, 200, p.apis[n%2].call("GET", path, nil).status, path)
			}
		}
		runs += faultAccounts
		s := p.sample(t, rdb)
		s.at, s.runs = time.Since(began), runs
		samples = append(samples, s)
	}
	var table strings.Builder
	table.WriteString("\n| minute | runs | MB | descriptors | goroutines | Redis keys | Redis kB | waits for locks " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for i, s := range samples {
		if i%max(1, len(samples)/12) == 0 {
			fmt.Fprintf(&table, "| %.0f | %d | %d | %d | %d | %d | %d | %d |\n", s.at.Minutes(), s.runs, s.memory, s.descriptors, s.goroutines,
				s.redisKeys, s.redisKB, s.locks)
		}
	}
	t.Log(table.String())
	third := len(samples) / 3
	require.Positive(t, third, "too short for a comparison")
	for name, of := range map[string]func(sample) int{"memory": func(s sample) int { return s.memory },
		"descriptors": func(s sample) int { return s.descriptors },
		"goroutines":  func(s sample) int { return s.goroutines }, "Redis keys": func(s sample) int { return s.redisKeys },
		"Redis memory": func(s sample) int { return s.redisKB }} {
		middle, end := median(samples[third:2*third], of), median(samples[len(samples)-third:], of)
		require.LessOrEqual(t, end, middle*5/4+10, "%s grows: %d in the middle, %d at the end", name, middle, end)
	}
}

func median(samples []sample, of func(sample) int) int {
	values := make([]int, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (p *plant) sample(t *testing.T, rdb *redis.Client) (s sample) {
	t.Helper()
	for _, process := range slices.Concat(p.procs, p.workers) {
		pid := strconv.Itoa(process.cmd.Process.Pid)
		s.memory += inStatus(t, pid, "VmRSS") / 1024
		open, err := filepath.Glob("/proc/" + pid + "/fd/*")
		require.NoError(t, err)
		s.descriptors += len(open)
		s.goroutines += process.metric(t, "go_goroutines")
	}
	keys, err := rdb.DBSize(t.Context()).Result()
	require.NoError(t, err)
	info, err := rdb.Info(t.Context(), "memory").Result()
	require.NoError(t, err)
	used, err := strconv.Atoi(regexp.MustCompile(`used_memory:(\d+)`).FindStringSubmatch(info)[1])
	require.NoError(t, err)
	s.redisKeys, s.redisKB = int(keys), used/1024
	s.locks = p.lockWaits(t)
	return s
}

// inStatus gives a number of /proc/PID/status, in kB.
func inStatus(t *testing.T, pid, name string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	require.NoError(t, err)
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindStringSubmatch(string(raw))
	require.NotNil(t, found)
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return n
}

// metric gives one value a process serves.
func (p *process) metric(t *testing.T, name string) int {
	t.Helper()
	at := regexp.MustCompile(`"metrics are served","address":"([^"]+)"`).FindStringSubmatch(p.String())
	require.NotNil(t, at)
	resp, err := http.Get("http://" + at[1] + "/metrics")
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^` + name + ` (\d+)`).FindStringSubmatch(string(raw))
	require.NotNil(t, found, name)
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return n
}

// lockWaits counts the sessions of the database that wait for another's lock now.
func (p *plant) lockWaits(t *testing.T) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), p.database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "+
		"wait_event_type = 'Lock'").Scan(&n))
	return n
}

package app_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

const (
	faultAccounts = 4
	faultWorkers  = 3
)

// plant is a distributed deployment with all that it hangs on: two APIs, three
// workers, PostgreSQL, Redis and the provider. Faults are done to it while every
// account is assessed.
type plant struct {
	t     *testing.T
	cloud *simcloud.Cloud
	redis *redistest.Server
	// database is its address; it lies on disk, or where all do if that is "".
	database, name, disk string
	environ              []string
	apis                 []*system
	procs                []*process // of the APIs
	workers              []*process
	rand                 *mathrand.Rand

	accounts []string
	quiet    map[string]verdict // by account, undisturbed
	requests int                // of all of them

	seen   atomic.Int64 // requests of the provider in this round
	at     atomic.Int64 // the request at which the fault comes
	moment chan struct{}
}

// verdict is what an assessment says, without when.
type verdict struct {
	digest   string
	findings []string
}

// newPlant gives its database a disk of so many MiB, which that of a fault fills.
func newPlant(t *testing.T, mib int, environ ...string) *plant {
	t.Helper()
	p := &plant{t: t, moment: make(chan struct{}, 1), rand: mathrand.New(mathrand.NewPCG(15, 55)), redis: redistest.Run(t),
		quiet: map[string]verdict{}}
	fixed := time.Now().Truncate(time.Hour)
	o := simcloud.Options{Seed: 55, Limit: simcloud.Limit{Disabled: true}, Latency: 15 * time.Millisecond, Jitter: 15 * time.Millisecond,
		Now: func() time.Time { return fixed }, OnRequest: func(string, string) {
			if p.seen.Add(1) == p.at.Load() {
				p.moment <- struct{}{}
			}
		}}
	for n := range faultAccounts {
		id := fmt.Sprintf("%032x", 0xfa017+n)
		o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Zones: 2, RecordsPerZone: 8, Plant: 0.3,
			Plans: []string{"enterprise", "free"}})
		o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
			Accounts: []string{id}})
	}
	var provider string
	p.cloud, provider = simulate(t, o)
	p.environ = shared(t, p.cloud, provider, p.redis.URL)
	database, disk := pgtest.StartOnDisk(t, mib)
	cfg, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	p.environ = append(append(p.environ, "DATABASE_URL="+database), environ...)
	p.database, p.name, p.disk = database, cfg.Database, disk
	for range 2 {
		p.apis, p.procs = append(p.apis, &system{t: t, cloud: p.cloud}), append(p.procs, nil)
		p.startAPI(len(p.apis) - 1)
	}
	for range faultWorkers {
		p.workers = append(p.workers, nil)
		p.startWorker(len(p.workers) - 1)
	}
	p.accounts = []string{p.apis[0].account("default").ID}
	for n := 1; n < faultAccounts; n++ {
		got := p.apis[0].call("POST", "/api/accounts", map[string]any{"name": fmt.Sprint("account ", n), "token": o.Tokens[n].Secret})
		require.Equal(t, 201, got.status, string(got.body))
		var made struct{ ID string }
		got.into(t, &made)
		p.accounts = append(p.accounts, made.ID)
	}
	p.run(func(string, posture.Job, verdict) {}) // finds the accounts
	p.cloud.ResetRequests()
	p.run(func(account string, _ posture.Job, v verdict) { p.quiet[account] = v })
	p.requests = p.cloud.Requests().Total
	require.Len(t, p.quiet, faultAccounts)
	return p
}

func (p *plant) startAPI(n int) {
	p.t.Helper()
	p.procs[n] = spawn(p.t, "serve", p.environ...)
	p.apis[n].url = p.procs[n].says(p.t, "listening on ")
}

func (p *plant) startWorker(n int) {
	p.t.Helper()
	p.workers[n] = spawn(p.t, "worker", p.environ...)
	p.workers[n].says(p.t, "worker ready")
}

// begin queues a run of each account and gives their jobs.
func (p *plant) begin() map[string]string {
	p.t.Helper()
	jobs := map[string]string{}
	for n, account := range p.accounts {
		got := p.apis[n%2].call("POST", "/api/assess", map[string]any{"account": account}, "Prefer", "respond-async")
		require.Equal(p.t, 202, got.status, string(got.body))
		var j posture.Job
		got.into(p.t, &j)
		jobs[account] = j.ID
	}
	return jobs
}

// end waits until the jobs have ended, and holds that each left one assessment.
func (p *plant) end(jobs map[string]string, tell func(account string, j posture.Job, v verdict)) {
	p.t.Helper()
	for account, id := range jobs {
		var j posture.Job
		ended := func() bool { return p.look(id, &j) && j.State.Terminal() }
		if !assert.Eventually(p.t, ended, 4*time.Minute, 20*time.Millisecond, "job %s ends", id) {
			p.explain(j)
		}
		require.Equal(p.t, posture.JobSucceeded, j.State, "lost: %+v", j.Error)
		var list struct{ Assessments []posture.AssessmentSummary }
		p.apis[0].get("/api/assessments?limit=1000&account="+account, &list)
		of := slices.DeleteFunc(list.Assessments, func(a posture.AssessmentSummary) bool { return a.JobID != id })
		require.Len(p.t, of, 1, "assessments of one job")
		var a posture.Assessment
		p.apis[1].get("/api/assessments/"+j.AssessmentID+"?result=all", &a)
		v := verdict{digest: a.SnapshotDigest}
		for _, f := range a.Findings {
			v.findings = append(v.findings, fmt.Sprintf("%s %s %s %s %s", f.CheckID, f.Result, f.Resource.Type, f.Resource.ID, f.Message))
		}
		tell(account, j, v)
	}
}

// explain ends the test with all that tells why a job does not end: the job, and what its
// workers say and where they stand, in files.
func (p *plant) explain(j posture.Job) {
	p.t.Helper()
	dir, err := os.MkdirTemp("", "edgeposture-stuck-")
	require.NoError(p.t, err)
	for n, w := range p.workers {
		_ = w.cmd.Process.Signal(syscall.SIGQUIT) // Go prints every goroutine
		select {
		case err := <-w.done:
			w.done <- err
		case <-time.After(10 * time.Second):
		}
		require.NoError(p.t, os.WriteFile(filepath.Join(dir, fmt.Sprint("worker-", n)), []byte(w.String()), 0o600))
	}
	require.Fail(p.t, "a job is stuck", "%+v %+v; see %s", j, j.Progress, dir)
}

// look reads a job from whichever API answers.
func (p *plant) look(id string, j *posture.Job) bool {
	for _, s := range p.apis {
		if got, err := s.try("/api/jobs/" + id); err == nil && got.status == 200 {
			got.into(p.t, j)
			return true
		}
	}
	return false
}

func (p *plant) run(tell func(string, posture.Job, verdict)) {
	p.t.Helper()
	p.end(p.begin(), tell)
}

// outcome is what a round showed.
type outcome struct {
	recovery  time.Duration // from the end of the fault until the last job that was at work had moved on
	different int
}

// round assesses every account, does the fault at a random request, and holds what
// comes of it against the undisturbed runs.
func (p *plant) round(f fault) outcome {
	p.t.Helper()
	p.seen.Store(0)
	p.at.Store(int64(1 + p.rand.IntN(p.requests*2/3)))
	jobs := p.begin()
	<-p.moment
	f.do(p)
	began := time.Now()
	before := map[string]posture.Job{}
	for _, id := range jobs {
		var j posture.Job
		eventually(p.t, time.Minute, "an API answers", func() bool { return p.look(id, &j) })
		if !j.State.Terminal() {
			before[id] = j
		}
	}
	for id, b := range before {
		eventually(p.t, 3*time.Minute, "job "+id+" moves on", func() bool {
			var j posture.Job
			return p.look(id, &j) && (j.State.Terminal() || j.Progress.Requests > b.Progress.Requests || j.Progress.Phase != b.Progress.Phase)
		})
	}
	out := outcome{recovery: time.Since(began)}
	p.end(jobs, func(account string, _ posture.Job, v verdict) {
		if v.digest != p.quiet[account].digest || !slices.Equal(v.findings, p.quiet[account].findings) {
			out.different++
		}
	})
	return out
}

// fault is something that breaks; do breaks it, waits as long as it lasts and mends it.
type fault struct {
	name string
	do   func(p *plant)
	// itself: the process handed its jobs back, so that nobody has to find out.
	itself bool
}

func last(d time.Duration) { <-time.After(d) }

// faults lists what is done to a deployment.
func faults() []fault {
	worker := func(p *plant) int { return p.rand.IntN(faultWorkers) }
	redis := func(name string, d time.Duration, start, end func(*redistest.Server)) fault {
		return fault{name: "Redis " + name, do: func(p *plant) { start(p.redis); last(d); end(p.redis) }}
	}
	provider := func(d time.Duration) fault {
		return fault{name: fmt.Sprint("provider out for ", d), do: func(p *plant) { p.cloud.Outage(true); last(d); p.cloud.Outage(false) }}
	}
	database := func(name string, d time.Duration, start, end func(p *plant)) fault {
		return fault{name: "database " + name, do: func(p *plant) { start(p); last(d); end(p) }}
	}
	none := func(*redistest.Server) {}
	return []fault{
		{name: "worker killed", do: func(p *plant) { n := worker(p); p.workers[n].kill(); p.startWorker(n) }},
		{name: "worker stopped", itself: true, do: func(p *plant) {
			n := worker(p)
			require.NoError(p.t, p.workers[n].cmd.Process.Signal(syscall.SIGTERM))
			p.workers[n].wait(p.t)
			p.startWorker(n)
		}},
		{name: "worker frozen for 14s", do: func(p *plant) {
			w := p.workers[worker(p)].cmd.Process
			require.NoError(p.t, w.Signal(syscall.SIGSTOP))
			last(14 * time.Second)
			require.NoError(p.t, w.Signal(syscall.SIGCONT))
		}},
		{name: "all workers killed", do: func(p *plant) {
			for n := range p.workers {
				p.workers[n].kill()
			}
			for n := range p.workers {
				p.startWorker(n)
			}
		}},
		{name: "API killed", do: func(p *plant) { p.procs[0].kill(); p.startAPI(0) }},
		redis("emptied", 0, (*redistest.Server).Flush, none),
		redis("killed, empty", 0, (*redistest.Server).Down, (*redistest.Server).Up),
		{name: "Redis killed, restarted from its log", do: func(p *plant) {
			p.redis.Configure("appendonly", "yes")
			last(time.Second)
			p.redis.Down()
			p.redis.UpFromLog()
		}},
		redis("away for 8s", 8*time.Second, (*redistest.Server).Down, (*redistest.Server).Up),
		redis("away for 30s", 30*time.Second, (*redistest.Server).Down, (*redistest.Server).Up),
		redis("frozen for 12s", 12*time.Second, (*redistest.Server).Freeze, (*redistest.Server).Thaw),
		redis("full for 8s", 8*time.Second, func(s *redistest.Server) { s.Configure("maxmemory", "1") },
			func(s *redistest.Server) { s.Configure("maxmemory", "0") }),
		redis("takes no more connections for 8s", 8*time.Second, func(s *redistest.Server) { s.Configure("maxclients", "1") },
			func(s *redistest.Server) { s.Configure("maxclients", "10000") }),
		database("frozen for 12s", 12*time.Second, func(p *plant) { pgtest.Freeze(p.t) }, func(p *plant) { pgtest.Thaw(p.t) }),
		database("read-only for 10s", 10*time.Second, func(p *plant) { p.readOnly("on") }, func(p *plant) { p.readOnly("off") }),
		database("takes no more connections for 8s", 8*time.Second, func(p *plant) { p.refuse(true) }, func(p *plant) { p.refuse(false) }),
		database("disk full for 8s", 8*time.Second, (*plant).fillDisk, (*plant).freeDisk),
		database("drops every connection", 0, func(p *plant) { p.disconnect() }, func(*plant) {}),
		provider(time.Second), provider(8 * time.Second), provider(30 * time.Second), provider(2 * time.Minute),
	}
}

func (p *plant) readOnly(on string) {
	pgtest.Exec(p.t, "ALTER DATABASE "+p.name+" SET default_transaction_read_only = "+on)
	p.disconnect()
}

func (p *plant) disconnect() {
	pgtest.Exec(p.t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+p.name+"'")
}

// refuse has the server refuse connections to the database, and ends those there are.
func (p *plant) refuse(all bool) {
	pgtest.Exec(p.t, fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %v", p.name, !all))
	p.disconnect()
}

func (p *plant) fillDisk() {
	if p.disk == "" {
		return
	}
	f, err := os.Create(filepath.Join(p.disk, "filler"))
	require.NoError(p.t, err)
	for block := make([]byte, 1<<12); err == nil; {
		_, err = f.Write(block)
	}
	require.ErrorIs(p.t, err, syscall.ENOSPC)
	require.NoError(p.t, f.Close())
}

func (p *plant) freeDisk() {
	if p.disk != "" {
		require.NoError(p.t, os.Remove(filepath.Join(p.disk, "filler")))
	}
}

// wait waits for the end of a process.
func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.done:
		p.done <- err
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the process does not end")
	}
}

// skewed adds workers whose machines' clocks are wrong.
func (p *plant) skewed(offsets ...time.Duration) {
	p.t.Helper()
	cfg, err := config.Load(p.environ)
	require.NoError(p.t, err)
	for _, by := range offsets {
		a, err := app.Open(p.t.Context(), cfg, app.Role{Worker: true}, app.Options{Version: "test", Random: rand.Reader,
			Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Now().Add(by) }})
		require.NoError(p.t, err)
		p.t.Cleanup(func() { require.NoError(p.t, a.Close(context.Background())) })
	}
}

// rounds is how often each fault is done: EDGEPOSTURE_FAULT_ROUNDS, or once.
func rounds(t *testing.T) int {
	t.Helper()
	if v := os.Getenv("EDGEPOSTURE_FAULT_ROUNDS"); v != "" {
		n, err := strconv.Atoi(v)
		require.NoError(t, err)
		return n
	}
	return 1
}

// TestSweepFaults does every fault to a deployment at work: nothing is lost, doubled or
// stuck, and every assessment says what it says undisturbed. In short, two of them.
func TestSweepFaults(t *testing.T) {
	t.Parallel()
	program(t)
	p := newPlant(t, 200)
	list := faults()
	if testing.Short() {
		list = slices.DeleteFunc(list, func(f fault) bool {
			return !slices.Contains([]string{"Redis killed, empty", "database drops every connection"}, f.name)
		})
	}
	if only := os.Getenv("EDGEPOSTURE_FAULT"); only != "" {
		list = slices.DeleteFunc(list, func(f fault) bool { return !strings.Contains(f.name, only) })
	}
	var table strings.Builder
	var all, itself []time.Duration
	for _, f := range list {
		for range rounds(t) {
			out := p.round(f)
			require.Zero(t, out.different, "%s: assessments that differ from the undisturbed ones", f.name)
			if all = append(all, out.recovery); f.itself {
				itself = append(itself, out.recovery)
			}
			fmt.Fprintf(&table, "%-40s %d jobs: 0 lost, 0 doubled, 0 stuck, 0 different; on the move after %5.1f s\n", f.name, faultAccounts,
				out.recovery.Seconds())
			t.Logf("%s: %s", f.name, out.recovery)
		}
	}
	t.Logf("\n%s%d rounds; on the move after p95 %.1f s, where the process ended by itself at most %.1f s", table.String(), len(all),
		p95(all).Seconds(), p95(itself).Seconds())
	require.True(t, testing.Short() || p95(all) <= recoveryP95)
}

// TestSweepSkewedClocks has a worker an hour ahead and one an hour behind take part.
func TestSweepSkewedClocks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	program(t)
	p := newPlant(t, 200)
	p.skewed(time.Hour, -time.Hour)
	const n = 30
	for range n {
		p.run(func(account string, j posture.Job, v verdict) {
			require.Equal(t, 1, j.Attempt, "a job was taken from its worker")
			require.Equal(t, p.quiet[account], v)
			require.WithinDuration(t, time.Now(), *j.FinishedAt, time.Minute)
			require.WithinDuration(t, time.Now(), *j.StartedAt, time.Minute)
		})
	}
	t.Logf("%d rounds of %d jobs beside workers an hour ahead and behind: no job was taken from its worker, none ran twice", n, faultAccounts)
}

func p95(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	times = slices.Sorted(slices.Values(times))
	return times[(len(times)*95+99)/100-1]
}

package app_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// The crash suite kills real processes at random moments of a run. Figures of
// the claim: every job ends, once, with the digest of an undisturbed run; no
// more requests are repeated than can be in flight; p95 of the recovery 15 s.
const (
	inFlight    = 64 // reads one job may have under way
	recoveryP95 = 15 * time.Second
	testKey     = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
)

// lanes is how many deployments are disturbed side by side.
func lanes() int {
	if testing.Short() {
		return 2
	}
	return 5
}

// kills is how many a sweep does, in all its lanes.
func kills() int {
	if testing.Short() {
		return lanes()
	}
	return 20
}

// programs holds the program, built once for the test binary, in a directory that TestMain removes.
var programs struct {
	sync.Mutex
	dir, path string
}

func program(t testing.TB) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	if programs.path == "" {
		var err error
		programs.dir, err = os.MkdirTemp("", "edgeposture-test")
		require.NoError(t, err)
		path := filepath.Join(programs.dir, "edgeposture")
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/edgeposture").CombinedOutput()
		require.NoError(t, err, string(out))
		programs.path = path
	}
	return programs.path
}

// process is a running command whose output can be waited for.
type process struct {
	lockedBuffer
	cmd  *exec.Cmd
	done chan error
}

func spawn(t *testing.T, command string, environ ...string) *process {
	t.Helper()
	p := &process{done: make(chan error, 1)}
	p.cmd = exec.Command(program(t), command)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, environ...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	require.NoError(t, p.cmd.Start())
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", command, p)
		}
	})
	return p
}

// kill is kill -9, and waits until the process is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	select {
	case err := <-p.done:
		p.done <- err
	case <-time.After(10 * time.Second):
	}
}

// says waits for a line and gives what follows the prefix on it. A process that ends before it fails the test with what it wrote.
func (p *process) says(t *testing.T, prefix string) (rest string) {
	t.Helper()
	said := func() (found bool) {
		for line := range strings.SplitSeq(p.String(), "\n") {
			if rest, found = strings.CutPrefix(line, prefix); found {
				return true
			}
		}
		return false
	}
	ended := func() bool {
		select {
		case err := <-p.done:
			p.done <- err
			return true
		default:
			return false
		}
	}
	for late := time.After(2 * time.Minute); !said(); {
		select {
		case <-late:
			t.Fatalf("the process does not say %q:\n%s", prefix, p.String())
		case <-time.After(20 * time.Millisecond):
			if ended() && !said() {
				t.Fatalf("the process ended and did not say %q:\n%s", prefix, p.String())
			}
		}
	}
	return rest
}

// lane is one simulated account and the service that assesses it.
type lane struct {
	*system
	at     atomic.Int64 // the request at which the moment has come; 0: never
	moment chan struct{}
	rand   *rand.Rand
	quiet  runFacts // an undisturbed run
}

type runFacts struct {
	digest   string
	requests int
}

func newLane(t *testing.T, n int) (*lane, string) {
	t.Helper()
	l := &lane{moment: make(chan struct{}, 1), rand: rand.New(rand.NewPCG(uint64(n), 42))}
	var count atomic.Int64
	fixed := time.Now().Truncate(time.Hour)
	cloud, url := simulate(t, simcloud.Options{
		Seed: uint64(40 + n), Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 20, Plant: 0.3, Plans: []string{"enterprise", "pro"}}},
		Limit: simcloud.Limit{Disabled: true}, Latency: 40 * time.Millisecond, Jitter: 40 * time.Millisecond,
		Now: func() time.Time { return fixed },
		OnRequest: func(string, string) {
			if at := l.at.Load(); at > 0 && count.Add(1) == at {
				count.Store(0)
				l.at.Store(0)
				l.moment <- struct{}{}
			}
		},
	})
	l.system = &system{t: t, cloud: cloud}
	return l, url
}

// run starts a job and gives its id.
func (l *lane) run() string {
	l.t.Helper()
	got := l.call("POST", "/api/assess", map[string]any{}, "Prefer", "respond-async")
	require.Equal(l.t, 202, got.status, string(got.body))
	var j posture.Job
	got.into(l.t, &j)
	return j.ID
}

// finished waits for the job and gives its assessment's facts.
func (l *lane) finished(jobID string) (runFacts, posture.Job) {
	l.t.Helper()
	var j posture.Job
	eventually(l.t, 90*time.Second, "job "+jobID+" ends", func() bool {
		got, err := l.try("/api/jobs/" + jobID)
		if err != nil || got.status != 200 {
			return false
		}
		got.into(l.t, &j)
		return j.State.Terminal()
	})
	require.Equal(l.t, posture.JobSucceeded, j.State, "%+v", j.Error)
	var a posture.Assessment
	l.call("GET", "/api/assessments/"+j.AssessmentID, nil).into(l.t, &a)
	require.Equal(l.t, jobID, a.JobID)
	return runFacts{digest: a.SnapshotDigest}, j
}

// once checks that the job left exactly one assessment.
func (l *lane) once(jobID string) {
	l.t.Helper()
	var list struct {
		Assessments []posture.AssessmentSummary `json:"assessments"`
	}
	l.call("GET", "/api/assessments?limit=1000", nil).into(l.t, &list)
	n := 0
	for _, a := range list.Assessments {
		if a.JobID == jobID {
			n++
		}
	}
	require.Equal(l.t, 1, n, "assessments of job %s", jobID)
}

// disturb runs a job, kills at a random request of it, lets it end and holds it
// against the undisturbed run. It gives the time from the kill to the end.
func (l *lane) disturb(kill func(jobID string)) (recovery time.Duration, repeated int) {
	l.t.Helper()
	l.cloud.ResetRequests()
	at := 1 + l.rand.IntN(l.quiet.requests-1)
	l.at.Store(int64(at))
	id := l.run()
	<-l.moment
	kill(id)
	killed := time.Now()
	facts, job := l.finished(id)
	recovery = time.Since(killed)
	repeated = l.cloud.Requests().Total - l.quiet.requests
	require.Equal(l.t, l.quiet.digest, facts.digest, "killed at request %d", at)
	require.LessOrEqual(l.t, repeated, inFlight, "killed at request %d of %d, attempt %d", at, l.quiet.requests, job.Attempt)
	l.once(id)
	return recovery, repeated
}

func (l *lane) undisturbed() {
	l.t.Helper()
	l.finished(l.run()) // the first run also finds the account
	l.cloud.ResetRequests()
	facts, _ := l.finished(l.run())
	l.quiet = runFacts{facts.digest, l.cloud.Requests().Total}
}

// TestSweepKillEmbedded kills the whole process.
func TestSweepKillEmbedded(t *testing.T) { //nolint:tparallel // the group ends before the figures are judged
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	report(t, func(t *testing.T, n int, tell func(time.Duration, int)) {
		l, url := newLane(t, n)
		environ := []string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + l.cloud.Tokens()[0].Secret,
			names(t, l.cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000"}
		var p *process
		boot := func() {
			p = spawn(t, "serve", environ...)
			l.url = p.says(t, "listening on ")
		}
		boot()
		l.undisturbed()
		for range kills() / lanes() {
			tell(l.disturb(func(string) { p.kill(); boot() }))
		}
	})
}

// TestSweepKillDistributed kills the worker that has the job; another takes it up.
func TestSweepKillDistributed(t *testing.T) { //nolint:tparallel // the group ends before the figures are judged
	t.Parallel()
	report(t, func(t *testing.T, n int, tell func(time.Duration, int)) {
		l, url := newLane(t, n)
		environ := shared(t, l.cloud, url, redistest.Start(t))
		api := spawn(t, "serve", environ...)
		l.url = api.says(t, "listening on ")
		workers := []*process{spawn(t, "worker", environ...), spawn(t, "worker", environ...)}
		for _, w := range workers {
			w.says(t, "worker ready")
		}
		l.undisturbed()
		for range kills() / lanes() {
			tell(l.disturb(func(jobID string) {
				i := slices.IndexFunc(workers, func(w *process) bool { return strings.Contains(w.String(), jobID) })
				require.GreaterOrEqual(t, i, 0, "no worker has the job")
				workers[i].kill()
				workers[i] = spawn(t, "worker", environ...)
			}))
		}
	})
}

// report runs the lanes side by side and holds the figures against the claim.
func report(t *testing.T, run func(t *testing.T, lane int, tell func(time.Duration, int))) {
	program(t)
	var mu sync.Mutex
	var times []time.Duration
	most := 0
	t.Run("lanes", func(t *testing.T) {
		for n := range lanes() {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				run(t, n, func(d time.Duration, repeated int) {
					mu.Lock()
					defer mu.Unlock()
					times = append(times, d)
					most = max(most, repeated)
				})
			})
		}
	})
	require.Len(t, times, kills())
	slices.Sort(times)
	p95 := times[(len(times)*95+99)/100-1]
	t.Logf("%d kills: every job ended once with the undisturbed digest; recovery median %s, p95 %s, worst %s; at most %d requests repeated",
		len(times), times[len(times)/2].Round(10*time.Millisecond), p95.Round(10*time.Millisecond),
		times[len(times)-1].Round(10*time.Millisecond), most)
	require.True(t, testing.Short() || p95 <= recoveryP95, "p95 %s", p95)
}

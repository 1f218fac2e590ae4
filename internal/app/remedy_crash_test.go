package app_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
)

// remedyKills is how many processes are killed within apply, and as many within
// rollback, on each store: at boundaries spread over all there are. A boundary is a
// request that is about to be carried out, or one that was and is not answered.
func remedyKills() int { return max(kills()/2, lanes()) }

// breaker stops the world at a boundary until the process that caused it is gone.
type breaker struct {
	*system
	at      atomic.Int64 // boundaries to go; 0: never
	count   atomic.Int64
	moment  chan string
	release chan struct{}
}

func newBreaker(t *testing.T) (*breaker, string) {
	t.Helper()
	b := &breaker{moment: make(chan string, 1), release: make(chan struct{})}
	step := func(when string) func(string, string) {
		return func(method, path string) {
			b.count.Add(1)
			if b.at.Load() > 0 && b.at.Add(-1) == 0 {
				b.moment <- when + " " + method + " " + path
				<-b.release
			}
		}
	}
	o := fixable()
	o.OnRequest, o.OnAnswer = step("before"), step("after")
	cloud, url := simulate(t, o)
	b.system = &system{t: t, cloud: cloud}
	return b, url
}

// ended waits for a job, whatever the service goes through meanwhile.
func (b *breaker) ended(jobID string) posture.Job {
	b.t.Helper()
	var j posture.Job
	eventually(b.t, 90*time.Second, "job "+jobID+" ends", func() bool {
		got, err := b.try("/api/jobs/" + jobID)
		if err != nil || got.status != 200 {
			return false
		}
		got.into(b.t, &j)
		return j.State.Terminal()
	})
	return j
}

func (b *breaker) start(path string, body map[string]any) string {
	b.t.Helper()
	got := b.call("POST", "/api/remediate/"+path, body, "Prefer", "respond-async")
	require.Equal(b.t, 202, got.status, string(got.body))
	var j posture.Job
	got.into(b.t, &j)
	return j.ID
}

// bundleOf gives the bundle of a job, if it came to have one.
func (b *breaker) bundleOf(jobID string) (id string, results []change.Result) {
	b.t.Helper()
	var list struct{ Backups []change.Backup }
	b.call("GET", "/api/remediate/backups", nil).into(b.t, &list)
	for _, x := range list.Backups {
		var d struct {
			JobID   string
			Results []change.Result
		}
		b.call("GET", "/api/remediate/backups/"+x.ID, nil).into(b.t, &d)
		if d.JobID == jobID {
			return x.ID, d.Results
		}
	}
	return "", nil
}

// killed starts a job, kills at the n-th boundary of it and goes on with restart.
func (b *breaker) killed(path string, body map[string]any, n int, kill, restart func()) (jobID, where string) {
	b.t.Helper()
	b.release = make(chan struct{})
	b.at.Store(int64(n))
	jobID = b.start(path, body)
	select {
	case where = <-b.moment:
	case <-time.After(60 * time.Second):
		require.Fail(b.t, "the boundary is never reached", "%s %d", path, n)
	}
	kill()
	close(b.release)
	restart()
	return jobID, where
}

// run kills applies and rollbacks, every lanes-th boundary of the sample. boot(true) starts the service with the gate
// open, boot(false) with remediation switched off; it gives what kills it.
func (b *breaker) run(lane, lanes int, boot func(on bool) (kill func())) {
	t := b.t
	kill := boot(true)
	a := b.assessed()
	clean := b.state()
	apply := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret}
	b.count.Store(0)
	first := b.changes("apply", apply)
	ofApply := int(b.count.Swap(0))
	require.Equal(t, change.StateApplied, first.State)
	b.changes("rollback", map[string]any{"bundleId": first.BundleID, "token": editSecret})
	ofRollback := int(b.count.Load())
	require.Equal(t, clean, b.state())
	restart := func(on bool) func() { return func() { kill = boot(on) } }
	for i := lane; i < remedyKills(); i += lanes {
		on := i%2 == 0
		n := 1 + i*(ofApply-1)/remedyKills()
		jobID, where := b.killed("apply", apply, n, func() { kill() }, restart(on))
		j := b.ended(jobID)
		bundle, results := b.bundleOf(jobID)
		applied := strings.Count(b.state(), `"1.2"`) - strings.Count(clean, `"1.2"`)
		told := 0
		for _, r := range results {
			require.NotContains(t, []change.Status{change.Writing, change.Restoring, change.Unknown}, r.Status, "%s: %+v", where, results)
			if r.Status == change.Applied {
				told++
			}
		}
		require.Equal(t, applied, told, "the bundle tells exactly what is in force (%s): %+v", where, results)
		if on {
			require.Equal(t, posture.JobSucceeded, j.State, "%s: %+v", where, j.Error)
			require.Equal(t, 3, told)
		} else {
			require.Equal(t, posture.CodeRemediationDisabled, j.Error.Code, where)
			kill()
			kill = boot(true)
		}
		if bundle != "" && told > 0 {
			require.Equal(t, change.StateRolledBack, b.changes("rollback", map[string]any{"bundleId": bundle, "token": editSecret}).State)
		}
		require.Equal(t, clean, b.state(), "killed %s", where)
	}
	for i := lane; i < remedyKills(); i += lanes {
		on := i%2 == 0
		n := 1 + i*(ofRollback-1)/remedyKills()
		bundle := b.changes("apply", apply).BundleID
		body := map[string]any{"bundleId": bundle, "token": editSecret}
		jobID, where := b.killed("rollback", body, n, func() { kill() }, restart(on))
		j := b.ended(jobID)
		if on {
			require.Equal(t, posture.JobSucceeded, j.State, "%s: %+v", where, j.Error)
		} else {
			require.Equal(t, posture.CodeRemediationDisabled, j.Error.Code, where)
			var d struct{ Results []change.Result }
			b.call("GET", "/api/remediate/backups/"+bundle, nil).into(t, &d)
			told := 0
			for _, r := range d.Results {
				if r.Status != change.RolledBack {
					require.Equal(t, change.Applied, r.Status, where)
					told++
				}
			}
			require.Equal(t, strings.Count(b.state(), `"1.2"`)-strings.Count(clean, `"1.2"`), told, "%s: %+v", where, d.Results)
			kill()
			kill = boot(true)
			require.Equal(t, change.StateRolledBack, b.changes("rollback", body).State)
		}
		require.Equal(t, clean, b.state(), "killed %s", where)
	}
	t.Logf("%d boundaries of apply and %d of rollback", ofApply, ofRollback)
}

func gateEnviron(on bool) []string {
	return []string{"SERVICE_EDIT_SCOPE=" + editSecret, "SERVICE_ALLOW_REMEDIATION=" + fmt.Sprint(on)}
}

// TestSweepKillRemediationEmbedded kills the whole process.
func TestSweepKillRemediationEmbedded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	b, url := newBreaker(t)
	environ := []string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + b.cloud.Tokens()[0].Secret,
		names(t, b.cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000"}
	b.run(0, 1, func(on bool) func() {
		p := spawn(t, "serve", append(gateEnviron(on), environ...)...)
		b.url = p.says(t, "listening on ")
		return p.kill
	})
}

// TestSweepKillRemediationDistributed kills the worker that makes the changes. A lease
// must end before another takes the job up, so lanes run side by side.
func TestSweepKillRemediationDistributed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	program(t)
	for lane := range lanes() {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			b, url := newBreaker(t)
			environ := shared(t, b.cloud, url, redistest.Start(t))
			api := spawn(t, "serve", append(gateEnviron(true), environ...)...)
			b.url = api.says(t, "listening on ")
			b.run(lane, lanes(), func(on bool) func() {
				p := spawn(t, "worker", append(gateEnviron(on), environ...)...)
				p.says(t, "worker ready")
				return p.kill
			})
		})
	}
}

// TestRemediationWithoutRedis takes Redis away at moments of an apply and of a rollback and
// brings it back empty: the changes wait, and each is made once.
func TestRemediationWithoutRedis(t *testing.T) {
	t.Parallel()
	program(t)
	b, url := newBreaker(t)
	server := redistest.Run(t)
	environ := append(gateEnviron(true), shared(t, b.cloud, url, server.URL)...)
	api := spawn(t, "serve", environ...)
	b.url = api.says(t, "listening on ")
	spawn(t, "worker", environ...).says(t, "worker ready")
	apply := map[string]any{"assessmentId": b.assessed().ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret}
	clean := b.state()
	undisturbed := b.changes("apply", apply)
	applied := b.state()
	restored := b.changes("rollback", map[string]any{"bundleId": undisturbed.BundleID, "token": editSecret})
	require.Equal(t, clean, b.state(), "%+v", restored)
	writes := len(b.cloud.Writes())
	var gone time.Time
	away := func() { server.Down(); gone = time.Now() }
	back := func() {
		eventually(t, time.Minute, "the grants that were held are used or too old", func() bool { return time.Since(gone) > 6*time.Second })
		server.Up()
	}
	const boundary = 3
	b.cloud.ResetWrites()
	jobID, where := b.killed("apply", apply, boundary, away, back)
	j := b.ended(jobID)
	require.Equal(t, posture.JobSucceeded, j.State, "%s: %+v", where, j.Error)
	bundle, _ := b.bundleOf(jobID)
	require.Equal(t, applied, b.state(), where)
	jobID, where = b.killed("rollback", map[string]any{"bundleId": bundle, "token": editSecret}, boundary, away, back)
	j = b.ended(jobID)
	require.Equal(t, posture.JobSucceeded, j.State, "%s: %+v", where, j.Error)
	_, results := b.bundleOf(jobID)
	require.Equal(t, clean, b.state(), "%s: %+v", where, results)
	require.Len(t, b.cloud.Writes(), writes, "no change is made twice")
}

// TestACancelledApplyWhoseWorkerDied: the one who waits reads that changes stay in force, and the bundle does not
// wait for a job that nobody will go on with.
func TestACancelledApplyWhoseWorkerDied(t *testing.T) {
	t.Parallel()
	program(t)
	b, url := newBreaker(t)
	environ := append(gateEnviron(true), shared(t, b.cloud, url, redistest.Start(t))...)
	api := spawn(t, "serve", environ...)
	b.url = api.says(t, "listening on ")
	worker := spawn(t, "worker", environ...)
	worker.says(t, "worker ready")
	apply := map[string]any{"assessmentId": b.assessed().ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret}
	state := func() (change.State, map[change.Status]int) {
		var list struct{ Backups []change.Backup }
		b.call("GET", "/api/remediate/backups", nil).into(t, &list)
		var one httpapi.BackupDetail
		b.call("GET", "/api/remediate/backups/"+list.Backups[0].ID, nil).into(t, &one)
		require.Equal(t, one.Backup, list.Backups[0])
		of := map[change.Status]int{}
		for _, r := range one.Results {
			of[r.Status]++
		}
		return one.State, of
	}
	ended := make(chan answer, 1)
	b.release = make(chan struct{})
	b.at.Store(14)
	go func() { ended <- b.call("POST", "/api/remediate/apply", apply, "Prefer", "wait=120") }()
	select {
	case <-b.moment:
	case <-time.After(60 * time.Second):
		require.Fail(t, "the boundary is never reached")
	}
	is, of := state()
	require.Equal(t, change.StateOpen, is, "a job is at work on it")
	require.Equal(t, 1, of[change.Writing])
	worker.kill()
	close(b.release)
	var running struct{ Items []posture.Job }
	b.call("GET", "/api/jobs?limit=1", nil).into(t, &running)
	require.Equal(t, 200, b.call("POST", "/api/jobs/"+running.Items[0].ID+"/cancel", nil).status)
	spawn(t, "worker", environ...).says(t, "worker ready")
	require.Contains(t, problem(t, <-ended).Detail, "stay in force")
	is, of = state()
	require.Equal(t, change.StatePartial, is)
	require.Equal(t, []int{0, 1}, []int{of[change.Writing], of[change.Unknown]}, "nobody is writing any more")
}

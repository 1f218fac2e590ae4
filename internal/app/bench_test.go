package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/jobs"
)

// server is the built program against a simulated provider, for benchmarks.
type server struct {
	url   string
	pid   int
	cloud *simcloud.Cloud

	environ []string // it was started with
}

func serve(b *testing.B, o simcloud.Options, environ ...string) server {
	b.Helper()
	o.Limit.Disabled = true
	cloud := simcloud.New(o)
	provider, err := cloud.Start("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = provider.Close() })
	environ = append([]string{"DATA_DIR=" + b.TempDir(), "CLOUDFLARE_BASE_URL=" + provider.URL, "SERVICE_DNS_RESOLVER=off",
		"CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, "CLOUDFLARE_REQUESTS_PER_5M=1000000"}, environ...)
	pid, said := launch(b, "serve", `listening on (\S+)`, environ)
	return server{said, pid, cloud, environ}
}

// launch starts a command, waits until it says something, and gives what the
// pattern takes out of that.
func launch(b *testing.B, command, says string, environ []string) (pid int, said string) {
	b.Helper()
	var out lockedBuffer
	cmd := exec.CommandContext(b.Context(), program(b), command)
	cmd.Env, cmd.Stdout = environ, &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	pattern := regexp.MustCompile(says)
	for range 1000 {
		if m := pattern.FindStringSubmatch(out.String()); m != nil {
			return cmd.Process.Pid, m[1]
		}
		<-time.After(10 * time.Millisecond)
	}
	b.Fatal(command + " does not start")
	return 0, ""
}

func (s server) assess(b *testing.B) (a posture.Assessment) {
	b.Helper()
	s.post(b, "/api/assess", map[string]any{}, &a)
	return a
}

func (s server) ship(b *testing.B, target string) (out jobs.ShipResult) {
	b.Helper()
	s.post(b, "/api/integrations/ship", map[string]any{"target": target}, &out)
	return out
}

// post makes a job and waits for its answer.
func (s server) post(b *testing.B, path string, body, into any) {
	b.Helper()
	s.call(b, path, "wait=300", body, into)
}

// send waits for nothing.
func (s server) send(b *testing.B, path string, body, into any) {
	b.Helper()
	s.call(b, path, "respond-async", body, into)
}

func (s server) call(b *testing.B, path, prefer string, body, into any) {
	b.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+path, bytes.NewReader(raw))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", prefer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		b.Fatal(resp.Status, err)
	}
}

// BenchmarkRequests counts the requests of a zone, by plan: those of a run with
// 20 zones less those of a run with 10, for each of the ten more.
func BenchmarkRequests(b *testing.B) {
	for _, plan := range []string{"free", "pro", "business", "enterprise"} {
		b.Run("plan="+plan, func(b *testing.B) {
			run := func(zones int) (int, int) {
				s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 20, Clean: true,
					Plans: []string{plan}}}})
				s.assess(b) // finds the account first
				return s.assess(b).Requests, len(s.cloud.ZoneIDs(s.cloud.Accounts()[0]))
			}
			for b.Loop() {
				few, _ := run(10)
				many, _ := run(20)
				perZone := float64(many-few) / 10
				b.ReportMetric(perZone, "requests/zone")
				b.ReportMetric(float64(few)-10*perZone, "requests/account")
			}
		})
	}
}

// BenchmarkEmbedded measures the whole embedded process: its resident memory
// idle and at its peak, and the time of a run of 120 zones with 250 records.
func BenchmarkEmbedded(b *testing.B) {
	s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 120, RecordsPerZone: 250, Plant: 0.2}}})
	idle := memory(b, s.pid, "VmRSS")
	var a posture.Assessment
	for b.Loop() {
		a = s.assess(b)
	}
	b.ReportMetric(idle, "MB-idle")
	b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
	b.ReportMetric(float64(a.DurationMS), "ms/run")
	b.ReportMetric(float64(a.Requests), "requests/run")
}

// BenchmarkZones measures a run of 200 zones with 20 records as a whole embedded process:
// how long it takes, and the processor time of that process alone for each zone.
func BenchmarkZones(b *testing.B) {
	const zones = 200
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		b.Run(fmt.Sprintf("latency=%s", latency), func(b *testing.B) {
			s := serve(b, simcloud.Options{Seed: 2, Latency: latency,
				Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 20, Plant: 0.2}}})
			s.assess(b) // the first finds the account
			var took, busy []time.Duration
			requests := s.cloud.Requests().Total
			for b.Loop() {
				before := processor(b, s.pid)
				took = append(took, s.run(b))
				busy = append(busy, processor(b, s.pid)-before)
			}
			slices.Sort(took)
			slices.Sort(busy)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms/run")
			b.ReportMetric(float64(busy[len(busy)/2].Milliseconds())/zones, "cpu-ms/zone")
			b.ReportMetric(float64(s.cloud.Requests().Total-requests)/float64(len(took)), "requests/run")
			b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSmallJobs assesses 60 accounts of 2 zones each, all at once, on PostgreSQL and
// Redis, and tells how many jobs end in a second.
func BenchmarkSmallJobs(b *testing.B) {
	const accounts = 60
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			o := simcloud.Options{Seed: 2}
			for n := range accounts {
				id := fmt.Sprintf("%032x", 0xb0b+n)
				o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Zones: 2, RecordsPerZone: 10, Plant: 0.2})
				o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
					Accounts: []string{id}})
			}
			s := serve(b, o, "DATABASE_URL="+pgtest.Start(b), "REDIS_URL="+redistest.Start(b), "SERVICE_ENCRYPTION_KEY="+testKey)
			var pids []int
			for range workers {
				pid, _ := launch(b, "worker", "(worker ready)", s.environ)
				pids = append(pids, pid)
			}
			busy := func() (sum time.Duration) {
				for _, pid := range pids {
					sum += processor(b, pid)
				}
				return sum
			}
			ids := []string{"default"}
			for n, token := range s.cloud.Tokens()[1:] {
				var made posture.Account
				s.send(b, "/api/accounts", map[string]any{"name": fmt.Sprint("account ", n), "token": token.Secret}, &made)
				ids = append(ids, made.ID)
			}
			for b.Loop() {
				began, before := time.Now(), busy()
				jobs := make([]posture.Job, len(ids))
				for i, id := range ids {
					s.send(b, "/api/assess", map[string]any{"account": id}, &jobs[i])
				}
				for i := range jobs {
					s.ended(b, &jobs[i])
				}
				b.ReportMetric(accounts/time.Since(began).Seconds(), "jobs/s")
				b.ReportMetric(float64((busy()-before).Milliseconds())/accounts, "cpu-ms/job")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkLargeRun is a run of 1,000 zones with 100 records each on PostgreSQL and Redis:
// how long it takes, and the most memory its worker held. The second run has a history.
func BenchmarkLargeRun(b *testing.B) {
	o := simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 1000, RecordsPerZone: 100, Plant: 0.2}}}
	s := serve(b, o, "DATABASE_URL="+pgtest.Start(b), "REDIS_URL="+redistest.Start(b), "SERVICE_ENCRYPTION_KEY="+testKey)
	worker, _ := launch(b, "worker", "(worker ready)", s.environ)
	first := s.run(b)
	peak := memory(b, worker, "VmHWM")
	for b.Loop() {
		b.ReportMetric(float64(s.run(b).Milliseconds()), "ms/run")
	}
	b.ReportMetric(float64(first.Milliseconds()), "ms/first-run")
	b.ReportMetric(peak, "MB-peak-first")
	b.ReportMetric(memory(b, worker, "VmHWM"), "MB-peak")
	b.ReportMetric(0, "ns/op")
}

// run makes a run that nobody reads and tells how long it took.
func (s server) run(b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	var j posture.Job
	s.send(b, "/api/assess", map[string]any{}, &j)
	s.ended(b, &j)
	return time.Since(began)
}

// ended waits for the success of a job.
func (s server) ended(b *testing.B, j *posture.Job) {
	b.Helper()
	for ; j.State != posture.JobSucceeded; <-time.After(20 * time.Millisecond) {
		if j.State.Terminal() {
			b.Fatal(j.State, j.Error)
		}
		resp, err := http.Get(s.url + "/api/jobs/" + j.ID)
		if err != nil {
			b.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(j)
		_ = resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
	}
}

// processor reads the processor time of a process, which Linux counts in hundredths.
func processor(b *testing.B, pid int) time.Duration {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("processor time is read from /proc, which this system lacks")
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // the name may hold spaces
	fields := strings.Fields(rest)
	var sum time.Duration
	for _, i := range []int{11, 12} {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// BenchmarkShip ships some 15,000 documents of one assessment to a search index
// and an event collector that answer after 20 ms each, with the ledger.
func BenchmarkShip(b *testing.B) {
	slow := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(20 * time.Millisecond)
			h.ServeHTTP(w, r)
		})
	}
	index, collector := &siemtest.Bulk{}, &siemtest.Collector{Token: "hec-token"}
	s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 100, RecordsPerZone: 60, Plant: 0.5,
		Plans: []string{"enterprise"}}}}, "SERVICE_OUTBOUND_ALLOW=127.0.0.0/8", "SERVICE_SEARCH_URL="+siemtest.Start(b, slow(index)),
		"SERVICE_SEARCH_APIKEY=key",
		"SERVICE_SIEM_HEC_URL="+siemtest.Start(b, slow(collector)), "SERVICE_SIEM_HEC_TOKEN=hec-token")
	s.assess(b)
	for _, target := range []string{"search", "collector"} {
		b.Run(target, func(b *testing.B) {
			var out jobs.ShipResult
			for b.Loop() {
				out = s.ship(b, target)
			}
			b.ReportMetric(float64(out.Documents), "documents")
		})
	}
}

// memory reads a field of /proc/<pid>/status in MB.
func memory(b *testing.B, pid int, field string) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("memory is read from /proc, which this system lacks")
	}
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte(field+":")); ok {
			kb, err := strconv.Atoi(strings.Fields(string(rest))[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	b.Fatal("no " + field)
	return 0
}

// BenchmarkPoll asks for a running job through HTTP, as somebody who waits does.
func BenchmarkPoll(b *testing.B) {
	s := serve(b, simcloud.Options{Seed: 3, Accounts: []simcloud.AccountSpec{{Zones: 2}}})
	release := s.cloud.Hold()
	defer release()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+"/api/assess", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", "respond-async")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	_ = resp.Body.Close()
	poll, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url+resp.Header.Get("Location"), nil)
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		for range 500 {
			begun := time.Now()
			resp, err := http.DefaultClient.Do(poll)
			if err != nil || resp.StatusCode != http.StatusOK {
				b.Fatal(resp, err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			took = append(took, time.Since(begun))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
	b.ReportMetric(0, "ns/op")
}

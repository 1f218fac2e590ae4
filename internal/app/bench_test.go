package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/simcloud"
)

// server is the built program against a simulated provider, for benchmarks.
type server struct {
	url   string
	pid   int
	cloud *simcloud.Cloud
}

func serve(b *testing.B, o simcloud.Options) server {
	b.Helper()
	o.Limit.Disabled = true
	cloud := simcloud.New(o)
	provider, err := cloud.Start("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = provider.Close() })
	path := filepath.Join(b.TempDir(), "api")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", path, "../../cmd/api").CombinedOutput(); err != nil {
		b.Fatal(string(out))
	}
	var out lockedBuffer
	cmd := exec.CommandContext(b.Context(), path)
	cmd.Env = []string{"DATA_DIR=" + b.TempDir(), "CLOUDFLARE_BASE_URL=" + provider.URL, "SERVICE_DNS_RESOLVER=off", "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, "CLOUDFLARE_REQUESTS_PER_5M=1000000"}
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address := regexp.MustCompile(`listening on (\S+)`)
	for range 1000 {
		if m := address.FindStringSubmatch(out.String()); m != nil {
			return server{m[1], cmd.Process.Pid, cloud}
		}
		<-time.After(10 * time.Millisecond)
	}
	b.Fatal("the server does not listen")
	return server{}
}

func (s server) assess(b *testing.B) posture.Assessment {
	b.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+"/api/assess", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", "wait=300")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var a posture.Assessment
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
	return a
}

// BenchmarkRequests counts the requests of a zone, by plan: those of a run with
// 20 zones less those of a run with 10, for each of the ten more.
func BenchmarkRequests(b *testing.B) {
	for _, plan := range []string{"free", "pro", "business", "enterprise"} {
		b.Run("plan="+plan, func(b *testing.B) {
			run := func(zones int) (int, int) {
				s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 20, Clean: true, Plans: []string{plan}}}})
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

// memory reads a field of /proc/<pid>/status in MB.
func memory(b *testing.B, pid int, field string) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("memory is read from /proc, which this system lacks")
	}
	for _, line := range bytes.Split(raw, []byte("\n")) {
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

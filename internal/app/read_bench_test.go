package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// BenchmarkReadsBesideRuns has 50 clients read, each a thing after the other, while runs
// of the account follow each other, so that the newest assessment changes all the time.
func BenchmarkReadsBesideRuns(b *testing.B) {
	const clients = 50
	s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 20, RecordsPerZone: 20, Plant: 0.5}}})
	a := s.assess(b)
	kinds := map[string]func(a posture.Assessment) string{
		"latest": func(posture.Assessment) string { return "/api/assessment" },
		"page":   func(a posture.Assessment) string { return "/api/assessments/" + a.ID + "/findings" },
		"text":   func(a posture.Assessment) string { return "/api/assessments/" + a.ID + "/findings?q=record" },
		"newest": func(posture.Assessment) string { return "/api/findings" },
		"graph":  func(posture.Assessment) string { return "/api/posture/graph" },
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	took := map[string][]time.Duration{}
	runs := 0
	for b.Loop() {
		var mu sync.Mutex
		var all sync.WaitGroup
		reading, stop := context.WithTimeout(b.Context(), 20*time.Second)
		for n := range clients {
			all.Go(func() {
				names := sortedKeys(kinds)
				for i := n; reading.Err() == nil; i++ {
					kind := names[i%len(names)]
					d, err := read(b.Context(), client, s.url+kinds[kind](a))
					if err != nil {
						b.Error(kind, err)
						return
					}
					mu.Lock()
					took[kind] = append(took[kind], d)
					mu.Unlock()
				}
			})
		}
		for reading.Err() == nil {
			s.assess(b)
			runs++
		}
		all.Wait()
		stop()
	}
	for kind, all := range took {
		slices.Sort(all)
		b.ReportMetric(milliseconds(all[len(all)/2]), "ms-p50-"+kind)
		b.ReportMetric(milliseconds(all[len(all)*99/100]), "ms-p99-"+kind)
		b.ReportMetric(float64(len(all)), "reads-"+kind)
	}
	b.ReportMetric(float64(runs), "runs")
	b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
	b.ReportMetric(0, "ns/op")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// read takes a packed answer as it comes and tells how long that took.
func read(ctx context.Context, client *http.Client, url string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	begun := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answers %s", strings.TrimPrefix(url, "http://"), resp.Status)
	}
	return time.Since(begun), nil
}

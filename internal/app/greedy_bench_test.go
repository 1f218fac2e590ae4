package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// BenchmarkGreedyCaller has one caller ask at once for 2,000 event streams, 2,000 waits, 5,000
// one-off runs, 300 connections that send a byte now and then, and 50 batches of tool calls,
// while another one lists assessments. It tells how long the list takes alone and in the five seconds
// from then on, and what the process still holds five seconds after the greedy caller hung up.
func BenchmarkGreedyCaller(b *testing.B) {
	s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 20, RecordsPerZone: 20, Plant: 0.5}}},
		"SERVICE_API_KEY="+greedyKey+","+modestKey)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	modest := func(method, path, body string) (int, []byte) {
		b.Helper()
		req, _ := http.NewRequestWithContext(b.Context(), method, s.url+path, strings.NewReader(body))
		req.Header = http.Header{"X-Api-Key": {modestKey}, "Content-Type": {"application/json"}, "Prefer": {"respond-async"}}
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		return resp.StatusCode, raw
	}
	release := sync.OnceFunc(s.cloud.Hold())
	defer release()
	_, raw := modest("POST", "/api/assess", "{}")
	var job posture.Job
	if err := json.Unmarshal(raw, &job); err != nil {
		b.Fatal(err)
	}
	lists := func(until func() bool) []time.Duration {
		var took []time.Duration
		for len(took) < 50 || !until() {
			begun := time.Now()
			if status, raw := modest("GET", "/api/assessments", ""); status != http.StatusOK {
				b.Fatal(status, string(raw))
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took
	}
	address, port := strings.TrimPrefix(s.url, "http://"), strings.Split(s.url, ":")[2]
	connections := func() float64 {
		raw, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			b.Skip("connections are counted in /proc, which this system lacks")
		}
		n, _ := strconv.Atoi(port)
		return float64(strings.Count(string(raw), fmt.Sprintf(": 0100007F:%04X 0100007F:", n)))
	}
	for b.Loop() {
		for range 20 { // connections and pages are there now
			lists(func() bool { return true })
		}
		begun := time.Now()
		quiet := lists(func() bool { return time.Since(begun) > time.Second })
		before, heldBefore := connections(), memory(b, s.pid, "VmRSS")

		g := newGreedy(b.Context())
		for range 2000 {
			g.call("stream", "GET", s.url+"/api/jobs/"+job.ID+"/events", "")
			g.call("wait", "POST", s.url+"/api/assess", "{}", "Prefer", "wait=300")
		}
		for i := range 5000 {
			g.call("run", "POST", s.url+"/api/assess", oneOff(i), "Prefer", "respond-async")
		}
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_assessments","arguments":{}}}`
		batch := "[" + strings.Repeat(call+",", 19) + call + "]"
		for range 50 {
			g.call("batch", "POST", s.url+"/mcp", batch, "Accept", "application/json, text/event-stream")
		}
		for range 300 {
			g.drip(address)
		}
		begun = time.Now()
		beside := lists(func() bool { return g.answers() >= 2000+2000+5000+50-waitsOfOne && time.Since(begun) > 5*time.Second })
		held := connections()
		release()
		g.hangUp()
		g.calls.Wait()
		<-time.After(5 * time.Second)

		b.ReportMetric(milliseconds(quiet[len(quiet)*95/100]), "ms-p95-alone")
		b.ReportMetric(milliseconds(beside[len(beside)*95/100]), "ms-p95-beside")
		b.ReportMetric(milliseconds(beside[len(beside)-1]), "ms-worst-beside")
		b.ReportMetric(before, "connections-before")
		b.ReportMetric(held, "connections-held")
		b.ReportMetric(connections(), "connections-after")
		b.ReportMetric(heldBefore, "MB-before")
		b.ReportMetric(memory(b, s.pid, "VmRSS"), "MB-after")
		b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
		for what, n := range g.by {
			b.ReportMetric(float64(n), what)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// waitsOfOne is how many calls of one caller may wait; they are not answered for long.
const waitsOfOne = 32

// greedy is a caller that asks for more than its share.
type greedy struct {
	ctx    context.Context
	hangUp context.CancelFunc
	calls  sync.WaitGroup
	mu     sync.Mutex
	by     map[string]int // answers by kind and status
}

func newGreedy(ctx context.Context) *greedy {
	g := &greedy{by: map[string]int{}}
	g.ctx, g.hangUp = context.WithCancel(ctx)
	return g
}

func (g *greedy) call(kind, method, url, body string, header ...string) {
	g.calls.Go(func() {
		req, _ := http.NewRequestWithContext(g.ctx, method, url, strings.NewReader(body))
		req.Header = http.Header{"X-Api-Key": {greedyKey}, "Content-Type": {"application/json"}}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			g.count(kind + "-none")
			return
		}
		g.count(fmt.Sprintf("%s-%d", kind, resp.StatusCode))
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
}

func (g *greedy) count(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.by[what]++
}

func (g *greedy) answers() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, of := range g.by {
		n += of
	}
	return n
}

// drip opens a connection and sends a header that never ends.
func (g *greedy) drip(address string) {
	g.calls.Go(func() {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		line := bytes.NewBufferString("GET /api/health HTTP/1.1\r\nHost: " + address + "\r\nX: ")
		for {
			if _, err := conn.Write(line.Bytes()); err != nil {
				return
			}
			line = bytes.NewBufferString("x")
			select {
			case <-g.ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
}

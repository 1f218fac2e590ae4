package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const (
	greedyKey = "3f1d9c52a7e84b60-greedy-Wq7"
	modestKey = "b8e20d47c6f19a35-others-Zk4"
)

// crowd calls with a key of its own and counts the answers by status.
type crowd struct {
	s     *system
	key   string
	ctx   context.Context
	hung  context.CancelFunc
	calls sync.WaitGroup
	mu    sync.Mutex
	by    map[int]int
	later atomic.Int64 // refusals that say when to try again

	answered chan struct{} // has one for each answer that began
}

func newCrowd(s *system, key string) *crowd {
	c := &crowd{s: s, key: key, by: map[int]int{}, answered: make(chan struct{}, 1000)}
	c.ctx, c.hung = context.WithCancel(s.t.Context())
	return c
}

// call sends a request and reads its answer until the caller hangs up.
func (c *crowd) call(method, path, body string, header ...string) {
	c.calls.Go(func() {
		req, err := http.NewRequestWithContext(c.ctx, method, c.s.url+path, strings.NewReader(body))
		if err != nil {
			return
		}
		req.Header.Set("X-API-Key", c.key)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.by[resp.StatusCode]++
		c.mu.Unlock()
		if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") != "" {
			c.later.Add(1)
		}
		c.answered <- struct{}{}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
}

func (c *crowd) count(status int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by[status]
}

// oneOff is a run with a token and an account of its own.
func oneOff(n int) string {
	return fmt.Sprintf(`{"token":"a-token-of-nobody-%06d","accountId":"acc%d"}`, n, n)
}

// TestCallsThatWaitAreBounded: a caller that waits for as many jobs as it may is told of
// the next at once.
func TestCallsThatWaitAreBounded(t *testing.T) {
	s := embedded(t, small(), "SERVICE_LIMIT_WAITS=3/10")
	release := s.cloud.Hold()
	defer release()
	c := newCrowd(s, "")
	defer c.hung()
	for i := range 8 {
		c.call("POST", "/api/assess", oneOff(i), "Prefer", "wait=300")
	}
	eventually(t, 20*time.Second, "the others are answered", func() bool { return c.count(202) == 5 })
}

// TestJudgingIsBounded: whoever may only read does not take the processors from everybody by trying changes; one hundred at once took
// 2.3 GB, and others waited 4 seconds for the list of assessments.
func TestJudgingIsBounded(t *testing.T) {
	s := embedded(t, small(), "SERVICE_LIMIT_JUDGEMENTS=1/2")
	var a posture.Assessment
	s.call("POST", "/api/assess", "{}", "Prefer", "wait=300").into(t, &a)
	condition := strings.Repeat(`(http.host contains \"a\" or http.request.uri.path contains \"b\") and `, 50) + "ssl"
	rule := fmt.Sprintf(`{"action":"log","enabled":true,"expression":"%s"}`, condition)
	slow := fmt.Sprintf(`{"assessmentId":%q,"changes":[{"method":"PUT",`+
		`"path":"/zones/%s/rulesets/phases/http_request_firewall_custom/entrypoint",`+
		`"body":{"rules":[%s]}}]}`, a.ID, a.Zones[0].ID, strings.TrimSuffix(strings.Repeat(rule+",", 20), ","))
	for path, body := range map[string]string{"/api/what-if": slow, "/api/replay": fmt.Sprintf(`{"assessmentId":%q}`, a.ID)} {
		c := newCrowd(s, "")
		for range 40 {
			c.call("POST", path, body)
		}
		c.calls.Wait()
		require.Positive(t, c.count(200), path)
		require.Equal(t, 40, c.count(200)+c.count(429), path) // the others wait for their turn, some of them in vain
		require.EqualValues(t, c.count(429), c.later.Load(), path)
		c.hung()
	}
}

// TestOneCallerHoldsItsShare has one caller ask for more of everything than it may hold. What
// is beyond is refused and says when to come back; others and cancel get through; what was
// held is free again once the caller has hung up.
func TestOneCallerHoldsItsShare(t *testing.T) {
	o := small()
	s := embedded(t, o, "SERVICE_API_KEY="+greedyKey+","+modestKey, "SERVICE_LIMIT_STREAMS=5/10", "SERVICE_LIMIT_WAITS=4/10",
		"SERVICE_LIMIT_JOBS=20/40", "SERVICE_LIMIT_REQUESTS=30/60")
	s.key = modestKey
	release := s.cloud.Hold()
	defer release()
	var job posture.Job
	s.call("POST", "/api/assess", "{}", "Prefer", "respond-async").into(t, &job)

	streams := newCrowd(s, greedyKey)
	for range 40 {
		streams.call("GET", "/api/jobs/"+job.ID+"/events", "")
	}
	eventually(t, 20*time.Second, "every stream is answered", func() bool { return streams.count(200)+streams.count(429) == 40 })
	require.LessOrEqual(t, streams.count(200), 5)
	require.EqualValues(t, streams.count(429), streams.later.Load())
	require.Equal(t, 200, s.call("GET", "/api/assessments", nil).status, "others get through")
	streams.hung()
	streams.calls.Wait()
	eventually(t, 20*time.Second, "what they held becomes free", func() bool {
		again := newCrowd(s, greedyKey)
		defer again.calls.Wait()
		defer again.hung()
		again.call("GET", "/api/jobs/"+job.ID+"/events", "")
		<-again.answered
		return again.count(200) == 1
	})

	admitted := 0
	s.key = greedyKey
	for i := range 60 {
		got := s.call("POST", "/api/assess", oneOff(i), "Prefer", "respond-async")
		if got.status == 202 {
			admitted++
			continue
		}
		require.Equal(t, 429, got.status, string(got.body))
		require.Equal(t, "30", got.header.Get("Retry-After"))
		require.Contains(t, problem(t, got).Detail, "20 jobs that have not ended")
	}
	require.Equal(t, 20, admitted)
	s.key = modestKey
	require.Equal(t, 202, s.call("POST", "/api/assess", oneOff(100), "Prefer", "respond-async").status, "others may run")

	batches := newCrowd(s, greedyKey)
	batch := "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, 30) + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`
	batches.call("POST", "/mcp", batch, "Accept", "application/json, text/event-stream")
	batches.calls.Wait()
	require.Equal(t, 1, batches.count(413))

	var mine posture.Job
	s.key = greedyKey
	s.call("POST", "/api/jobs/"+job.ID+"/cancel", "{}").into(t, &mine)
	require.Equal(t, job.ID, mine.ID, "so does cancel of the greedy one")
	require.Equal(t, 200, s.call("GET", "/api/health", nil).status)

	release()
	eventually(t, time.Minute, "jobs that ended make room", func() bool {
		return s.call("POST", "/api/assess", oneOff(101), "Prefer", "respond-async").status == 202
	})
}

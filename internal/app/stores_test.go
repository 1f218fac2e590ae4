package app_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
)

// overheard is all that was sent to a Redis since it was listened to.
type overheard struct {
	mu   sync.Mutex
	text strings.Builder
	conn net.Conn
	done chan struct{}
}

func listenTo(t *testing.T, url string) *overheard {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "redis://"))
	require.NoError(t, err)
	_, err = fmt.Fprint(conn, "MONITOR\r\n")
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	ok, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "+OK\r\n", ok)
	o := &overheard{conn: conn, done: make(chan struct{})}
	go func() {
		defer close(o.done)
		for line, err := r.ReadString('\n'); err == nil; line, err = r.ReadString('\n') {
			o.mu.Lock()
			o.text.WriteString(line)
			o.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-o.done })
	return o
}

// TestStoresOfADeploymentHoldNoSecret takes an API and a worker of their own through all that
// is given secrets, and looks for them in whatever was sent to Redis and in every column of
// PostgreSQL.
func TestStoresOfADeploymentHoldNoSecret(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, fixable())
	address := redistest.Start(t)
	heard := listenTo(t, address)
	collector := &siemtest.Collector{Token: "canary-hec-token-0123456789"}
	environ := append(shared(t, cloud, url, address), onLoopback, "SERVICE_API_KEY="+apiKey, "SERVICE_ALLOW_REMEDIATION=true",
		"SERVICE_EDIT_SCOPE="+editSecret)
	s := &system{t: t, cloud: cloud, key: apiKey}
	api := spawn(t, "serve", environ...)
	s.url = api.says(t, "listening on ")
	worker := spawn(t, "worker", environ...)
	worker.says(t, "worker ready")

	a := s.assessed()
	token := cloud.Tokens()[0].Secret
	s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret, "apiToken": token})
	for _, got := range []answer{
		s.call("POST", "/api/assess", map[string]any{"token": token}),
		s.call("PUT", "/api/settings", map[string]any{"webhookUrl": "https://hooks.example/canary-in-a-path",
			"webhookSecret": "canary-webhook-secret-16"}),
		s.call("POST", "/api/integrations/ship", map[string]any{"target": "collector", "hecUrl": siemtest.Start(t, collector) +
			"/canary-in-a-path", "hecToken": "canary-hec-token-0123456789"}),
	} {
		require.Equal(t, 200, got.status, string(got.body))
	}
	secrets := []string{token, apiKey, editSecret, testKey, "canary"}
	heard.mu.Lock()
	text := heard.text.String()
	heard.mu.Unlock()
	require.Contains(t, text, a.JobID, "what is sent to Redis is overheard")
	for _, secret := range secrets {
		require.NotContains(t, text, secret)
		require.NotContains(t, api.String()+worker.String(), secret, "the logs")
	}
	conn := connected(t, environ)
	rows, err := conn.Query(t.Context(), "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'")
	require.NoError(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Table, Name string }])
	require.NoError(t, err)
	require.Greater(t, len(columns), 100)
	filled, jobs := 0, 0
	for _, c := range columns {
		// Bytes are told in hexadecimal, and so is what is looked for.
		of := "SELECT count(*), count(*) FILTER (WHERE position($1 in " + pgx.Identifier{c.Name}.Sanitize() +
			"::text) > 0 OR position(encode($1::bytea, 'hex') in " +
			pgx.Identifier{c.Name}.Sanitize() + "::text) > 0) FROM " + pgx.Identifier{c.Table}.Sanitize()
		for _, secret := range secrets {
			var all, found int
			require.NoError(t, conn.QueryRow(t.Context(), of, secret).Scan(&all, &found))
			require.Zero(t, found, "%s.%s holds %q", c.Table, c.Name, secret)
			filled += all
		}
		var all, found int
		require.NoError(t, conn.QueryRow(t.Context(), of, a.JobID).Scan(&all, &found))
		jobs += found
	}
	require.Positive(t, jobs, "what is there is found")
	require.Greater(t, filled, 1000)
}

// TestForeignTasksInRedis puts tasks of nobody into every queue while a run is under way: of an
// unknown type, of jobs that are not there, and what is no task at all. The run ends and says
// what it says undisturbed, and the worker lives.
func TestForeignTasksInRedis(t *testing.T) {
	t.Parallel()
	l, url := newLane(t, 0)
	address := redistest.Start(t)
	environ := shared(t, l.cloud, url, address)
	api := spawn(t, "serve", environ...)
	l.url = api.says(t, "listening on ")
	worker := spawn(t, "worker", environ...)
	worker.says(t, "worker ready")
	l.undisturbed()

	options, err := asynq.ParseRedisURI(address)
	require.NoError(t, err)
	client := asynq.NewClient(options)
	defer func() { require.NoError(t, client.Close()) }()
	rdb, _ := options.MakeRedisClient().(redis.UniversalClient)
	defer func() { require.NoError(t, rdb.Close()) }()
	id := l.run()
	for i := range 200 {
		for _, queue := range []string{"interactive", "delivery", "scheduled"} {
			for kind, payload := range map[string]string{"job": fmt.Sprintf("no-job-%d", i), "unheard-of": strings.Repeat("x", 1000),
				"": "\x00\xff"} {
				_, _ = client.EnqueueContext(t.Context(), asynq.NewTask(kind, []byte(payload)), asynq.Queue(queue)) // one without a type is refused
			}
			require.NoError(t, rdb.LPush(t.Context(), "asynq:{"+queue+"}:pending", "no-task").Err())
			require.NoError(t, rdb.HSet(t.Context(), "asynq:{"+queue+"}:t:no-task", "msg", "no message", "state", "pending").Err())
		}
	}
	facts, _ := l.finished(id)
	require.Equal(t, l.quiet.digest, facts.digest)
	l.finished(l.run()) // and the next one gets through
	require.NotContains(t, worker.String(), "panic")
	require.Empty(t, worker.done, "the worker lives")
}

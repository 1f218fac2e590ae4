package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
)

// running are jobs that run, of accounts that a caller of some accounts does not see.
type running struct{ jobRows }

type jobRows = store.Jobs

func (running) JobsByID(ctx context.Context, ids []string) (rows []store.JobRow, _ error) {
	for _, id := range ids {
		if !scoped.Narrowed(ctx) {
			rows = append(rows, store.JobRow{Job: posture.Job{ID: id, State: posture.JobRunning}})
		}
	}
	return rows, nil
}

// TestACallerOfOneAccountFreesNothingOfOthers: who is over the limit makes the server look for jobs that ended, and that
// must not give back the share of jobs of accounts that they do not see.
func TestACallerOfOneAccountFreesNothingOfOthers(t *testing.T) {
	l := limit.New(limit.Table{limit.Jobs: {Caller: 1, All: 2}}, nil)
	p := &pending{limits: l, store: running{}, now: time.Now, jobs: map[string]func(){}}
	release, err := l.Take(limit.Jobs, "somebody else")
	require.NoError(t, err)
	p.keep("theirs", release)
	called := context.WithValue(t.Context(), callKey, &called{caller: "me"}) //nolint:revive,staticcheck // fiber's values have texts as keys
	narrow := scoped.With(called, access.Scope{Accounts: []string{"a"}}, "me")
	release, err = p.take(narrow)
	require.NoError(t, err)
	p.keep("mine", release)
	_, err = p.take(narrow)
	require.Error(t, err)
	_, err = l.Take(limit.Jobs, "somebody else")
	require.Error(t, err, "theirs still runs")
}

// pipes is a listener whose connections hold nothing: what is written waits to be read.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestAnswersNobodyReads: a large answer is held until it is written, so who does not read gets
// no second one; small ones are not counted, and what was held is free when the reader goes on
// or hangs up.
func TestAnswersNobodyReads(t *testing.T) {
	s := &Server{limits: limit.New(limit.Table{limit.Answers: {Caller: 100, All: 100}}, nil)}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/:size", func(c *fiber.Ctx) error {
		size := map[string]int{"large": 80 << 10, "small": 40 << 10, "file": 200 << 10}[c.Params("size")]
		c.Set(fiber.HeaderETag, "tag")
		if c.Params("size") == "file" {
			c.Response().SetBodyRaw(bytes.Repeat([]byte("a"), size))
		} else if err := c.SendString(strings.Repeat("a", size)); err != nil {
			return err
		}
		return s.holdAnswer(c, "somebody")
	})
	l := make(pipes)
	served := make(chan error)
	go func() { served <- app.Listener(l) }()
	t.Cleanup(func() { require.NoError(t, app.Shutdown()); require.NoError(t, <-served) })

	ask := func(path string) (*http.Response, func()) {
		conn, served := net.Pipe()
		t.Cleanup(func() { _ = conn.Close() })
		l <- served
		_, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		require.NoError(t, err)
		return resp, func() { _ = conn.Close() }
	}
	free := func() {
		require.Eventually(t, func() bool {
			resp, hangUp := ask("/large")
			defer hangUp()
			_, err := io.Copy(io.Discard, resp.Body)
			return err == nil && resp.StatusCode == http.StatusOK
		}, 10*time.Second, 5*time.Millisecond)
	}
	for name, end := range map[string]func(*http.Response, func()){
		"reads on": func(resp *http.Response, hangUp func()) { _, _ = io.Copy(io.Discard, resp.Body); hangUp() },
		"hangs up": func(_ *http.Response, hangUp func()) { hangUp() },
	} {
		var unread *http.Response
		var hangUp func()
		require.Eventually(t, func() bool { // what free read is given back when it was written
			unread, hangUp = ask("/large")
			return unread.StatusCode == http.StatusOK
		}, 10*time.Second, 5*time.Millisecond, name)
		refused, over := ask("/large")
		require.Equal(t, http.StatusTooManyRequests, refused.StatusCode, name)
		require.Equal(t, "2", refused.Header.Get("Retry-After"))
		require.Empty(t, refused.Header.Get("ETag"))
		over()
		small, over := ask("/small")
		require.Equal(t, http.StatusOK, small.StatusCode, name)
		over()
		file, over := ask("/file")
		n, err := io.Copy(io.Discard, file.Body)
		require.NoError(t, err)
		require.EqualValues(t, 200<<10, n, "what is there anyway is sent whole")
		over()
		end(unread, hangUp)
		free()
	}
}
